"""Runs that end before their first chunk is due: one result.h5 without chunk files, or nothing on disk at all."""

import math

import long_runs
import numpy as np
import pytest
from long_runs import same

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks
from flexmbs.case.cases import run_case
from flexmbs.result import storage
from flexmbs.result.result_folder import ResultFolder
from flexmbs.result.saved_state import SavedState

T_END = 0.02  # s
WHOLE = ["model.h5", "result.h5", "state.npz", "system.npz"]


def names(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else None


def run(folder, t_end=T_END, keep_short=False, **options):
    with ResultFolder(folder, keep_short=keep_short, resume=options.pop("resume", False)) as out:
        return long_runs.run("pendulum", t_end, out, **options)


@pytest.fixture
def chunks_at_once(monkeypatch):
    """Each return to Python writes a chunk, as those of a long run do."""
    for name, value in (("WRITE_SECONDS", 0.0), ("CHUNK_SECONDS", 1e-9), ("WRITING_SHARE", 1e9)):
        monkeypatch.setattr(run_in_chunks, name, value)


def test_a_short_run_has_the_content_of_one_in_chunks_without_writing_any(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(storage, "write_chunk", lambda *_: pytest.fail("a chunk was written"))
        at_once = long_runs.run("impact", 0.01, tmp_path / "once")
    for name, value in (("WRITE_SECONDS", 0.0), ("WRITING_SHARE", 1e9)):
        monkeypatch.setattr(run_in_chunks, name, value)
    in_chunks = long_runs.run("impact", 0.01, tmp_path / "chunks")
    assert names(tmp_path / "once") == names(tmp_path / "chunks") == WHOLE
    loaded = fm.load(tmp_path / "once")
    same(at_once, loaded)
    same(in_chunks, loaded)
    assert loaded.trajectory.has("reaction") == in_chunks.trajectory.has("reaction")
    first, second = (fm.load_state(tmp_path / name) for name in ("once", "chunks"))
    assert all(np.array_equal(first.arrays[name], array) for name, array in second.arrays.items())


def test_a_run_that_was_written_at_once_goes_on(tmp_path, chunks_at_once):
    """Further than it went: its own rows, then chunks, joined behind them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_in_chunks, "WRITE_SECONDS", 1.0)
        first = long_runs.run("pendulum", T_END, tmp_path)
    longer = long_runs.run("pendulum", 2.0 * T_END, tmp_path, resume=True)
    loaded = fm.load(tmp_path)
    same(longer, loaded)
    assert (loaded.t[: len(first.t)] == first.t).all() and loaded.t[-1] == 2.0 * T_END


def test_killed_between_result_and_state_it_starts_again(tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def killed(*_, **__):
        raise Killed

    whole = long_runs.run("pendulum", T_END)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(SavedState, "save_beside", killed)
        long_runs.run("pendulum", T_END, tmp_path)
    same(whole, fm.load(tmp_path))
    assert names(tmp_path) == WHOLE[:2]
    same(whole, long_runs.run("pendulum", T_END, tmp_path, resume=True))
    assert names(tmp_path) == WHOLE


def test_a_short_run_that_need_not_be_kept_leaves_nothing(tmp_path):
    result = run(tmp_path / "run")
    same(long_runs.run("pendulum", T_END), result)
    assert result.status == "finished" and len(result["energy.total"]) == len(result.t)
    assert names(tmp_path / "run") is None
    continued = long_runs.run("pendulum", 2.0 * T_END, start=result)
    assert continued.t[0] == T_END


def test_a_folder_that_was_there_is_left_as_it_was(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    run(tmp_path)
    assert names(tmp_path) == ["notes.txt"]


def test_a_longer_run_is_written_and_continued(tmp_path, chunks_at_once):
    def kill(progress):
        if progress.time > 0.5 * T_END:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        run(tmp_path, progress=kill)
    assert "state.npz" in names(tmp_path) and any(name.startswith("chunk_") for name in names(tmp_path))
    assert 0.0 < fm.load_state(tmp_path).t < T_END
    same(long_runs.run("pendulum", T_END), run(tmp_path, resume=True))
    assert names(tmp_path) == WHOLE


def interrupt(progress):
    if progress.time > 0.5 * T_END:
        raise KeyboardInterrupt


def pushed(force):
    """A block on a slide, pushed by a function of time."""
    system = fm.System()
    block = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="block")
    system.prismatic(system.ground["origin"], block["origin"], name="slide")
    system.force(block["origin"], (force, 0.0, 0.0), name="push")
    return system


@pytest.mark.parametrize(
    ("force", "progress", "error"),
    [(lambda t: 1.0, interrupt, KeyboardInterrupt), (lambda t: 1.0 if t < 0.5 * T_END else math.nan, False, fm.SimulationError)],
    ids=["interrupted", "failed"],
)
def test_what_stops_early_is_kept(tmp_path, force, progress, error):
    with ResultFolder(tmp_path, keep_short=False) as out, pytest.raises(error):
        pushed(force).simulate(T_END, max_step=1e-5, out=out, progress=progress)
    assert names(tmp_path) == WHOLE
    assert fm.load(tmp_path).status.startswith("stopped")
    assert 0.0 < fm.load_state(tmp_path).t < T_END


def test_a_case_writes_no_summary_of_what_it_does_not_keep(tmp_path):
    values = {"t_end": 0.001, "stop": False}
    with ResultFolder(tmp_path / "run", keep_short=False) as out:
        outcome = run_case("flexible_pendulum_impact", values, out=out)
        assert not out.holds_result
    assert not (tmp_path / "run").exists()
    run_case("flexible_pendulum_impact", values, out=tmp_path / "kept")
    assert names(tmp_path / "kept") == sorted([*WHOLE, "summary.json"])
    assert fm.load(tmp_path / "kept")["hinge.angle"][-1] == outcome.figures["angle_end"]
