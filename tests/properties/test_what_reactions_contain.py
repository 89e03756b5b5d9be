"""What docs/joints.md says of reactions: what they contain, on which body, at which point, in which axes.

Against balances by hand of a body that only this joint and gravity hold: the reaction is m (a - g), and its moment the
rate of the angular momentum, of which springs, actuators and drivers in the joint are a part.
"""

import itertools

import numpy as np
import pytest
from joint_examples import geometry

import flexmbs as fm
from flexmbs import JOINT_TYPES

MASS, INERTIA, CENTER = 2.0, np.diag([0.1, 0.2, 0.15]), np.array([0.1, 0.05, 0.02])
GRAVITY = np.array([0.5, -9.81, 0.3])
EYE, HOOK = np.array([-0.5, 0.1, 0.0]), np.array([0.3, 0.2, 0.1])
WAYS = list(itertools.product(("a on ground", "b on ground"), ("reduced", "absolute")))
EXACT = 1e-9  # forces of 20 N, moments of 10 N m; one evaluation, so rounding only


def hung(kind: str, order: str, coordinates: str, **options):
    """A body on ground by one joint, and that joint."""
    system = fm.System(gravity=GRAVITY, coordinates=coordinates)
    body = system.add(fm.RigidBody(MASS, INERTIA, CENTER), "body")
    hook = system.ground.marker("hook", HOOK, (0.1, 0.2, 0.4))
    eye = body.marker("eye", EYE, (0.1, 0.0, -0.7))
    ends = (hook, eye) if order == "a on ground" else (eye, hook)
    return system, system.joint(kind, *ends, "J", **options)


def reaction(result) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.array([result[f"J.reaction.{word}.{axis}"][0] for axis in "xyz"]) for word in ("force", "moment"))


def balance(system, joint) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about b that the joint exerts on the body of b, from accelerations in absolute coordinates."""
    system.coordinates = "absolute"
    result = system.assemble()
    run, free = result.trajectory, "body.free"
    R, w = run.body_rotation[0, 1], run.body_angular_velocity[0, 1]
    alpha = R @ [result[f"{free}.rotation.alpha.{axis}"][0] for axis in "xyz"]
    arm = R @ CENTER
    origin = np.array([result[f"{free}.{axis}.acceleration"][0] for axis in "xyz"])
    acceleration = origin + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    turning = R @ INERTIA @ R.T
    on_body = MASS * (acceleration - GRAVITY)
    about_center = turning @ alpha + np.cross(w, turning @ w)
    b_moves = joint.b.body == "body"
    b = run.body_position[0, 1] + R @ EYE if b_moves else HOOK
    moment = about_center + np.cross(run.body_position[0, 1] + arm - b, on_body)
    return (on_body, moment) if b_moves else (-on_body, -moment)


@pytest.mark.parametrize(("order", "coordinates"), WAYS)
@pytest.mark.parametrize("kind", sorted(JOINT_TYPES))
def test_it_acts_on_the_body_of_b_at_b_in_world_axes(kind, order, coordinates):
    rng = np.random.default_rng([*map(ord, kind)])
    system, joint = hung(kind, order, coordinates, **geometry(kind, rng))
    for name in joint.type.coordinates:
        system._state(joint, {name: 0.3 * rng.normal()}, {name: rng.normal()})
        joint.actuate(5.0 * rng.normal(), coordinate=name)
    if joint.type.ends_with_ball:
        system._state(joint, {}, {}, 0.5 * rng.normal(size=3), rng.normal(size=3))
    force, moment = reaction(system.assemble())
    expected = balance(system, joint)
    assert np.abs(force - expected[0]).max() < EXACT
    assert np.abs(moment - expected[1]).max() < EXACT


def add_spring(system, joint):
    joint.spring(stiffness=5.0, damping=0.4, rest=1.0)


def add_friction(system, joint):
    joint.friction(0.3, normal_force=20.0, transition=1e-2, radius=0.05)


def add_driver(system, joint):
    joint.prescribe(fm.Polynomial([0.3, 2.0, 4.0]))


def add_gear(system, joint):
    wheel = system.add(fm.RigidBody(1.0, (0.3, 0.3, 0.3)), "wheel")
    axle = system.revolute(system.ground.marker("axle", (2.0, 0.0, 0.0)), wheel["origin"], rate=4.0, name="axle")
    axle.actuate(7.0)
    system.gear(axle, joint, ratio=0.5, name="G")


def add_all(system, joint):
    for add in (add_spring, add_friction, add_driver):
        add(system, joint)


INSIDE = {
    "nothing": lambda system, joint: None,
    "spring and damper": add_spring,
    "actuator": lambda s, j: j.actuate(3.0),
    "motor": lambda s, j: j.motor([[-10.0, 10.0], [7.0, 3.0]]),
    "friction": add_friction,
    "stop": lambda s, j: j.limit(None, 0.1, stiffness=50.0),
    "driver": add_driver,
    "gear": add_gear,
    "spring, friction and driver": add_all,
}


@pytest.mark.parametrize(("order", "coordinates"), WAYS)
@pytest.mark.parametrize("inside", INSIDE)
def test_the_moment_about_a_hinge_is_the_sum_of_what_acts_in_it(inside, order, coordinates):
    """Springs, friction, stops, motors, actuators, the driver, and gears that mesh with it."""
    system, joint = hung("revolute", order, coordinates, axis="z")
    system._state(joint, {"angle": 0.3}, {"angle": 2.0})
    INSIDE[inside](system, joint)
    result = system.assemble()
    words = ("effort", "driving_force")
    parts = [name for name in result.names if name.startswith("J.angle.") and name.endswith(words)]
    parts += ["G.reaction.force.x"] if inside == "gear" else []
    assert len(parts) == {"nothing": 0, "spring, friction and driver": 3}.get(inside, 1)
    _, moment = reaction(result)
    marker = joint.a.rotation[:, 2]
    axis = marker if joint.a.body == "ground" else result.trajectory.body_rotation[0, 1] @ marker
    applied = sum(result[name][0] for name in parts)
    assert abs(moment @ axis - applied) < EXACT
    assert inside == "nothing" or abs(applied) > 0.05


@pytest.mark.parametrize(("order", "coordinates"), WAYS)
def test_what_acts_between_markers_is_no_part_of_it(order, coordinates):
    """A bushing at the same two markers, and a load at b: the joint carries the rest, and no moment about its axis."""
    system, joint = hung("revolute", order, coordinates, axis="z")
    system._state(joint, {"angle": 0.3}, {"angle": 2.0})
    free = reaction(system.assemble())
    system.bushing(joint.a, joint.b, (0.0, 0.0, 0.0, 0.0, 0.0, 4.0))
    system.force(system.bodies["body"]["eye"], (3.0, 0.0, 0.0))
    force, moment = reaction(system.assemble())
    axis = joint.a.rotation[:, 2]
    axis = axis if joint.a.body == "ground" else system.assemble().trajectory.body_rotation[0, 1] @ axis
    assert abs(moment @ axis) < EXACT
    assert np.abs(force - free[0]).max() > 1.0
