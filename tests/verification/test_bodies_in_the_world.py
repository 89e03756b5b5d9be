"""Bodies placed in the world, and joints at points of it: the same motion as stated by markers and start values."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fm

GRAVITY = (0.5, -1.0, -9.81)
POSITION, TURN = np.array([0.3, 0.2, 0.1]), Rotation.from_rotvec([0.4, -0.3, 0.5]).as_matrix()
POINT = np.array([0.5, 0.1, 0.2])
SIZE = 0.3
KINDS = {
    "fixed": {},
    "revolute": {"axis": (1.0, 2.0, 0.5)},
    "prismatic": {"axis": (1.0, 2.0, 0.5)},
    "cylindrical": {"axis": "y"},
    "screw": {"pitch": 0.1, "axis": "y"},
    "planar": {"normal": "y"},
    "universal": {"first": "x", "second": "z"},
    "constant_velocity": {"axis": "y"},
    "spherical": {},
    "free": {},
    "inline": {"axis": "y"},
    "inplane": {"normal": "y"},
    "parallel": {"axis": "y"},
    "perpendicular": {"first": "x", "second": "y"},
    "orientation": {},
}


def body_at(system, name="body", **pose):
    inertia = (0.02, 0.025, 0.03)
    return system.add(fm.RigidBody(1.2, inertia, center=(0.1, 0.05, -0.02)), name, **pose)


def by_markers(kind, geometry):
    """The joint between markers that are where POINT is in both bodies, with the axes of the world."""
    system = fm.System(gravity=GRAVITY)
    body = body_at(system)
    end = body.marker("end", TURN.T @ (POINT - POSITION), TURN.T)
    getattr(system, kind)(system.ground.marker("point", POINT), end, name="joint", **geometry)
    return system


def in_the_world(kind, geometry, cut):
    system = fm.System(gravity=GRAVITY)
    body = body_at(system, position=POSITION, rotation=TURN)
    getattr(system, kind)(system.ground, body, at=POINT, name="joint", cut=cut, **geometry)
    return system


def tip(system, t_end=0.3):
    """Path of a point of the body."""
    system.sensor("position", system.bodies["body"].marker("tip", (0.3, -0.1, 0.2)), name="tip")
    result = system.simulate(t_end, rtol=1e-10)
    return result, np.array([result[f"tip.{c}"] for c in "xyz"])


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_joint_at_a_point_of_the_world_moves_as_one_between_markers(kind, cut):
    _, stated = tip(by_markers(kind, KINDS[kind]))
    _, placed = tip(in_the_world(kind, KINDS[kind], cut))
    assert placed[:, 0] == pytest.approx(stated[:, 0], abs=1e-12)
    assert placed[:, -1] == pytest.approx(stated[:, -1], abs=1e-12 if not cut else 1e-8)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "screw", "planar", "universal", "constant_velocity"])
def test_start_values_follow_from_the_places_of_bodies(kind):
    """A joint between markers, moved, and again with the place that this gives the body: the same start values."""
    system = fm.System(gravity=GRAVITY)
    body = body_at(system)
    joint = system.joint(kind, system.ground.marker("point", POINT), body.marker("end", (0.1, 0.2, 0.3)), "joint", **KINDS[kind])
    rng = np.random.default_rng(4)
    joint.start.update({name: rng.uniform(-0.5, 0.5) for name in joint.coordinates})
    joint.start_rate.update({name: rng.uniform(-0.5, 0.5) for name in joint.coordinates})
    system.sensor("angular velocity", body["origin"], name="omega")
    first, path = tip(system)
    turn = first.rotation("body")[0]
    place = {
        "position": [first[f"body.position.{c}"][0] for c in "xyz"],
        "rotation": turn,
        "velocity": [first[f"body.origin.velocity.{c}"][0] for c in "xyz"],
        "angular_velocity": turn.T @ [first[f"omega.{c}"][0] for c in "xyz"],
    }
    again = fm.System(gravity=GRAVITY)
    body = body_at(again, **place)
    again.joint(kind, again.ground.marker("point", POINT), body.marker("end", (0.1, 0.2, 0.3)), "joint", **KINDS[kind])
    second, same = tip(again)
    for name, value in {**joint.start, **{f"{name}.rate": rate for name, rate in joint.start_rate.items()}}.items():
        assert second[f"joint.{name}"][0] == pytest.approx(value, abs=1e-9)
    assert same[:, -1] == pytest.approx(path[:, -1], abs=1e-8)


def engine(in_world):
    """Crank, rod and piston on a line; start angle 0.7 of the crank."""
    crank, rod, angle = 0.1, 0.3, 0.7
    pin = crank * np.array([np.cos(angle), np.sin(angle), 0.0])
    tilt = np.arcsin(pin[1] / rod)
    end = pin + rod * np.array([np.cos(tilt), -np.sin(tilt), 0.0])
    turns = [Rotation.from_euler("z", a).as_matrix() for a in (angle, -tilt, 0.0)]
    poses = [{"position": p, "rotation": R} if in_world else {} for p, R in zip((np.zeros(3), pin, end), turns, strict=True)]
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    bodies = [
        system.add(fm.RigidBody(mass, (1e-3, 2e-3, 2e-3), center=(0.05, 0.0, 0.0)), name, **pose)
        for mass, name, pose in zip((1.0, 0.5, 0.8), ("crank", "rod", "piston"), poses, strict=True)
    ]
    if in_world:
        system.revolute(system.ground, bodies[0], at=(0.0, 0.0, 0.0), name="main")
        system.revolute(bodies[0], bodies[1], at=pin, name="big end")
        system.revolute(bodies[1], bodies[2], at=end, name="small end")
        system.prismatic(system.ground, bodies[2], at=end, axis="x", name="bore")
        return system
    main = system.revolute(system.ground["origin"], bodies[0]["origin"], name="main", angle=angle)
    assert main.start["angle"] == angle
    system.revolute(bodies[0].marker("pin", (crank, 0.0, 0.0)), bodies[1]["origin"], name="big end", angle=-angle - tilt)
    system.revolute(bodies[1].marker("end", (rod, 0.0, 0.0)), bodies[2]["origin"], name="small end", angle=tilt)
    system.prismatic(system.ground["origin"], bodies[2]["origin"], axis="x", name="bore")
    return system


def test_engine_placed_in_the_world_moves_as_the_one_stated_by_markers():
    ends = []
    for in_world in (False, True):
        result = engine(in_world).simulate(0.2, rtol=1e-11)
        ends.append(np.array([result[f"piston.position.{c}"] for c in "xyz"])[:, [0, -1]])
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def arm(in_world):
    """Three links at right angles in space on turned axes, the last one driven, with a spring from its tip to ground."""
    system, points = fm.System(gravity=GRAVITY), np.array([[0.0, 0, 0.2], [0.4, 0, 0.2], [0.4, 0.3, 0.2], [0.4, 0.3, 0.45]])
    axes, before, marker = ("z", "y", "x"), system.ground, system.ground.marker("base", points[0])
    for i, axis in enumerate(axes):
        link = fm.RigidBody.box(800.0, np.abs(points[i + 1] - points[i]) + 0.04, center=0.5 * (points[i + 1] - points[i]))
        if in_world:
            body = system.add(link, f"link {i}", position=points[i])
            joint = system.revolute(before, body, at=points[i], axis=axis, name=f"joint {i}")
        else:
            body = system.add(link, f"link {i}")
            joint = system.revolute(marker, body["origin"], axis=axis, name=f"joint {i}")
            marker = body.marker("end", points[i + 1] - points[i])
        before = body
    joint.prescribe(fm.Harmonic(0.3, 1.5))
    end = body.marker("tip", at=points[3]) if in_world else marker
    system.spring_damper(system.ground.marker("post", (0.9, 0.3, 0.45)), end, stiffness=200.0, damping=3.0, name="spring")
    return system


def test_arm_of_three_links_placed_in_the_world_moves_as_the_one_stated_by_markers():
    """At the end; the rate of the driver begins with others that are zero but for rounding, which ended the run at its start."""
    one, other = (arm(in_world).simulate(1.0, rtol=1e-9) for in_world in (True, False))
    for name in ("joint 0.angle", "joint 1.angle", "spring.force"):
        assert one[name][-1] == pytest.approx(other[name][-1], rel=1e-12, abs=1e-12), name


def test_driver_that_starts_with_a_rate_turns_no_other_joint():
    """Rates that nobody states are zero, as without places; a second rod began at -0.5 rad/s."""
    system, rod = fm.System(gravity=(0.0, 0.0, 0.0)), fm.RigidBody.rod(1.0, 0.4)
    first, second = system.add(rod, "first", position=(0.0, 0.0, 0.0)), system.add(rod, "second", position=(0.4, 0.0, 0.0))
    system.revolute(system.ground, first, at=(0.0, 0.0, 0.0), name="shoulder").prescribe(fm.Polynomial([0.0, 1.0]))
    system.revolute(first, second, at=(0.4, 0.0, 0.0), name="elbow")
    result = system.assemble()
    assert result["shoulder.angle.rate"][0] == pytest.approx(1.0, abs=1e-14)
    assert result["elbow.angle.rate"][0] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("rate", [1e-17, 1.9e-16, 1e-15, 1e-13, 1e-12])
def test_rate_that_is_zero_but_for_rounding(rate):
    """The first step was as much shorter than the state was below its tolerance, 1e-19 s, and drowned in rounding."""
    system = arm(False)
    system.joints["joint 0"].start_rate["angle"] = rate
    assert len(system.simulate(0.01, rtol=1e-9).t) < 40


def test_places_and_markers_may_be_mixed():
    """Of a chain of three links the middle one has no place: it is found by its joints."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    links = [
        system.add(fm.RigidBody(1.0, (1e-2, 2e-2, 2e-2), center=(0.25, 0.0, 0.0)), f"link {i}", **pose)
        for i, pose in enumerate([{"position": (0.0, 0.0, 0.0)}, {}, {"position": (0.5, -0.5, 0.0), "rotation": (0.0, 0.0, 0.4)}])
    ]
    system.revolute(system.ground, links[0], at=(0.0, 0.0, 0.0), name="first")
    system.revolute(links[0].marker("end", (0.5, 0.0, 0.0)), links[1]["origin"], name="second")
    system.revolute(links[1].marker("end", (0.5, 0.0, 0.0)), links[2]["origin"], name="third")
    result = system.simulate(0.1)
    angles = [result[f"{name}.angle"][0] for name in ("first", "second", "third")]
    assert angles == pytest.approx([0.0, -0.5 * np.pi, 0.5 * np.pi + 0.4], abs=1e-9)


