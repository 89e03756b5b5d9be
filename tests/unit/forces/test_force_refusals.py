"""Badly stated forces are refused where they are stated: what, where, and what would be right."""

import numpy as np
import pytest

import flexmbs as fm


class Bench:
    def __init__(self):
        self.system = fm.System()
        self.body = self.system.add(fm.RigidBody(mass=1.0, inertia=np.eye(3)), name="block")
        self.ground = self.system.ground["origin"]
        self.pin = self.system.revolute(self.ground, self.body["origin"], name="pin")
        self.other = self.system.add(fm.RigidBody(mass=1.0, inertia=np.eye(3)), name="other")
        self.slide = self.system.prismatic(self.body["origin"], self.other["origin"], name="slide")


CASES = [
    (lambda b: b.pin.spring(([0.0, 1.0, 1.0], [0.0, 1.0, 2.0])), r"spring stiffness: x must ascend, but x\[2\] = 1"),
    (lambda b: b.pin.spring(([0.0], [0.0])), "at least two numbers"),
    (lambda b: b.pin.spring(fm.Characteristic([0.0, 1.0], [0.0, 1.0], kind="wavy")), "kind 'wavy' is unknown"),
    (lambda b: b.pin.friction(0.3, normal_force=1.0, transition=0.1), "a rotation needs radius="),
    (lambda b: b.slide.friction(0.3, normal_force=1.0, transition=0.1, radius=1.0), "radius= is for rotations"),
    (lambda b: b.slide.friction(0.3, 0.4, normal_force=1.0, transition=0.1), "0.4 must not exceed the static one, 0.3"),
    (lambda b: b.slide.friction(0.3, normal_force=-1.0, transition=0.1), "-1.0 must be at least 0"),
    (lambda b: b.slide.friction(0.3, normal_force="weight", transition=0.1), "normal_force 'weight'"),
    (lambda b: b.slide.friction(0.3, normal_force=1.0, transition=0.0), "transition: 0.0 must be positive"),
    (lambda b: b.slide.friction(0.3, normal_force=1.0, transition=0.1, full_slip=0.1), "must be above transition"),
    (lambda b: b.slide.limit(stiffness=1.0), "give lower=, upper= or both"),
    (lambda b: b.slide.limit(1.0, 0.0, stiffness=1.0), "lower = 1 must be below upper = 0"),
    (lambda b: b.slide.limit(0.0), "give either stiffness="),
    (lambda b: b.slide.limit(0.0, stiffness=1.0, restitution=0.5), "give either stiffness="),
    (lambda b: b.slide.limit(0.0, restitution=1.5), "restitution = 1.5 must be between 0 and 1"),
    (lambda b: b.slide.limit(restitution=0.5), "give lower=, upper= or both"),
    (lambda b: b.slide.limit(0.0, stiffness=0.0), "stiffness: 0.0 must be positive"),
    (lambda b: b.slide.limit(0.0, stiffness=1.0, exponent=0.5), "exponent: 0.5 must be at least 1"),
    (lambda b: b.pin.motor(3.0), "expected two rows"),
    (lambda b: b.pin.actuate(1.0, coordinate="displacement"), "needs one of its coordinates"),
    (lambda b: b.system.spring_damper(b.ground, b.ground, 1.0), "both ends are marker"),
    (lambda b: b.system.spring_damper(b.ground, b.body["origin"], 1.0, force=lambda t, x, v: x), "give either force="),
    (lambda b: b.system.torsion_spring(b.ground, b.body["origin"], 1.0, axis=(0, 0, 0)), "has no direction"),
    (lambda b: b.system.bushing(b.ground, b.body["origin"], np.eye(3)), r"expected a \(6, 6\) matrix"),
    (lambda b: b.system.bushing(b.ground, b.body["origin"], np.triu(np.ones((6, 6)))), "not symmetric"),
    (lambda b: b.system.bushing(b.ground, b.body["origin"], -1.0), "negative eigenvalue"),
    (lambda b: b.system.pressure(b.body, 1.0), "'block' is not flexible"),
    (lambda b: b.system.line_load(b.body["origin"], [1, 2], (0, 0, 1)), "expected a body that system.add"),
    (lambda b: b.system.force(b.body["origin"], lambda t: 1.0), "expected three components"),
    (lambda b: b.system.force(b.body["origin"], (1.0, "up", 0.0)), "expected a number or a function of time"),
]


@pytest.mark.parametrize(("action", "message"), CASES)
def test_refused(action, message):
    bench = Bench()
    with pytest.raises(fm.MechanismError, match=message):
        action(bench)
    # nothing of it stays behind
    system = bench.system
    assert not (system.springs or system.bushings or system.loads or bench.pin.forces or bench.slide.forces)


def test_friction_from_the_reaction_needs_one_axis():
    bench = Bench()
    third = bench.system.add(fm.RigidBody.point(1.0), "third")
    free = bench.system.joint("free", bench.ground, third["origin"], "loose")
    with pytest.raises(fm.MechanismError, match="for joints with one axis"):
        free.friction(0.3, normal_force="reaction", transition=0.1, coordinate="x")


def test_two_parts_of_a_joint_need_two_names():
    bench = Bench()
    bench.pin.spring(1.0, name="coil")
    with pytest.raises(fm.MechanismError, match="the name 'coil' is taken on 'angle'"):
        bench.pin.spring(1.0, name="coil")
