"""A thin disc rolls on a plane without slipping.

With ``wobble`` 0 it rolls steadily in a circle: its axle at the angle tilt from the vertical, its centre at the
distance X from the middle of the circle, with the rate of precession W that follows from the moments about the centre:
W^2 sin(tilt) ((C + m r^2) X / r + A cos(tilt)) = m r g cos(tilt), where A and C = 2 A are the moments of inertia.
World axes: z up, the middle of the circle at the origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

PLOTS = {
    "Centre": ("disc.position.x", "disc.position.y", "disc.position.z"),
    "Force of the plane": ("rolling.reaction.force.z",),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
}


@dataclass(frozen=True)
class Parameters:
    mass: float = fm.parameter(2.0, "kg", "mass")
    radius: float = fm.parameter(0.3, "m", "radius")
    tilt: float = fm.parameter(1.1, "rad", "angle of the axle from the vertical at the start; pi/2: upright")
    X: float = fm.parameter(0.8, "m", "radius of the circle of the centre")
    wobble: float = fm.parameter(0.0, "rad/s", "additional rate of tilting at the start")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(5.0, "s", "end time")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-11, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    if not 0.0 < p.tilt < 0.5 * np.pi:
        raise fm.CaseError(f"parameter 'tilt' [rad] must lie between 0 and pi/2, not {p.tilt:g}")
    return p


def precession(p: Parameters) -> float:
    """Rate (rad/s) of the steady circle about the vertical."""
    about_diameter, about_axle = 0.25 * p.mass * p.radius**2, 0.5 * p.mass * p.radius**2
    s, c = np.sin(p.tilt), np.cos(p.tilt)
    inertia = (about_axle + p.mass * p.radius**2) * p.X / p.radius + about_diameter * c
    return float(np.sqrt(p.mass * p.radius * p.g * c / (s * inertia)))


def build(p: Parameters) -> fm.System:
    """Body axes: z the axle, which points outwards and up; y along the path of the centre at the start."""
    system = fm.System(gravity=(0.0, 0.0, -p.g), coordinates=p.coordinates)
    s, c, W = np.sin(p.tilt), np.cos(p.tilt), precession(p)
    spoke = fm.RigidBody.box(1.0, p.radius * np.array([1.8, 0.15, 0.15])).surface  # shows that it turns
    shape = fm.SurfaceMesh.joined([fm.RigidBody.cylinder(1.0, p.radius, 0.05 * p.radius, axis="z").surface, spoke])
    inertia = 0.25 * p.mass * p.radius**2 * np.array([1.0, 1.0, 2.0])
    axes = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    spin = np.array([-W * s, p.wobble, -W * p.X / p.radius])
    to_contact = axes @ np.array([p.radius, 0.0, 0.0])  # lowest point of the rim
    disc = system.add(
        fm.RigidBody(p.mass, inertia, surface=shape),
        name="disc",
        position=(p.X, 0.0, p.radius * s),
        rotation=axes,
        velocity=-np.cross(axes @ spin, to_contact),
        angular_velocity=spin,
    )
    system.rolling_disc(disc["origin"], system.ground.marker("plane"), p.radius, name="rolling")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """circle_error: largest distance from the steady motion, m (of a disc that wobbles: how far it strays)."""
    place = np.stack([result[f"disc.position.{axis}"] for axis in "xyz"])
    angle = precession(p) * result.t
    circle = np.stack([p.X * np.cos(angle), p.X * np.sin(angle), np.full_like(angle, p.radius * np.sin(p.tilt))])
    return {
        "position_end": place[:, -1].tolist(),
        "circle_error": np.linalg.norm(place - circle, axis=0).max(),
        "energy_error": fm.energy_error(result),
        "constraint_error": result["constraint_error"].max(),
    }
