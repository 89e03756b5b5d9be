"""Which steps of a run are stored: all, some, or every second, fourth, ... to stay within a limit."""

import itertools
import math
import types
import warnings

import h5py
import long_runs
import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.recording import stored_steps
from flexmbs.analysis.recording.stored_steps import Storage
from flexmbs.analysis.run import run_in_chunks as chunks
from flexmbs.core.layout.log_rows import LogRow
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


def numbers_of(some, whole):
    """Rows of the whole run that are stored; of rows of one time each has its own."""
    number = {}
    for row, (t, rates) in enumerate(zip(whole.t, whole.trajectory.v, strict=True)):
        number.setdefault((t, *rates), row)
    return np.array([number[(t, *rates)] for t, rates in zip(some.t, some.trajectory.v, strict=True)])


def test_what_is_left_out_is_between_what_is_stored(bounces):
    whole, some = bounces
    stored, stride = numbers_of(some, whole), some.stats["storage_stride"]
    gaps = np.diff(stored)
    assert np.all(gaps > 0) and gaps.max() == stride == 4
    assert np.all(gaps[:500] == 1) and np.count_nonzero(gaps == 2) > 1000  # at first all steps, then one in two or four
    assert len(stored) < 0.5 * len(whole.t)
    assert whole.stats["storage_stride"] == 1
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


def test_begin_and_end_of_contacts_are_stored(bounces):
    whole, some = bounces
    assert len(some.contacts) == 3 and repr(some.contacts) == repr(whole.contacts)
    times = [time for contact in whole.contacts for time in (contact.start, contact.end) if time <= whole.t[-1]]
    assert len(times) == 5 and np.all(np.isin(times, some.t))


@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning")
def test_both_rows_of_an_instant_are_stored():
    """Velocities jump at rigid impacts: the rows before and behind it have one time."""

    def bouncing(**options):
        system = fm.System(gravity=(0.0, 0.0, -9.81))
        ball = system.add(fm.RigidBody.point(1.0), name="ball")
        system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=0.1, name="fall")
        floor = fm.Plane(system.ground["origin"], normal=(0.0, 0.0, 1.0))
        system.contact(fm.Point(ball["origin"]), floor, law=fm.Rigid(restitution=0.9), name="floor")
        return system.simulate(1.0, max_step=1e-4, **options)

    whole, some = bouncing(storage_limit=None), bouncing(storage_limit=3e5)
    assert some.stats["storage_stride"] >= 4 and len(some.t) < 0.4 * len(whole.t)
    instants = whole.t[1:][np.diff(whole.t) == 0.0]
    assert len(instants) >= 3 and np.array_equal(some.t[1:][np.diff(some.t) == 0.0], instants)
    stored = numbers_of(some, whole)
    assert np.all(np.isin(np.flatnonzero(np.diff(whole.t) == 0.0), stored))
    between = some.resampled(whole.t)
    assert np.abs(between["fall.displacement"] - whole["fall.displacement"]).max() < 1e-9


SPIN = slice(3 + 1 + 4, 3 + 1 + 4 + 3)  # columns of the angular velocity of the only ball


def rows_at(t, spin=0.0):
    """Rows of the log of a single ball that turns with ``spin`` (rad/s)."""
    rows = np.zeros((len(t), LogRow(3, 1, 0).width))
    rows[:, 0], rows[:, SPIN.start] = t, spin
    return rows


def thinned(rows, limit, cuts=(), flagged=()):
    """Numbers of the rows that are stored when they come in pieces; ``limit`` in rows, those ``flagged`` are needed."""

    def new():
        model, limit_bytes = types.SimpleNamespace(log_row=LogRow(3, 1, 0), balls=(0,)), 100.0 * limit
        storage = Storage(limit=limit_bytes)
        return stored_steps.RowThinner(model, storage, limit_bytes, rows[-1, 0], 100.0, lambda rows: 100.0 / stored_steps.OVERHEAD)

    thinner, stored, last = new(), [], None
    for begin, end in itertools.pairwise([0, *cuts, len(rows)]):
        part, needed = rows[begin:end], np.isin(np.arange(begin, end), flagged)
        again = new()
        again.restore(thinner.saved())
        stored.append(again.take(part, np.ones(len(part), dtype=bool), needed, last, begin))
        thinner, last = again, part[-1] if len(part) else last
    stored = np.concatenate(stored)
    assert thinner.used == pytest.approx(100.0 * len(stored))
    if thinner.waits:
        stored = np.vstack([stored, last])
    return np.flatnonzero(np.isin(rows[:, 0], stored[:, 0])), thinner


