"""Published inertias that no mass distribution has, in runs: torque-free motion against Euler's equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fm
from flexmbs.case.momenta import momenta

MOMENTS = np.array([1.0, 1.5, 2.8])  # kg m2; the largest is 12 % too large
SPIN = np.array([0.4, 2.0, 0.3])  # rad/s
CENTER = (0.1, -0.2, 0.3)


def lumped():
    with pytest.warns(fm.MechanismWarning, match=r"by 0\.3 kg m2 \(0\.11 of it\); it is accepted$") as said:
        body = fm.RigidBody(2.0, MOMENTS, CENTER, allow_nonphysical=True)
    assert len(said) == 1
    return body


@pytest.mark.parametrize(("coordinates", "integrator"), [("reduced", "radau"), ("absolute", "radau"), ("reduced", "explicit")])
def test_torque_free_motion_follows_eulers_equations(coordinates, integrator):
    turn = fm.rotation((0.3, -0.5, 0.8))  # the body's axes are not the principal ones
    body = lumped().placed((0.0, 0.0, 0.0), turn)
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
    added = system.add(body, name="top")
    seat = added.marker("seat", position=body.center)
    system.spherical(system.ground["origin"], seat, angular_velocity=turn.matrix @ SPIN, name="ball")
    result = system.simulate(5.0, rtol=1e-11, atol=1e-12, integrator=integrator)

    def euler(_t, w):
        return np.cross(MOMENTS * w, w) / MOMENTS

    exact = solve_ivp(euler, (0.0, 5.0), SPIN, "DOP853", result.t, rtol=1e-13, atol=1e-14).y.T
    world = result.trajectory.body_angular_velocity[:, 1]
    found = np.einsum("tji,tj->ti", result.rotation("top") @ turn.matrix, world)
    assert np.abs(exact - SPIN).max() > 0.5  # it does tumble
    assert np.abs(found - exact).max() < 1e-8
    energy = 0.5 * MOMENTS @ SPIN**2
    assert result["energy.kinetic"] == pytest.approx(np.full(len(result.t), energy), rel=1e-9)
    momentum = momenta(result, {"top": body})[1]
    assert np.abs(momentum - turn.matrix @ (MOMENTS * SPIN)).max() < 1e-8


def test_mass_point_and_rotor_need_no_invented_numbers():
    assert np.array_equal(fm.RigidBody(3.0).inertia, np.zeros((3, 3)))
    assert fm.RigidBody.rotor(3.0, 0.2, "x", (0.0, 1.0, 0.0)).inertia == pytest.approx(np.diag([0.2, 0.1, 0.1]))
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rotor = system.add(fm.RigidBody.rotor(3.0, 0.2), name="rotor")
    system.revolute(system.ground["origin"], rotor["origin"], name="shaft").actuate(0.4)
    assert system.simulate(1.0)["shaft.angle"][-1] == pytest.approx(1.0)


def test_rigid_body_of_a_mesh_without_material():
    """Needs a density alone."""
    steel = fm.box_mesh((1.0, 2.0, 3.0), (1, 2, 3), fm.Material("steel", 210e9, 0.3, 7850.0))
    bare = fm.Mesh(steel.points, steel.node_ids, tuple(fm.ElementBlock(b.kind, b.ids, b.nodes) for b in steel.blocks))
    found, expected = fm.RigidBody.from_mesh(bare, 2700.0), fm.RigidBody.from_mesh(steel, 2700.0)
    assert found.mass == pytest.approx(6.0 * 2700.0)
    assert np.array_equal(found.inertia, expected.inertia)
