"""Thornton, J. Appl. Mech. 64 (1997) 383: a sphere that yields hits a wall; restitution in closed form.

e^2 = 6 sqrt(3) / 5 (1 - r^2 / 6) sqrt(r / (r + 2 sqrt(6/5 - r^2 / 5))), r = v_y / v, with v_y the speed at which
yielding begins. The runs have an rtol of 1e-9.
"""

import numpy as np
import pytest

import flexmbs as fm

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
RADIUS, MASS, PRESSURE, GAP = 0.01, 0.0329, 1.6e9, 1e-4
LAW = fm.ElasticPlastic.from_materials(RADIUS, STEEL, STEEL, PRESSURE)
YIELD_SPEED = (0.5 * np.pi / LAW.modulus) ** 2 * np.sqrt(8.0 * np.pi * RADIUS**3 / (15.0 * MASS)) * PRESSURE**2.5


def hits(speed: float, duration: float, gravity: float = 0.0) -> fm.Result:
    system = fm.System(gravity=(0.0, -gravity, 0.0))
    ball = system.add(fm.RigidBody(MASS, (1.0, 1.0, 1.0)), name="ball")
    wall = system.ground.marker("wall")
    system.prismatic(wall, ball["origin"], axis="y", displacement=RADIUS + GAP, rate=-speed, name="guide")
    system.contact(fm.Sphere(ball["origin"], RADIUS), fm.Plane(wall), LAW, name="wall")
    return system.simulate(GAP / speed + duration, rtol=1e-9, atol=1e-14)


def restitution(speed: float) -> float:
    r = YIELD_SPEED / speed
    return np.sqrt(1.2 * np.sqrt(3.0) * (1.0 - r * r / 6.0) * np.sqrt(r / (r + 2.0 * np.sqrt(1.2 - 0.2 * r * r))))


def test_restitution_against_speed(figures):
    speeds = [1.5 * YIELD_SPEED, 1.0, 8.0]
    found = [hits(speed, 2e-4).contacts[0].restitution for speed in speeds]
    figures("sphere that yields: restitution", "Thornton (1997), closed form", found, [*map(restitution, speeds)], 1e-8)


def test_slow_hits_are_elastic():
    (contact,) = hits(0.9 * YIELD_SPEED, 4e-4).contacts
    assert contact.restitution == pytest.approx(1.0, rel=1e-8)
    assert contact.max_depth < LAW.yield_depth


def test_energy_and_dent():
    """What the ball has lost is gone; the contact ends at the residual depth, and the dent is found by the next hit."""
    speed = 1.0
    result = hits(speed, 0.5, gravity=9.81)
    first, second, *_ = result.contacts
    total = result["energy.total"]
    before, after = np.interp([0.0, 0.5 * (first.end + second.start)], result.t, total)
    lost = 0.5 * MASS * (first.approach_speed**2 - first.rebound_speed**2)
    force = np.pi * PRESSURE * RADIUS * (first.max_depth - LAW.yield_depth / 3.0)
    assert first.peak_force == pytest.approx(force, rel=1e-8)
    curved = 4.0 * LAW.modulus * (RADIUS * first.max_depth) ** 1.5 / (3.0 * force)
    dent = first.max_depth - RADIUS * first.max_depth / curved
    gaps = [np.interp(t, result.t, result["wall.gap"]) for t in (first.end, second.start)]
    assert gaps == pytest.approx([-dent, -dent], rel=1e-6)
    assert before - after == pytest.approx(lost + MASS * 9.81 * dent, rel=1e-7)
    # the second hit is slower, and finds what yields no further
    assert second.approach_speed < first.approach_speed
    assert second.max_depth == pytest.approx(first.max_depth, rel=2e-2)
    assert second.restitution > 0.99
