"""Motion that drivers determine alone, against closed forms and against the integrated motion."""

import numpy as np
import pytest
from planar_four_bar import four_bar, rocker_angle
from scipy.integrate import simpson

import flexmbs as fm


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_four_bar_over_a_turn(coordinates):
    speed = 2.0
    found = four_bar(coordinates, speed).kinematics(np.pi, steps=60)
    assert len(found.t) == 61
    expected = np.array([rocker_angle(0.9 + speed * t) for t in found.t])
    assert found["D.angle"] == pytest.approx(expected, abs=1e-11)
    step = 1e-3
    rates = [(rocker_angle(0.9 + speed * t + step) - rocker_angle(0.9 + speed * t - step)) / (2 * step) for t in found.t]
    assert found["D.angle.rate"] == pytest.approx(speed * np.array(rates), abs=1e-5)
    assert found["constraint_error"].max() < 1e-11


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_forces_are_those_of_the_integrated_motion(coordinates):
    system = four_bar(coordinates, speed=2.0)
    run = system.simulate(1.0, rtol=1e-9)
    found = system.kinematics(1.0, steps=10)
    last = (found, run)
    names = ("D.angle", "D.angle.rate", "D.angle.acceleration", "A.angle.driving_force", "energy.total")
    for name in (*names, *(f"{joint}.reaction.force.{axis}" for joint in "ABCD" for axis in "xy")):
        first, second = (result[name][-1] for result in last)
        assert first == pytest.approx(second, rel=1e-7, abs=1e-7), name


def test_power_of_the_driver_is_the_change_of_energy():
    found = four_bar(speed=2.0).kinematics(1.0, steps=60)
    work = simpson(found["A.angle.driving_force"] * found["A.angle.rate"], x=found.t)
    assert work == pytest.approx(found["energy.total"][-1] - found["energy.total"][0], rel=1e-5)


def test_driven_tree():
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(fm.RigidBody.rod(2.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge").prescribe(np.sin, np.cos, lambda t: -np.sin(t))
    found = system.kinematics(2.0, steps=20)
    angle, t = np.sin(found.t), found.t
    torque = -2.0 / 3.0 * np.sin(t) + 2.0 * 9.81 * 0.5 * np.cos(angle)
    assert found["hinge.angle.driving_force"] == pytest.approx(torque, abs=1e-10)


def test_freedoms_that_are_left_are_named():
    with pytest.raises(
        fm.MechanismError, match="kinematics: 1 degree of freedom left: nothing prescribes, for example, '[A-D].angle'"
    ):
        four_bar().kinematics(1.0)


def test_end_of_the_way_keeps_what_was_computed():
    """The rocker swings over less than a turn: driven on, it comes to a dead centre."""
    system = four_bar()
    start = float(four_bar().assemble()["D.angle"][0])
    system.joints["D"].prescribe(fm.Polynomial([start, 1.0]))
    with pytest.raises(fm.SimulationError, match="kinematics: the motion stops between") as caught:
        system.kinematics(6.0, steps=60)
    result = caught.value.result
    assert result.status.startswith("stopped") and 0.1 < result.t[-1] < 2.0
