"""A spatial slider-crank: revolute, spherical, universal and prismatic joint in one loop.

After Haug, Computer Aided Kinematics and Dynamics (1989); IFToMM multibody benchmark library. World axes: z up. The
crank turns about x in A, from upright towards -y; the slider moves on the x axis; the rod hangs on a ball in B and on a
cross in C, one pin of which lies along x in the slider, the other across x and the rod in the rod.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

PLOTS = {
    "Crank rate": ("crank bearing.angle.rate",),
    "Slider": ("slide.displacement",),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
}


@dataclass(frozen=True)
class Parameters:
    lAB: float = fm.parameter(0.08, "m", "length of the crank")
    lBC: float = fm.parameter(0.3, "m", "length of the rod")
    A: tuple = fm.parameter((0.0, 0.1, 0.12), "m", "bearing of the crank")
    m: tuple = fm.parameter((0.12, 0.5, 2.0), "kg", "masses of crank, rod and slider")
    I_crank: tuple = fm.parameter((1e-4, 1e-4, 1e-5), "kg m2", "inertia of the crank about its middle, z along it")
    I_rod: tuple = fm.parameter((4e-4, 4e-3, 4e-3), "kg m2", "inertia of the rod about its middle, x along it")
    I_slider: float = fm.parameter(1e-4, "kg m2", "inertia of the slider (has no effect)")
    theta0: float = fm.parameter(0.0, "rad", "crank angle at the start, from upright")
    omega0: float = fm.parameter(6.0, "rad/s", "crank rate at the start")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(5.0, "s", "end time")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-11, "", "absolute tolerance")


def points(p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """B and C at the start, m."""
    B = np.array(p.A) + p.lAB * np.array([0.0, -np.sin(p.theta0), np.cos(p.theta0)])
    reach = p.lBC**2 - B[1] ** 2 - B[2] ** 2
    if not reach > 0.0:
        away = np.hypot(B[1], B[2])
        raise fm.CaseError(f"parameter 'lBC' [m] must exceed {away:.6g}, the distance of the crank's end from the x axis")
    return B, np.array([B[0] + np.sqrt(reach), 0.0, 0.0])


def build(p: Parameters) -> fm.System:
    """Rod and slider have the axes of the world at the start; the pins of the cross are then x and a normal of x."""
    B, C = points(p)
    along = (C - B) / p.lBC
    across = np.array([0.0, -along[2], along[1]]) / np.hypot(along[1], along[2])
    axes = np.column_stack([along, across, np.cross(along, across)])
    system = fm.System(gravity=(0.0, 0.0, -p.g), coordinates=p.coordinates)
    middle = np.array([0.0, 0.0, 0.5 * p.lAB])
    bar, disc = fm.RigidBody.box(1.0, (0.015, 0.015, p.lAB), middle), fm.RigidBody.cylinder(1.0, 0.007, p.lBC)
    crank = system.add(fm.RigidBody(p.m[0], p.I_crank, middle, surface=bar.surface), name="crank")
    crank.marker("end", (0.0, 0.0, p.lAB))
    inertia, centre = axes @ np.diag(p.I_rod) @ axes.T, 0.5 * (C - B)
    rod = system.add(fm.RigidBody(p.m[1], inertia, centre, surface=disc.surface.moved(centre, axes)), name="rod")
    rod.marker("end", C - B)
    block = fm.RigidBody.box(1.0, (0.06, 0.04, 0.04))
    slider = system.add(fm.RigidBody(p.m[2], p.I_slider * np.ones(3), surface=block.surface), name="slider")
    bearing, rail = system.ground.marker("A", p.A), system.ground.marker("rail")
    system.revolute(bearing, crank["origin"], axis="x", angle=p.theta0, rate=p.omega0, name="crank bearing")
    system.prismatic(rail, slider["origin"], axis="x", displacement=C[0], name="slide")
    system.universal(slider["origin"], rod["end"], first="x", second=across, angle1=0.0, angle2=0.0, name="cross")
    system.spherical(crank["end"], rod["origin"], cut=True, name="ball")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    return {
        "theta_end": result["crank bearing.angle"][-1],
        "x_end": result["slide.displacement"][-1],
        "energy_error": fm.energy_error(result),
        "constraint_error": result["constraint_error"].max(),
    }
