"""Bricard's six-bar falls under gravity: overconstrained, and yet it moves.

IFToMM multibody benchmark A04: five rods and the ground along six edges of a cube, connected by six revolutes, each
perpendicular to the two edges that meet at it. World axes: y up. The points at the start, in lengths of a
rod: P0 (0, 0, 0), P1 (1, 0, 0), P2 (1, -1, 0), P3 (1, -1, 1), P4 (0, -1, 1), P5 (0, 0, 1); rod i leads from P(i-1) to
Pi, the ground from P5 to P0. Axes of the revolutes at P0 to P5: y, z, x, y, z, x. P3 is tracked. By the Grübler count
nothing can move, but one constraint follows from the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

POINTS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
AXES = ("y", "z", "x", "y", "z", "x")
DRAWN = 0.04  # width of a thin rod in pictures, of its length
PLOTS = {
    "Point P3": ("rod 3.end.position.x", "rod 3.end.position.y", "rod 3.end.position.z"),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
    "Constraint error": ("constraint_error",),
}


@dataclass(frozen=True)
class Parameters:
    length: float = fm.parameter(1.0, "m", "length of a rod")
    mass: float = fm.parameter(10.0, "kg", "mass of a rod")
    width: float = fm.parameter(0.0, "m", "edge of a rod's square section; 0: thin rods")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -y")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(10.0, "s", "end time")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-10, "", "absolute tolerance")


def rod(p: Parameters, along: np.ndarray) -> fm.RigidBody:
    """A rod from its origin along a unit vector of the world's axes."""
    center = 0.5 * p.length * along
    drawn = fm.RigidBody.box(1.0, p.length * np.abs(along) + (p.width or DRAWN * p.length) * (along == 0.0), center)
    inertia = p.mass / 12.0 * (p.length**2 * (along == 0.0) + p.width**2 * (1.0 + (along != 0.0)))
    return fm.RigidBody(p.mass, inertia, center, surface=drawn.surface)


def build(p: Parameters) -> fm.System:
    """Body axes lie along those of the world at the start."""
    system = fm.System(gravity=(0.0, -p.g, 0.0), coordinates=p.coordinates)
    before = system.ground
    for i in range(1, 6):
        start, end = p.length * POINTS[i - 1], p.length * POINTS[i]
        part = system.add(rod(p, POINTS[i] - POINTS[i - 1]), name=f"rod {i}", position=start)
        part.marker("end", end - start)
        system.revolute(before, part, at=start, axis=AXES[i - 1], name=f"P{i - 1}")
        before = part
    system.revolute(before, system.ground, at=end, axis=AXES[5], name="P5")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    return {
        **{axis: result[f"rod 3.end.position.{axis}"][-1] for axis in "xyz"},
        "energy_error": fm.energy_error(result),
        "constraint_error": result["constraint_error"].max(),
    }
