"""A pendulum meshed with solid elements swings freely.

World axes: y up, hinge axis z through the hinge set, the body's x axis hangs at angle 0; anticlockwise is positive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi

import flexmbs as fm

HINGE_SETS = ("ROOT", "NBIG")  # of the pendulums, and of the connecting rod
HANGING = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # x of the marker points down, y to the right
PLOTS = {"Swing angle": ("hinge.angle",), "Energy": ("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total")}
VIEW = {"color": "von_mises"}


@dataclass(frozen=True)
class Parameters:
    mesh: str = fm.parameter("pendulum_hex20.inp", "", "mesh file")
    hinge_set: str | None = fm.parameter(None, "", "node set at the hinge; none: ROOT or NBIG, whichever the mesh has")
    hinge: str = fm.parameter("averaged", "", "how the hinge holds its nodes: averaged (RBE3) or rigid (RBE2)")
    modes: int = fm.parameter(6, "", "modes of the body, clamped at the hinge")
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, downwards")
    start_angle: float = fm.parameter(pi / 2, "rad", "angle at the start, from hanging")
    t_end: float = fm.parameter(2.0, "s", "end time")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")
    atol: float = fm.parameter(1e-9, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    if p.hinge_set is None:
        sets = fm.read_mesh(fm.find_mesh(p.mesh)).node_sets
        p = replace(p, hinge_set=next((name for name in HINGE_SETS if name in sets), HINGE_SETS[0]))
    return p


def build(p: Parameters) -> fm.System:
    mesh = fm.read_mesh(fm.find_mesh(p.mesh))
    material = {name: fm.bar_values(mesh)[name] for name in ("youngs_modulus", "poisson_ratio", "density")}
    body = fm.reduce(
        fm.with_material(mesh, **material),
        interfaces={"hinge": fm.Interface(set=p.hinge_set, kind=p.hinge)},
        modes=fm.ClampedFree(at="hinge", count=p.modes),
    )
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    pendulum = system.add(body, name="pendulum")
    hanging = system.ground.marker("hinge", rotation=HANGING)
    system.revolute(hanging, pendulum["hinge"], axis="z", angle=p.start_angle, name="hinge")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    return {
        "frequencies": list(result.flexible("pendulum").frequencies[:6]),
        "angle_end": result["hinge.angle"][-1],
        "max_von_mises": result.largest_von_mises("pendulum"),
        "energy_error": fm.energy_error(result),
    }
