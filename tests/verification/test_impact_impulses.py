"""The impulse of a contact is the change of momentum between its start and its end, for every integrator.

Two balls in a line without gravity, 1 and 3 kg, on a linear spring and on Hertz' law (exponent 3/2): elastic, so that
closed forms tell the velocities after it. The impulse is integrated along the motion as results read it. Three times
rtol is allowed; found: half of that, for the explicit pair at loose tolerances.
"""

import numpy as np
import pytest

import flexmbs as fm

MASSES, SPEED, RADIUS = (1.0, 3.0), 2.0, 0.1
LAWS = {"linear": fm.PowerLaw(1e5), "hertz": fm.Hertz(1e7)}
REDUCED = MASSES[0] * MASSES[1] / sum(MASSES)


def balls(law):
    system = fm.System()
    sides = []
    for name, mass, place, speed in (("left", MASSES[0], -0.3, SPEED), ("right", MASSES[1], 0.0, 0.0)):
        ball = system.add(fm.RigidBody(mass, (0.1, 0.1, 0.1)), name=name)
        guide = system.ground.marker(f"guide of {name}")
        system.prismatic(guide, ball["origin"], name=f"{name} guide", axis="x", displacement=place, rate=speed)
        sides.append(fm.Sphere(ball["origin"], RADIUS))
    system.contact(*sides, law=law, name="contact")
    return system


def at(result, name, time):
    """A history at the row of this time."""
    return float(result[name][int(np.argmin(np.abs(result.t - time)))])


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("integrator", ["radau", "generalised_alpha", "bdf", "explicit"])
def test_impulse_is_the_change_of_momentum(integrator, law, rtol):
    result = balls(LAWS[law]).simulate(0.1, rtol=rtol, atol=rtol, integrator=integrator)
    (contact,) = result.contacts
    for name, mass, sign in (("left", MASSES[0], -1.0), ("right", MASSES[1], 1.0)):
        speed = f"{name} guide.displacement.rate"
        change = mass * (at(result, speed, contact.end) - at(result, speed, contact.start))
        assert contact.impulse == pytest.approx(sign * change, rel=3.0 * rtol)
    assert contact.impulse == pytest.approx(2.0 * REDUCED * SPEED, rel=3.0 * rtol)
