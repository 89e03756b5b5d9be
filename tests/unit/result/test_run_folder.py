"""One run at a time in a folder, and nothing lost that belongs to others."""

import json
import multiprocessing
import os
import time

import pytest
import swinging_bar as bar

import flexmbs as fm
from flexmbs import ResultFolderError, RunFolder, load
from flexmbs.result.run_folder import LOCK, numbered
from flexmbs.result.storage import RunWriter

FORK = multiprocessing.get_context("fork")  # others would import everything anew


def write(folder, **options):
    with RunFolder(folder, **options) as place:
        writer = RunWriter(place, bar.structure())
        writer.append(bar.trajectory().arrays())
        writer.finish()


def unfinished(folder):
    """What a run leaves that was killed."""
    with RunFolder(folder) as place:
        RunWriter(place, bar.structure()).append(bar.trajectory().arrays())


def hold(folder, locked):
    with RunFolder(folder):
        locked.set()
        time.sleep(100)


@pytest.fixture
def holder(tmp_path):
    """A process that holds the lock of the folder ``run``."""
    locked = FORK.Event()
    process = FORK.Process(target=hold, args=(tmp_path / "run", locked))
    process.start()
    assert locked.wait(60.0)
    yield process
    process.kill()
    process.join()


def test_second_writer_is_refused_by_name_until_the_first_is_gone(tmp_path, holder):
    told = f"another run is writing to this folder .process {holder.pid} on .* since 2"
    for options in ({}, {"force": True}, {"resume": True}):
        with pytest.raises(ResultFolderError, match=told):
            write(tmp_path / "run", **options)
    holder.kill()
    holder.join()
    assert (tmp_path / "run" / LOCK).exists()  # its file stays, its lock does not
    write(tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["model.h5", "result.h5"]


def test_second_writer_of_the_same_process_is_refused(tmp_path):
    with RunFolder(tmp_path), pytest.raises(ResultFolderError, match=f"process {os.getpid()} "):
        write(tmp_path, force=True)
    write(tmp_path)


def test_lock_that_is_taken_away_while_one_waits_is_not_mistaken(tmp_path, monkeypatch):
    """Who opened the file before its holder removed it must not take that for the lock."""
    from flexmbs.common import file_lock

    stale = []

    def lock(file, locked=file_lock._lock_or_raise):
        if not stale:
            stale.append(tmp_path / LOCK)
            os.unlink(tmp_path / LOCK)
        locked(file)

    monkeypatch.setattr(file_lock, "_lock_or_raise", lock)
    with RunFolder(tmp_path):
        monkeypatch.undo()
        assert stale and json.loads((tmp_path / LOCK).read_text())["pid"] == os.getpid()
        with pytest.raises(ResultFolderError, match="another run is writing"):
            write(tmp_path, force=True)


def test_result_is_replaced_on_demand_only(tmp_path):
    write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ResultFolderError, match=r"already holds a result \(model.h5, result.h5\).*--force.*--resume"):
        write(tmp_path)
    with pytest.raises(ResultFolderError, match="already holds a result"):
        load(tmp_path).save(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    write(tmp_path, force=True)
    assert (tmp_path / "result.h5").read_bytes() != before["result.h5"]  # of another identity


@pytest.mark.parametrize("name", ["model.h5", "result.h5", "state.npz", "summary.json"])
def test_files_of_others_under_our_names_are_not_overwritten(tmp_path, name):
    (tmp_path / name).write_bytes(b"weights of a network")
    with pytest.raises(ResultFolderError, match=f"already holds a result .{name}."):
        write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == b"weights of a network"


def test_only_files_of_its_own_run_are_removed(tmp_path):
    unfinished(tmp_path)
    (own,) = tmp_path.glob("chunk_*.npz")
    run = own.name.split("_")[1]
    foreign = ["download.part", "chunk_1.npz", "chunk_000001.npz", "chunk_0000beef_000001.npz"]
    foreign.append(".flexmbs-0000beef-1.part.npz")
    for name in foreign:
        (tmp_path / name).write_bytes(b"not of this run")
    left = tmp_path / f".flexmbs-{run}-0123456789abcdef.part.npz"
    left.write_bytes(b"half of a chunk, when it was killed")
    assert len(load(tmp_path).t) == 151
    write(tmp_path, force=True)
    assert not own.exists() and not left.exists()
    for name in foreign:
        assert (tmp_path / name).read_bytes() == b"not of this run", name


def test_empty_name_is_not_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (lambda: write(""), lambda: load(""), lambda: fm.System().simulate(1.0, out="")):
        with pytest.raises(ResultFolderError, match='="" is not a folder name'):
            call()
    assert not list(tmp_path.iterdir())


def test_run_that_does_not_begin_leaves_no_folder(tmp_path):
    with pytest.raises(fm.FlexmbsError, match="no bodies|at least one"):
        fm.System().simulate(1.0, out=tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())


def test_resume_needs_the_state_of_the_run(tmp_path):
    write(tmp_path)
    with pytest.raises(ResultFolderError, match="cannot be resumed because state.npz or system.npz is missing"):
        write(tmp_path, resume=True)
    (tmp_path / "killed").mkdir()
    unfinished(tmp_path / "killed")  # before its first state: it begins again
    write(tmp_path / "killed", resume=True)
    assert load(tmp_path / "killed").status == "finished"


def test_folders_that_need_not_be_named_are_counted(tmp_path):
    base = tmp_path / "runs" / "case"
    for name in ("case", "case-2", "case-3"):
        with numbered(base) as folder:
            assert folder.path.name == name
            RunWriter(folder, bar.structure()).append(bar.trajectory().arrays())
    with numbered(base, resume=True) as folder:
        assert folder.path.name == "case-3"
        with numbered(base) as other:  # while that one is written
            assert other.path.name == "case-4"
    assert not (tmp_path / "runs" / "case-4").exists()  # nothing was written there
    with numbered(base, force=True) as folder:
        assert folder.path.name == "case"


def write_somewhere(base, start):
    start.wait()
    with numbered(base) as folder:
        writer = RunWriter(folder, bar.structure())
        writer.append(bar.trajectory().arrays())
        writer.finish()


def test_processes_that_start_at_once_get_folders_of_their_own(tmp_path):
    start = FORK.Event()
    processes = [FORK.Process(target=write_somewhere, args=(tmp_path / "sweep", start)) for _ in range(6)]
    for process in processes:
        process.start()
    start.set()
    for process in processes:
        process.join(100.0)
    assert [process.exitcode for process in processes] == [0] * 6
    names = ["sweep", *(f"sweep-{number}" for number in range(2, 7))]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert all(load(tmp_path / name).status == "finished" for name in names)


def test_file_systems_without_locks_are_named(tmp_path, monkeypatch):
    import errno

    from flexmbs.common import file_lock

    def none(file):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(file_lock, "_lock_or_raise", none)
    with pytest.warns(fm.MechanismWarning, match="this file system does not support locks"):
        write(tmp_path)
    assert load(tmp_path).status == "finished"
