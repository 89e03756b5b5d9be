"""Pairs of features that once broke each other: kinematics with contacts, play with friction, frames of flexible bodies."""

import numpy as np
import pytest

import flexmbs as fm

G = 9.81


def test_kinematics_counts_no_rigid_contact_as_a_constraint():
    system = fm.System(gravity=(0.0, 0.0, -G))
    ball, arm = (system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name) for name in ("ball", "arm"))
    system.prismatic(system.ground["origin"], arm["origin"], axis="x", name="slide").prescribe(fm.Harmonic(0.1, 1.0))
    system.prismatic(arm["origin"], ball["origin"], axis="z", displacement=0.5, name="fall")
    system.contact(fm.Point(ball["origin"]), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), law=fm.Rigid(), name="floor")
    with pytest.raises(fm.MechanismError, match=r"1 degree of freedom left: .*'fall.displacement'"):
        system.kinematics(1.0, steps=4)


def with_play(kind: str, law) -> tuple[fm.System, fm.Joint]:
    system = fm.System(gravity=(0.0, 0.0, -G))
    body = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0)), "body")
    play = fm.Clearance(radial=1e-3, law=law)
    return system, getattr(system, kind)(system.ground["origin"], body["origin"], axis="y", name="joint", clearance=play)


def test_time_steps_through_rigid_play_are_stored(tmp_path):
    system, _joint = with_play("revolute", fm.Rigid())
    result = system.simulate(0.01, integrator=fm.Moreau(step=1e-3), out=tmp_path / "run", progress=False)
    assert result.status == "finished"


def test_dry_friction_of_a_joint_with_play_acts_on_its_motions_only():
    system, joint = with_play("cylindrical", fm.Hertz(1e7))
    joint.friction(fm.DryFriction(0.3, 0.2), normal_force=20.0, radius=0.02)
    system.assemble()
    _system, joint = with_play("revolute", fm.Hertz(1e7))
    with pytest.raises(fm.MechanismError, match="joint with play is that of its contact"):
        joint.friction(fm.DryFriction(0.3), normal_force="reaction", radius=0.02)


@pytest.mark.parametrize("kind", ["planar", "revolute", "prismatic", "cylindrical", "fixed"])
def test_joints_and_springs_at_the_frame_of_a_flexible_body(kind):
    system = fm.System(gravity=(0.0, -G, 0.0))
    supports = ("clamped", "free")
    beam = fm.uniform_beam(length=1.0, bending_stiffness=10.0, mass_per_length=1.0, supports=supports, modes=2)
    body = system.add(beam, "beam")
    getattr(system, kind)(system.ground.frame, body.frame)
    system.spring_damper(system.ground.marker("hook", position=(0.0, 1.0, 0.0)), body.frame, stiffness=10.0)
    assert system.simulate(0.01, progress=False).status == "finished"


def test_friction_of_two_motions_slides_along_their_acceleration():
    """A sleeve on a shaft whose two motions have very different inertia: a = W (f - mu N d) along d."""
    system = fm.System(gravity=(0.0, -0.7, 0.0))
    body = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.01)), "body")
    sleeve = system.cylindrical(system.ground["origin"], body["origin"], axis="y", name="sleeve")
    sleeve.actuate(0.98, coordinate="angle")
    sleeve.friction(fm.DryFriction(0.3, 0.2), normal_force=20.0, radius=0.02)
    result = system.simulate(0.01, rtol=1e-9, progress=False)
    slip = np.array([0.02 * result["sleeve.angle.rate"][-1], result["sleeve.displacement.rate"][-1]])
    direction = slip / np.linalg.norm(slip)
    mobility = np.array([0.02**2 / 0.02, 1.0])
    force = np.array([0.98 / 0.02, -0.7]) - 0.2 * 20.0 * direction
    # the direction stays, as accelerations do: slip = a t
    np.testing.assert_allclose(slip, 0.01 * mobility * force, rtol=1e-6)
