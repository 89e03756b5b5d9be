"""Random mechanisms of rigid and flexible bodies, and single evaluations of their compiled equations."""

from functools import cache

import numpy as np
from joint_examples import geometry

import flexmbs as fm
from flexmbs import JOINT_TYPES, box_mesh, line_mesh, rectangle
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.energy import energies
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.frames import MARKER_FRAME
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.model.compile_mechanism import compile_system

# Soft and light, so that inertia, gravity and elasticity have the same size at large deformations.
RUBBER = fm.Material("rubber", 1e6, 0.4, 1000.0)
BODY_KINDS = ("rigid", "clamped beam", "mean-axes beam", "solid")


@cache
def flexible_body(kind: str) -> fm.FlexibleBody:
    """Bodies in 3D: bending both ways, torsion and axial motion, all second-order pairs."""
    if kind == "solid":
        return fm.reduce(
            box_mesh((0.6, 0.1, 0.1), (4, 1, 1), RUBBER),
            interfaces={"hinge": "ROOT", "tip": "TIP"},
            modes=fm.ClampedFree(at="hinge", count=4),
        )
    mesh = line_mesh(0.8, 8, rectangle(0.06, 0.1), RUBBER, start=(0.1, -0.2, 0.3), direction=(1.0, 0.4, -0.3))
    choice = fm.FreeFree(count=4) if kind == "mean-axes beam" else fm.ClampedFree(at="hinge", count=5)
    return fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=choice)


def rigid_body(rng) -> fm.RigidBody:
    root = rng.normal(size=(3, 3))
    second_moment = 0.02 * root @ root.T
    inertia = np.trace(second_moment) * np.eye(3) - second_moment
    return fm.RigidBody(mass=rng.uniform(0.5, 3.0), inertia=inertia, center=0.3 * rng.normal(size=3))


def add_body(system: fm.System, kind: str, name: str, rng):
    """A body with two markers "in" and "out" at random places or with random axes."""
    if kind == "rigid":
        part = system.add(rigid_body(rng), name=name)
        for marker in ("in", "out"):
            part.marker(marker, position=0.4 * rng.normal(size=3), rotation=rng.normal(size=3))
        return part
    part = system.add(flexible_body(kind), name=name)
    ends = ("hinge", "tip") if rng.random() < 0.7 else ("tip", "hinge")
    for marker, end in zip(("in", "out"), ends, strict=True):
        part.marker(marker, on=end, rotation=rng.normal(size=3))
    return part


def connect(system: fm.System, kind: str, a, b, rng, name=None):
    return system.joint(kind, a, b, name, **geometry(kind, rng))


def joint_pair(kind: str, parent: str, child: str, seed: int = 0) -> fm.System:
    """ground - free - parent - joint under test - child: the joint sits on moving, turning, bending bodies."""
    rng = np.random.default_rng([seed, *map(ord, kind + parent + child)])
    system = fm.System(gravity=tuple(3.0 * rng.normal(size=3)))
    first, second = add_body(system, parent, "parent", rng), add_body(system, child, "child", rng)
    connect(system, "free", system.ground.marker("start", rotation=rng.normal(size=3)), first["in"], rng, "carrier")
    connect(system, kind, first["out"], second["in"], rng, "under test")
    return system


def random_tree(seed: int, bodies: int = 5) -> fm.System:
    """A tree of random bodies and joints with springs, spring-dampers without damping, and contacts."""
    rng = np.random.default_rng(seed)
    system = fm.System(gravity=tuple(3.0 * rng.normal(size=3)))
    base = system.ground.marker("base", position=rng.normal(size=3), rotation=rng.normal(size=3))
    outs = [base]
    for i in range(bodies):
        part = add_body(system, str(rng.choice(BODY_KINDS)), f"body {i}", rng)
        kind = str(rng.choice(sorted(JOINT_TYPES)))
        joint = connect(system, kind, outs[rng.integers(len(outs))], part["in"], rng)
        if kind in ("revolute", "prismatic"):
            joint.spring(stiffness=rng.uniform(1.0, 5.0), rest=rng.normal())
        outs.append(part["out"])
    system.spring_damper(base, outs[-1], stiffness=20.0, length=0.4)
    system.contact(fm.Sphere(outs[1], 0.1), fm.Sphere(outs[2], 0.2), fm.Hertz(30.0), name="spheres")
    system.contact(fm.Sphere(outs[-1], 0.1), fm.Plane(outs[1], (1.0, 2.0, -1.0)), fm.PowerLaw(10.0), name="plane")
    return system


class Evaluation:
    """The equations of a system at a random state (local coordinates of the balls away from zero too)."""

    def __init__(self, system: fm.System, seed: int = 0, touching: bool = True):
        rng = np.random.default_rng(seed)
        self.model = compile_system(system)
        self.tables, self.work = self.model.tables, make_workspace(self.model.tables)
        n = len(self.model.q)
        self.q, self.v, self.a = 0.5 * rng.normal(size=n), rng.normal(size=n), rng.normal(size=n)
        for where in self.model.modal.values():
            self.q[where] *= 0.1  # bends by some 10 % of the length
        turns = rng.normal(size=(len(self.model.balls), 4))
        self.reference = turns / np.linalg.norm(turns, axis=1, keepdims=True)
        self.active = np.full(len(self.model.contact_names), int(touching))

    def energy(self, q, v):
        """Kinetic and potential energy, J."""
        out = np.zeros(3)
        energies(self.tables, self.active, np.zeros(0), q, v, np.zeros_like(q), self.reference, self.work, out)
        return out[0], out[1] + out[2]

    def residual(self, q, v, a):
        out = np.zeros_like(q)
        q, v, a = q.copy(), v.copy(), a.copy()
        evaluate_signals(self.tables, 0.0, self.work.signal)
        impose_drivers(self.tables, self.work.signal, q, v, a)
        residual(self.tables, self.active, np.zeros(0), q, v, a, self.reference, self.work, out)
        return out

    def mass_matrix(self):
        zero = np.zeros_like(self.q)
        rest = self.residual(self.q, self.v, zero)
        return np.array([self.residual(self.q, self.v, unit) - rest for unit in np.eye(len(zero))]).T

    def gap(self, contact: int, q, v):
        """Gap and its rate."""
        return gap_at(self.tables, contact, q, v, np.zeros_like(q), self.reference, self.work)

    def marker(self, body: str, name: str, q, v=None, a=None):
        """(24,) world motion of a marker: R (9), p, omega, v, alpha, a."""
        v, a = (np.zeros_like(q) if x is None else x for x in (v, a))
        out = np.zeros(24)
        forward_kinematics(self.tables, q, v, a, self.reference, self.work)
        index = self.model.marker_index[(body, name)]
        frame = out.view(MARKER_FRAME).view(np.recarray)[0]
        marker_in_world(self.tables, index, q, v, a, self.work, frame)
        return out


def derivative(function, step: float = 5e-4):
    """d function(s) / ds at s = 0: central differences of sixth order."""
    weights = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
    return sum(w * (function(i * step) - function(-i * step)) for i, w in weights) / step
