"""Damaged result folders: right data, or one error that names the folder and what helps; never silently wrong.

Bytes flipped, files cut, emptied, lengthened, removed, renamed, exchanged with each other and with those of another run
of the same system, in folders of finished and of killed runs.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import damage
import long_runs
import pytest

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks as run


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


def test_results_of_version_0_1_0_are_read(tmp_path):
    """Without checksums and without the identity of their run; a killed one cannot go on."""
    old = Path(__file__).parents[1] / "data" / "results_of_version_0_1_0"
    assert fm.load(old / "finished").status == "finished"
    assert len(fm.load(old / "killed").t) == 70
    with pytest.raises(fm.SimulationError, match="the saved state is damaged: recorder.recent"):
        shutil.copytree(old / "killed", tmp_path / "copy")
        long_runs.pendulum().simulate(0.2, max_step=1e-3, out=tmp_path / "copy", resume=True)


def test_state_that_lacks_an_array_of_this_version_is_gone_on_from():
    """As one of a version in which the method remembered less."""
    state = long_runs.pendulum().simulate(0.1).final_state
    older = replace(state, arrays={name: array for name, array in state.arrays.items() if name != "state.largest_effort"})
    with pytest.warns(fm.ResultWarning, match="another version of flexmbs: the run goes on"):
        angle = long_runs.pendulum().simulate(0.2, start=older)["hinge.angle"][-1]
    assert angle == pytest.approx(long_runs.pendulum().simulate(0.2)["hinge.angle"][-1], abs=1e-4)
