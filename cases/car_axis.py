"""A car axis on a bumpy road.

IVP test set: two equal masses at the ends of a rigid rod, each on a spring above a wheel. The left wheel rests at the
origin, the right one follows the road; the left mass stays on the line through the left wheel perpendicular to the
axle. World axes: y up; everything moves in the x-y plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, cos, sin, sqrt

import numpy as np

import flexmbs as fm

PLOTS = {
    "Left mass": ("left.origin.position.x", "left.origin.position.y"),
    "Right mass": ("right.origin.position.x", "right.origin.position.y"),
    "Road": ("axle.wheel.position.y",),
}


@dataclass(frozen=True)
class Parameters:
    eps: float = fm.parameter(0.01, "", "scale of the masses: each has M eps^2 / 2")
    M: float = fm.parameter(10.0, "kg", "mass of the car, in units of 1 / eps^2")
    L: float = fm.parameter(1.0, "m", "length of the axle and of the rod")
    L0: float = fm.parameter(0.5, "m", "free length of the springs, and height at the start")
    k: float = fm.parameter(1.0, "N/m", "stiffness of the springs")
    r: float = fm.parameter(0.1, "m", "height of the bumps")
    w: float = fm.parameter(10.0, "rad/s", "frequency of the bumps")
    g: float = fm.parameter(1.0, "m/s2", "gravity, along -y")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(3.0, "s", "end time")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    if not abs(p.r) < p.L:
        raise fm.CaseError(f"parameter 'r' must be smaller than L = {p.L:g} m: the axle reaches no higher bump")
    return p


def axle_angle(p: Parameters):
    """Angle of the axle whose right end is at height r sin(w t), with its first two derivatives."""
    r, w = p.r / p.L, p.w

    def angle(t):
        return asin(r * sin(w * t))

    def rate(t):
        s = r * sin(w * t)
        return r * w * cos(w * t) / sqrt(1.0 - s * s)

    def acceleration(t):
        s, ds = r * sin(w * t), r * w * cos(w * t)
        c = sqrt(1.0 - s * s)
        return (-w * w * s + s * ds * ds / (c * c)) / c

    return angle, rate, acceleration


def build(p: Parameters) -> fm.System:
    """The axle is driven, so that its own mass has no say; rod and right mass are one body."""
    system = fm.System(gravity=(0.0, -p.g, 0.0), coordinates=p.coordinates)
    mass = 0.5 * p.M * p.eps**2
    axle = system.add(fm.RigidBody.rod(1.0, p.L), name="axle")
    axle.marker("wheel", (p.L, 0.0, 0.0))
    ball, rod = fm.RigidBody.sphere(1.0, 0.05 * p.L).surface, fm.RigidBody.rod(1.0, p.L).surface
    drawn = fm.SurfaceMesh.joined([ball, rod.moved(np.array([-p.L, 0.0, 0.0]), np.eye(3))])
    left = system.add(fm.RigidBody(mass, np.zeros(3), surface=ball), name="left")
    right = system.add(fm.RigidBody(mass, np.zeros(3), surface=drawn), name="right")
    right.marker("rod", (-p.L, 0.0, 0.0))
    road = system.revolute(system.ground.marker("wheel"), axle["origin"], axis="z", name="road")
    road.prescribe(*axle_angle(p))
    system.prismatic(axle["origin"], left["origin"], axis="y", displacement=p.L0, rate=0.0, name="guide")
    # the rod is level and does not turn at the start
    tilt = -p.r * p.w / p.L
    system.revolute(left["origin"], right["rod"], axis="z", angle=0.0, rate=tilt, name="rod")
    system.spring_damper(axle["origin"], left["origin"], p.k, length=p.L0, name="left spring")
    system.spring_damper(axle["wheel"], right["origin"], p.k, length=p.L0, name="right spring")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    ends = {"left": "left.origin", "right": "right.origin"}
    return {f"{c}_{side}": result[f"{end}.position.{c}"][-1] for side, end in ends.items() for c in "xy"}
