"""Start values of every joint hold whichever marker is stated first: ground, parent and child on either side.

What a joint's coordinates mean is checked twice: by the constraint that the same joint closes with when it is cut
(another part of the kernels), and, of balls, by the markers' rotations and angular velocities themselves.
"""

import numpy as np
import pytest
from joint_examples import geometry
from random_mechanisms import rigid_body
from scipy.spatial.transform import Rotation

import flexmbs as fm
from flexmbs import JOINT_TYPES
from flexmbs.model.compile_mechanism import compile_system

KINDS = sorted(JOINT_TYPES)
ORDERS = ("ground to body", "body to ground", "parent to child", "child to parent")
EXACT = 1e-9  # frames and rates are of order one; loops are closed to 1e-12


def mechanism(kind: str, order: str, pose=None, cut=False):
    """The system, its joint, and the start values (coordinates, rates, rotation vector, angular velocity)."""
    rng = np.random.default_rng([*map(ord, kind + order)])
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    parent = system.add(rigid_body(rng), "parent")
    child = system.add(rigid_body(rng), "child", **(pose or {}))
    base = system.ground.marker("base", rng.normal(size=3), rng.normal(size=3))
    system.revolute(base, parent.marker("in", rng.normal(size=3), rng.normal(size=3)), angle=0.3, rate=0.7)
    inside = child.marker("in", rng.normal(size=3), rng.normal(size=3))
    outside = (parent if "parent" in order else system.ground).marker("out", rng.normal(size=3), rng.normal(size=3))
    ends = (inside, outside) if order.startswith(("body", "child")) else (outside, inside)
    joint = system.joint(kind, *ends, "joint", cut, **geometry(kind, rng))
    values = {name: 0.5 * rng.normal() for name in joint.type.coordinates}
    rates = {name: rng.normal() for name in joint.type.coordinates}
    ball = (rng.normal(size=3), rng.normal(size=3)) if joint.type.ends_with_ball else (None, None)
    return system, system._state(joint, values, rates, *ball), (values, rates, *ball)


def index_of(result, body: str) -> int:
    return [entry.name for entry in result.structure.bodies].index(body)


def frame(result, marker) -> tuple[np.ndarray, np.ndarray]:
    """Rotation matrix and angular velocity (world axes) of a marker at the start."""
    run, k = result.trajectory, index_of(result, marker.body)
    return run.body_rotation[0, k] @ marker.rotation, run.body_angular_velocity[0, k]


def pose_of_child(result) -> dict:
    run, k = result.trajectory, index_of(result, "child")
    R = run.body_rotation[0, k]
    return {
        "position": run.body_position[0, k],
        "rotation": R,
        "velocity": run.body_velocity[0, k],
        "angular_velocity": R.T @ run.body_angular_velocity[0, k],
    }


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_starts_as_stated(kind, order):
    system, joint, (values, rates, turn, spin) = mechanism(kind, order)
    assert not compile_system(system).tree.cut
    result = system.assemble()
    for name in values:
        assert abs(result[f"joint.{name}"][0] - values[name]) < EXACT
        assert abs(result[f"joint.{name}.rate"][0] - rates[name]) < EXACT
    if turn is not None:
        (Ra, wa), (Rb, wb) = frame(result, joint.a), frame(result, joint.b)
        assert np.abs(Ra.T @ Rb - Rotation.from_rotvec(turn).as_matrix()).max() < EXACT
        assert np.abs(Rb.T @ (wb - wa) - spin).max() < EXACT
    pose = pose_of_child(result)
    closed, _, _ = mechanism(kind, order, pose, cut=True)
    assert len(compile_system(closed).tree.cut) == 1
    again = closed.assemble()
    for name, found in pose_of_child(again).items():
        assert np.abs(found - pose[name]).max() < EXACT, name
    for name in values:
        assert abs(again[f"joint.{name}"][0] - values[name]) < EXACT
        assert abs(again[f"joint.{name}.rate"][0] - rates[name]) < EXACT


