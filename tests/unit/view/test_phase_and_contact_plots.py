"""Phase planes, and the history of one contact."""

import numpy as np
import pytest
import sliding_ball as ball
import swinging_bar as bar

import flexmbs as fm


@pytest.fixture(scope="module")
def result():
    return fm.Result(bar.structure(), bar.trajectory())


def points(axis):
    """(k, 2) of the coloured path."""
    segments = axis.collections[0].get_segments()
    return np.array([segments[0][0], *(segment[1] for segment in segments)])


def test_a_coordinate_over_its_rate_is_an_ellipse(result):
    figure = result.plot_phase("hinge.angle", degrees=True)
    x, y = np.radians(points(figure.axes[0])).T
    assert (x / (0.5 * np.pi)) ** 2 + (y / (0.5 * np.pi * bar.SWING)) ** 2 == pytest.approx(1.0, abs=1e-4)
    assert len(x) >= 1000  # the interpolant, not the 151 steps
    axis, colors = figure.axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("hinge.angle [°]", "hinge.angle.rate [°/s]")
    assert colors.get_ylabel().startswith("time [s]")
    ends = [line.get_xydata()[0] for line in axis.lines]
    assert ends[0] == pytest.approx(np.degrees([x[0], y[0]])) and ends[1] == pytest.approx(np.degrees([x[-1], y[-1]]))


def test_positions_have_velocities_and_paths_one_scale(result):
    axis = result.plot_phase("pendulum.tip.position.x").axes[0]
    assert axis.get_ylabel().startswith("pendulum.tip.velocity.x")
    path = result.plot_phase("pendulum.tip.position.x", "pendulum.tip.position.y", start=0.1, end=0.2).axes[0]
    assert path.get_aspect() == 1.0
    assert result.plot_phase("hinge.angle", "energy.kinetic").axes[0].get_ylabel() == "energy.kinetic [J]"


def test_histories_without_a_rate(result):
    with pytest.raises(fm.FlexmbsError, match="energy.kinetic has no rate among the histories; give the second"):
        result.plot_phase("energy.kinetic")


@pytest.fixture(scope="module")
def hit():
    """A ball of 0.5 kg at 2 m/s hits a wall of linear stiffness and damping: a damped half oscillation."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody.point(0.5), name="ball")
    system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide", displacement=0.01, rate=-2.0)
    law = fm.HuntCrossley.from_restitution(2e6, 0.6, 2.0, 1.5)
    wall = fm.Plane(system.ground["origin"], normal=(1, 0, 0))
    system.contact(fm.Point(body["origin"]), wall, law=law, name="wall")
    return system.simulate(0.012)


def test_a_hit_fills_the_window_and_its_loop_has_the_area_of_the_loss(hit):
    figure = hit.plot_contact("wall")
    force, gap, loop = figure.axes
    (touch,) = hit.contacts
    low, high = force.get_xlim()
    scale = 1e3  # ms
    assert low < scale * touch.start and scale * touch.end < high
    assert scale * (touch.end - touch.start) > 0.5 * (high - low)
    x, y = loop.lines[0].get_data()
    shown = np.isfinite(x) & np.isfinite(y)
    depth = {"depth (− gap) [mm]": 1e-3, "depth (− gap) [µm]": 1e-6}[loop.get_xlabel()] * x[shown]
    push = {"normal force [N]": 1.0, "normal force [kN]": 1e3}[loop.get_ylabel()] * y[shown]
    loss = float(hit["energy.kinetic"][0] - hit["energy.kinetic"][-1])
    assert np.trapezoid(push, depth) == pytest.approx(loss, rel=2e-3) and loss > 0.1
    assert depth.min() >= 0.0
    assert f"restitution {touch.restitution:.3g}" in figure.get_suptitle()
    assert {"impact"} <= {text.get_text() for text in force.get_legend().get_texts()}
    assert gap.get_xlabel().startswith("time")


def test_friction_has_panels_of_its_own():
    figure = ball.result().plot_contact("floor")
    labels = [axis.get_ylabel().partition(" [")[0] for axis in figure.axes]
    assert labels == ["force", "gap", "slip", "normal force"]


def test_wrong_contacts(result, hit):
    with pytest.raises(fm.FlexmbsError, match="no contact named 'stp'. Did you mean stop"):
        result.plot_contact("stp")
    with pytest.raises(fm.FlexmbsError, match="number is 2, but wall closed once"):
        hit.plot_contact("wall", number=2)
    with pytest.raises(fm.FlexmbsError, match="start 0.003 s is after end 0.002 s"):
        hit.plot_contact("wall", start=0.003, end=0.002)
    assert hit.plot_contact("wall", start=0.0, end=0.002).axes[-1].texts[0].get_text() == "open in this window"
