"""Which steps of a run are stored: all, some, or those that the interpolation needs to stay within a limit."""

import itertools
import math
import warnings

import h5py
import long_runs
import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.recording import row_thinning
from flexmbs.analysis.run import result_size
from flexmbs.analysis.run import run_in_chunks as chunks
from flexmbs.view.plots import curves


def hits(t_end=0.04, out=None, **options):
    """A flexible bar that soon hits a stop, in steps much shorter than it needs."""
    system = long_runs.impact()
    system.joints["hinge"].start["angle"] = 0.002
    return system.simulate(t_end, max_step=4e-6, out=out, **options)


WRONG = [
    ({"store_every": 2, "output_step": 0.1}, "both say which steps are stored"),
    ({"store_every": 0}, "store_every = 0 must be a whole number of steps, 1 or more"),
    ({"store_every": True}, "store_every = True must be a whole number"),
    ({"output_step": 0.0}, "output_step = 0.0 must be a positive finite number of seconds"),
    ({"output_step": -1e-3}, "output_step = -0.001 must be a positive"),
    ({"output_step": math.nan}, "output_step = nan must be a positive"),
    ({"output_step": 2.0}, "output_step = 2 s is longer than the run, 1 s"),
    ({"storage_limit": 0}, "storage_limit = 0 must be a positive number of bytes"),
    ({"storage_limit": -1e6}, "storage_limit = -1000000.0 must be a positive number of bytes"),
    ({"storage_limit": "1 GB"}, "storage_limit = '1 GB' must be a positive number of bytes"),
    ({"storage_limit": 1000.0}, r"storage_limit = 1000 bytes holds 2 steps of this mechanism, \d+ bytes each; at least"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_options_are_told_before_anything_is_written(options, message, tmp_path):
    with pytest.raises(fm.MechanismError, match=message):
        long_runs.pendulum().simulate(1.0, out=tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


def test_limit_that_cannot_hold_the_samples_of_a_controller():
    system = long_runs.pendulum()
    controller = system.controller("hold", lambda t, y: 0.0, inputs=[], period=1e-4)
    system.joints["hinge"].actuate(controller)
    with pytest.raises(fm.MechanismError, match="and 2000 at the samples of controllers"):
        system.simulate(0.1, storage_limit=1e5)


def test_output_step_takes_the_first_step_behind_each_multiple():
    whole = long_runs.run("pendulum", 0.2, storage_limit=None)
    some = long_runs.run("pendulum", 0.2, output_step=0.01)
    assert np.all(np.isin(some.t, whole.t)) and some.t[-1] == whole.t[-1] == 0.2
    due = 0.01 * np.arange(1, 20)
    expected = [whole.t[np.searchsorted(whole.t, time - 1e-9)] for time in due]
    assert np.array_equal(some.t[1:-1], expected)
    assert np.array_equal(some["rod.position.x"][-1:], whole["rod.position.x"][-1:])


def test_events_are_stored_with_any_output_step():
    some, whole = hits(0.025, output_step=0.02), hits(0.025)
    assert len(some.contacts) > 0 and repr(some.contacts) == repr(whole.contacts)
    assert np.all(np.isin([contact.start for contact in some.contacts], some.t))
    assert len(some.t) < 40 < len(whole.t)


@pytest.fixture(scope="module")
def bounces():
    """A flexible bar that hits a stop; every step, and what fits into 1 MB."""
    whole = hits(storage_limit=None)
    with pytest.warns(fm.ResultWarning, match=r"result of about .* MB: from t = .* steps are left out"):
        return whole, hits(storage_limit=1e6)


def test_what_is_left_out_is_reproduced(bounces):
    whole, some = bounces
    assert np.all(np.isin(some.t, whole.t)) and len(some.t) < 0.5 * len(whole.t)
    assert 0.0 < some.stats["storage_tolerance"] <= row_thinning.VISIBLE
    assert [some.stats[name] for name in ("steps_accepted", "events")] == [
        whole.stats[name] for name in ("steps_accepted", "events")
    ]
    between = some.resampled(whole.t)
    for name, allowed in (
        ("hinge.angle", 1e-6),
        ("hinge.angle.rate", 1e-4),
        ("pendulum.bending y 2", 1e-6),
        ("pendulum.tip.position.y", 1e-6),
        ("energy.elastic", 0.02),
        ("hinge.reaction.force.y", 0.02),
    ):
        assert np.abs(between[name] - whole[name]).max() < allowed * np.ptp(whole[name]), name
    for name in ("pendulum.tip.displacement.y", "energy.kinetic"):
        assert some.extreme(name)[1] == pytest.approx(whole.extreme(name)[1], rel=1e-3)


def test_impacts_are_stored_step_by_step(bounces):
    whole, some = bounces
    assert len(some.contacts) == 3
    for contact in some.contacts:
        first = np.searchsorted(whole.t, contact.start)
        steps = whole.t[first : first + row_thinning.IMPACT_ROWS]
        steps = steps[~(steps > contact.end)]
        assert len(steps) > 150 and np.all(np.isin(steps, some.t))
        force, late = whole["stop.force"], whole.t > contact.start
        assert force[late].max() == some["stop.force"][some.t > contact.start].max()


def test_file_is_within_the_limit_and_holds_what_memory_holds(bounces, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ResultWarning)
        stored = hits(out=tmp_path, storage_limit=1e6)
    assert (tmp_path / "result.h5").stat().st_size < 1e6
    for name, array in bounces[1].trajectory.arrays().items():
        assert np.array_equal(array, getattr(stored.trajectory, name)), name
    with h5py.File(tmp_path / "result.h5") as file:  # of many rows, so compressed; any HDF5 reader understands gzip
        assert file["q"].compression == "gzip" and file["q"].shuffle


def test_neither_chunks_nor_a_stop_change_what_is_left_out(bounces, monkeypatch, tmp_path):
    """Chunks of 16 steps, and an interruption where rows wait that may be left out."""
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 1e-9)

    def interrupt(progress):
        if progress.time > 0.03:
            raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ResultWarning)
        with pytest.raises(KeyboardInterrupt):
            hits(out=tmp_path, storage_limit=1e6, progress=interrupt)
        resumed = hits(out=tmp_path, storage_limit=1e6, resume=True)
    for name, array in bounces[1].trajectory.arrays().items():
        assert np.array_equal(array, getattr(resumed.trajectory, name)), name
    assert resumed.stats["storage_tolerance"] == bounces[1].stats["storage_tolerance"]


def test_balls_and_loops_within_a_limit():
    whole = long_runs.run("four_bar", 0.5, storage_limit=None)
    with pytest.warns(fm.ResultWarning, match="steps are left out"):
        some = long_runs.run("four_bar", 0.5, storage_limit=5e5)
    between = some.resampled(whole.t)
    for name in ("ball.rotation.quaternion.z", "ball.rotation.omega.x", "rod.position.y", "fourth.reaction.force.x"):
        allowed = 1e-2 if "reaction" in name else 1e-5
        assert np.abs(between[name] - whole[name]).max() < allowed * np.ptp(whole[name]), name
    assert np.abs(between["constraint_error"]).max() < 1e-8


def test_steady_motion_is_stored_as_coarsely_as_it_may_be():
    """A free fall is a parabola, however far apart its ends are: half of the limit is used nevertheless."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    body = system.add(fm.RigidBody.point(2.0), name="ball")
    system.prismatic(system.ground["origin"], body["origin"], axis="y", name="drop")
    with pytest.warns(fm.ResultWarning, match="steps are left out"):
        some = system.simulate(1.0, max_step=1e-4, storage_limit=3e4)
    assert 60 < len(some.t) < 2000
    t, columns = curves(some, ["drop.displacement"])
    assert len(t) > 1000 and columns["drop.displacement"] == pytest.approx(-0.5 * 9.81 * t**2, abs=1e-9)


def test_curves_bend_between_stored_steps():
    """Six steps in a period: straight lines would cut off its crests."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody.point(1.0), name="ball")
    slide = system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide", rate=1.0)
    slide.spring(stiffness=1e6)
    period = 2.0 * math.pi / 1e3
    some = system.simulate(300.0 * period, rtol=1e-8, integrator="explicit", output_step=period / 6.0)
    t, columns = curves(some, ["slide.displacement"])
    assert 1700 < len(some.t) < 2100 and len(t) > 4 * len(some.t)
    assert columns["slide.displacement"] == pytest.approx(1e-3 * np.sin(1e3 * t), abs=3e-6)
    assert abs(some.extreme("slide.displacement")[1]) == pytest.approx(1e-3, rel=1e-3)


def test_limit_that_holds_too_little_is_told():
    with pytest.warns(fm.ResultWarning) as told:
        some = hits(storage_limit=3.5e4)
    assert some.stats["storage_tolerance"] > row_thinning.VISIBLE
    texts = [str(one.message) for one in told]
    assert any("holds too few steps of this run: between stored steps, curves may be off by" in text for text in texts)


def test_size_without_a_limit_is_told_while_it_is_small(monkeypatch):
    monkeypatch.setattr(result_size, "LARGE", 1e5)
    with pytest.warns(fm.ResultWarning, match=r"the result of this run will take about .* Give storage_limit"):
        long_runs.run("pendulum", 0.5, storage_limit=None)
    sizes = []
    long_runs.run("pendulum", 0.5, progress=lambda progress: sizes.append(progress.result_bytes))
    row = sum(array[0].nbytes for array in long_runs.run("pendulum", 0.01).trajectory.arrays().values())
    assert sizes[-1] == pytest.approx(5001 * row, rel=0.01)


def test_states_of_earlier_versions_go_on(tmp_path):
    """Without what the choice of rows depends on: it begins anew."""

    def interrupt(progress):
        if progress.time > 0.1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        long_runs.run("pendulum", 0.2, tmp_path, progress=interrupt)
    with np.load(tmp_path / "state.npz") as state:
        kept = {name: state[name] for name in state.files if name == "recorder.last" or "recorder" not in name}
    np.savez(tmp_path / "state.npz", **kept)
    resumed = long_runs.run("pendulum", 0.2, tmp_path, resume=True)
    assert np.array_equal(resumed.t, long_runs.run("pendulum", 0.2).t)
    assert all(b > a for a, b in itertools.pairwise(resumed.t))
