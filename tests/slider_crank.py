"""A slider-crank with the connecting rod of meshes/conrod.inp, and its exact kinetostatics with a rigid rod.

The crank turns about z at constant speed. The piston is a point mass on the small end's marker, guided along the x axis
by two rails that press on it from both sides: contacts that stay closed, a linear spring across the axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.tables import make_workspace
from flexmbs.model.compile_mechanism import compile_system

CRANK_RADIUS, PISTON = 0.045, 0.4  # m, kg
SPEED = 2.0 * np.pi * 2000.0 / 60.0  # rad/s
GUIDE_STIFFNESS, PRELOAD, CLEARANCE, RISE = 5e8, 1e-4, 1e-7, 2e-3  # N/m, m, m, s: rails close in within RISE
SPHERE = 0.01
Z = np.array([0.0, 0.0, 1.0])


def ends_at_means(fem) -> dict[str, fm.Interface]:
    """The bores with equal weights and markers at the means of their nodes, as the reference of CalculiX has them."""
    return {
        name: fm.Interface(set=of, weights="equal", position=tuple(_mean(fem, of)))
        for name, of in (("big", "NBIG"), ("small", "NSMALL"))
    }


def _mean(fem, name: str) -> np.ndarray:
    return fem.mesh.points[np.unique(fem.mesh.node_sets[name])].mean(axis=0)


@dataclass(frozen=True)
class Rod:
    """A rigid rod from its big end to its small one: positions (3,) m in its mesh, mass (kg), inertia (3, 3) kg m2."""

    big: np.ndarray
    small: np.ndarray
    mass: float
    center: np.ndarray
    inertia: np.ndarray

    @classmethod
    def of(cls, fem) -> Rod:
        return cls(_mean(fem, "NBIG"), _mean(fem, "NSMALL"), fem.mass, fem.center, fem.inertia)

    @property
    def length(self) -> float:
        """m, between the pins across z."""
        return float(np.hypot(*(self.small - self.big)[:2]))

    @property
    def tilt(self) -> float:
        """rad, of the line between the pins against the x axis of the mesh."""
        return float(np.arctan2(*(self.small - self.big)[1::-1]))


@dataclass(frozen=True)
class Instant:
    """Exact motion of the rigid rod at crank angle ``theta`` (rad).

    Attributes
    ----------
    turn : (3, 3) mesh axes to world axes
    omega, alpha : rad/s, rad/s2 about z
    pin : (3,) m/s2, acceleration of the big end, world axes
    """

    turn: np.ndarray
    omega: float
    alpha: float
    pin: np.ndarray

    def acceleration(self, arm: np.ndarray) -> np.ndarray:
        """(..., 3) m/s2, world axes, of points (..., 3) from the big end, mesh axes."""
        r = arm @ self.turn.T
        return self.pin + np.cross(self.alpha * Z, r) - self.omega**2 * r * [1.0, 1.0, 0.0]


def instant(rod: Rod, theta: float) -> Instant:
    ratio = CRANK_RADIUS / rod.length
    angle = np.arcsin(-ratio * np.sin(theta))
    omega = -ratio * SPEED * np.cos(theta) / np.cos(angle)
    alpha = (ratio * SPEED**2 * np.sin(theta) + omega**2 * np.sin(angle)) / np.cos(angle)
    c, s = np.cos(angle - rod.tilt), np.sin(angle - rod.tilt)
    pin = -CRANK_RADIUS * SPEED**2 * np.array([np.cos(theta), np.sin(theta), 0.0])
    return Instant(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), omega, alpha, pin)


def rigid_forces(rod: Rod, theta: float) -> tuple[np.ndarray, np.ndarray]:
    """N, world axes: force (3,) of the crank pin on the rod, and of the guide (0, N, 0) on the piston."""
    now = instant(rod, theta)
    center, small = rod.center - rod.big, rod.small - rod.big
    own, piston = rod.mass * now.acceleration(center), PISTON * now.acceleration(small)
    moment = rod.inertia[2, 2] * now.alpha + np.cross(now.turn @ center, own)[2] + np.cross(now.turn @ small, piston)[2]
    guide = np.array([0.0, moment / (now.turn @ small)[0], 0.0])
    return own + piston - guide, guide


def mechanism(body, rod: Rod) -> fm.System:
    """The running mechanism, at crank angle 0, with the flexible body ``body`` (markers "big" and "small")."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    crank = system.add(fm.RigidBody.box(7850.0, (0.05, 0.02, 0.02)), "crank")
    shaft = system.revolute(system.ground.marker("shaft"), crank["origin"], name="shaft")
    shaft.prescribe(fm.Polynomial([0.0, SPEED]))
    part = system.add(body, "rod")
    pin = crank.marker("pin", position=(CRANK_RADIUS, 0.0, 0.0))
    rate = -SPEED * (1.0 + CRANK_RADIUS / rod.length)
    system.revolute(pin, part["big"], angle=-rod.tilt, rate=rate, name="pin")
    piston = system.add(fm.RigidBody.point(PISTON), "piston")
    system.fixed(part["small"], piston["origin"], name="wrist")

    def closing(t):
        x = min(max(t / RISE, 0.0), 1.0)
        return (PRELOAD + CLEARANCE) * x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)

    for side, sign in (("lower", 1.0), ("upper", -1.0)):
        bed = system.ground.marker(f"{side} bed", position=(0.0, -sign * (SPHERE + CLEARANCE), 0.0))
        rail = system.add(fm.RigidBody.box(7850.0, (0.3, 0.01, 0.05)), f"{side} rail")
        system.prismatic(bed, rail["origin"], axis=(0.0, sign, 0.0), name=f"{side} slide").prescribe(closing)
        plane = fm.Plane(rail["origin"], normal=(0.0, sign, 0.0))
        system.contact(fm.Sphere(piston["origin"], SPHERE), plane, law=fm.PowerLaw(GUIDE_STIFFNESS), name=side)
    return system


def pin_forces(system: fm.System, result) -> np.ndarray:
    """(nt, 3) N, world axes: force of the crank pin on the rod, what its residual passes through the joint."""
    model, run = compile_system(system), result.trajectory
    work, out = make_workspace(model.tables), np.zeros(len(model.q))
    rod, closed = model.body_names.index("rod"), np.ones(2, dtype=np.int64)
    forces = []
    for q, v, a in zip(run.q, run.v, run.a, strict=True):
        residual(model.tables, closed, np.zeros(0), q.copy(), v.copy(), a.copy(), np.zeros((1, 4)), work, out)
        forces.append(work.wrench["force"][rod].copy())
    return np.array(forces)
