"""Two flexible links; the tip of the first hits an elastic stop.

World axes: y up, hinge axes z; angles are those of the link frames, measured from hanging, anticlockwise. The second
link is hinged to the deformed tip of the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import flexmbs as fm

POISSON_RATIO = 0.3  # enters torsion only, which has no mode here
ELEMENTS = 100
HANGING = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # x of the marker points down, y to the right
PLOTS = {
    "Joint angles": ("hinge1.angle", "hinge2.angle"),
    "Tip deflection": ("link1.tip.displacement.y", "link2.tip.displacement.y"),
    "Stop": ("stop.force", "stop.gap"),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total"),
}
VIEW = {"color": "von_mises"}
UNITS = {
    **fm.CONTACT_UNITS,
    **dict.fromkeys(("angle1_end", "angle2_end"), "rad"),
    **dict.fromkeys(("tip_deflection_end", "tip_deflection_max", "tip_deflection1_end", "tip_deflection1_max"), "m"),
}


@dataclass(frozen=True)
class Parameters:
    length1: float = fm.parameter(0.6, "m", "length of the first link")
    length2: float = fm.parameter(0.5, "m", "length of the second link")
    width: float = fm.parameter(0.02, "m", "width, along the hinge axes")
    thickness: float = fm.parameter(0.004, "m", "thickness, in the swing plane")
    youngs_modulus: float = fm.parameter(210e9, "Pa", "Young's modulus")
    density: float = fm.parameter(7850.0, "kg/m3", "density")
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, downwards")
    start_angle1: float = fm.parameter(pi / 4, "rad", "angle of the first link at the start, from hanging")
    start_angle2: float = fm.parameter(pi / 4, "rad", "angle of the second link at the start, from hanging")
    bending_modes: int = fm.parameter(2, "", "bending modes of each link in the swing plane")
    axial_modes: int = fm.parameter(0, "", "axial modes of each link")
    contact_stiffness: float = fm.parameter(1.5385e10, "N/m^1.5", "Hertz stiffness of the stop")
    stop: bool = fm.parameter(True, "", "include the stop at the tip of the first link")
    t_end: float = fm.parameter(1.0, "s", "end time")
    rtol: float = fm.parameter(1e-7, "", "relative tolerance")
    atol: float = fm.parameter(1e-9, "", "absolute tolerance")


def link(p: Parameters, length: float) -> fm.FlexibleBody:
    """A link along x: slender beam without rotary inertia, held at its hinge."""
    section = fm.rectangle(p.thickness, p.width)
    material = fm.Material("link", p.youngs_modulus, POISSON_RATIO, p.density)
    return fm.reduce(
        fm.line_mesh(length, ELEMENTS, section, material),
        interfaces={"hinge": "ROOT", "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", bending=(p.bending_modes, 0), axial=p.axial_modes),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
    )


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    link1 = system.add(link(p, p.length1), name="link1")
    link2 = system.add(link(p, p.length2), name="link2")
    hanging = system.ground.marker("hinge", rotation=HANGING)
    system.revolute(hanging, link1["hinge"], axis="z", angle=p.start_angle1, name="hinge1")
    between = p.start_angle2 - p.start_angle1
    system.revolute(link1["tip"], link2["hinge"], axis="z", angle=between, name="hinge2")
    if p.stop:
        wall = fm.Plane(hanging, normal=(0.0, 1.0, 0.0))
        system.contact(fm.Point(link1["tip"]), wall, law=fm.Hertz(p.contact_stiffness), name="stop")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Deflections are those of the second link's tip unless numbered."""
    tip1, tip2 = "link1.tip.displacement.y", "link2.tip.displacement.y"
    return {
        **fm.contact_figures(result),
        "energy_error": fm.energy_error(result),
        "angle1_end": fm.angle_from_hanging(result, "link1")[-1],
        "angle2_end": fm.angle_from_hanging(result, "link2")[-1],
        "tip_deflection_end": result[tip2][-1],
        "tip_deflection_max": abs(result.extreme(tip2)[1]),
        "tip_deflection1_end": result[tip1][-1],
        "tip_deflection1_max": abs(result.extreme(tip1)[1]),
    }
