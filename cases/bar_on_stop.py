"""A steel bar that has swung down on its hinge hits a steel stop with its tip, and bends.

World axes: y up, hinge axis z. The mesh is a bar along x; a parameter of it replaces what the file says.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sqrt

import flexmbs as fm

GRAVITY, STEEL = 9.81, fm.Material("steel", 210e9, 0.3, 7850.0)
PLOTS = {"Stop": ("stop.force",), "Tip": ("bar.tip.displacement.y",), "Angle": ("hinge.angle",)}
VIEW = {"color": "von_mises", "scale": 8.0, "duration": 4.0}
UNITS = {**fm.CONTACT_UNITS, "peak_stress": "Pa", "tip_deflection": "m", "impact_speed": "m/s"}


@dataclass(frozen=True)
class Parameters:
    mesh: str = fm.parameter("pendulum_beam.inp", "", "mesh file (a bar along x with node sets ROOT and TIP)")
    length: float = fm.parameter(0.5, "m", "of the bar", minimum=1e-3)
    thickness: float = fm.parameter(0.02, "m", "in the plane in which it swings", minimum=1e-4)
    width: float = fm.parameter(0.03, "m", "along the hinge", minimum=1e-4)
    fall: float = fm.parameter(pi / 2, "rad", "angle of its fall before it hangs straight down", minimum=1e-3, maximum=pi)
    stop_radius: float = fm.parameter(0.01, "m", "radius of the head of the stop", minimum=1e-6)
    modes: int = fm.parameter(40, "", "modes of the bar, clamped at the hinge", minimum=1)
    damping: float = fm.parameter(0.01, "", "damping ratio of the modes", minimum=0.0)
    t_end: float = fm.parameter(0.02, "s", "end time")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")


def speed(p: Parameters) -> float:
    """Angular speed of a rigid bar after its fall, rad/s: m L^2 / 6 w^2 = m g L / 2 (1 - cos(fall))."""
    return sqrt(3.0 * GRAVITY / p.length * (1.0 - cos(p.fall)))


def build(p: Parameters) -> fm.System:
    """From 3 ms before it hits the stop."""
    mesh = fm.bar_with(fm.read_mesh(fm.find_mesh(p.mesh)), {"length": p.length, "thickness": p.thickness, "width": p.width})
    bar = fm.reduce(
        mesh,
        interfaces={"hinge": "ROOT", "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", count=p.modes, static=fm.StaticModes(["tip"])),
        contact_patches={"tip": fm.ContactPatch("massless", directions=("y",))},
        damping=p.damping,
    )
    system = fm.System(gravity=(0.0, -GRAVITY, 0.0))
    body = system.add(bar, name="bar")
    hanging = system.ground.marker("hanging", rotation=fm.rotation((0.0, 0.0, -pi / 2)))
    system.revolute(hanging, body["hinge"], axis="z", angle=3e-3 * speed(p), rate=-speed(p), name="hinge")
    law = fm.Hertz.from_materials(p.stop_radius, STEEL, STEEL)
    system.contact(fm.Point(body["tip"]), fm.Plane(hanging, normal=(0.0, 1.0, 0.0)), law=law, name="stop")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    return {
        **fm.contact_figures(result),
        "peak_stress": result.largest_von_mises("bar"),
        "tip_deflection": abs(result.extreme("bar.tip.displacement.y")[1]),
        "impact_speed": speed(p) * p.length,
    }
