"""Files are whole under their names or not there; what cannot be written or read is said in one line."""

import errno
import os
import resource
import signal
from contextlib import contextmanager
from dataclasses import replace

import long_runs
import numpy as np
import pytest
import swinging_bar as bar

import flexmbs as fm
from flexmbs import FlexmbsError, Result
from flexmbs.common import atomic_files, stored_arrays
from flexmbs.common.atomic_files import path_problem, read_file, refuse_existing, replacing, write_arrays, write_bytes
from flexmbs.common.hdf5_files import damage, writing_hdf5
from flexmbs.common.stored_arrays import read_npz_arrays

BODY = replace(bar.structure().bodies[1].flexible, name="bar")
SPACE = 4096  # bytes; less than any of the files takes


def of_result(path):
    Result(bar.structure(), bar.trajectory()).save(path)


def plot(path):
    Result(bar.structure(), bar.trajectory()).plot("hinge.angle", save=path, force=True)


WRITERS = {
    "body.h5": lambda path: fm.save_body(BODY, path),
    "body.npz": lambda path: fm.write_npz(BODY, path),
    "body.fem": lambda path: fm.write_mbdyn_fem(BODY, path, all_nodes=True),
    "body.sid": lambda path: fm.write_sid(BODY, path),
    "result": of_result,
    "plot.png": plot,
}


@contextmanager
def full_disk():
    """No file can grow beyond some bytes: writing fails in the system, as on a full disk."""
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SPACE, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, previous)


def check_told(write, path, text):
    with pytest.raises(FlexmbsError) as caught:
        write(path)
    message = str(caught.value)
    assert text in message and str(path) in message and len(message.splitlines()) == 1, message


@pytest.mark.parametrize("name", WRITERS)
def test_full_disk_leaves_the_former_file(tmp_path, name):
    path, write = tmp_path / name, WRITERS[name]
    plot(tmp_path / "other.png")  # matplotlib keeps lists of fonts, whose files are not ours
    (tmp_path / "other.png").unlink()
    with full_disk():
        check_told(write, path, "cannot be written: it would exceed the maximum file size")
    assert not list(tmp_path.iterdir())  # nothing half-written, under whatever name
    write(path)
    whole = {file: file.read_bytes() for file in ([path] if path.is_file() else path.iterdir())}
    with full_disk(), pytest.raises(FlexmbsError):
        path.is_file() and write(path)
        Result(bar.structure(), bar.trajectory()).save(path, force=True)
    assert {file: file.read_bytes() for file in whole} == whole


@pytest.mark.parametrize("name", WRITERS)
def test_places_that_cannot_be_written(tmp_path, name):
    write = WRITERS[name]
    (tmp_path / "file").write_text("a file in the place of a folder")
    check_told(write, tmp_path / "file" / name, "there is a file where a folder is expected")
    loop = tmp_path / f"loop{os.path.splitext(name)[1]}"
    loop.symlink_to(loop)
    check_told(write, loop, "that leads back to itself" if name != "result" else "there is a file where")
    if name != "result":
        pipe = loop.with_stem("pipe")
        os.mkfifo(pipe)
        check_told(write, pipe, "it is a named pipe (FIFO), not a file")
        (tmp_path / name).mkdir()
        check_told(write, tmp_path / name, "it is a folder")
        assert sorted(os.listdir(tmp_path)) == sorted(["file", loop.name, pipe.name, name])


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (errno.ENOSPC, "no space is left on the disk: free some"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "you have no write permission"),
        (errno.EDQUOT, "your disk quota"),
        (errno.EIO, "Input"),
    ],
)
def test_reasons_are_told_with_what_helps(tmp_path, monkeypatch, number, text):
    def fails(source, target):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic_files.os, "replace", fails)
    check_told(lambda path: write_bytes(path, b"x"), tmp_path / "x", text)
    assert not list(tmp_path.iterdir())


def test_interrupted_writing_leaves_nothing(tmp_path):
    (tmp_path / "x.txt").write_text("former")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "x.txt") as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert [path.read_text() for path in tmp_path.iterdir()] == ["former"]


def test_output_of_reduce_is_tried_before_the_mesh_is_read(tmp_path):
    from click.testing import CliRunner

    from flexmbs.app.cli.reduce import reduce_command

    (tmp_path / "loop.h5").symlink_to(tmp_path / "loop.h5")
    told = CliRunner().invoke(reduce_command, [str(tmp_path / "no mesh"), "-o", str(tmp_path / "loop.h5")]).exception
    assert isinstance(told, fm.BodyError) and "loop.h5: cannot be written: it is a symbolic link" in str(told)
    atomic_files.require_writable(tmp_path / "body.h5")
    assert [path.name for path in tmp_path.iterdir()] == ["loop.h5"]


