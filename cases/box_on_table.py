"""A box on four corners is pushed, shaken with its table, or tilted with it until it slips or tips.

It rests while any contact forces inside the friction cones hold it: pushed to mu times its weight (or to where it tips,
F h = m g l / 2), shaken to mu g, tilted to atan(mu) or atan(length / height).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, pi

import numpy as np

import flexmbs as fm

UNITS = {"first": "s", "expected": "s", "moved": "m", "instants": ""}
PLOTS = {"Position": ("box.free.x", "box.free.z"), "Forces of the corners": ("corner 0.force", "corner 3.force")}


@dataclass(frozen=True)
class Parameters:
    what: str = fm.parameter("push", "", "push, shake or tilt")
    length: float = fm.parameter(0.2, "m", "of the box, along the push", minimum=1e-6)
    width: float = fm.parameter(0.1, "m", "across", minimum=1e-6)
    height: float = fm.parameter(0.1, "m", "of the box", minimum=1e-6)
    mass: float = fm.parameter(2.0, "kg", "mass")
    friction: float = fm.parameter(0.5, "", "coefficient of friction", minimum=1e-9)
    rate: float = fm.parameter(0.25, "1/s, rad/s", "of the push, in weights a second; of the tilt")
    push_height: float = fm.parameter(0.05, "m", "where it is pushed, above the table")
    shaking: float = fm.parameter(1.3, "", "largest acceleration of the table relative to friction times g")
    frequency: float = fm.parameter(10.0, "rad/s", "of shaking")
    g: float = fm.parameter(9.81, "m/s2", "gravity", minimum=1e-9)
    t_end: float = fm.parameter(3.0, "s", "end time")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")


def resolve(p: Parameters) -> Parameters:
    if p.what not in ("push", "shake", "tilt"):
        raise fm.CaseError(f"parameter 'what' must be push, shake or tilt, not {p.what!r}")
    return p


def build(p: Parameters) -> fm.System:
    """Tilted, gravity turns in the axes of the table."""
    system, weight = fm.System(gravity=(0.0, 0.0, 0.0 if p.what == "tilt" else -p.g)), p.mass * p.g
    table = system.add(fm.RigidBody(1.0, np.eye(3)), name="table")
    drive = system.prismatic(system.ground["origin"], table["origin"], axis="x", name="drive")
    amplitude = p.shaking * p.friction * p.g / p.frequency**2 if p.what == "shake" else 0.0
    drive.prescribe(fm.Harmonic(amplitude, p.frequency / (2.0 * pi)) if amplitude else 0.0)
    size = np.array([p.length, p.width, p.height])
    shape = fm.RigidBody.box(p.mass / size.prod(), tuple(size))
    start = {"position": (0.0, 0.0, 0.5 * p.height), "velocity": (amplitude * p.frequency, 0.0, 0.0)}
    box = system.add(shape, name="box", **start)
    for i, (x, y) in enumerate([(-1, -1), (-1, 1), (1, -1), (1, 1)]):
        corner = box.marker(f"corner {i}", 0.5 * size * (x, y, -1))
        plane = fm.Plane(table["origin"], (0.0, 0.0, 1.0))
        system.contact(fm.Point(corner), plane, law=fm.Rigid(friction=p.friction), name=f"corner {i}")
    if p.what == "push":
        place = box.marker("push", (0.0, 0.0, p.push_height - 0.5 * p.height))
        system.force(place, (fm.Polynomial([0.0, p.rate * weight]), 0.0, 0.0))
    elif p.what == "tilt":
        turns = p.rate / (2.0 * pi)
        system.force(box.frame, (fm.Harmonic(weight, turns), 0.0, fm.Harmonic(-weight, turns, phase=0.5 * pi)))
    return system


def expected(p: Parameters) -> float | None:
    """When it slips or tips first, s; None: a table that is shaken less than friction holds."""
    if p.what == "shake":
        return None if p.shaking <= 1.0 else float(np.arcsin(1.0 / p.shaking)) / p.frequency
    if p.what == "tilt":
        return min(atan(p.friction), atan(p.length / p.height)) / p.rate
    return min(p.friction, 0.5 * p.length / p.push_height if p.push_height > 0.0 else p.friction) / p.rate


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    times = sorted({round(event.time, 9) for event in result.events if event.time > 1e-6})
    moved = result["box.free.x"][-1] - result["drive.displacement"][-1]
    return {"first": times[0] if times else None, "expected": expected(p), "moved": float(moved), "instants": len(times)}
