"""Every registered joint, on moving bodies in random poses: as a branch of the tree, cut, and in absolute coordinates.

All three state the same mechanics: the same motion, the same reactions, no work, and constraints whose derivatives are
those of their values.
"""

import numpy as np
import pytest
from constraint_checks import check_derivatives, end_state
from joint_examples import geometry
from random_mechanisms import flexible_body, rigid_body

import flexmbs as fm
from flexmbs import JOINT_TYPES
from flexmbs.model.compile_mechanism import compile_system

KINDS = sorted(JOINT_TYPES)
SOME = ("follow_curve", "inline", "universal")
T_END = 0.4
RTOL, ATOL = 1e-10, 1e-12
# rtol is that of one step; over some hundred steps errors add up and grow with the motion
AGREE = 1e-7


def mechanism(
    kind: str, seed: int, coordinates="reduced", cut=False, pose=None, bodies=("rigid", "rigid"), turned=False
) -> fm.System:
    """ground - revolute - parent - joint under test - child, with springs.

    pose: of the child, where it is needed; turned: the joint is stated from the child to the parent.
    """
    rng = np.random.default_rng([seed, *map(ord, kind)])
    system = fm.System(gravity=tuple(3.0 * rng.normal(size=3)), coordinates=coordinates)
    parent, child = (
        system.add(rigid_body(rng) if body == "rigid" else flexible_body(body), name, **start)
        for body, name, start in zip(bodies, ("parent", "child"), ({}, pose or {}), strict=True)
    )
    base = system.ground.marker("base", 0.4 * rng.normal(size=3), rng.normal(size=3))
    hung, out, inside, hook = (
        marker(part, name, rng) for part, name in ((parent, "in"), (parent, "out"), (child, "in"), (child, "out"))
    )
    system.revolute(base, hung, axis=tuple(rng.normal(size=3)), angle=rng.normal(), rate=rng.normal(), name="carrier")
    ends = (inside, out) if turned else (out, inside)
    joint = system.joint(kind, *ends, "under test", cut, **geometry(kind, rng))
    for coordinate in joint.type.coordinates:
        system._state(joint, {coordinate: 0.5 * rng.normal()}, {coordinate: rng.normal()})
        joint.spring(stiffness=rng.uniform(1.0, 5.0), damping=0.0, rest=rng.normal(), coordinate=coordinate)
    if joint.type.ends_with_ball:
        system._state(joint, {}, {}, rng.normal(size=3), rng.normal(size=3))
    system.spring_damper(base, hook, 10.0, length=0.3)
    return system


def marker(part, name: str, rng):
    """At a random place of a rigid body, at an interface of a flexible one; with random axes."""
    if part.is_flexible:
        return part.marker(name, on="hinge" if name == "in" else "tip", rotation=rng.normal(size=3))
    return part.marker(name, 0.4 * rng.normal(size=3), rng.normal(size=3))


def reactions_at_end(result) -> np.ndarray:
    return np.array(
        [
            [result[f"{joint}.reaction.{kind}.{axis}"][-1] for kind in ("force", "moment") for axis in "xyz"]
            for joint in ("carrier", "under test")
        ]
    )


def pose_of_child(result) -> dict:
    run = result.trajectory
    R = run.body_rotation[0, 2]
    return {
        "position": run.body_position[0, 2],
        "rotation": R,
        "velocity": run.body_velocity[0, 2],
        "angular_velocity": R.T @ run.body_angular_velocity[0, 2],
    }


def compare(kind: str, seed: int, t_end: float = T_END, **how) -> dict[str, float]:
    """Largest relative differences from the run in joint coordinates; asserts what holds for each run."""
    reduced = mechanism(kind, seed, **how).simulate(t_end, rtol=RTOL, atol=ATOL, integrator="radau", stop_on_deformation=False)
    others = [mechanism(kind, seed, "absolute", **how)]
    if how.get("turned"):
        assert compile_system(mechanism(kind, seed, **how)).tree.branches[1].backwards
    else:
        others.append(mechanism(kind, seed, cut=True, pose=pose_of_child(reduced), **how))
    motion, force = end_state(reduced), reactions_at_end(reduced)
    names = [f"under test.{name}" for name in reduced_coordinates(reduced)]
    times = np.linspace(0.0, t_end, 5)
    path = [reduced.resampled(times)[name] for name in names]
    worst = {"motion": 0.0, "reaction": 0.0, "coordinate": 0.0}
    assert_energy_stays(reduced)
    for system in others:
        result = system.simulate(t_end, rtol=RTOL, atol=ATOL, integrator="radau", stop_on_deformation=False)
        assert_energy_stays(result)
        assert result["constraint_error"].max() < 1e-11
        worst["motion"] = max(worst["motion"], np.abs(end_state(result) - motion).max() / np.abs(motion).max())
        difference = np.abs(reactions_at_end(result) - force)
        worst["reaction"] = max(worst["reaction"], difference.max() / np.abs(force).max())
        for name, values in zip(names, path, strict=True):
            off = np.abs(result.resampled(times)[name] - values).max() / max(1.0, np.abs(values).max())
            worst["coordinate"] = max(worst["coordinate"], off)
    return worst


def reduced_coordinates(result) -> list[str]:
    start = "under test."
    return [n[len(start) :] for n in result.structure.coordinate_names if n.startswith(start) and "quaternion" not in n]


def assert_energy_stays(result) -> None:
    total = result["energy.total"]
    assert np.abs(total - total[0]).max() < AGREE * result["energy.kinetic"].max()


@pytest.mark.parametrize("kind", KINDS)
def test_reduced_cut_and_absolute_agree(kind):
    worst = compare(kind, 0)
    assert max(worst.values()) < AGREE, worst


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("kind", KINDS)
def test_reduced_cut_and_absolute_agree_in_many_poses(kind, seed):
    worst = compare(kind, seed)
    assert max(worst.values()) < AGREE, worst


@pytest.mark.parametrize("kind", KINDS)
def test_joints_stated_from_child_to_parent_agree(kind):
    worst = compare(kind, 0, turned=True)
    assert max(worst.values()) < AGREE, worst


@pytest.mark.parametrize("bodies", [("clamped beam", "mean-axes beam"), ("rigid", "clamped beam")])
@pytest.mark.parametrize("kind", [pytest.param(k, marks=[] if k in SOME else pytest.mark.slow) for k in KINDS])
def test_joints_of_flexible_bodies_agree(kind, bodies):
    worst = compare(kind, 0, 0.1, bodies=bodies)
    assert max(worst.values()) < AGREE, worst


@pytest.mark.parametrize("kind", ["inline", "point_on_surface", "spherical"])
def test_joints_of_flexible_bodies_stated_from_child_to_parent_agree(kind):
    worst = compare(kind, 0, 0.1, bodies=("clamped beam", "mean-axes beam"), turned=True)
    assert max(worst.values()) < AGREE, worst


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_are_differentiated_exactly(kind):
    """g' and g'' are the derivatives of g along any motion, and the multipliers do the work lam . g'."""
    check_derivatives(compile_system(mechanism(kind, 3, cut=True)), 3)
