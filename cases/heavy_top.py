"""A heavy top spins about a fixed point, fast or slow.

Data of Bruls, Cardona and Arnold (2012): a body of 15 kg on a ball joint 1 m below its centre along its own y axis.
World axes: z up; at the start the body axes are parallel to the world axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import flexmbs as fm

SPINS = {"fast": (0.0, 150.0, -4.61538), "slow": (0.0, 50.0, 0.0)}  # rad/s, body axes
PLOTS = {
    "Centre": ("top.center.position.x", "top.center.position.y", "top.center.position.z"),
    "Angular velocity": ("ball.rotation.omega.x", "ball.rotation.omega.z"),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
}


@dataclass(frozen=True)
class Parameters:
    speed: str = fm.parameter("fast", "", "angular velocity at the start: fast or slow")
    Omega0: tuple | None = fm.parameter(None, "rad/s", "angular velocity at the start, body axes; none: of speed")
    m: float = fm.parameter(15.0, "kg", "mass")
    J_com: tuple = fm.parameter((0.234375, 0.46875, 0.234375), "kg m2", "principal inertia about the centre, body axes")
    X: tuple = fm.parameter((0.0, 1.0, 0.0), "m", "centre of mass, seen from the fixed point")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(2.0, "s", "end time")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    if p.speed not in SPINS:
        raise fm.CaseError(f"parameter 'speed' must be {' or '.join(SPINS)}, not {p.speed!r}")
    return p if p.Omega0 is not None else replace(p, Omega0=SPINS[p.speed])


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -p.g), coordinates=p.coordinates)
    top = system.add(fm.RigidBody(p.m, p.J_com, p.X, surface=drawn_top(np.array(p.X))), name="top")
    top.marker("center", position=p.X)
    system.spherical(system.ground.marker("tip"), top["origin"], angular_velocity=p.Omega0, name="ball")
    return system


def drawn_top(center: np.ndarray):
    """A stem from the fixed point to a disc at the centre; drawn only."""
    length = float(np.linalg.norm(center))
    outline = [(0.0, 0.0), (0.03, 0.0), (0.03, 0.9), (0.3, 0.95), (0.3, 1.05), (0.03, 1.1), (0.0, 1.1)]
    shape = fm.RigidBody.revolution(1.0, length * np.array(outline), axis="z").surface
    axis = center / length
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = np.cross(other, axis) / np.linalg.norm(np.cross(other, axis))
    return shape.moved(np.zeros(3), np.column_stack([across, np.cross(axis, across), axis]))


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    return {
        "position_end": [result[f"top.center.position.{axis}"][-1] for axis in "xyz"],
        "energy_error": fm.energy_error(result),
        "constraint_error": result["constraint_error"].max(),
    }
