"""Friction that cannot be is refused, with a message that says what would be right."""

import numpy as np
import pytest

import flexmbs as fm

NUMBERS = [
    (lambda: fm.Coulomb(-0.1), "static coefficient -0.1 must be at least 0"),
    (lambda: fm.Coulomb(0.2, 0.3), "static coefficient 0.2 must not be below the kinetic one, 0.3"),
    (lambda: fm.Coulomb(0.2, transition=0.0), r"transition \(m/s\) 0.0 must be positive"),
    (lambda: fm.Coulomb(0.2, transition=-1e-3), r"transition \(m/s\) -0.001 must be positive"),
    (lambda: fm.Coulomb(0.2, transition=1e-3, full_slip=1e-3), "full_slip 0.001 m/s must be above transition 0.001"),
    (lambda: fm.Coulomb(np.nan), "static coefficient nan must be at least 0"),
    (lambda: fm.Coulomb("0.2"), "static coefficient '0.2' must be at least 0"),
    (lambda: fm.Coulomb(0.2, rolling=-1e-3), r"rolling \(m\) -0.001 must be at least 0"),
    (lambda: fm.Coulomb(0.2, pivoting=-1e-3), r"pivoting \(m\) -0.001 must be at least 0"),
    (lambda: fm.Coulomb(0.2, rolling_rate=0.0), r"rolling_rate \(rad/s\) 0.0 must be positive"),
    (lambda: fm.Stribeck(0.2, 0.3, 0.1), "must not be below the kinetic one"),
    (lambda: fm.Stribeck(0.3, 0.2, 0.0), r"stribeck_speed \(m/s\) 0.0 must be positive"),
    (lambda: fm.Stribeck(0.3, 0.2, 0.1, exponent=0.0), "exponent 0.0 must be positive"),
    (lambda: fm.Stribeck(0.3, 0.2, 0.1, viscous=-1.0), r"viscous \(s/m\) -1.0 must be at least 0"),
    (lambda: fm.Stribeck(0.3, 0.2, 0.1, transition=0.0), "transition"),
    (lambda: fm.Threlfall(-0.3), "static coefficient -0.3"),
    (lambda: fm.Threlfall(0.3, transition=0.0), "transition"),
    (lambda: fm.LuGre(0.3, 0.2, 0.1, stiffness=0.0), r"stiffness \(1/m\) 0.0 must be positive"),
    (lambda: fm.LuGre(0.3, 0.0, 0.1, 1e4), "kinetic coefficient of LuGre must be positive"),
    (lambda: fm.LuGre(0.3, 0.2, 0.1, 1e4, damping=-1.0), r"damping \(s/m\) -1.0 must be at least 0"),
    (lambda: fm.LuGre(0.3, 0.2, 0.1, 1e4, elastic=1.0), "elastic 1 must be below 1"),
]


@pytest.mark.parametrize(("make", "message"), NUMBERS)
def test_numbers(make, message):
    with pytest.raises(fm.MechanismError, match=f"friction: .*{message}"):
        make()


def touching(friction, shape=fm.Point):
    system = fm.System()
    block = system.add(fm.RigidBody.point(1.0), name="block")
    return system, lambda: system.contact(
        shape(block["origin"]), fm.Plane(system.ground.frame), law=fm.Hertz(1e9), friction=friction, name="floor"
    )


def test_what_is_no_law():
    system, contact = touching(0.3)
    with pytest.raises(fm.MechanismError, match=r"contact 'floor': friction must be a friction law such as fm.Coulomb"):
        contact()
    assert not system.contacts


@pytest.mark.parametrize(
    ("friction", "radius", "message"),
    [
        (fm.Coulomb(0.3), 0.01, r"friction needs markers that can turn, not 'bar.tip', .* or a Point"),
        (fm.Coulomb(0.3, rolling=1e-3), 0.0, "friction with rolling or pivoting resistance needs markers that can turn"),
        (fm.LuGre(0.3, 0.2, 0.1, 1e4, pivoting=1e-3), 0.0, "with rolling or pivoting resistance"),
    ],
)
def test_markers_that_cannot_turn(friction, radius, message):
    bar = fm.body_from_arrays(
        points=np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        modes=np.array([[[0.0] * 3, [0.0, 0.0, 1.0], [0.0] * 3, [0.0] * 3]]),
        K=np.array([[1e4]]),
        M=np.eye(12),
        markers={"tip": 2},
    )
    system = fm.System()
    body = system.add(bar, name="bar")
    shape = fm.Sphere(body["tip"], radius) if radius else fm.Point(body["tip"])
    floor = fm.Plane(system.ground.frame)
    assert system.contact(fm.Point(body["tip"]), floor, law=fm.Hertz(1e9), friction=fm.Coulomb(0.3), name="fine")
    with pytest.raises(fm.MechanismError, match=f"contact 'floor': .*{message}"):
        system.contact(shape, floor, law=fm.Hertz(1e9), friction=friction, name="floor")


class Bad(fm.ContactFriction):
    def parameters(self):
        return (0.3,)


class NoNumbers(Bad):
    def parameters(self):
        return ("rough",)


class Pushes(Bad):
    @staticmethod
    def force(p, normal_force, motion, bristles, out):
        out[0] = normal_force


class ActsWithoutLoad(Bad):
    @staticmethod
    def force(p, normal_force, motion, bristles, out):
        out[0] = -1.0


class Fails(Bad):
    @staticmethod
    def force(p, normal_force, motion, bristles, out):
        raise KeyError("no such table")


class NotFinite(Bad):
    @staticmethod
    def force(p, normal_force, motion, bristles, out):
        out[0] = np.nan


class TooMany(Pushes):
    bristles = tuple("abcdefg")


class NoTuple(Pushes):
    bristles = "xy"


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (Bad, "has no static method force"),
        (NoNumbers, r"parameters\(\) must return numbers"),
        (Pushes, "it must act against the slip"),
        (ActsWithoutLoad, "without a normal force it gives"),
        (Fails, "cannot be evaluated: KeyError"),
        (NotFinite, "it gives .nan"),
        (TooMany, "7 bristles; at most 6"),
        (NoTuple, "bristles must be a tuple of names"),
    ],
)
def test_laws_of_scripts(law, message):
    system, contact = touching(law())
    contact()
    with pytest.raises(fm.MechanismError, match=f"contact 'floor': friction {law.__name__}.*{message}"):
        system.simulate(0.01, progress=False)


def test_joints():
    system = fm.System()
    block = system.add(fm.RigidBody.point(1.0), name="block")
    slide = system.prismatic(system.ground.frame, block["origin"], name="slide")
    for given, message in (
        (dict(static=fm.Coulomb(0.3), transition=0.1), "dynamic=, transition= and full_slip= are not for a law"),
        (dict(static=fm.Coulomb(0.3), dynamic=0.1), "dynamic=, transition= and full_slip= are not for a law"),
        (dict(static=fm.Coulomb(0.3, pivoting=0.1)), r"rolling= and pivoting= of Coulomb are for contacts; give radius="),
        (dict(static=0.3), "coefficients need transition="),
        (dict(static=fm.LuGre(0.3, 0.2, 0.1, 1e4), radius=0.1), "radius= is for rotations"),
    ):
        with pytest.raises(fm.MechanismError, match=message):
            slide.friction(normal_force=1.0, **given)
    assert not slide.forces
