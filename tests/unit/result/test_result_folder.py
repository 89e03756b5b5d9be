"""One run at a time in a folder, and nothing lost that belongs to others."""

import json
import multiprocessing
import os
import time

import filelock
import h5py
import pytest
import swinging_bar as bar

import flexmbs as fm
from flexmbs import ResultFolder, ResultFolderError, load
from flexmbs.result.result_folder import LOCK, numbered
from flexmbs.result.run_summary import read_summary
from flexmbs.result.storage import RunWriter

FORK = multiprocessing.get_context("fork")  # others would import everything anew


def write(folder, **options):
    with ResultFolder(folder, **options) as place:
        writer = RunWriter(place, bar.structure())
        writer.append(bar.trajectory().arrays())
        writer.finish()


def unfinished(folder):
    """What a run leaves that was killed."""
    with ResultFolder(folder) as place:
        RunWriter(place, bar.structure()).append(bar.trajectory().arrays())


def hold(folder, locked):
    with ResultFolder(folder):
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
    with ResultFolder(tmp_path), pytest.raises(ResultFolderError, match=f"process {os.getpid()} "):
        write(tmp_path, force=True)
    write(tmp_path)


def test_lock_that_is_taken_away_while_one_waits_is_not_mistaken(tmp_path, monkeypatch):
    """Who opened the file before its holder removed it must not take that for the lock."""
    stale = []

    def lock(descriptor, *, blocking, locked=filelock.lock_descriptor):
        if not stale:
            stale.append(tmp_path / LOCK)
            os.unlink(tmp_path / LOCK)
        return locked(descriptor, blocking=blocking)

    monkeypatch.setattr(filelock, "lock_descriptor", lock)
    with ResultFolder(tmp_path):
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

    def none(descriptor, *, blocking):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(filelock, "lock_descriptor", none)
    with pytest.warns(fm.MechanismWarning, match="this file system does not support locks"):
        write(tmp_path)
    assert load(tmp_path).status == "finished"


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("kind", ["link", "broken link", "hard link", "pipe"])
def test_lock_that_is_not_its_own_file_is_not_written_to(tmp_path, kind, force):
    other, lock = tmp_path / "other", tmp_path / "run" / LOCK
    lock.parent.mkdir()
    if kind != "broken link":
        other.write_text("of others")
    make = {"hard link": lambda: lock.hardlink_to(other), "pipe": lambda: os.mkfifo(lock)}
    make.get(kind, lambda: lock.symlink_to("../other"))()
    with pytest.raises(ResultFolderError, match=r"run: cannot write to this folder: run\.lock is a link, or not a file.*remove it"):
        write(tmp_path / "run", force=force)
    assert os.listdir(lock.parent) == [LOCK]
    assert not other.exists() if kind == "broken link" else other.read_text() == "of others"


def test_nested_note_in_a_lock_is_no_note(tmp_path):
    (tmp_path / LOCK).write_text("[" * 60_000)
    write(tmp_path)
    assert load(tmp_path).status == "finished"


def test_files_of_a_run_are_not_written_through_links(tmp_path):
    names = ("model.h5", "result.h5", "state.npz", "summary.json")
    (tmp_path / "run").mkdir()
    for name in names:
        (tmp_path / name).write_text("of others")
        (tmp_path / "run" / name).symlink_to(f"../{name}")
    write(tmp_path / "run", force=True)
    assert [(tmp_path / name).read_text() for name in names] == ["of others"] * 4
    assert load(tmp_path / "run").status == "finished" and not (tmp_path / "run" / "model.h5").is_symlink()


@pytest.mark.parametrize("name", ["model.h5", "result.h5", "state.npz"])
def test_pipes_in_the_place_of_files_are_named(tmp_path, name):
    write(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    told = rf"{name} is a named pipe \(FIFO\), not a file; restore it from a backup, or run again"
    with pytest.raises(ResultFolderError, match=told):
        load(tmp_path)
    if name != "state.npz":
        with pytest.raises(ResultFolderError, match=told):
            write(tmp_path, resume=True)
    if name == "model.h5":
        with pytest.raises(ResultFolderError, match=r"model\.h5: cannot be written: it is a named pipe"):
            write(tmp_path, force=True)


@pytest.mark.parametrize("name", ["model.h5", "result.h5"])
def test_data_of_other_files_are_not_read(tmp_path, name):
    write(tmp_path / "run")
    write(tmp_path / "other")
    key = {"model.h5": "gravity", "result.h5": "t"}[name]
    for damage in ("link", "virtual"):
        with h5py.File(tmp_path / "run" / name, "r") as old, h5py.File(tmp_path / "new.h5", "w") as new:
            for each in old:
                old.copy(each, new)
            new.attrs.update(old.attrs)
            shape, dtype = old[key].shape, old[key].dtype
            del new[key]
            if damage == "link":
                new[key] = h5py.ExternalLink(tmp_path / "other" / name, key)
            else:
                layout = h5py.VirtualLayout(shape, dtype)
                layout[:] = h5py.VirtualSource(tmp_path / "other" / name, key, shape)
                new.create_virtual_dataset(key, layout)
        before = (tmp_path / "run" / name).read_bytes()
        os.replace(tmp_path / "new.h5", tmp_path / "run" / name)
        with pytest.raises(ResultFolderError, match=f"{name} is damaged .*{key}: the data is in another file"):
            load(tmp_path / "run")
        (tmp_path / "run" / name).write_bytes(before)


def test_nested_summary_is_said_to_be_damaged(tmp_path):
    for text, told in (("[" * 200_000, "its values are nested too deeply"), (None, "named pipe")):
        (tmp_path / "summary.json").unlink(missing_ok=True)
        (tmp_path / "summary.json").write_text(text) if text else os.mkfifo(tmp_path / "summary.json")
        with pytest.raises(fm.FlexmbsError, match=rf"summary\.json: cannot be read \(.*{told}.*\); remove this file to"):
            read_summary(tmp_path)