def test_stride_comes_down_again():
    """A burst of steps, then few: these are all stored."""
    t = np.concatenate([np.linspace(0.0, 0.1, 3000, endpoint=False), np.linspace(0.1, 1.0, 200)])
    stored, thinner = thinned(rows_at(t), 1000)
    gaps = np.diff(stored)
    assert thinner.largest_stride >= 8 and gaps.max() == thinner.largest_stride and thinner.stride == 1
    assert np.all(gaps[:100] == 1) and np.all(gaps[-30:] == 1) and 200 < len(stored) < 1000


@pytest.mark.parametrize("seed", range(5))
def test_pieces_and_saved_states_do_not_change_what_is_stored(seed):
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.exponential(1.0, 5000) * np.where(np.arange(5000) % 1000 < 500, 1.0, 0.01))
    rows, flagged = rows_at(t, rng.uniform(0.0, 0.3, 5000)), rng.integers(0, 5000, 20)
    whole, _ = thinned(rows, 800, flagged=flagged)
    cuts = np.sort(rng.integers(0, 5000, 300))
    assert np.array_equal(thinned(rows, 800, cuts, flagged)[0], whole)
    assert np.all(np.isin(flagged, whole)) and 500 < len(whole) < 850


def test_a_burst_at_the_end_stays_below_the_limit():
    t = np.concatenate([np.linspace(0.0, 1.0, 3000, endpoint=False), np.linspace(0.999, 1.0, 100_000)])
    stored, thinner = thinned(rows_at(np.sort(t)), 1000)
    assert len(stored) < 1000 and thinner.used < thinner.limit


def test_balls_turn_less_than_half_a_turn_between_stored_rows():
    """By a radian with small steps; steps of 2.5 rad are stored at both ends."""
    spin = np.concatenate([np.full(9000, 100.0), np.tile([2.5e4, 2.5e4, 1.0, 1.0, 1.0], 200)])
    t = np.cumsum(np.full(10_000, 1e-4))
    stored, thinner = thinned(rows_at(t, spin), 200)
    turned = np.append(0.0, np.cumsum(0.5 * (spin[1:] + spin[:-1]) * np.diff(t)))
    across, single = np.diff(turned[stored]), np.diff(stored) == 1
    assert thinner.largest_stride > 200 and len(stored) < 1000 and np.count_nonzero(~single) > 100
    with pytest.warns(fm.ResultWarning, match=r"the result takes .* kB, more than storage_limit = 20 kB: the steps at events"):
        thinner.warn_of_excess()
    assert across[~single].max() < 1.0 + 0.01 + 1e-9 and np.count_nonzero(across[single] > 2.4) == 200


def test_numbers_of_a_saved_state_that_cannot_be_are_refused():
    _, thinner = thinned(rows_at(np.linspace(0.0, 1.0, 3000)), 800)
    saved = thinner.saved()
    assert saved["recorder.budget"][1] == thinner.largest_stride == 8
    for name, wrong, message in (
        ("budget", saved["recorder.budget"][1:], "recorder.budget does not hold 12 numbers"),
        ("budget", np.append(3.0, saved["recorder.budget"][1:]), "a stride that is no power of two"),
        ("budget", np.append(0.5, saved["recorder.budget"][1:]), "a stride that is no power of two"),
        ("budget", np.append(np.nan, saved["recorder.budget"][1:]), "recorder.budget does not hold 12 numbers"),
        ("recent", saved["recorder.recent"][:, 1:], "recorder.recent does not hold rows of the log"),
    ):
        with pytest.raises(fm.SimulationError, match=f"the saved state is damaged: .*{message}"):
            thinner.restore({**saved, f"recorder.{name}": wrong})


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
    assert resumed.stats["storage_stride"] == bounces[1].stats["storage_stride"]


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


def test_size_without_a_limit_is_told_while_it_is_small(monkeypatch):
    monkeypatch.setattr(stored_steps, "LARGE", 1e5)
    with pytest.warns(fm.ResultWarning, match=r"the result of this run will take about .* Give storage_limit"):
        long_runs.run("pendulum", 0.5, storage_limit=None)
    sizes = []
    long_runs.run("pendulum", 0.5, progress=lambda progress: sizes.append(progress.result_bytes))
    row = sum(array[0].nbytes for array in long_runs.run("pendulum", 0.01).trajectory.arrays().values())
    assert sizes[-1] == pytest.approx(5001 * row, rel=0.01)
