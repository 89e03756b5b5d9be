"""Penetration at the start: refused, or settled by the smallest motion of the joints."""

import numpy as np
import pytest

import flexmbs as fm

LAW = fm.LinearContact(1e6)
BALL = fm.RigidBody.sphere(1000.0, 0.1)


def overlapping_spheres(mass_ratio: float = 1.0) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    one = system.add(BALL, "one", position=(0.0, 0.0, 0.0))
    two = system.add(fm.RigidBody.sphere(1000.0 * mass_ratio, 0.1), "two", position=(0.12, 0.0, 0.0))
    system.contact(fm.Sphere(one["origin"], 0.1), fm.Sphere(two["origin"], 0.1), law=LAW, name="pair")
    return system


def test_the_refusal_names_contact_depth_bodies_and_remedy():
    with pytest.raises(fm.MechanismError, match=r"'pair' .* penetration of 0\.08 m \('one' and 'two'\).*settle_contacts"):
        overlapping_spheres().simulate(t_end=0.1)


def test_settled_bodies_touch_and_their_centre_of_mass_stays():
    """The smallest motion weighted with the masses moves the light body more."""
    result = overlapping_spheres(3.0).simulate(t_end=1e-3, settle_contacts=True)
    assert result["pair.gap"][0] == pytest.approx(1e-9, rel=0.1)
    one, two = result["one.position.x"][0], result["two.position.x"][0]
    assert (one, two) == pytest.approx((-0.75 * 0.08, 0.12 + 0.25 * 0.08), abs=2e-9)


def test_a_pendulum_is_turned_off_its_stop_and_a_held_one_cannot_be():
    def pendulum(angle_is_driven: bool) -> fm.System:
        system = fm.System()
        rod = system.add(fm.RigidBody.rod(1.0, 0.5), "rod")
        tip = rod.marker("tip", position=(0.5, 0.0, 0.0))
        joint = system.revolute(system.ground["origin"], rod["origin"], name="hinge", angle=-0.1)
        if angle_is_driven:
            joint.prescribe(-0.1)
        system.contact(fm.Sphere(tip, 0.02), fm.Plane(system.ground["origin"]), law=LAW, name="stop")
        return system

    result = pendulum(False).simulate(t_end=1e-3, settle_contacts=True)
    assert result["stop.gap"][0] == pytest.approx(1e-9, rel=0.1)
    assert np.sin(result["hinge.angle"][0]) == pytest.approx(0.02 / 0.5, abs=1e-8)
    with pytest.raises(fm.MechanismError, match="'stop' still penetrates by 0.0699 m .* hold them"):
        pendulum(True).simulate(t_end=1e-3, settle_contacts=True)
