"""An eccentric cam lifts a follower by its roller.

A disc of radius R turns about z at constant speed, its centre at a distance e from the axle; a roller of radius r on
the follower stays in contact with it. Closed form: y = e sin(w t) + sqrt((R + r)^2 - (e cos(w t))^2); the cam pushes
the follower up with m (y'' + g) + k (y - y0) + F0. World axes: y up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import flexmbs as fm

PLOTS = {"Follower": ("guide.displacement",), "Force of the cam": ("roller.reaction.force.y", "roller.reaction.force.x")}


@dataclass(frozen=True)
class Parameters:
    R: float = fm.parameter(0.04, "m", "radius of the cam")
    e: float = fm.parameter(0.012, "m", "eccentricity of the cam")
    r: float = fm.parameter(0.01, "m", "radius of the roller")
    m: float = fm.parameter(0.4, "kg", "mass of the follower")
    k: float = fm.parameter(2000.0, "N/m", "stiffness of the spring that holds the follower down")
    F0: float = fm.parameter(20.0, "N", "force of the spring at the start")
    w: float = fm.parameter(40.0, "rad/s", "speed of the cam")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -y")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(0.5, "s", "end time")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-10, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    if not 0.0 <= p.e < p.R:
        raise fm.CaseError(f"parameter 'e' [m] must lie between 0 and R = {p.R:g}, not {p.e:g}")
    return replace(p)


def closed_form(p: Parameters, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height of the roller's centre (m) and its second derivative (m/s2) at the times ``t`` (s)."""
    s, c = p.e * np.sin(p.w * t), p.e * np.cos(p.w * t)
    root = np.sqrt((p.R + p.r) ** 2 - c * c)
    # root' = w s c / root, and (s c)' = w (c^2 - s^2)
    return s + root, p.w**2 * (-s + (c * c - s * s) / root - (s * c) ** 2 / root**3)


def build(p: Parameters) -> fm.System:
    """The cam's outline starts below the roller, where the arc length of the roller's path is known."""
    system = fm.System(gravity=(0.0, -p.g, 0.0), coordinates=p.coordinates)
    disc = fm.RigidBody.cylinder(7850.0, p.R, 0.5 * p.r, (p.e, 0.0, 0.0), axis="z")
    cam = system.add(disc, name="cam")
    roller = fm.RigidBody.cylinder(1.0, p.r, 0.5 * p.r, axis="z").surface
    stem = fm.RigidBody.box(1.0, (0.5 * p.r, 2.0 * p.R, 0.5 * p.r), (0.0, p.R, 0.0)).surface
    inertia = p.m * p.R**2 * np.ones(3)
    follower = system.add(fm.RigidBody(p.m, inertia, surface=fm.SurfaceMesh.joined([roller, stem])), name="follower")
    axle = system.revolute(system.ground.marker("axle"), cam["origin"], axis="z", name="axle")
    axle.prescribe(fm.Polynomial([0.0, p.w]))
    height = float(closed_form(p, np.zeros(1))[0][0])
    guide = system.prismatic(system.ground.marker("guide"), follower["origin"], axis="y", displacement=height, name="guide")
    guide.spring(stiffness=p.k, rest=height)
    system.force(follower["origin"], (0.0, -p.F0, 0.0), name="preload")
    # where the roller is at the start: from the cam's centre at the angle of (-e, height)
    angle = float(np.arctan2(height, -p.e))
    outline = fm.Curve.circle(p.R, center=(p.e, 0.0), start=angle)
    system.cam_roller(cam["origin"], follower["origin"], outline, p.r, s=0.0, name="roller")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """height_error, force_error: largest deviations from the closed form (m; N, of the largest force)."""
    height, acceleration = closed_form(p, result.t)
    y, force = result["guide.displacement"], result["roller.reaction.force.y"]
    exact = p.m * (acceleration + p.g) + p.k * (height - height[0]) + p.F0
    return {
        "height_end": y[-1],
        "force_min": force.min(),
        "force_max": force.max(),
        "height_error": np.abs(y - height).max(),
        "force_error": np.abs(force - exact).max() / np.abs(exact).max(),
        "constraint_error": result["constraint_error"].max(),
    }
