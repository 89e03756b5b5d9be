"""Hertz (K. L. Johnson, Contact Mechanics, 1985, sec. 11.4): sphere on a half-space; ball bouncing on a linear spring.

Closed forms; 1e-6 at a tolerance of 1e-10.
"""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.app.verification.problems import HEIGHT, RADIUS, STEEL, sphere_impact


@pytest.mark.parametrize("index", range(4))
def test_hertz_sphere(reference, index):
    expected = reference("impact_hertz_sphere")["cases"][index]
    speed, height = expected["v"], HEIGHT
    law = fm.Hertz.from_materials(RADIUS, STEEL, STEEL)
    result = sphere_impact(speed, expected["t_c"])
    (contact,) = result.contacts
    assert contact.start == pytest.approx(height / speed, rel=1e-9)
    assert contact.duration == pytest.approx(expected["t_c"], rel=1e-6)
    assert contact.peak_force == pytest.approx(expected["F_max"], rel=1e-6)
    assert contact.impulse == pytest.approx(expected["impulse"], rel=1e-6)
    # force history at every step inside the contact
    inside = (result.t > contact.start) & (result.t < contact.end)
    force = result["contact 1.force"]
    assert np.all(force[inside] > 0.0) and np.all(force[result.t > contact.end] == 0.0)
    penetration = -result["contact 1.gap"][inside]
    assert force[inside] == pytest.approx(law.stiffness * penetration**1.5, rel=1e-9)


def test_ball_bounces_back_to_its_height_every_time():
    """Mass 1 kg, 1e5 N/m, from 1 m: closed form of the weighted spring; ten bounces without loss."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    ball = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), name="ball")
    floor = system.ground.marker("floor")
    system.prismatic(floor, ball["origin"], axis="y", displacement=1.0)
    system.contact(fm.Point(ball["origin"]), fm.Plane(floor), fm.PowerLaw(1e5))
    omega, speed, sink = np.sqrt(1e5), np.sqrt(2.0 * 9.81), 9.81 / 1e5
    # half a period of the spring and the part by which the weight lengthens it
    duration = (np.pi + 2.0 * np.arctan(9.81 / (omega * speed))) / omega
    assert duration == pytest.approx(0.009978882010783542, rel=1e-12)
    result = system.simulate(9.0, rtol=1e-10, atol=1e-13)
    assert len(result.contacts) == 10
    period = result.contacts[0].duration + 2.0 * np.sqrt(2.0 / 9.81)
    for i, contact in enumerate(result.contacts[:-1]):
        assert contact.duration == pytest.approx(duration, rel=1e-6)
        assert contact.peak_force == pytest.approx(1e5 * (sink + np.hypot(sink, speed / omega)), rel=1e-6)
        assert contact.impulse == pytest.approx(2.0 * speed + 9.81 * duration, rel=1e-6)
        assert contact.start == pytest.approx(np.sqrt(2.0 / 9.81) + i * period, rel=1e-7)
