"""Momentum and angular momentum of bodies (fm.momenta) against closed forms, and kept in free flight."""

import numpy as np
import pytest

import flexmbs as fm


def test_momenta_of_a_rigid_body_in_flight():
    """m v, and J w + c x m v about a point: at the start from the stated motion, then kept."""
    body = fm.RigidBody(2.0, (0.3, 0.4, 0.5), (0.1, 0.2, -0.3))
    velocity, spin, place = np.array([1.0, -2.0, 0.5]), np.array([0.4, 1.0, -3.0]), np.array([3.0, 1.0, 2.0])
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    system.add(body, "body", position=place, velocity=velocity, angular_velocity=spin)
    result = system.simulate(0.5, rtol=1e-10, atol=1e-12, progress=False)
    about = np.array([0.5, 0.0, -1.0])
    linear, angular = fm.momenta(result, {"body": body}, about=about)
    moved = body.mass * (velocity + np.cross(spin, body.center))
    assert linear == pytest.approx(np.tile(moved, (len(result.t), 1)), rel=1e-8)
    turned = np.diag(body.inertia) * spin + np.cross(place + body.center - about, moved)
    assert angular == pytest.approx(np.tile(turned, (len(result.t), 1)), rel=1e-8)


def test_momenta_of_a_flexible_chain_in_flight():
    beam = fm.uniform_beam(
        length=1.0,
        bending_stiffness=20.0,
        mass_per_length=2.0,
        supports=("clamped", "free"),
        modes=2,
        markers={"root": 0.0},
        foreshortening=True,
    )
    hub = fm.RigidBody(3.0, (0.1, 0.1, 0.2))
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    carrier, arm = system.add(hub, "hub"), system.add(beam, "arm")
    system.planar(system.ground["origin"], carrier["origin"], u_rate=0.7, v_rate=-0.3, angle_rate=2.0, name="motion")
    hinge = system.revolute(carrier["origin"], arm["root"], angle=1.0, rate=-4.0, name="hinge")
    hinge.spring(30.0)
    result = system.simulate(0.3, rtol=1e-9, atol=1e-11, progress=False)
    assert np.abs(result["arm.right.displacement.y"]).max() > 0.02
    linear, angular = fm.momenta(result, {"hub": hub, "arm": beam})
    assert np.abs(linear - linear[0]).max() < 1e-8 * np.linalg.norm(linear[0])
    assert np.abs(angular - angular[0]).max() < 1e-8 * np.abs(angular[0]).max()
