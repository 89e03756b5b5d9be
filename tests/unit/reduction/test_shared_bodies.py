"""A body that several processes or runs need is computed once, and each of them has it to itself."""

import multiprocessing
import os
import signal
import sys
import time
import warnings

import pytest
from same_values import assert_same

from flexmbs import BasisWarning, BodyWarning, ClampedFree, Interface, reduce, with_material
from flexmbs.common import cache_folder
from flexmbs.common.progress import on_progress
from flexmbs.reduction import body_cache
from flexmbs.reduction.body_cache import bodies_kept_in_memory
from flexmbs.reduction.reduce import through_all_stages

OPTIONS = {"interfaces": {"hinge": "ROOT", "tip": Interface(set="TIP", kind="rigid")}}
FORK = multiprocessing.get_context("fork")  # others would import everything anew


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Folder of the cache, and of ``computed``, which grows by a line whenever a body is computed."""
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path))
    monkeypatch.delenv(body_cache.VARIABLE, raising=False)
    return tmp_path


@pytest.fixture
def computed(place, monkeypatch):
    """Whose turn it was so far, by process: computing waits until a file ``go`` is there."""

    def waiting(*arguments, **options):
        with open(place / "computed", "a") as file:
            file.write(f"{os.getpid()}\n")
        while not (place / "go").exists():
            time.sleep(0.002)
        return through_all_stages(*arguments, **options)

    monkeypatch.setattr(sys.modules[reduce.__module__], "through_all_stages", waiting)
    (place / "computed").touch()
    return lambda: [int(word) for word in (place / "computed").read_text().split()]


def body_of(mesh, count=2, **options):
    return reduce(mesh, modes=ClampedFree("hinge", count=count), **OPTIONS, **options)


def in_process(mesh, place, **options):
    """A process that makes the body, and names the stages that it passes through in a file of its own."""

    def make():
        def note(stage):
            with open(place / f"stages-{os.getpid()}", "a") as file:
                file.write(f"{stage}\n")

        with on_progress(note):
            body_of(mesh, **options)

    process = FORK.Process(target=make)
    process.start()
    return process


def until(condition):
    begin = time.perf_counter()
    while not condition():
        assert time.perf_counter() - begin < 60.0
        time.sleep(0.002)


def said_to_wait(place, process):
    path = place / f"stages-{process.pid}"
    return path.exists() and "waiting for another process that reduces this body (process" in path.read_text()


def test_the_second_process_waits_for_the_body_of_the_first(blade, place, computed):
    first = in_process(blade, place, cache=True)
    until(computed)
    second = in_process(blade, place, cache=True)
    until(lambda: said_to_wait(place, second))
    (place / "go").touch()
    for process in (first, second):
        process.join(60.0)
        assert process.exitcode == 0
    assert computed() == [first.pid]
    assert "taken from the cache" in (place / f"stages-{second.pid}").read_text()
    assert [path.suffix for path in (place / "bodies").iterdir()] == [".h5"]


def test_the_second_takes_over_where_the_first_dies(blade, place, computed):
    first = in_process(blade, place, cache=True)
    until(computed)
    second = in_process(blade, place, cache=True)
    third = in_process(blade, place, cache=True)
    until(lambda: said_to_wait(place, second) and said_to_wait(place, third))
    os.kill(first.pid, signal.SIGKILL)
    first.join(60.0)
    until(lambda: len(computed()) == 2)
    (place / "go").touch()
    for process in (second, third):
        process.join(60.0)
        assert process.exitcode == 0
    assert len(computed()) == 2  # one of them, while the other went on waiting
    assert [path.suffix for path in (place / "bodies").iterdir()] == [".h5"]


def test_those_who_waited_for_a_body_that_is_not_kept_compute_it_side_by_side(blade, place, computed, monkeypatch):
    monkeypatch.setattr(body_cache, "WORTH_KEEPING", 1e9)
    first = in_process(blade, place)
    until(computed)
    others = [in_process(blade, place) for _ in range(2)]
    until(lambda: all(said_to_wait(place, process) for process in others))
    (place / "go").touch()
    until(lambda: len(computed()) == 3)
    for process in (first, *others):
        process.join(60.0)
        assert process.exitcode == 0
    assert not list((place / "bodies").iterdir())


def test_a_failed_reduction_gives_its_turn_back(blade, place, monkeypatch):
    monkeypatch.setattr(sys.modules[reduce.__module__], "through_all_stages", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        body_of(blade, cache=True)
    monkeypatch.undo()
    assert not list((place / "bodies").iterdir())


def test_a_body_in_memory_is_computed_once_and_belongs_to_its_user(blade, place, computed):
    (place / "go").touch()
    alone = body_of(blade)
    with bodies_kept_in_memory():
        for _ in range(3):
            found = body_of(blade)
            assert_same(alone, found)
            found.Ke[...] = 0.0  # the next one does not see it
            found.options["mine"] = 1
        assert len(computed()) == 2
        body_of(blade, cache=False)
        assert len(computed()) == 3
    body_of(blade)
    assert len(computed()) == 4


def test_memory_is_bounded(blade, place, computed):
    (place / "go").touch()
    with bodies_kept_in_memory(count=2):
        for count in (1, 2, 1, 3, 1, 2):  # 2 makes way for 3, as 1 has been used since
            assert body_of(blade, count=count).mode_count == count
        assert len(computed()) == 4
    with bodies_kept_in_memory(size=10.0):
        body_of(blade)
        body_of(blade)
    assert len(computed()) == 6


def test_a_body_from_memory_warns_like_a_new_one(blade, computed, place):
    """The remarks of the mesh check, and of the advice on the basis."""
    (place / "go").touch()
    soft = with_material(blade, youngs_modulus=210e3)

    def told():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            body_of(soft, trust_units=True)
        return [(warning.category, str(warning.message)) for warning in caught]

    with bodies_kept_in_memory():
        first, second = told(), told()
    assert first == second
    assert {category for category, _ in first} == {BasisWarning, BodyWarning}
    assert len(computed()) == 1
