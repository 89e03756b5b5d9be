"""A flexible pendulum swings down and hits an elastic stop.

After Sheng, Liu and Yu (2006). World axes: y up, hinge axis z; the angle is measured from hanging, anticlockwise.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import pi

import flexmbs as fm

FROM_MESH = ("length", "width", "thickness", "youngs_modulus", "poisson_ratio", "density")
HANGING = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # x of the marker points down, y to the right
PLOTS = {
    "Swing angle": ("hinge.angle",),
    "Tip deflection": ("pendulum.tip.displacement.y",),
    "Stop": ("stop.force", "stop.gap"),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total"),
}
VIEW = {"color": "von_mises"}
UNITS = {**fm.CONTACT_UNITS, "angle_end": "rad", "tip_deflection_end": "m", "tip_deflection_max": "m"}


@dataclass(frozen=True)
class Parameters:
    mesh: str = fm.parameter("pendulum_beam.inp", "", "mesh file (a bar along x with node sets ROOT and TIP)")
    length: float | None = fm.parameter(None, "m", "length; none: as in the mesh")
    width: float | None = fm.parameter(None, "m", "width, along the hinge axis; none: as in the mesh")
    thickness: float | None = fm.parameter(None, "m", "thickness, in the swing plane; none: as in the mesh")
    youngs_modulus: float | None = fm.parameter(None, "Pa", "Young's modulus; none: as in the mesh")
    poisson_ratio: float | None = fm.parameter(None, "", "Poisson's ratio; none: as in the mesh")
    density: float | None = fm.parameter(None, "kg/m3", "density; none: as in the mesh")
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, downwards")
    start_angle: float = fm.parameter(pi / 2, "rad", "angle at the start, from hanging")
    start_speed: float = fm.parameter(0.0, "rad/s", "angular velocity at the start, anticlockwise")
    bending_modes: int = fm.parameter(3, "", "bending modes in the swing plane")
    axial_modes: int = fm.parameter(1, "", "axial modes")
    contact_position: float | None = fm.parameter(None, "m", "distance of the contact point from the hinge; none: tip")
    sphere_radius: float = fm.parameter(0.01, "m", "radius of the stop (enters the Hertz stiffness only)")
    contact_stiffness: float | None = fm.parameter(None, "N/m^1.5", "Hertz stiffness; none: from radius and material")
    stop: bool = fm.parameter(True, "", "include the stop")
    geometric_stiffness: bool = fm.parameter(True, "", "include second-order displacements")
    t_end: float = fm.parameter(0.75, "s", "end time")
    rtol: float = fm.parameter(1e-7, "", "relative tolerance")
    atol: float = fm.parameter(1e-9, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Fill in what comes from the mesh and from the material."""
    found = fm.bar_values(fm.read_mesh(fm.find_mesh(p.mesh)))
    p = replace(p, **{name: found[name] for name in FROM_MESH if getattr(p, name) is None})
    if p.contact_position is None:
        p = replace(p, contact_position=p.length)
    if p.contact_stiffness is None:
        material = fm.Material("pendulum and stop", p.youngs_modulus, p.poisson_ratio)
        p = replace(p, contact_stiffness=fm.Hertz.from_materials(p.sphere_radius, material, material).stiffness)
    return p


def build(p: Parameters) -> fm.System:
    """Bar, hinge, stop. As in the paper: slender beam (Euler-Bernoulli) without rotary inertia."""
    mesh = fm.bar_with(fm.read_mesh(fm.find_mesh(p.mesh)), asdict(p))
    contact_point = fm.Interface(point=fm.centreline_point(mesh, p.contact_position))
    rod = fm.reduce(
        mesh,
        interfaces={"hinge": "ROOT", "tip": "TIP", "contact": contact_point},
        modes=fm.ClampedFree(at="hinge", bending=(p.bending_modes, 0), axial=p.axial_modes),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
        second_order="full" if p.geometric_stiffness else "none",
    )
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    pendulum = system.add(rod, name="pendulum")
    hanging = system.ground.marker("hinge", rotation=HANGING)
    system.revolute(hanging, pendulum["hinge"], axis="z", angle=p.start_angle, rate=p.start_speed, name="hinge")
    if p.stop:
        wall = fm.Plane(hanging, normal=(0.0, 1.0, 0.0))
        system.contact(fm.Point(pendulum["contact"]), wall, law=fm.Hertz(p.contact_stiffness), name="stop")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    deflection = result["pendulum.tip.displacement.y"]
    return {
        **fm.contact_figures(result),
        "energy_error": fm.energy_error(result),
        "angle_end": result["hinge.angle"][-1],
        "tip_deflection_end": deflection[-1],
        "tip_deflection_max": abs(result.extreme("pendulum.tip.displacement.y")[1]),
    }
