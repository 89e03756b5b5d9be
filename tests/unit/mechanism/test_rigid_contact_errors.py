"""Statements of rigid contacts that make no sense, and what their errors say."""

import numpy as np
import pytest

import flexmbs as fm


def ball_and_floor(height=0.1):
    system = fm.System(gravity=(0, 0, -9.81))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.05), name="ball", position=(0, 0, height))
    return system, fm.Sphere(ball.frame, 0.05), fm.Plane(system.ground["origin"], (0, 0, 1))


@pytest.mark.parametrize("given", [-0.1, 1.2, np.nan, "0.5", True])
def test_restitution_out_of_range(given):
    with pytest.raises(fm.MechanismError, match="restitution"):
        fm.Rigid(restitution=given)


def test_static_friction_below_the_kinetic_one():
    with pytest.raises(fm.MechanismError, match="static_friction = 0.2 must be at least friction = 0.3"):
        fm.Rigid(friction=0.3, static_friction=0.2)


def test_unknown_law_of_impact():
    with pytest.raises(fm.MechanismError, match="'newton' or 'poisson'"):
        fm.Rigid(impact="stronge")


def test_friction_beside_the_law():
    system, ball, floor = ball_and_floor()
    with pytest.raises(fm.MechanismError, match=r"law=fm.Rigid\(friction=...\)"):
        system.contact(ball, floor, law=fm.Rigid(), friction=fm.Coulomb(static=0.3, kinetic=0.2, transition=1e-3))


def test_events_of_groups_are_not_located():
    system, ball, floor = ball_and_floor()
    system.contact_all([ball, floor], law=fm.Rigid(), grouped=True)
    with pytest.raises(fm.MechanismError, match="grouped=False"):
        system.simulate(0.1, integrator="radau", progress=False)


def test_many_rigid_pairs_are_single_contacts():
    system = fm.System()
    balls = [system.add(fm.RigidBody.sphere(1000.0, 0.05), name=f"b{i}", position=(i, 0, 0)) for i in range(26)]
    pairs = system.contact_all([fm.Sphere(ball.frame, 0.05) for ball in balls], law=fm.Rigid())
    assert len(pairs) == 26 * 25 // 2


def test_start_with_penetration():
    system, ball, floor = ball_and_floor(height=0.049)
    system.contact(ball, floor, law=fm.Rigid(), name="bounce")
    with pytest.raises(fm.MechanismError, match="'bounce' starts with a penetration of 0.001 m"):
        system.simulate(0.1)


def test_boxes_need_rounded_edges():
    system = fm.System()
    part = system.add(fm.RigidBody.box(1000.0, (1, 1, 1)), name="part", position=(0, 0, 3))
    sharp = fm.Box(part.frame, (1, 1, 1), edge_radius=0.0)
    with pytest.raises(fm.MechanismError, match="edge_radius"):
        system.contact(sharp, fm.Box(system.ground["origin"], (1, 1, 1)), law=fm.Rigid())


def test_surfaces_that_deform_are_refused():
    plate = fm.uniform_beam(length=1.0, bending_stiffness=1.0, mass_per_length=1.0, supports=("clamped", "free"), modes=2)
    system = fm.System()
    beam = system.add(plate, name="beam")
    system.fixed(system.ground["origin"], beam["supports"])
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.05), name="ball", position=(0, 1, 0))
    with pytest.raises(fm.MechanismError):
        system.contact(fm.Sphere(ball.frame, 0.05), beam, law=fm.Rigid())
