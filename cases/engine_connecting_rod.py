"""An engine turns at constant speed: forces at the pins of its connecting rod and the stress in it.

The rod of meshes/gmsh_conrod.msh, with another shank if wanted, between a crank and a piston. World axes: the piston
moves along x, the crank turns about z and starts at top dead centre; without gravity and gas forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi

import numpy as np

import flexmbs as fm

SIMULATION = {"quasi_static_start": True}  # in full motion from the first instant, without transients
PLOTS = {
    "Crank pin": ("crank pin.reaction.force.x", "crank pin.reaction.force.y"),
    "Side force on the piston": ("cylinder.reaction.force.y",),
}
VIEW = {"color": "von_mises", "scale": 50.0}
UNITS = {
    "peak_stress": "Pa",
    "peak_stress_angle": "rad",
    "crank_pin_force_max": "N",
    "piston_pin_force_max": "N",
    "side_force_max": "N",
    "deflection_max": "m",
    "rod_mass": "kg",
    "first_frequency": "Hz",
}


@dataclass(frozen=True)
class Parameters:
    mesh: str = fm.parameter("gmsh_conrod.msh", "", "mesh file of the rod in mm; groups 'big end' and 'small end'")
    length: float = fm.parameter(0.15, "m", "distance of the bores", minimum=0.12, maximum=0.25)
    shank_height: float = fm.parameter(0.024, "m", "height of the shank", minimum=0.016, maximum=0.036)
    shank_thickness: float = fm.parameter(0.022, "m", "thickness of the shank", minimum=0.011, maximum=0.033)
    youngs_modulus: float = fm.parameter(210e9, "Pa", "Young's modulus of the rod", minimum=1e9)
    poisson_ratio: float = fm.parameter(0.3, "", "Poisson's ratio of the rod", minimum=0.0, maximum=0.45)
    density: float = fm.parameter(7850.0, "kg/m3", "density of the rod", minimum=100.0)
    modes: int = fm.parameter(4, "", "normal modes of the rod, besides the static ones of its pins", minimum=0)
    damping: float = fm.parameter(0.02, "", "damping ratio of the modes", minimum=0.0)
    crank: float = fm.parameter(0.040, "m", "radius of the crank", minimum=0.01, maximum=0.08)
    piston_mass: float = fm.parameter(0.4, "kg", "mass of the piston", minimum=0.01)
    speed: float = fm.parameter(3000 * 2 * pi / 60, "rad/s", "speed of the crank", minimum=1.0)
    t_end: float = fm.parameter(0.02, "s", "end time: one turn at 3000 rpm")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")


def rod_mesh(p: Parameters) -> fm.Mesh:
    """The rod with the wanted shank: its nodes move smoothly between the eyes, which keep their shape."""
    mesh = fm.read_mesh(fm.find_mesh(p.mesh), units="mm-t-s")
    low, high = fm.bounding_box(mesh)
    (big, small), eyes = ((0.0, 0.15), (0.033, 0.017))  # centres of the bores and radii of the eyes in the file, m
    x, y, z = mesh.points.T
    along = smooth_step((x - big - eyes[0]) / (small - big - eyes[0] - eyes[1]))
    inside = smooth_step((x - big - eyes[0]) / 0.012) * smooth_step((small - eyes[1] - x) / 0.012)
    points = np.stack(
        [
            x + (p.length - (small - big)) * along,
            y * (1.0 + (p.shank_height / 0.024 - 1.0) * inside),
            z * (1.0 + (p.shank_thickness / (high - low)[2] - 1.0) * inside),
        ],
        axis=1,
    )
    mesh = replace(mesh, points=points)
    return fm.with_material(mesh, youngs_modulus=p.youngs_modulus, poisson_ratio=p.poisson_ratio, density=p.density)


def smooth_step(s: np.ndarray) -> np.ndarray:
    """From 0 (s <= 0) to 1 (s >= 1), with continuous second derivative."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def build(p: Parameters) -> fm.System:
    body = fm.reduce(
        rod_mesh(p),
        interfaces={"big": "big end", "small": "small end"},
        modes=fm.CraigBampton(at="big", count=p.modes, frequency_tolerance=None),
        damping=p.damping,
    )
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    crank = system.add(fm.RigidBody.link(7850.0, p.crank, 0.04, 0.02), name="crank", position=(0.0, 0.0, 0.0))
    rod = system.add(body, name="rod", position=(p.crank, 0.0, 0.0))
    radius, height, pin = 0.03, 0.05, (p.crank + p.length, 0.0, 0.0)
    piston = fm.RigidBody.cylinder(p.piston_mass / (pi * radius**2 * height), radius, height)
    piston = system.add(piston, name="piston", position=pin)
    drive = system.revolute(system.ground, crank, at=(0.0, 0.0, 0.0), axis="z", name="drive")
    drive.prescribe(fm.Polynomial([0.0, p.speed]))
    system.revolute(crank, rod, at=(p.crank, 0.0, 0.0), axis="z", name="crank pin")
    system.prismatic(system.ground, piston, at=pin, axis="x", name="cylinder")
    system.revolute(rod, piston, at=pin, axis="z", name="piston pin")
    middle = body.points - 0.5 * (body.markers["big"].position + body.markers["small"].position)
    rod.marker("middle", node=int(body.node_ids[np.argmin(np.linalg.norm(middle, axis=1))]))
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """The largest values of the run; peak_stress_angle: of the crank, from top dead centre."""
    stress = result.largest_von_mises("rod")
    rod = result.flexible("rod")
    deflection = fm.chord_deflection(result, "rod.big", "rod.middle", "rod.small")
    return {
        "peak_stress": float(stress),
        "peak_stress_angle": float(np.mod(p.speed * stress.time, 2.0 * pi)),
        "crank_pin_force_max": largest_force(result, "crank pin"),
        "piston_pin_force_max": largest_force(result, "piston pin"),
        "side_force_max": float(np.abs(result["cylinder.reaction.force.y"]).max()),
        "deflection_max": float(np.abs(deflection).max()),
        "rod_mass": rod.mass,
        "first_frequency": float(rod.frequencies[0]),
    }


def largest_force(result: fm.Result, joint: str) -> float:
    """Largest force between the two bodies of a joint, N."""
    force = [result[f"{joint}.reaction.force.{axis}"] for axis in "xyz"]
    return float(np.linalg.norm(force, axis=0).max())
