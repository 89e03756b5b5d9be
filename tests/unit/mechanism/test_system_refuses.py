"""What a case script may get wrong: every message names the thing."""

import math

import pytest

import flexmbs as fm
from flexmbs import line_mesh, rectangle

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
BLOCK = fm.RigidBody(1.0, (1.0, 1.0, 1.0))


@pytest.fixture(scope="module")
def rod_body():
    return fm.reduce(
        line_mesh(1.0, 10, rectangle(0.02, 0.02), STEEL),
        interfaces={"hinge": "ROOT", "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", count=2),
    )


class Bench:
    """A system with a rigid "block" and a flexible "rod", nothing connected."""

    def __init__(self, rod_body):
        self.system = fm.System()
        self.ground = self.system.ground["origin"]
        self.block = self.system.add(BLOCK, name="block")
        self.rod = self.system.add(rod_body, name="rod")


@pytest.fixture
def bench(rod_body):
    return Bench(rod_body)


def refused(action, bench, message):
    with pytest.raises(fm.FlexmbsError, match=message):
        action(bench)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda b: b.system.add(BLOCK, name="block"), "body named 'block' exists"),
        (lambda b: b.system.add(BLOCK, name="ground"), "body named 'ground' exists"),
        (lambda b: b.system.add(3.0, name="x"), "body 'x': expected a RigidBody or a FlexibleBody, got float"),
        (lambda b: b.system.add(BLOCK, name="x", position=(0, math.nan, 0)), "'x': position .m.: expected 3 finite"),
        (lambda b: b.system.add(b.rod.body, name="x", modal_velocities=[1.0]), "'x': modal_velocities: expected 2"),
        (lambda b: fm.System(gravity=(0.0, 0.0, math.nan)), r"gravity \(m/s2\)"),
    ],
)
def test_bodies(bench, action, message):
    refused(action, bench, message)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda b: b.rod["tipp"], "body 'rod' has no marker 'tipp'; did you mean 'tip'"),
        (lambda b: b.rod.marker("m", node=99), "marker 'm' on body 'rod': the mesh has no node 99 .* from 1 to 11"),
        (lambda b: b.rod.marker("m", on="tipp"), "marker 'm' on body 'rod': no interface 'tipp'; did you mean 'tip'"),
        (lambda b: b.rod.marker("m", position=(0, 0, 0)), "'m' on body 'rod': .* give node=NUMBER or on="),
        (lambda b: b.rod.marker("m", node=1, on="tip"), "give node=NUMBER or on="),
        (lambda b: b.rod.marker("tip", node=1), "marker 'tip' on body 'rod': the name is taken"),
        (lambda b: b.block.marker("m", node=1), "'m' on body 'block': node= and on= belong to flexible bodies"),
        (lambda b: b.block.marker("m", position=(1.0, 2.0)), r"'m' on body 'block': position \(m\): expected 3"),
        (lambda b: b.block.marker("m", rotation=[[1, 0, 0], [0, 2, 0], [0, 0, 1]]), "'m' .* not orthogonal"),
        (lambda b: b.block.marker("m", rotation=(1, 1, 0, 0)), "'m' .* not of length 1"),
    ],
)
def test_markers(bench, action, message):
    refused(action, bench, message)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            lambda b: b.system.fixed(b.block["origin"], b.block.marker("m"), name="weld"),
            "joint 'weld': both markers are on body 'block'",
        ),
        (lambda b: b.system.revolute(b.ground, b.block["origin"], axis=(0, 0, 0), name="pin"), "'pin': axis .0, 0, 0."),
        (lambda b: b.system.revolute(b.ground, b.block["origin"], axis=(0, math.nan, 1), name="pin"), "'pin': axis"),
        (lambda b: b.system.prismatic(b.ground, b.block["origin"], axis="w", name="rail"), "'rail': axis 'w' is un"),
        (lambda b: b.system.revolute(b.ground, b.block["origin"], angle=math.nan, name="pin"), "'pin': start angle"),
        (lambda b: b.system.prismatic(b.ground, b.block["origin"], rate=math.inf, name="rail"), "'rail': start rate"),
        (lambda b: b.system.joint("revolut", b.ground, b.block["origin"]), "'revolut'; did you mean 'revolute'"),
        (lambda b: b.system.revolute(b.system.ground, b.block["origin"], name="pin"), "'pin': expected a marker"),
        (lambda b: fm.System().fixed(b.ground, b.rod["tip"], name="weld"), "'weld': marker .* another system"),
    ],
)
def test_joints(bench, action, message):
    refused(action, bench, message)


