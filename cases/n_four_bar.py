"""A row of four-bar windows falls through its singular positions.

IFToMM multibody benchmark A02: N windows of 2 N + 1 equal rods, all verticals upright at the start and turning to the
right. Whenever the verticals lie along the line of their feet, the mechanism has N additional freedoms for an instant.
World axes: x along the feet, y up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import flexmbs as fm

PLOTS = {
    "First point": ("vertical 0.top.position.x", "vertical 0.top.position.y"),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
    "Constraint error": ("constraint_error",),
}


@dataclass(frozen=True)
class Parameters:
    loops: int = fm.parameter(1, "", "number of windows", minimum=1, maximum=2000)
    bar_mass: float = fm.parameter(1.0, "kg", "mass of a rod")
    bar_length: float = fm.parameter(1.0, "m", "length of a rod")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -y")
    v0: float = fm.parameter(1.0, "m/s", "velocity of the tops of the verticals at the start, along x")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(10.0, "s", "end time")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-11, "", "absolute tolerance")


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.g, 0.0), coordinates=p.coordinates)
    rod = fm.RigidBody.rod(p.bar_mass, p.bar_length)
    end = (p.bar_length, 0.0, 0.0)
    before = None
    for i in range(p.loops + 1):
        vertical = system.add(rod, name=f"vertical {i}")
        vertical.marker("top", end)
        foot = system.ground.marker(f"foot {i}", (i * p.bar_length, 0.0, 0.0))
        turn = dict(angle=0.5 * pi, rate=-p.v0 / p.bar_length)
        system.revolute(foot, vertical["origin"], axis="z", name=f"hinge {i}", **turn)
        if before is not None:
            beam = system.add(rod, name=f"beam {i}")
            beam.marker("right", end)
            system.revolute(before["top"], beam["origin"], axis="z", angle=-0.5 * pi, name=f"left {i}")
            system.revolute(beam["right"], vertical["top"], axis="z", name=f"right {i}")
        before = vertical
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    top = "vertical 0.top"
    return {
        "x": result[f"{top}.position.x"][-1],
        "y": result[f"{top}.position.y"][-1],
        "vx": result[f"{top}.velocity.x"][-1],
        "vy": result[f"{top}.velocity.y"][-1],
        "energy_error": fm.energy_error(result),
        "constraint_error": result["constraint_error"].max(),
    }
