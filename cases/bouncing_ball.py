"""A ball falls on a rigid floor and bounces to rest.

With restitution e < 1 the bounces become shorter by the factor e each: infinitely many of them end at the time
t1 + 2 v1 e / (g (1 - e)), where t1 and v1 are those of the first. From then on the ball rests on the floor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

import flexmbs as fm

IN_FILES = {"h": "height", "v": "speed", "e": "restitution", "g": "g", "t_end": "t_end"}
UNITS = {"impact_times": "s", "approach_speeds": "m/s", "apex": "m", "rest_time": "s", "stop_time": "s"}
HEIGHT, RATE = "fall.displacement", "fall.displacement.rate"
PLOTS = {"Height": (HEIGHT,), "Speed": (RATE,), "Energy": ("energy.kinetic", "energy.gravity", "energy.total")}


@dataclass(frozen=True)
class Parameters:
    height: float = fm.parameter(1.0, "m", "height above the floor at the start", minimum=0.0)
    speed: float = fm.parameter(0.0, "m/s", "speed at the start, upwards")
    restitution: float = fm.parameter(0.5, "", "restitution", minimum=0.0, maximum=1.0)
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z", minimum=1e-9)
    radius: float = fm.parameter(0.05, "m", "radius of the ball")
    count: int = fm.parameter(15, "", "impacts that are listed", minimum=1)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: just after it has come to rest")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-13, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    p = fm.with_parameter_file(p, IN_FILES, unused={*UNITS, "elastic_penalty"})
    return p if p.t_end is not None else replace(p, t_end=end_of(p))


def end_of(p: Parameters) -> float:
    """A time at which it rests, s; of a ball without losses, that of ``count`` bounces."""
    hit = sqrt(p.speed**2 + 2.0 * p.g * p.height)
    e = p.restitution
    flights = p.count if e == 1.0 else e / (1.0 - e)  # in parts of one with the speed of the first hit
    return 1.05 * ((p.speed + hit) + 2.0 * hit * flights) / p.g or 0.1


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -p.g))
    ball = system.add(fm.RigidBody.sphere(1000.0, p.radius), name="ball")
    rest = system.ground.marker("rest", position=(0.0, 0.0, p.radius))
    system.prismatic(rest, ball["origin"], axis="z", displacement=p.height, rate=p.speed, name="fall")
    floor = fm.Plane(system.ground["origin"], (0, 0, 1))
    system.contact(fm.Sphere(ball["origin"], p.radius), floor, law=fm.Rigid(restitution=p.restitution), name="floor")
    return system


def apexes(result: fm.Result, times: list[float]) -> list[float]:
    """Heights to which it rises between impacts at these times, m; each flight is a parabola."""
    found = []
    for start, end in zip(times, times[1:], strict=False):
        speed, fall = (float(result.at(0.5 * (start + end))[name]) for name in (RATE, f"{RATE[:-4]}acceleration"))
        found.append(float(result.at(0.5 * (start + end))[HEIGHT]) - 0.5 * speed**2 / fall)
    return found


def rest_time(result: fm.Result) -> float | None:
    """When the floor begins to carry the ball for good, s; None: it still bounces at the end."""
    events = result.transitions("floor")
    return events[-1].time if events and events[-1].mode != "open" else None


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """``rest_time`` and ``stop_time`` are the same."""
    impacts = result.impacts("floor")[: p.count]
    times, rest = [hit.time for hit in impacts], rest_time(result)
    return {
        "impact_times": times,
        "approach_speeds": [hit.approach_speed for hit in impacts],
        "apex": apexes(result, times),
        "rest_time": rest,
        "stop_time": rest,
        "bounces": len(result.impacts("floor")),
        "height_end": float(result[HEIGHT][-1]),
        "largest_penetration": float(max(0.0, -np.min(result["floor.gap"]))),
    }
