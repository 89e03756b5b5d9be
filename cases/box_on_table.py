"""A box on a table is pushed, shaken with the table, or tilted with it until it slips or tips.

It stays while any contact forces inside the friction cones hold it: pushed to mu times its weight (or to where it tips,
F h = m g l / 2), shaken to mu g, tilted to atan(mu) or atan(length / height).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, atan, pi

import flexmbs as fm

UNITS = {"first": "s", "expected": "s", "moved": "m", "instants": ""}
PLOTS = {"Position": ("box.free.x", "box.free.z"), "Forces of two corners": ("corner[1].force", "corner[7].force")}
GRAVITY, DENSITY, WIDTH = 9.81, 1000.0, 0.1  # m/s2, kg/m3, m


@dataclass(frozen=True)
class Parameters:
    what: str = fm.parameter("push", "", "push, shake or tilt")
    length: float = fm.parameter(0.2, "m", "of the box, along the push", minimum=1e-6)
    height: float = fm.parameter(0.1, "m", "of the box", minimum=1e-6)
    friction: float = fm.parameter(0.5, "", "coefficient of friction", minimum=1e-9)
    rate: float = fm.parameter(0.25, "1/s, rad/s", "of the push, in weights a second; of the tilt")
    push_height: float = fm.parameter(0.05, "m", "where it is pushed, above the table", minimum=1e-6)
    shaking: float = fm.parameter(1.3, "", "largest acceleration of the table relative to friction times g")
    t_end: float = fm.parameter(3.0, "s", "end time")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")


def build(p: Parameters) -> fm.System:
    """Tilted, gravity turns in the axes of the table."""
    if p.what not in ("push", "shake", "tilt"):
        raise fm.CaseError(f"parameter 'what' must be push, shake or tilt, not {p.what!r}")
    system, size = fm.System(gravity=(0.0, 0.0, 0.0 if p.what == "tilt" else -GRAVITY)), (p.length, WIDTH, p.height)
    table = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="table")
    drive = system.prismatic(system.ground["origin"], table["origin"], axis="x", name="drive")
    speed = p.shaking * p.friction * GRAVITY / 10.0 if p.what == "shake" else 0.0  # shaken with 10 rad/s
    drive.prescribe(fm.Harmonic(speed / 10.0, 10.0 / (2.0 * pi)) if speed else 0.0)
    box = system.add(fm.RigidBody.box(DENSITY, size), name="box", position=(0.0, 0.0, 0.5 * p.height), velocity=(speed, 0.0, 0.0))
    system.contact(fm.Box(box.frame, size), fm.Plane(table["origin"], (0, 0, 1)), law=fm.Rigid(friction=p.friction), name="corner")
    weight, turns = DENSITY * p.length * WIDTH * p.height * GRAVITY, p.rate / (2.0 * pi)
    if p.what == "push":
        place = box.marker("push", (0.0, 0.0, p.push_height - 0.5 * p.height))
        system.force(place, (fm.Polynomial([0.0, p.rate * weight]), 0.0, 0.0))
    elif p.what == "tilt":
        system.force(box.frame, (fm.Harmonic(weight, turns), 0.0, fm.Harmonic(-weight, turns, phase=0.5 * pi)))
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    expected = {  # when it slips or tips; None: a table that is shaken less than friction holds
        "push": min(p.friction, 0.5 * p.length / p.push_height) / p.rate,
        "shake": asin(1.0 / p.shaking) / 10.0 if p.shaking > 1.0 else None,
        "tilt": min(atan(p.friction), atan(p.length / p.height)) / p.rate,
    }[p.what]
    times = sorted({round(event.time, 9) for event in result.events if event.time > 1e-6})
    moved = float(result["box.free.x"][-1] - result["drive.displacement"][-1])
    return {"first": times[0] if times else None, "expected": expected, "moved": moved, "instants": len(times)}
