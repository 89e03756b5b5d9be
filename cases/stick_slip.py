"""A block on a belt, held by a spring: it sticks until the spring pulls it off, slips back and sticks again.

m x'' = -k x + friction; the belt drags the block along +x, up to mu_s m g while it sticks and with mu_k m g while it
slips.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt

import numpy as np
from scipy.interpolate import CubicHermiteSpline

import flexmbs as fm

IN_FILES = {
    "m": "mass",
    "k": "stiffness",
    "v_belt": "belt_speed",
    "mu_s": "static_friction",
    "mu_k": "friction",
    "g": "g",
    "t_end": "t_end",
}
UNITS = {
    "x_slip_start": "m",
    "x_slip_end": "m",
    "x_max": "m",
    "x_min": "m",
    "T_slip": "s",
    "T_stick": "s",
    "period": "s",
    "v_min": "m/s",
}
X, RATE, ACCELERATION = "motion.v", "motion.v.rate", "motion.v.acceleration"
PLOTS = {"Displacement": (X,), "Speed": (RATE,), "Friction": ("belt.friction.x",)}


@dataclass(frozen=True)
class Parameters:
    mass: float = fm.parameter(1.0, "kg", "mass")
    stiffness: float = fm.parameter(100.0, "N/m", "of the spring")
    belt_speed: float = fm.parameter(0.1, "m/s", "speed of the belt", minimum=1e-9)
    static_friction: float = fm.parameter(0.4, "", "static coefficient")
    friction: float = fm.parameter(0.3, "", "kinetic coefficient")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: long enough for two slips")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    p = fm.with_parameter_file(p, IN_FILES, unused=UNITS)
    if p.t_end is not None:
        return p
    pull = p.mass * p.g / p.stiffness / p.belt_speed  # s in which the spring's force grows by the weight
    slip = 2.0 * pi * sqrt(p.mass / p.stiffness)  # longer than any
    return replace(p, t_end=p.static_friction * pull + 2.0 * (slip + 2.0 * (p.static_friction - p.friction) * pull))


def build(p: Parameters) -> fm.System:
    """x is the coordinate v of the block, z its coordinate u. It starts on the belt with the spring unloaded."""
    system = fm.System(gravity=(0.0, 0.0, -p.g))
    size = 0.5 * p.static_friction * p.mass * p.g / p.stiffness or 0.1
    moment = p.mass * size**2 / 6.0
    cube = fm.RigidBody.box(1.0, (size, size, size)).surface
    block = system.add(fm.RigidBody(p.mass, (moment,) * 3, surface=cube), name="block")
    base = block.marker("base", position=(0.0, 0.0, -0.5 * size))
    motion = system.planar(system.ground["origin"], base, normal="y", v_rate=p.belt_speed, name="motion")
    motion.prescribe(0.0, coordinate="angle")
    motion.spring(p.stiffness, coordinate="v")
    length = 5.0 * size + p.belt_speed * p.t_end
    strip = fm.RigidBody.box(1000.0, (2.0 * length, 2.0 * size, 0.1 * size), center=(0.0, 0.0, -0.05 * size))
    belt = system.add(strip, name="strip")
    system.prismatic(system.ground["origin"], belt["origin"], axis="x", name="drive").prescribe(rate=p.belt_speed)
    law = fm.Rigid(friction=p.friction, static_friction=p.static_friction)
    system.contact(fm.Point(base), fm.Plane(belt["origin"], (0, 0, 1)), law=law, name="belt")
    return system


def slip_extremes(result: fm.Result, start: float, end: float) -> dict[str, float | None]:
    """Largest and smallest displacement and smallest speed while the block slips from ``start`` to ``end``, s."""
    inside = (result.t > start) & (result.t < end)
    t = result.t[inside]
    x, rate, acceleration = (result[name][inside] for name in (X, RATE, ACCELERATION))
    place, speed = CubicHermiteSpline(t, x, rate), CubicHermiteSpline(t, rate, acceleration)
    turns = place(speed.roots(extrapolate=False))
    return {
        "x_max": float(max(turns, default=np.max(x))),
        "x_min": float(min(turns, default=np.min(x))),
        "v_min": float(np.min(speed(speed.derivative().roots(extrapolate=False)), initial=np.min(rate))),
    }


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Of the first slip and of the stick that follows it; None for what has not happened yet."""
    found: dict[str, object] = dict.fromkeys(UNITS)
    times = [event.time for event in result.transitions("belt") if event.time > 0.0]
    if len(times) > 0:
        found["x_slip_start"] = float(result.at(times[0])[X])
    if len(times) > 1:
        found |= {"x_slip_end": float(result.at(times[1])[X]), "T_slip": times[1] - times[0]}
        found |= slip_extremes(result, times[0], times[1])
    if len(times) > 2:
        found |= {"T_stick": times[2] - times[1], "period": times[2] - times[0]}
    return found
