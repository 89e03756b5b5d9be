"""Smooth motions without events, on which integrators are measured: with and without constraints, rotations, modes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from planar_four_bar import four_bar

import flexmbs as fm
from flexmbs import load_case


@dataclass(frozen=True)
class Motion:
    """What is run, and the names of what is compared at its end, each with its size."""

    build: Callable[[], fm.System]
    t_end: float
    observed: tuple[str, ...]
    sizes: tuple[float, ...]

    def end(self, result: fm.Result) -> np.ndarray:
        """Observed values at the end in parts of their sizes."""
        return np.array([result[name][-1] for name in self.observed]) / self.sizes


def double_pendulum(coordinates: str = "reduced") -> fm.System:
    """Two rods of 1 m, released at 60 and 30 degrees from the vertical: far from chaos."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    first = system.add(fm.RigidBody.rod(1.0, 1.0), name="first")
    second = system.add(fm.RigidBody.rod(1.0, 1.0), name="second")
    system.revolute(system.ground.marker("hinge"), first["origin"], axis="z", angle=1.05 - 0.5 * np.pi, name="upper")
    end = first.marker("end", position=(1.0, 0.0, 0.0))
    system.revolute(end, second["origin"], axis="z", angle=-0.5, name="lower")
    return system


def free_body() -> fm.System:
    """A body with three unlike moments of inertia, free of forces."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    system.add(fm.RigidBody(1.0, (1.0, 2.0, 3.0)), name="body", angular_velocity=(1.0, 0.6, 0.8))
    return system


def top(coordinates: str = "reduced") -> fm.System:
    """The top of Bruls, Cardona and Arnold (2012), spinning slowly."""
    system = fm.System(gravity=(0.0, 0.0, -9.81), coordinates=coordinates)
    body = fm.RigidBody(15.0, (0.234375, 0.46875, 0.234375), center=(0.0, 1.0, 0.0))
    part = system.add(body, name="top")
    part.marker("center", position=(0.0, 1.0, 0.0))
    tip = system.ground.marker("tip")
    system.spherical(tip, part["origin"], angular_velocity=(0.0, 15.0, -0.5), name="ball")
    return system


@cache
def _bar():
    return load_case("flexible_pendulum_impact").module


def flexible_pendulum() -> fm.System:
    """The flexible pendulum with two bending modes and no axial one, far from its stop."""
    case = _bar()
    return case.build(case.resolve(replace(case.Parameters(), bending_modes=2, axial_modes=0)))


# Between the first impact of that pendulum and the second.
FIRST_IMPACT = 0.4948
PLACE = tuple(f"top.center.position.{axis}" for axis in "xyz")
MOTIONS = {
    "double pendulum": Motion(double_pendulum, 1.0, ("upper.angle", "lower.angle"), (1.0, 1.0)),
    "free body": Motion(free_body, 2.0, tuple(f"body.free.rotation.omega.{axis}" for axis in "xyz"), (1.0, 1.0, 1.0)),
    "top": Motion(top, 0.5, PLACE, (1.0, 1.0, 1.0)),
    "four-bar": Motion(four_bar, 0.5, ("A.angle", "B.angle", "D.angle"), (1.0, 1.0, 1.0)),
    "top, absolute": Motion(lambda: top("absolute"), 0.5, PLACE, (1.0, 1.0, 1.0)),
    "flexible pendulum": Motion(flexible_pendulum, 0.2, ("hinge.angle", "pendulum.tip.displacement.y"), (1.0, 0.1)),
}
# What tolerances are held against, beside the motions without events.
THROUGH_AN_IMPACT = {
    "first impact": Motion(flexible_pendulum, FIRST_IMPACT, ("hinge.angle", "pendulum.tip.displacement.y"), (1.0, 0.1))
}
CONSTRAINED = ("four-bar", "top, absolute")