def test_bodies_that_do_not_fit_are_moved_and_said():
    """The second body is 2 mm off the axis of its hinge and the pose of both is stated."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    arm = body_at(system, "arm", position=(0.3, 0.0, 0.002))
    system.revolute(system.ground["origin"], arm.marker("eye", (-0.3, 0.0, 0.0)), axis="y", name="hinge")
    with pytest.warns(fm.MechanismWarning, match=r"arm: position z' 0.002 -> .*hinge"):
        result = system.simulate(0.01)
    assert np.hypot(result["arm.position.x"][0], result["arm.position.z"][0]) == pytest.approx(0.3, abs=1e-12)


def test_a_joint_that_was_refused_can_be_stated_again():
    system = fm.System()
    one, other = body_at(system, "one"), body_at(system, "other", position=(1.0, 0.0, 0.0))
    for _ in range(3):
        with pytest.raises(fm.MechanismError, match="body 'one': at= is a point of the world"):
            system.revolute(other, one, at=(0.0, 0.0, 0.0), name="hinge")
    system.revolute(other, system.ground, at=(0.0, 0.0, 0.0), name="hinge")


def test_what_at_refuses():
    system = fm.System()
    one, other = body_at(system, "one"), body_at(system, "other", position=(1.0, 0.0, 0.0))
    with pytest.raises(fm.MechanismError, match=r"body 'one': at= is a point of the world.*position=\(0, 0, 0\) if"):
        system.revolute(one, other, at=(0.0, 0.0, 0.0))
    with pytest.raises(fm.MechanismError, match="with at= give the two bodies"):
        system.revolute(one["origin"], other, at=(0.0, 0.0, 0.0))
    with pytest.raises(fm.MechanismError, match="got the body 'one'.*at="):
        system.revolute(one, other["origin"])
    with pytest.raises(fm.MechanismError, match="both markers are on body 'other'"):
        system.revolute(other, other, at=(0.0, 0.0, 0.0), name="loop")
    with pytest.raises(fm.MechanismError, match="at= is a place by itself"):
        other.marker("tip", (0.0, 0.0, 1.0), at=(0.0, 0.0, 0.0))
