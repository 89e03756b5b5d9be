"""A ball bounces on a table that moves up and down with A sin(W t + ph).

The table is driven; the ball starts at rest. Where it does not bounce any more it moves with the table, until that
falls away faster than gravity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt

import flexmbs as fm

IN_FILES = {
    "A": "amplitude",
    "W": "angular_frequency",
    "ph": "phase",
    "e": "restitution",
    "h": "height",
    "g": "g",
    "t_end": "t_end",
}
UNITS = {"impacts": "", "impact_count": ""}
TABLE, BALL = "drive.displacement", "fall.displacement"
PLOTS = {"Height": (BALL, TABLE), "Speed": (f"{BALL}.rate", f"{TABLE}.rate"), "Gap": ("contact.gap",)}


@dataclass(frozen=True)
class Parameters:
    amplitude: float = fm.parameter(0.01, "m", "A")
    angular_frequency: float = fm.parameter(30.0, "rad/s", "W")
    phase: float = fm.parameter(0.0, "rad", "ph")
    restitution: float = fm.parameter(0.8, "", "restitution", minimum=0.0, maximum=1.0)
    height: float = fm.parameter(0.1, "m", "height of the ball at the start, above the middle of the table's motion")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -z", minimum=1e-9)
    radius: float = fm.parameter(0.01, "m", "radius of the ball")
    count: int = fm.parameter(10, "", "impacts that are listed", minimum=1)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: as long as the impacts that are listed may take")
    max_step: float | None = fm.parameter(None, "s", "longest step; none: a sixteenth of a turn of the table")
    rtol: float = fm.parameter(1e-8, "", "relative tolerance")
    atol: float = fm.parameter(1e-11, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    p = fm.with_parameter_file(p, IN_FILES)
    if p.max_step is None and p.angular_frequency != 0.0:
        p = replace(p, max_step=pi / (8.0 * abs(p.angular_frequency)))
    return p if p.t_end is not None else replace(p, t_end=end_of(p))


def end_of(p: Parameters) -> float:
    """Longest time that ``count`` impacts may take, s, if every hit meets the table as it moves up fastest."""
    table = abs(p.amplitude * p.angular_frequency)
    speed = sqrt(2.0 * p.g * (p.height + abs(p.amplitude)))
    time = speed / p.g
    for _ in range(p.count - 1):
        after = p.restitution * speed + (1.0 + p.restitution) * table
        speed = sqrt(after**2 + 4.0 * p.g * abs(p.amplitude))
        time += (after + speed) / p.g
    return time


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -p.g))
    wide = 6.0 * p.radius
    plate = fm.RigidBody.box(1000.0, (wide, wide, 0.3 * p.radius), center=(0.0, 0.0, -0.15 * p.radius))
    table = system.add(plate, name="table")
    drive = system.prismatic(system.ground["origin"], table["origin"], axis="z", name="drive")
    drive.prescribe(fm.Harmonic(p.amplitude, p.angular_frequency / (2.0 * pi), p.phase))
    ball = system.add(fm.RigidBody.sphere(1000.0, p.radius), name="ball")
    rest = system.ground.marker("rest", position=(0.0, 0.0, p.radius))
    system.prismatic(rest, ball["origin"], axis="z", displacement=p.height, name="fall")
    top = fm.Plane(table["origin"], (0, 0, 1))
    law = fm.Rigid(restitution=p.restitution)
    system.contact(fm.Sphere(ball["origin"], p.radius), top, law=law, name="contact")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """``impacts``: the first ``count``, with the height and the velocity of the ball behind it."""
    hits = result.impacts("contact")
    found = []
    for hit in hits[: p.count]:
        table = result.at(hit.time)
        found.append(
            {
                "t": hit.time,
                "height": float(table[TABLE]),
                "approach_speed": hit.approach_speed,
                "ball_velocity_after": float(table[f"{TABLE}.rate"]) + hit.rebound_speed,
            }
        )
    rest = result.transitions("contact")
    carried = rest[-1].time if rest and rest[-1].mode != "open" else None
    return {"impacts": found, "impact_count": len(hits), "carried_from": carried}