@pytest.mark.parametrize("broken", [False, True])
def test_links_are_replaced_and_not_followed(tmp_path, broken):
    link, real = tmp_path / "link.npz", tmp_path / "real.npz"
    link.symlink_to(real)
    if not broken:
        real.write_bytes(b"of others")
    with pytest.raises(FlexmbsError, match=r"link\.npz exists: give force=True"):
        refuse_existing(link)
    write_arrays(link, {"x": np.arange(3.0)})
    assert not link.is_symlink() and read_npz_arrays(link)["x"].tolist() == [0.0, 1.0, 2.0]
    assert not real.exists() if broken else real.read_bytes() == b"of others"


def test_pipes_and_devices_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    for name, what in (("pipe", "a named pipe"), ("zeros", "a device")):
        with pytest.raises(OSError, match=f"it is {what}"):
            read_file(tmp_path / name)
        with pytest.raises(ValueError, match=f"is {what}"):
            read_npz_arrays(tmp_path / name)


def test_archives_that_would_fill_the_memory_are_not_unpacked(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "x.npz", x=np.zeros(3_000_000), y=np.arange(3.0))
    assert list(read_npz_arrays(tmp_path / "x.npz", names=("y",))) == ["y"]
    monkeypatch.setattr(stored_arrays, "_array", None)  # nothing is read
    with pytest.raises(ValueError, match=r"24000\d+ bytes are declared in a file of 2\d+; expected at most 16777216"):
        read_npz_arrays(tmp_path / "x.npz")


def test_existing_files_are_replaced_only_when_told(tmp_path):
    there, folder = tmp_path / "there.svg", tmp_path / "folder"
    there.write_text("mine")
    folder.mkdir()
    refuse_existing(tmp_path / "new.svg")
    refuse_existing(there, force=True)
    with pytest.raises(FlexmbsError, match=r"there\.svg exists: give force=True \(--force\) to replace it, or another"):
        refuse_existing(there)
    with pytest.raises(FlexmbsError, match="folder: cannot be written: it is a folder"):
        refuse_existing(folder, force=True)


def test_every_byte_of_an_hdf5_file_is_checked(tmp_path):
    path = tmp_path / "x.h5"
    with writing_hdf5(path) as file:
        file.create_dataset("x", data=np.arange(10.0))
        file.attrs["name"] = "a text"
    assert damage(path) == ""
    whole = path.read_bytes()
    for at in range(0, len(whole), 41):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert "checksum" in damage(path), at
    path.write_bytes(whole[512:])  # HDF5's own part alone: of another tool
    assert damage(path) == ""


def test_full_disk_during_a_run_keeps_what_was_stored(tmp_path, monkeypatch):
    """It ends with one error; when there is space again it goes on to the digits of a run that was not stopped."""
    from flexmbs.analysis.run import run_in_chunks as run
    from flexmbs.result import storage

    monkeypatch.setattr(run, "WRITE_SECONDS", 0.0)
    monkeypatch.setattr(run, "CHUNK_SECONDS", 1e-9)
    monkeypatch.setattr(run, "WRITING_SHARE", 1e9)
    write, written = storage.write_chunk, []

    def full(path, *arguments):
        written.append(path)
        if len(written) == 4:
            with full_disk():
                write(path, *arguments)
        write(path, *arguments)

    monkeypatch.setattr(storage, "write_chunk", full)
    with pytest.raises(fm.SimulationError, match="resume=True .--resume. continues from the last saved state") as caught:
        long_runs.run("pendulum", 0.1, tmp_path)
    assert "exceed the maximum file size" in str(caught.value) and len(str(caught.value).splitlines()) == 1
    assert len(fm.load(tmp_path).t) > 30
    monkeypatch.undo()
    resumed, whole = long_runs.run("pendulum", 0.1, tmp_path, resume=True), long_runs.run("pendulum", 0.1)
    assert np.array_equal(resumed.t, whole.t) and np.array_equal(resumed["hinge.angle"], whole["hinge.angle"])


def test_what_stands_in_the_place_of_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "broken").symlink_to(tmp_path / "nothing")
    (tmp_path / "file").touch()
    found = {name: path_problem(tmp_path / name) for name in ("pipe", "loop", "broken", "file", ".", "none", "file/x", "n" * 300)}
    assert found == {
        "pipe": "is a named pipe (FIFO), not a file",
        "loop": "it is a symbolic link that leads back to itself",
        "broken": "is a broken symbolic link",
        "file": "",
        ".": "is a folder",
        "none": "does not exist",
        "file/x": "does not exist",
        "n" * 300: "the name is too long",
    }
    assert "NUL" in path_problem("a\0b")
