"""A four-bar linkage of flexible steel links is run up to speed.

Crank, coupler and rocker are bars from one mesh, scaled to their lengths. World axes: x along the ground link, y up;
without gravity. All angles are measured from x, anticlockwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import flexmbs as fm

LINKS = ("crank", "coupler", "rocker")
SECTION = ("width", "thickness", "youngs_modulus", "poisson_ratio", "density")
PLOTS = {"Rocker": ("rocker bearing.angle",), "Coupler": ("coupler.middle.displacement.y",), "Elastic energy": ("energy.elastic",)}
VIEW = {"color": "von_mises", "scale": 10.0}


@dataclass(frozen=True)
class Parameters:
    mesh: str = fm.parameter("pendulum_beam.inp", "", "mesh file (a bar along x with node sets ROOT and TIP)")
    ground: float = fm.parameter(0.40, "m", "distance of the bearings")
    crank: float = fm.parameter(0.15, "m", "length of the crank")
    coupler: float = fm.parameter(0.40, "m", "length of the coupler")
    rocker: float = fm.parameter(0.30, "m", "length of the rocker")
    width: float | None = fm.parameter(None, "m", "width of the links, along the hinges; none: as in the mesh")
    thickness: float | None = fm.parameter(None, "m", "thickness of the links; none: as in the mesh")
    youngs_modulus: float | None = fm.parameter(None, "Pa", "Young's modulus; none: as in the mesh")
    poisson_ratio: float | None = fm.parameter(None, "", "Poisson's ratio; none: as in the mesh")
    density: float | None = fm.parameter(None, "kg/m3", "density; none: as in the mesh")
    bending_modes: int = fm.parameter(2, "", "bending modes of each link (modes of the free bar)")
    damping: float = fm.parameter(0.01, "", "damping ratio of the modes")
    crank_angle: float = fm.parameter(0.5, "rad", "angle of the crank at the start")
    speed: float = fm.parameter(30.0, "rad/s", "speed of the crank after the run-up")
    run_up: float = fm.parameter(0.1, "s", "time of the run-up")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(0.5, "s", "end time")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")
    atol: float = fm.parameter(1e-9, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Fill in what comes from the mesh."""
    found = fm.bar_values(fm.read_mesh(fm.find_mesh(p.mesh)))
    p = replace(p, **{name: found[name] for name in SECTION if getattr(p, name) is None})
    rigid_angles(p, p.crank_angle)
    return p


def rigid_angles(p: Parameters, crank_angle: float) -> tuple[float, float]:
    """Angles (rad) of coupler and rocker of the rigid linkage, the rocker left of the line to its bearing."""
    tip = p.crank * np.array([np.cos(crank_angle), np.sin(crank_angle)])
    across = np.array([p.ground, 0.0]) - tip
    distance = float(np.hypot(*across))
    along = (p.coupler**2 - p.rocker**2 + distance**2) / (2.0 * distance)
    height = p.coupler**2 - along**2
    if not height > 0.0:
        raise fm.CaseError(
            f"the linkage cannot be assembled at crank_angle = {crank_angle:g} rad: coupler ({p.coupler:g} m) and "
            f"rocker ({p.rocker:g} m) do not meet over {distance:.6g} m"
        )
    unit = across / distance
    pin = tip + along * unit + np.sqrt(height) * np.array([-unit[1], unit[0]])
    arm = pin - [p.ground, 0.0]
    return float(np.arctan2(*(pin - tip)[::-1])), float(np.arctan2(arm[1], arm[0]))


def link(p: Parameters, name: str) -> fm.FlexibleBody:
    """A bar with pins at both ends: modes of the free bar have no moment there either."""
    values = {key: getattr(p, key) for key in SECTION}
    mesh = fm.bar_with(fm.read_mesh(fm.find_mesh(p.mesh)), {"length": getattr(p, name), **values})
    middle = fm.Interface(point=fm.centreline_point(mesh, 0.5 * getattr(p, name)))
    return fm.reduce(
        mesh,
        interfaces={"root": "ROOT", "middle": middle, "tip": "TIP"},
        modes=fm.FreeFree(bending=(p.bending_modes, 0), axial=0),
        damping=p.damping,
    )


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=p.coordinates)
    crank, coupler, rocker = (system.add(link(p, name), name=name) for name in LINKS)
    coupler_angle, rocker_angle = rigid_angles(p, p.crank_angle)
    left, right = system.ground.marker("left"), system.ground.marker("right", (p.ground, 0.0, 0.0))
    drive = system.revolute(left, crank["root"], axis="z", name="drive")
    drive.prescribe(fm.Ramp(0.0, p.run_up, p.speed) + p.crank_angle)
    pin = system.revolute(crank["tip"], coupler["root"], axis="z", name="crank pin")
    pin.start["angle"] = coupler_angle - p.crank_angle
    bearing = system.revolute(right, rocker["root"], axis="z", name="rocker bearing")
    bearing.start["angle"] = rocker_angle
    system.revolute(coupler["tip"], rocker["tip"], axis="z", name="rocker pin")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """x_end: of the pin between coupler and rocker; mid_deflection_max: of the coupler, off the line of its pins."""
    deflection = fm.chord_deflection(result, "coupler.root", "coupler.middle", "coupler.tip")
    return {
        "x_end": result["coupler.tip.position.x"][-1],
        "mid_deflection_max": np.abs(deflection).max(),
        "rocker_angle_end": result["rocker bearing.angle"][-1],
        "constraint_error": result["constraint_error"].max(),
    }
