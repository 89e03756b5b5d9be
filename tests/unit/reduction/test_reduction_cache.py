"""Reduced bodies that were computed before come back bit for bit, and nothing else does."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from same_values import assert_same

from flexmbs import BodyError, ClampedFree, CraigBampton, Interface, Rayleigh, SecondOrder, reduce, with_material
from flexmbs.common import cache_folder, versions
from flexmbs.common.file_lock import FileLock
from flexmbs.reduction import body_cache as cache
from flexmbs.reduction.reduce import through_all_stages

INTERFACES = {"hinge": "ROOT", "tip": Interface(set="TIP", kind="rigid")}
OPTIONS = {"interfaces": INTERFACES, "modes": ClampedFree("hinge", count=2), "cache": True}


@pytest.fixture(autouse=True)
def bodies(tmp_path, monkeypatch):
    """The folder of the cache, empty, with the default limit."""
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path))
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    return tmp_path / "bodies"


@pytest.fixture
def computed(monkeypatch):
    """Grows by one whenever a body is really computed."""
    calls = []

    def counted(*arguments, **options):
        calls.append(1)
        return through_all_stages(*arguments, **options)

    monkeypatch.setattr(sys.modules[reduce.__module__], "through_all_stages", counted)
    return calls


def test_found_again_bit_for_bit(blade, bodies, computed):
    first = reduce(blade, damping=0.01, **OPTIONS)
    second = reduce(blade, damping=0.01, **OPTIONS)
    assert len(computed) == 1 and len(list(bodies.iterdir())) == 1
    assert_same(first, second)


def changes(mesh):
    (block,) = mesh.blocks
    moved = mesh.points.copy()
    moved[-1, 0] = np.nextafter(moved[-1, 0], 2.0)
    yield "a point in its last bit", replace(mesh, points=moved), {}
    yield "the material", with_material(mesh, density=7850.0 * (1.0 + 1e-15)), {}
    thicker = replace(block.section, Iy=np.nextafter(block.section.Iy, 1.0))
    yield "the section", replace(mesh, blocks=(replace(block, section=thicker),)), {}
    yield "a set", replace(mesh, node_sets={**mesh.node_sets, "TIP": np.array([79, 80])}), {}
    yield "the node numbers", replace(mesh, node_ids=mesh.node_ids + 1), {}
    yield "the source", replace(mesh, source="another"), {}
    yield "the warnings", replace(mesh, warnings=("doubtful",)), {}
    yield "the name", mesh, {"name": "arm"}
    yield "the number of modes", mesh, {"modes": ClampedFree("hinge", count=3)}
    yield "the kind of modes", mesh, {"modes": CraigBampton("hinge", count=2)}
    yield "the kind of an interface", mesh, {"interfaces": {"hinge": "ROOT", "tip": "TIP"}}
    yield "the order of the interfaces", mesh, {"interfaces": dict(reversed(INTERFACES.items()))}
    yield "the damping", mesh, {"damping": Rayleigh(0.0, 1e-6)}
    yield "the second-order fields", mesh, {"second_order": SecondOrder(tolerance=1e-9)}
    yield "the theory", mesh, {"beam_theory": "euler-bernoulli"}
    yield "the rotary inertia", mesh, {"rotary_inertia": False}


def test_any_change_is_computed(blade, computed):
    reduce(blade, **OPTIONS)
    for count, (what, mesh, options) in enumerate(changes(blade), start=2):
        reduce(mesh, **{**OPTIONS, **options})
        assert len(computed) == count, what


def test_changed_sources_and_solver_are_computed(blade, computed, monkeypatch):
    reduce(blade, **OPTIONS)
    monkeypatch.setattr(cache, "chosen_solver", lambda: "another")
    reduce(blade, **OPTIONS)
    assert len(computed) == 2
    monkeypatch.setattr(cache, "_SOURCES", "edited")
    reduce(blade, **OPTIONS)
    assert len(computed) == 3


def test_every_source_file_counts(tmp_path, monkeypatch):
    """The hash that names the state of the program changes with one comment in one file of fem."""
    package = tmp_path / "flexmbs"
    for name in ("mesh/a.py", "fem/b.py", "reduction/body_cache.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("x = 1\n")
    monkeypatch.setattr(versions, "PACKAGE", package)
    before = cache._hash_of_sources()
    assert before == cache._hash_of_sources() != cache._SOURCES
    (package / "fem" / "b.py").write_text("x = 1  # one\n")
    assert cache._hash_of_sources() != before


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "text"])
def test_damaged_files_are_ignored_and_replaced(blade, bodies, computed, damage):
    first = reduce(blade, **OPTIONS)
    (file,) = bodies.iterdir()
    whole = bytearray(file.read_bytes())
    if damage == "flip":  # one bit of a number, which HDF5 itself would not notice
        place = whole.find(first.points[40:60].tobytes())
        assert place > 0
        whole[place + 8] ^= 1
    file.write_bytes({"cut": whole[:-100], "flip": whole, "empty": b"", "text": b"no body"}[damage])
    assert_same(reduce(blade, **OPTIONS), first)
    assert len(computed) == 2
    assert_same(reduce(blade, **OPTIONS), first)
    assert len(computed) == 2 and len(list(bodies.iterdir())) == 1


def test_only_what_took_a_second_is_kept_unless_asked(blade, bodies, monkeypatch):
    reduce(blade, **{**OPTIONS, "cache": None})
    reduce(blade, **{**OPTIONS, "cache": False})
    assert not list(bodies.iterdir())
    monkeypatch.setattr(cache, "WORTH_KEEPING", 0.0)
    reduce(blade, **{**OPTIONS, "cache": False})
    assert not list(bodies.iterdir())
    reduce(blade, **{**OPTIONS, "cache": None})
    assert len(list(bodies.iterdir())) == 1


def test_the_variable_turns_it_off_or_says_what_is_wrong(blade, bodies, monkeypatch):
    monkeypatch.setenv(cache.VARIABLE, "0")
    reduce(blade, **OPTIONS)
    assert not bodies.exists()
    monkeypatch.setenv(cache.VARIABLE, "much")
    with pytest.raises(BodyError, match="FLEXMBS_BODY_CACHE_GB is 'much'; it must be a number of gigabytes"):
        reduce(blade, **OPTIONS)


def test_the_least_recently_used_are_dropped(blade, bodies, computed, monkeypatch):
    import os

    def body(name):
        return reduce(blade, name=name, **OPTIONS)

    body("a")
    body("b")
    total = sum(path.stat().st_size for path in bodies.iterdir())
    for path in bodies.iterdir():
        os.utime(path, (1e9, 1e9))
    body("b")  # used now
    monkeypatch.setenv(cache.VARIABLE, str((total + 1000) / 1e9))  # no room for a third
    body("c")
    body("b")
    assert len(computed) == 3  # b is still there
    body("a")
    assert len(computed) == 4  # a was dropped
    assert sum(path.stat().st_size for path in bodies.iterdir()) <= total + 1000


def test_abandoned_temporary_files_are_removed(bodies, blade):
    import os

    bodies.mkdir()
    old, new, left, held = (bodies / name for name in ("old.part", "new.part", "left.lock", "held.lock"))
    for path in (old, new, left):
        path.write_text("half")
    lock = FileLock(held)
    assert lock.acquire()
    for path in (old, left, held):
        os.utime(path, (1e9, 1e9))
    reduce(blade, **OPTIONS)
    assert new.exists() and held.exists()
    assert not old.exists() and not left.exists()
    lock.release()


def test_no_place_to_write_is_no_error(blade, bodies):
    bodies.parent.mkdir(exist_ok=True)
    bodies.write_text("in the way")
    assert reduce(blade, **OPTIONS).mode_count == 2


def test_data_that_cannot_be_compared_are_not_cached(blade):
    assert cache.content_key({"mesh": blade}) is not None
    assert cache.content_key({"mesh": blade, "report": print}) is None


def test_values_that_look_alike_have_keys_of_their_own():
    alike = [1, 1.0, True, "1", b"1", [1], (1,), {"1": 1}, {1: "1"}, np.array([1]), np.array(1), np.array([1.0]), None]
    assert len({cache.content_key({"x": value}) for value in alike}) == len(alike)
    assert cache.content_key({"x": ["ab", "c"]}) != cache.content_key({"x": ["a", "bc"]})


TWO_AT_ONCE = """
import sys
from flexmbs import Material, line_mesh
from flexmbs import rectangle
from flexmbs import ClampedFree
from flexmbs import reduce
mesh = line_mesh(1.0, 60, rectangle(0.004, 0.02), Material("STEEL", 210e9, 0.3, 7850.0))
for count in (1, 2, 3) * 3:
    body = reduce(mesh, interfaces={"hinge": "ROOT"}, modes=ClampedFree("hinge", count=count), cache=True)
    assert body.mode_count == count
"""


def test_two_processes_at_once(bodies):
    processes = [subprocess.Popen([sys.executable, "-c", TWO_AT_ONCE], stderr=subprocess.PIPE) for _ in range(2)]
    errors = [process.communicate(timeout=120)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    assert {path.suffix for path in bodies.iterdir()} == {".h5"}
    assert len({path.name.partition("-")[0] for path in bodies.iterdir()}) == 3
