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


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_what_rests_on_a_stop_is_locked_there_and_let_go(restitution):
    """It stays while it is locked and afterwards, until a force lifts it."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    body = system.add(fm.RigidBody(1.0, (0.1,) * 3), name="body")
    slide = system.prismatic(system.ground.frame, body["origin"], axis="z", displacement=0.001, name="slide")
    slide.limit(lower=0.0, upper=0.4, restitution=restitution)
    system.event(0.1, fm.Lock(slide))
    system.event(0.2, fm.Free(slide))
    system.force(body["origin"], (0.0, 0.0, lambda t: 20.0 if t > 0.3 else 0.0))
    result = system.simulate(0.4, max_step=0.02, progress=False)
    height, t = result["slide.displacement"], result.t
    assert height.min() > -1e-12
    assert np.abs(height[(t > 0.1) & (t <= 0.3)]).max() < 1e-12
    assert height[-1] == pytest.approx(0.5 * (20.0 - G) * 0.1**2, rel=1e-4)


def test_statics_hold_a_stop_that_a_stiff_contact_pushes_past():
    """A hand that slides on an arm: where the floor is touched its stop, let go for a moment, holds again."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    arm, hand = (system.add(fm.RigidBody(1.0, (0.01,) * 3, center=(0.1, 0.0, 0.0)), name) for name in ("arm", "hand"))
    carrier = system.revolute(system.ground["origin"], arm["origin"], axis="y", name="carrier")
    carrier.spring(60.0)
    slide = system.prismatic(arm.marker("end", position=(0.2, 0.0, 0.0)), hand["origin"], axis="z", name="slide")
    slide.spring(400.0)
    slide.limit(lower=-0.001, upper=0.001, restitution=1.0)
    floor = fm.Plane(system.ground.marker("floor", position=(0.0, 0.0, -0.03)), normal=(0.0, 0.0, 1.0))
    system.contact(fm.Point(hand.marker("tip", position=(0.1, 0.0, 0.0))), floor, law=fm.Hertz(1e7), name="touch")
    found = system.statics()
    assert abs(found["slide.displacement"][0]) <= 0.001 + 1e-12


@pytest.mark.parametrize("friction", [0.1, 0.5])
def test_a_joint_that_jams_in_an_impact_takes_no_energy_from_nowhere(friction):
    """Folded back on its arm, a hand hits the floor: friction of the hinge raises its own load."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    arm = system.add(fm.RigidBody(1.0, (0.01,) * 3, center=(0.1, 0.0, 0.0)), "arm")
    hand = system.add(fm.RigidBody(0.5, (0.003,) * 3, center=(0.1, 0.0, 0.0)), "hand")
    hinge = system.revolute(system.ground["origin"], arm["origin"], axis="y", name="hinge", angle=1.548, rate=21.95)
    end = arm.marker("out", (0.3, 0.0, 0.0))
    system.revolute(end, hand["origin"], axis="y", name="elbow", angle=-3.127, rate=-34.05)
    hinge.friction(fm.DryFriction(friction, 0.7 * friction), normal_force="reaction", radius=0.02)
    floor = fm.Plane(system.ground.marker("floor", (0.0, 0.0, -0.05)), (0.0, 0.0, 1.0))
    tip = fm.Point(hand.marker("tip", (0.25, 0.0, 0.0)))
    system.contact(tip, floor, law=fm.Rigid(restitution=0.5, friction=0.3), name="floor")
    result = system.simulate(0.05, rtol=1e-7, progress=False)
    assert any(event.kind == "impact" for event in result.events)
    assert np.abs(result["energy.balance"]).max() < 1e-5