def pendulum(kind: str, swapped: bool, **stated):
    """A body on ground, off its origin, by a joint in which neither marker is special."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    body = system.add(fm.RigidBody(2.0, (0.1, 0.2, 0.15)), "body")
    ends = (system.ground.marker("hook", (0.2, 0.1, 2.0), (0.1, 0.2, 0.3)), body.marker("eye", (-1.0, 0.0, 0.0)))
    geometry = {} if kind in ("spherical", "free", "fixed") else {"axis": (1.0, 2.0, 2.0)}
    joint = system.joint(kind, *(reversed(ends) if swapped else ends), "joint", **geometry, **stated)
    return system, joint


VALUES = {"angle": 0.4, "displacement": 0.3}
RATES = {"angle": 2.0, "displacement": -0.6}


@pytest.mark.parametrize("kind", ["cylindrical", "fixed", "free", "prismatic", "revolute", "screw", "spherical"])
def test_exchanged_markers_with_inverse_start_values_give_the_same_run(kind):
    """Motion; and the reaction, which acts on the body of the second marker: negative, about the other marker."""
    pitch = {"pitch": 0.2} if kind == "screw" else {}
    forwards, first = pendulum(kind, False, **pitch)
    backwards, second = pendulum(kind, True, **pitch)
    values = {name: VALUES[name] for name in first.type.coordinates if name in VALUES}
    for system, joint, sign in ((forwards, first, 1.0), (backwards, second, -1.0)):
        rates = {name: sign * RATES[name] for name in values}
        system._state(joint, {name: sign * value for name, value in values.items()}, rates)
    if first.type.ends_with_ball:
        R, w = Rotation.from_rotvec([0.5, -0.4, 0.7]), np.array([1.0, -2.0, 3.0])
        x, xd = (np.array([0.3, 0.5, -0.2]), np.array([1.0, 0.5, 2.0])) if kind == "free" else (np.zeros(3),) * 2
        # b against a: x, R, xd (axes of a), w (axes of b); a against b: -R^T x, R^T, -R^T xd + w x (-R^T x) ..., -R w
        back = R.inv().apply(x)
        place = (dict(zip("xyz", x, strict=True)), dict(zip("xyz", xd, strict=True))) if kind == "free" else ({}, {})
        other = (
            (dict(zip("xyz", -back, strict=True)), dict(zip("xyz", np.cross(w, back) - R.inv().apply(xd), strict=True)))
            if kind == "free"
            else ({}, {})
        )
        forwards._state(first, *place, R.as_matrix(), w)
        backwards._state(second, *other, R.inv().as_matrix(), -R.apply(w))
    one, two = (system.simulate(0.3, rtol=1e-10, integrator="radau") for system in (forwards, backwards))
    last = [-1]
    for kept in ("body_position", "body_rotation", "body_velocity", "body_angular_velocity"):
        a, b = (getattr(run.trajectory, kept)[:, 1] for run in (one, two))
        assert np.abs(a[[0, -1]] - b[[0, -1]]).max() < 1e-8, kept
    force, moment = (
        [np.array([run[f"joint.reaction.{word}.{axis}"][last][0] for axis in "xyz"]) for run in (one, two)]
        for word in ("force", "moment")
    )
    place = [positions_of_markers(run, first) for run in (one, two)]
    arm = place[0][1] - place[0][0]  # from the ground's marker to the body's
    assert np.abs(force[0] + force[1]).max() < 1e-6
    assert np.abs(moment[0] + moment[1] + np.cross(arm, force[0])).max() < 1e-6
    if kind != "free":
        assert np.abs(force[0]).max() > 1.0


def positions_of_markers(result, joint) -> tuple[np.ndarray, np.ndarray]:
    """Of the ground's and of the body's marker at the end."""
    run = result.trajectory
    return joint.a.position, run.body_position[-1, 1] + run.body_rotation[-1, 1] @ joint.b.position


def test_the_pendulum_of_a_ball_stated_from_the_body():
    """Turned by -0.5 rad and turning at -3 rad/s: ground against the body, as the markers say; once it was dropped."""
    system = fm.System()
    body = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), "body")
    eye = body.marker("m", position=(-1.0, 0.0, 0.0))
    high = system.ground.marker("high", position=(0.0, 0.0, 2.0))
    system.spherical(eye, high, rotation=(0.0, 0.0, 0.5), angular_velocity=(0.0, 0.0, 3.0))
    start = system.assemble()
    R = start.trajectory.body_rotation[0, 1]
    assert np.abs(R - Rotation.from_rotvec([0.0, 0.0, -0.5]).as_matrix()).max() < EXACT
    assert np.abs(start.trajectory.body_angular_velocity[0, 1] - [0.0, 0.0, -3.0]).max() < EXACT
    assert np.abs(start.trajectory.body_position[0, 1] - (R @ [1.0, 0.0, 0.0] + [0.0, 0.0, 2.0])).max() < EXACT


def test_a_line_needs_a_body_that_has_a_rotation():
    """The axis of inline() belongs to its first marker: on a point mass nothing says where it points."""
    system = fm.System()
    mass = system.add(fm.RigidBody.point(1.0), "mass")
    system.inline(mass["origin"], system.ground["origin"], name="bead")
    with pytest.raises(fm.MechanismError, match="'bead'.*body 'mass' is a point mass"):
        system.assemble()


def loop(**stated):
    """A four-bar linkage in a plane whose last joint is a ball that closes it."""
    system = fm.System()
    bar = fm.RigidBody.rod(1.0, 1.0)
    parts = [system.add(bar, name) for name in ("crank", "coupler", "rocker")]
    ends = [part.marker("end", (1.0, 0.0, 0.0)) for part in parts]
    far = system.ground.marker("far", (1.0, 0.0, 0.0))
    system.revolute(system.ground["origin"], parts[0]["origin"], angle=1.2, name="drive")
    system.revolute(far, parts[2]["origin"], angle=1.2, name="pin")
    system.revolute(ends[0], parts[1]["origin"], angle=-1.2, name="joint")
    return system, system.spherical(ends[2], ends[1], name="ball", **stated)


def test_a_ball_that_closes_a_loop_says_when_its_start_rotation_is_not_met():
    system, _ = loop(rotation=(0.0, 0.0, 0.5))  # the coupler lies 1.2 rad back from the rocker
    with pytest.warns(fm.MechanismWarning, match=r"'ball' closes a loop.*start rotation by 1\.7 rad"):
        system.assemble()
    system, _ = loop(angular_velocity=(0.0, 0.0, 2.0))
    with pytest.warns(fm.MechanismWarning, match=r"start angular velocity by 2 rad/s"):
        system.assemble()
    system, ball = loop(rotation=(0.0, 0.0, 0.5))
    ball.hold()
    with pytest.raises(fm.MechanismError, match="hold.'rotation'. cannot be satisfied"):
        system.assemble()


def test_a_ball_that_closes_a_loop_as_stated_says_nothing(recwarn):
    loop(rotation=(0.0, 0.0, -1.2))[0].assemble()
    assert not [entry for entry in recwarn if issubclass(entry.category, fm.MechanismWarning)]