def test_names_are_taken_once(bench):
    joint = bench.system.revolute(bench.ground, bench.block["origin"], name="pin")
    with pytest.raises(fm.MechanismError, match="'pin' is taken"):
        bench.system.fixed(bench.block["origin"], bench.rod["hinge"], name="pin")
    with pytest.raises(fm.MechanismError, match="'pin' is taken"):
        bench.system.force(bench.block["origin"], (1.0, 0.0, 0.0), name="pin")
    assert list(bench.system.joints.values()) == [joint]


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda j: j.prescribe(0.0, coordinate="angel"), r"joint 'pin' \(revolute\): .* \['angle'\], got 'angel'"),
        (lambda j: j.prescribe(math.nan), "joint 'pin', prescribed angle: nan"),
        (lambda j: j.prescribe(lambda t: math.nan), "joint 'pin', prescribed angle: .* nan at t = 0"),
        (lambda j: j.prescribe("fast"), "prescribed angle: expected a number or a function of time"),
        (lambda j: j.prescribe(0.0).prescribe(1.0), "joint 'pin': 'angle' is already prescribed"),
        (lambda j: j.spring(stiffness=-1.0), "joint 'pin', spring stiffness: -1.0 must be at least 0"),
        (lambda j: j.spring(damping=math.nan), "joint 'pin', spring damping: nan"),
    ],
)
def test_drivers_and_springs(bench, action, message):
    joint = bench.system.revolute(bench.ground, bench.block["origin"], name="pin")
    refused(action, joint, message)


def test_a_ball_has_no_coordinate_to_prescribe(bench):
    ball = bench.system.spherical(bench.ground, bench.block["origin"], name="ball")
    with pytest.raises(fm.MechanismError, match="'ball' .spherical. has no coordinate for prescribe: its rotations"):
        ball.prescribe(0.0)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda b: b.system.force(b.rod["tip"], (1.0, 2.0), name="push"), "force 'push': expected three components"),
        (lambda b: b.system.force(b.rod["tip"], (1.0, 2.0, math.nan), name="push"), "force 'push': nan is not finite"),
        (lambda b: b.system.torque(b.rod["tip"], (0.0, 0.0, "a"), name="twist"), "torque 'twist': .* got 'a'"),
        (lambda b: b.system.force(b.rod["tip"], (lambda t: math.nan, 0, 0), name="push"), "'push': .* nan at t = 0"),
        (lambda b: b.system.spring_damper(b.rod["tip"], b.ground, -1.0, name="coil"), "spring 'coil': stiffness: -1.0"),
    ],
)
def test_forces(bench, action, message):
    refused(action, bench, message)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda b: fm.Sphere(b.block["origin"], -0.01), "radius -0.01 m must be positive"),
        (lambda b: fm.Sphere(b.block["origin"], math.nan), "radius .m.: nan"),
        (lambda b: fm.Plane(b.ground, (0.0, 0.0, 0.0)), "the normal has zero length"),
        (lambda b: fm.Hertz(-1.0), "stiffness -1.0 must be positive"),
        (lambda b: fm.Hertz(math.nan), "stiffness nan must be positive"),
        (lambda b: fm.PowerLaw(1.0, 0.5), "exponent 0.5 must be at least 1"),
        (lambda b: fm.Hertz.from_materials(-0.01, STEEL, STEEL), "radius -0.01 m must be positive"),
        (
            lambda b: b.system.contact(fm.Point(b.block["origin"]), fm.Point(b.rod["tip"]), fm.Hertz(1.0), name="hit"),
            "contact 'hit': two points cannot touch",
        ),
        (
            lambda b: b.system.contact(fm.Plane(b.ground), fm.Plane(b.block["origin"]), fm.Hertz(1.0), name="hit"),
            "no contact between a Plane and a Plane; a Plane can touch: BodySurface, Box, Capsule, Cylinder",
        ),
    ],
)
def test_contacts(bench, action, message):
    refused(action, bench, message)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.RigidBody(0.0, (1.0, 1.0, 1.0)), "mass 0.0 kg must be positive"),
        (lambda: fm.RigidBody(math.nan, (1.0, 1.0, 1.0)), "mass nan kg"),
        (lambda: fm.RigidBody(1.0, (1.0, 1.0, 5.0)), "no mass distribution has"),
        (lambda: fm.RigidBody(1.0, (1.0, 1.0)), "symmetric 3x3 matrix"),
        (lambda: fm.RigidBody(1.0, (1.0, 1.0, 1.0), center=(0.0, math.nan, 0.0)), "center must be three finite"),
        (lambda: fm.RigidBody.sphere(0.0, 1.0), "mass 0.0 kg must be positive"),
        (lambda: fm.RigidBody.box(7850.0, (1.0, -1.0, 1.0)), "must be positive"),
    ],
)
def test_rigid_bodies(make, message):
    with pytest.raises(fm.BodyError, match=message):
        make()
