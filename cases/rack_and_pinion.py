"""A rack on a spring swings on its pinion.

The rack hangs vertically on a spring and meshes with a pinion. Closed form: z = z0 + a (1 - cos(w t)) with
w^2 = k / (m + J / r^2) and a = (T / r - m g) / k. World axes: z up; the pinion turns about x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

PLOTS = {
    "Rack": ("rack slide.displacement",),
    "Pinion": ("axle.angle",),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total"),
}


@dataclass(frozen=True)
class Parameters:
    radius: float = fm.parameter(0.05, "m", "pitch radius of the pinion")
    pinion_inertia: float = fm.parameter(2e-3, "kg m2", "inertia of the pinion about its axle")
    rack_mass: float = fm.parameter(1.5, "kg", "mass of the rack")
    stiffness: float = fm.parameter(200.0, "N/m", "stiffness of the spring that holds the rack, relaxed at the start")
    torque: float = fm.parameter(0.0, "N m", "torque on the pinion")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(2.0, "s", "end time")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-10, "", "absolute tolerance")


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -p.g), coordinates=p.coordinates)
    spoke = fm.RigidBody.box(1.0, (0.6 * p.radius, 1.6 * p.radius, 0.15 * p.radius)).surface  # shows that it turns
    shape = fm.SurfaceMesh.joined([fm.RigidBody.cylinder(1.0, p.radius, 0.4 * p.radius).surface, spoke])
    inertia = p.pinion_inertia * np.array([1.0, 0.5, 0.5])
    pinion = system.add(fm.RigidBody(1.0, inertia, surface=shape), name="pinion")
    bar = fm.RigidBody.box(1.0, (0.4 * p.radius, 0.4 * p.radius, 12.0 * p.radius), (0.0, 0.2 * p.radius, 0.0))
    thin = p.rack_mass * p.radius**2 * np.ones(3)
    rack = system.add(fm.RigidBody(p.rack_mass, thin, surface=bar.surface), name="rack")
    axle = system.revolute(system.ground.marker("axle"), pinion["origin"], axis="x", name="axle")
    beside = system.ground.marker("rail", (0.0, p.radius, 0.0))
    slide = system.prismatic(beside, rack["origin"], axis="z", displacement=0.0, name="rack slide")
    slide.spring(stiffness=p.stiffness)
    system.rack_and_pinion(axle, slide, p.radius, name="mesh")
    if p.torque != 0.0:
        system.torque(pinion["origin"], (p.torque, 0.0, 0.0), name="motor")
    return system


def closed_form(p: Parameters, t: np.ndarray) -> np.ndarray:
    """Displacement of the rack (m) at the times ``t`` (s)."""
    w = np.sqrt(p.stiffness / (p.rack_mass + p.pinion_inertia / p.radius**2))
    return (p.torque / p.radius - p.rack_mass * p.g) / p.stiffness * (1.0 - np.cos(w * t))


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """closed_form_error: largest deviation of the rack's displacement from the closed form, m."""
    z = result["rack slide.displacement"]
    return {
        "displacement_end": z[-1],
        "angle_end": result["axle.angle"][-1],
        "closed_form_error": np.abs(z - closed_form(p, result.t)).max(),
        "energy_error": fm.energy_error(result),
        "constraint_error": result["constraint_error"].max(),
    }
