"""Curves of plots follow the motion between steps."""

import numpy as np
import pytest
import swinging_bar as bar

import flexmbs as fm
from flexmbs.result.event_records import EventRecord
from flexmbs.view.key_histories import other_events
from flexmbs.view.plots import curves, plot_histories


@pytest.fixture(scope="module")
def fall():
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    body = system.add(fm.RigidBody.point(2.0), name="ball")
    system.prismatic(system.ground["origin"], body["origin"], axis="y", name="drop")
    return system.simulate(1.0)


def test_few_steps_of_a_free_fall_are_a_parabola(fall):
    assert len(fall.t) < 20  # so that straight lines between steps would be far off
    names = ["drop.displacement", "drop.displacement.rate", "ball.position.y", "drop.displacement.acceleration"]
    t, columns = curves(fall, names)
    assert len(t) >= 1000 and np.all(np.diff(t) > 0.0) and np.all(np.isin(fall.t, t))
    height = -0.5 * 9.81 * t**2
    # polynomials of second order are interpolated exactly; the run's own tolerance is 1e-6
    assert columns["drop.displacement"] == pytest.approx(height, abs=1e-6)
    assert columns["ball.position.y"] == pytest.approx(height, abs=1e-6)
    assert columns["drop.displacement.rate"] == pytest.approx(-9.81 * t, abs=1e-6)
    assert columns["drop.displacement.acceleration"] == pytest.approx(-9.81, abs=1e-6)
    # straight lines between the steps would be off by a part of the height
    assert np.abs(np.interp(t, fall.t, fall["drop.displacement"]) - height).max() > 1e-2
    line = plot_histories(fall, ["drop.displacement"]).axes[0].lines[0]
    assert np.array_equal(line.get_xdata(), t) and np.array_equal(line.get_ydata(), columns["drop.displacement"])


def test_energies_between_steps_are_curved_and_do_not_overshoot(fall):
    t, columns = curves(fall, ["energy.kinetic"])
    exact = 0.5 * 2.0 * (9.81 * t) ** 2
    error = np.abs(columns["energy.kinetic"] - exact).max()
    straight = np.abs(np.interp(t, fall.t, fall["energy.kinetic"]) - exact).max()
    assert error < 0.5 * straight
    assert columns["energy.kinetic"].max() == fall["energy.kinetic"].max()
    assert columns["energy.kinetic"].min() == fall["energy.kinetic"].min()


def test_nothing_is_drawn_across_an_event(fall):
    """Two steps at one time, as at an event: each side keeps its own values."""
    run = fall.trajectory
    middle = len(run.t) // 2
    twice = np.sort(np.append(np.arange(len(run.t)), middle))
    arrays = {name: array[twice].copy() for name, array in run.arrays().items()}
    arrays["energy"][middle + 1 :] += 1000.0
    jumping = fm.Result(fall.structure, run.replaced(**arrays))
    before, after = run.t[middle - 1 : middle + 1], run.t[middle : middle + 2]
    low, high = (jumping.resampled(np.linspace(*part, 9)[1:-1])["energy.kinetic"] for part in (before, after))
    assert low.max() < 300.0 and high.min() > 1000.0


def test_slip_begins_and_ends_with_the_contact():
    run = bar.trajectory(200)
    (touch,) = run.contacts
    result = fm.Result(bar.structure(), run)
    t, columns = curves(result, ["stop.slip", "stop.force"])
    known = np.isfinite(columns["stop.slip"])
    assert np.array_equal(known, (t >= touch.start) & (t < touch.end)) and known.any()
    assert np.isfinite(columns["stop.force"]).all()


def test_events_are_lines_with_names():
    events = [EventRecord(0.2, "lock", "latch", mode="locked"), EventRecord(0.3, "impact", "stop")]
    result = fm.Result(bar.structure(), bar.trajectory().replaced(events=tuple(events)))
    axis = plot_histories(result, ["hinge.angle"]).axes[0]
    assert "latch: lock" in [text.get_text() for text in axis.get_legend().get_texts()]
    assert other_events(result, 0.0, 0.7) == [(0.2, "latch", "lock")]


def test_runs_with_many_short_steps_keep_their_steps(fall):
    times = np.linspace(0.0, 1.0, 3001)
    many = fall.resampled(times)
    assert np.array_equal(curves(many, ["drop.displacement"])[0], times)
