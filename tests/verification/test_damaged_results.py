"""Damaged result folders: right data, or one error that names the folder and what helps; never silently wrong.

Bytes flipped, files cut, emptied, lengthened, removed, renamed, exchanged with each other and with those of another run
of the same system, in folders of finished and of killed runs.
"""

import json
import os
import shutil

import damage
import h5py
import long_runs
import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks as run
from flexmbs.common.hdf5_files import writing_hdf5


class Killed(BaseException):
    """Ends a run as a kill does: with what lies on the disk."""


def killed(folder):
    """A run that is gone after twelve chunk files of 16 steps or so."""
    calls = []

    def stop(progress):
        calls.append(progress)
        if len(calls) == 12:
            raise Killed

    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("WRITE_SECONDS", 0.0), ("CHUNK_SECONDS", 1e-9), ("WRITING_SHARE", 1e9)):
            patch.setattr(run, name, value)
        with pytest.raises(Killed):
            long_runs.run("impact", 1.0, folder, progress=stop)
    assert len(list(folder.glob("chunk_*"))) > 8


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders of a finished run and of one that was killed, each with that of another such run."""
    base = tmp_path_factory.mktemp("runs")
    for name in ("finished", "finished_other"):
        long_runs.run("impact", 0.0002, base / name)
    for name in ("killed", "killed_other"):
        killed(base / name)
    return base


def check(folders, tmp_path, numbers):
    whole = {kind: fm.load(folders / kind) for kind in ("finished", "killed")}
    for result in whole.values():
        result.trajectory.arrays()
    verdicts = []
    for number in numbers:
        kind = "killed" if number % 2 else "finished"
        done = damage.damaged_copy(folders / kind, tmp_path / "copy", folders / f"{kind}_other", number)
        try:
            verdicts.append(damage.verdict(tmp_path / "copy", whole[kind]))
        except BaseException as error:
            raise AssertionError(f"{kind} {number}, {done}: {error!r}") from error
    return verdicts


def test_damage_is_told_or_does_not_matter(folders, tmp_path):
    verdicts = check(folders, tmp_path, range(40))
    assert verdicts.count("told") > 12
    assert "right" in verdicts  # what damages nothing that is read: a state of a finished run, a chunk behind the state


@pytest.mark.slow
def test_500_damaged_folders(folders, tmp_path):
    verdicts = check(folders, tmp_path, range(500))
    print({verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))})
    assert verdicts.count("told") > 250


@pytest.mark.parametrize("missing", [1, 2, 5])
def test_a_missing_chunk_is_no_gap(folders, tmp_path, missing):
    folder = tmp_path / "copy"
    shutil.copytree(folders / "killed", folder)
    sorted(folder.glob("chunk_*"))[missing - 1].unlink()
    with pytest.raises(fm.SimulationError, match="missing; restore it from a backup, or run again"):
        fm.load(folder)


def without(path, name, in_note=False):
    """Rewrite a file of a result without an array, an attribute, or something of its note; its check sum holds."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            arrays = {key: file[key] for key in file.files}
        if in_note:
            arrays["note"] = np.array(json.dumps(without_key(json.loads(str(arrays["note"])), name)))
        else:
            del arrays[name]
        np.savez(path, **arrays)
        return
    with writing_hdf5(path.with_suffix(".new")) as new, h5py.File(path) as old:
        new.attrs.update({key: value for key, value in old.attrs.items() if key != name})
        for key in old:
            old.copy(key, new)
        if in_note:
            group, key = name.rpartition("/")[::2] if "/" in name else ("", name)
            place = f"{group}/plain" if group or "plain" in new else "note"
            record = without_key(json.loads(new[place][()].decode()), key)
            del new[place]
            new[place] = json.dumps(record)
        elif name in new:
            del new[name]
    os.replace(path.with_suffix(".new"), path)


def without_key(record, key):
    """A record without one of its entries, which it must have."""
    del record[key]
    return record


OF_RESULTS = [
    ("finished", "model.h5", "run", False),
    ("finished", "model.h5", "gravity", False),
    ("finished", "model.h5", "stated", True),
    ("finished", "model.h5", "joints/0/kind", True),
    ("finished", "model.h5", "bodies/0/mass", True),
    ("finished", "result.h5", "contact_push", False),
    ("finished", "result.h5", "identity", True),
    ("finished", "result.h5", "last_chunk", True),
    ("killed", "chunk", "contact_slip", False),
    ("killed", "chunk", "base_rows", True),
    ("killed", "chunk", "arrays", True),
]
OF_STATES = [
    ("state.npz", "state.largest_effort", False),
    ("state.npz", "state.contact_history", False),
    ("state.npz", "recorder.budget", False),
    ("state.npz", "turn_names", True),
    ("state.npz", "machine", True),
    ("system.npz", "system.turns", False),
]


@pytest.mark.parametrize(("kind", "file", "name", "in_note"), OF_RESULTS)
def test_part_that_files_of_another_version_lack_is_named(folders, tmp_path, kind, file, name, in_note):
    shutil.copytree(folders / kind, tmp_path / "copy")
    path = sorted((tmp_path / "copy").glob("chunk_*"))[-1] if file == "chunk" else tmp_path / "copy" / file
    without(path, name, in_note)
    part = name.rpartition("/")[2]
    with pytest.raises(fm.ResultFolderError, match=rf"{path.name} is damaged \(.*{part}.*another version of flexmbs.*run again"):
        fm.load(tmp_path / "copy").trajectory.arrays()


@pytest.mark.parametrize(("file", "name", "in_note"), OF_STATES)
def test_part_that_states_of_another_version_lack_is_named(folders, tmp_path, file, name, in_note):
    shutil.copytree(folders / "killed", tmp_path / "copy")
    without(tmp_path / "copy" / file, name, in_note)
    told = f"{name.removeprefix('system.')}.* another version of flexmbs, or is damaged: run again"
    with pytest.raises(fm.FlexmbsError, match=f"copy.*{told}"):
        long_runs.run("impact", 1.0, tmp_path / "copy", resume=True)
    with pytest.raises(fm.FlexmbsError, match=told):
        long_runs.run("impact", 1.0, start=tmp_path / "copy")
