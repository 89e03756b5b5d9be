"""Accelerations for explicit integration beside the dense solution with the mass matrix of the residual.

The residual is linear in the accelerations, so that the mass matrix of its columns is exact up to rounding, which
random inertias (condition numbers up to 1e5) amplify to at most 1e-10.
"""

import numpy as np
import pytest
from random_mechanisms import Evaluation, add_body, connect, joint_pair, random_tree, rigid_body

import flexmbs as fm
from flexmbs import JOINT_TYPES
from flexmbs.analysis.prepare.bind_functions import bound
from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.layout.state import make_scratch, make_state
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.method_table import METHODS

ALONG_CURVES = {"cam_roller", "curve_on_curve", "follow_curve", "point_on_curve", "point_on_surface"}


def accelerations(mechanism: Evaluation):
    """What find_accelerations finds, driven coordinates included; and the free coordinates."""
    tables, work = mechanism.tables, mechanism.work
    state = make_state(tables, len(mechanism.reference), 0)
    state.reference[:], state.active[:] = mechanism.reference, mechanism.active
    scratch = make_scratch(tables, METHODS["explicit"])
    q, v, a = mechanism.q.copy(), mechanism.v.copy(), mechanism.a.copy()
    evaluate_signals(tables, 0.0, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    assert find_accelerations(tables, state, scratch, work, q, v, a)
    return a, tables.free


def check(mechanism: Evaluation):
    found, free = accelerations(mechanism)
    q, v = mechanism.q, mechanism.v
    rest = found.copy()
    rest[free] = 0.0
    mass = mechanism.mass_matrix()[np.ix_(free, free)]
    expected = np.linalg.solve(mass, -mechanism.residual(q, v, rest)[free])
    assert np.abs(found[free] - expected).max() < 1e-10 * np.abs(expected).max()


def rigid_tree(seed: int, bodies: int = 7) -> fm.System:
    """Branches of rigid bodies with all joints but those along curves, two of them driven."""
    rng = np.random.default_rng(seed)
    system = fm.System(gravity=tuple(3.0 * rng.normal(size=3)))
    outs = [system.ground.marker("base", position=rng.normal(size=3), rotation=rng.normal(size=3))]
    for i in range(bodies):
        part = add_body(system, "rigid", f"body {i}", rng)
        kind = "revolute" if i in (1, 4) else str(rng.choice(sorted(set(JOINT_TYPES) - ALONG_CURVES)))
        joint = connect(system, kind, outs[rng.integers(len(outs))], part["in"], rng)
        if i == 1:
            joint.prescribe(rate=fm.Harmonic(1.0, 3.0))
        if i == 4:
            joint.prescribe(acceleration=fm.Polynomial([2.0, 1.0]))
        outs.append(part["out"])
    return system


@pytest.mark.parametrize("kind", sorted(JOINT_TYPES))
def test_every_joint_of_rigid_bodies(kind):
    mechanism = Evaluation(joint_pair(kind, "rigid", "rigid"), seed=2)
    assert bool(mechanism.work.rigid_tree) == (kind not in ALONG_CURVES)
    check(mechanism)


@pytest.mark.parametrize("seed", range(8))
def test_trees_of_rigid_bodies(seed):
    mechanism = Evaluation(rigid_tree(seed), seed)
    assert mechanism.work.rigid_tree == 1
    check(mechanism)


@pytest.mark.parametrize("seed", range(4))
def test_trees_without_forces_have_a_way_of_their_own(seed):
    mechanism = Evaluation(rigid_tree(seed), seed)
    assert mechanism.work.free_tree == 1
    direct, free = accelerations(mechanism)
    mechanism.work.free_tree = 0
    general, _free = accelerations(mechanism)
    assert np.abs(direct - general)[free].max() < 1e-10 * np.abs(general[free]).max()


def test_forces_take_the_general_way():
    system = rigid_tree(0)
    system.force(system.bodies["body 3"]["out"], (1.0, 2.0, 3.0), name="push")
    mechanism = Evaluation(system, 0)
    assert (mechanism.work.rigid_tree, mechanism.work.free_tree) == (1, 0)
    check(mechanism)


@pytest.mark.parametrize("seed", range(3))
def test_trees_with_flexible_bodies(seed):
    mechanism = Evaluation(random_tree(seed), seed)
    assert mechanism.work.rigid_tree == 0
    check(mechanism)


def test_bodies_far_from_the_world_origin():
    """Small bodies 100 km away: what refers to the world's origin would lose 1e10 of their inertia."""
    rng = np.random.default_rng(5)
    system = fm.System()
    outs = [system.ground.marker("base", position=(1e5, -1e5, 3e4))]
    for i in range(4):
        part = add_body(system, "rigid", f"body {i}", rng)
        connect(system, "spherical", outs[-1], part["in"], rng)
        outs.append(part["out"])
    far = Evaluation(system, 1)
    near = Evaluation(system, 1)
    near.work.frame[:] = np.zeros(1, near.work.frame.dtype)
    places = near.tables.markers["p_BM"]
    places[:] = np.where(np.abs(places) > 1e4, 0.0, places)
    here, there = accelerations(near)[0], accelerations(far)[0]
    # 1e5 m rounded to 1.5e-11 m, of bodies of some 0.3 m
    assert np.abs(here - there).max() < 1e-8 * np.abs(here).max()


def with_functions(system: fm.System) -> Evaluation:
    """An evaluation that calls the user's functions."""
    mechanism = Evaluation(system)
    mechanism.model = bound(mechanism.model, 0.0)
    mechanism.tables, mechanism.work = mechanism.model.tables, make_workspace(mechanism.model.tables)
    return mechanism


@pytest.mark.parametrize("added", [0.5, 3.0])
def test_forces_that_depend_on_accelerations(added):
    """A force -m' a on a mass m moves it as if it had m + m', also where m' is the larger one."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    block = system.add(rigid_body(np.random.default_rng(0)), name="block")
    joint = system.prismatic(system.ground.marker("rail"), block["origin"], axis="z", name="slide")
    accel = system.sensor("acceleration", joint)
    mass = system.bodies["block"].body.mass
    joint.actuate(lambda t, a: -added * mass * a, accel)
    found, _free = accelerations(with_functions(system))
    assert found[0] == pytest.approx(-9.81 / (1.0 + added), rel=1e-10)


def test_states_of_the_user_follow_their_rates():
    system = fm.System()
    block = system.add(rigid_body(np.random.default_rng(0)), name="block")
    joint = system.revolute(system.ground.marker("hinge"), block["origin"], name="hinge")
    rate = system.sensor("rate", joint)
    system.state("integral", lambda t, x, w: 2.0 * w - x, rate, start=1.0)
    mechanism = with_functions(system)
    found, _free = accelerations(mechanism)
    assert found[1] == pytest.approx(2.0 * mechanism.v[0] - mechanism.v[1], rel=1e-12)
