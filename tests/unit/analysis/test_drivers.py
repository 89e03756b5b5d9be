"""Drivers that contradict each other or the joints are refused by name; those that agree run."""

import numpy as np
import pytest
from planar_four_bar import COUPLER, CRANK, FRAME, ROCKER, four_bar

import flexmbs as fm


def twice_driven(position=0.0, rate=0.0, acceleration=0.0) -> fm.System:
    """Crank and rocker driven; the rocker as the crank demands it at the start, but for the given differences."""
    start = four_bar(speed=2.0).kinematics(0.1, steps=1)
    q, v, a = (float(start[f"D.angle{part}"][0]) for part in ("", ".rate", ".acceleration"))
    q, v, a = q + position, v + rate, a + acceleration
    system = four_bar(speed=2.0)
    system.joints["D"].prescribe(fm.Polynomial([q, v, 0.5 * a]))
    return system


def test_drivers_that_agree_at_the_start_are_redundant():
    found = fm.mobility(twice_driven())
    assert found.redundant[-1].sentence == "the driver of 'D.angle' repeats what the driver of 'A.angle' already prescribes"


@pytest.mark.parametrize(
    ("difference", "message"),
    [
        ({"position": 0.05}, "it demands 1.46.* rad at t = 0 s, where only 1.41.* is possible"),
        ({"rate": 0.05}, "it demands .* rad/s at t = 0 s, where only .* is possible"),
        ({"acceleration": 0.05}, "they demand different accelerations at t = 0 s"),
    ],
)
def test_drivers_that_contradict(difference, message):
    pattern = f"the driver of 'D.angle' contradicts the driver of 'A.angle': {message}"
    with pytest.raises(fm.MechanismError, match=pattern):
        twice_driven(**difference).simulate(1.0)


@pytest.mark.parametrize("analysis", ["simulate", "kinematics"])
def test_drivers_that_contradict_later_stop_the_run(analysis):
    """The parabola of the rocker leaves the motion that the crank demands at third order."""
    with pytest.raises(fm.SimulationError, match="driver of 'D.angle' contradicts the driver of 'A.angle'") as caught:
        getattr(twice_driven(), analysis)(1.0)
    assert 0.0 <= caught.value.result.t[-1] < 0.5


def pinned_crank() -> fm.System:
    """A ball joint holds the end of the crank: nothing can move."""
    system = four_bar()
    place = CRANK * np.array([np.cos(0.9), np.sin(0.9), 0.0])
    system.spherical(system.ground.marker("pin", position=place), system.bodies["crank"]["end"], name="pin")
    return system


@pytest.mark.parametrize("demanded", [1.0, 1.4102545125691])
def test_driver_on_a_locked_coordinate(demanded):
    system = pinned_crank()
    system.joints["D"].prescribe(demanded)
    with pytest.raises(fm.MechanismError, match="driver of 'D.angle' moves a coordinate that the joints lock"):
        system.simulate(1.0)


def test_driver_beyond_reach_is_told_with_the_gap():
    """The end of the rocker comes nearer to the crank's pin than coupler and crank can fold."""
    system = four_bar()
    system.joints["D"].prescribe(3.0)
    gap = COUPLER - CRANK - np.hypot(FRAME + ROCKER * np.cos(3.0), ROCKER * np.sin(3.0))
    with pytest.raises(
        fm.MechanismError, match=f"driver of 'D.angle' demands a position that the loops cannot reach .* {gap:.6g} m"
    ):
        system.simulate(1.0)


def test_prescribed_point_against_a_driven_joint():
    """The crank's end cannot be prescribed where the driven crank does not bring it."""
    system = four_bar(speed=2.0)
    end = CRANK * np.cos(0.9)
    system.prescribe_point(system.ground["origin"], system.bodies["crank"]["end"], "x", lambda t: end + 0.1 * t, name="pull")
    with pytest.raises(fm.MechanismError, match="the driver 'pull' contradicts the driver of 'A.angle'"):
        system.simulate(1.0)
