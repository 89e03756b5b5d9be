"""A slider-crank with a connecting rod meshed with solids is run up to speed.

The rod of meshes/conrod.inp between a rigid crank and a piston. World axes: the piston moves along x, the crank turns
about z; without gravity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

PLOTS = {
    "Piston": ("cylinder.displacement",),
    "Rod": ("rod.middle.displacement.x", "rod.middle.displacement.y"),
    "Elastic energy": ("energy.elastic",),
}
VIEW = {"color": "von_mises", "scale": 50.0}


@dataclass(frozen=True)
class Parameters:
    mesh: str = fm.parameter("conrod.inp", "", "mesh file of the rod, its bores along z")
    big_set: str = fm.parameter("NBIG", "", "node set of the bore on the crank")
    small_set: str = fm.parameter("NSMALL", "", "node set of the bore on the piston")
    youngs_modulus: float = fm.parameter(210e9, "Pa", "Young's modulus of the rod")
    poisson_ratio: float = fm.parameter(0.3, "", "Poisson's ratio of the rod")
    density: float = fm.parameter(7850.0, "kg/m3", "density of the rod")
    modes: int = fm.parameter(6, "", "modes of the rod, of the free body, besides the static ones of its pins")
    damping: float = fm.parameter(0.01, "", "damping ratio of the modes")
    crank: float = fm.parameter(0.045, "m", "radius of the crank")
    crank_mass: float = fm.parameter(1.0, "kg", "mass of the crank (driven: has no effect)")
    piston_mass: float = fm.parameter(0.4, "kg", "mass of the piston")
    speed: float = fm.parameter(400.0, "rad/s", "speed of the crank after the run-up")
    run_up: float = fm.parameter(0.01, "s", "time of the run-up")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(0.04, "s", "end time")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")
    atol: float = fm.parameter(1e-9, "", "absolute tolerance")


def build(p: Parameters) -> fm.System:
    """At the start crank and rod lie stretched on x; the rod's mesh may lie askew to the line of its pins."""
    values = dict(youngs_modulus=p.youngs_modulus, poisson_ratio=p.poisson_ratio, density=p.density)
    mesh = fm.with_material(fm.read_mesh(fm.find_mesh(p.mesh)), **values)
    body = fm.reduce(mesh, interfaces={"big": p.big_set, "small": p.small_set}, modes=fm.FreeFree(count=p.modes), damping=p.damping)
    big, small = body.markers["big"].position, body.markers["small"].position
    line = (small - big) * [1.0, 1.0, 0.0]
    tilt, length = float(np.arctan2(line[1], line[0])), float(np.hypot(*line[:2]))
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=p.coordinates)
    web = fm.RigidBody.link(1.0, p.crank, 0.5 * p.crank, 0.3 * p.crank).surface
    inertia = p.crank_mass * p.crank**2 / 12.0 * np.ones(3)
    crank = system.add(fm.RigidBody(p.crank_mass, inertia, (0.5 * p.crank, 0.0, 0.0), surface=web), name="crank")
    crank.marker("pin", (p.crank, 0.0, 0.0))
    rod = system.add(body, name="rod")
    rod.marker("middle", node=int(body.node_ids[nearest(body, 0.5 * (big + small))]))
    bore = fm.RigidBody.cylinder(1.0, 0.8 * p.crank, 0.6 * p.crank).surface
    piston = system.add(fm.RigidBody(p.piston_mass, p.piston_mass * 1e-3 * np.ones(3), surface=bore), name="piston")
    drive = system.revolute(system.ground.marker("shaft"), crank["origin"], axis="z", name="drive")
    drive.prescribe(fm.Ramp(0.0, p.run_up, p.speed))
    pin = system.revolute(crank["pin"], rod["big"], axis="z", name="crank pin")
    pin.start["angle"] = -tilt
    # the two bores may lie at different heights
    bed = system.ground.marker("bed", (0.0, 0.0, float(small[2] - big[2])))
    cylinder = system.prismatic(bed, piston["origin"], axis="x", name="cylinder")
    cylinder.start["displacement"] = p.crank + length
    system.revolute(rod["small"], piston["origin"], axis="z", name="piston pin").start["angle"] = tilt
    return system


def nearest(body: fm.FlexibleBody, point: np.ndarray) -> int:
    """Row of the node nearest to a point of the body frame."""
    return int(np.argmin(np.linalg.norm(body.points - point, axis=1)))


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """x_end: of the piston; mid_deflection_max: of the rod's middle, off the line of its pins."""
    deflection = fm.chord_deflection(result, "rod.big", "rod.middle", "rod.small")
    return {
        "x_end": result["cylinder.displacement"][-1],
        "mid_deflection_max": np.abs(deflection).max(),
        "constraint_error": result["constraint_error"].max(),
    }
