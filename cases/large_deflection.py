"""Cantilevers that bend far under dead loads at their ends, cut into parts: an arc, a thin strip, a strip rolled up.

The 45 degree bend of Bathe and Bolourchi (1979), the Princeton beam (Dowell, Traybar and Hodges, 1977), roll-up by an end
moment. Each part is a modal body, right to second order of the rotations inside it; ``parts=1`` is the plain modal body,
whose error the watch of deformations estimates (docs/validity.md). The load grows in steps.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin

import numpy as np

import flexmbs as fm

KINDS = ("bend45", "princeton", "tip_moment")
NAMES = ("kind", "radius", "side", "length", "width", "thickness", "youngs_modulus", "poisson", "load", "angle_deg", "moment")
UNITS = {"tip_displacement": "m", "largest_rotation": "rad"}


@dataclass(frozen=True)
class Parameters:
    kind: str = fm.parameter("bend45", "", f"the rod and its load: {', '.join(KINDS)}")
    radius: float = fm.parameter(100.0, "m", "bend45: radius of the arc of 45 degrees from the x axis towards -y")
    side: float = fm.parameter(1.0, "m", "bend45: side of the square section")
    length: float = fm.parameter(1.0, "m", "the others: length along x")
    width: float = fm.parameter(0.02, "m", "the others: width of the section, along y")
    thickness: float = fm.parameter(0.004, "m", "the others: thickness of the section, along z")
    youngs_modulus: float = fm.parameter(1e7, "Pa", "Young's modulus")
    poisson: float = fm.parameter(0.0, "", "Poisson's ratio")
    load: float = fm.parameter(300.0, "N", "force on the end: along z (bend45), at an angle (princeton)")
    angle_deg: float = fm.parameter(45.0, "deg", "princeton: angle of the force from y towards z")
    moment: tuple = fm.parameter((0.0, 0.0, 0.0), "N m", "tip_moment: moment on the end")
    parts: int = fm.parameter(8, "", "number of bodies that the rod is cut into", minimum=1)
    elements: int = fm.parameter(4, "", "beam elements of a part; of a rod in one piece 24 at least", minimum=1)
    load_steps: int = fm.parameter(16, "", "steps in which the load grows", minimum=1)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(NAMES)}")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters."""
    p = fm.with_parameter_file(p, {name: name for name in NAMES})
    if p.kind not in KINDS:
        raise fm.CaseError(f"kind = {p.kind!r} must be one of {', '.join(KINDS)}")
    return p


def places(p: Parameters, share: np.ndarray) -> np.ndarray:
    """(n, 3) m, of points at these shares of the length."""
    if p.kind == "bend45":
        turn = 0.25 * pi * share
        return p.radius * np.column_stack([np.sin(turn), np.cos(turn) - 1.0, 0.0 * turn])
    return p.length * np.column_stack([share, 0.0 * share, 0.0 * share])


def bodies(p: Parameters) -> list[fm.FlexibleBody]:
    """The parts in their places, each with the static modes of loads at its end; all have the axes of the world."""
    y, z = (p.side, p.side) if p.kind == "bend45" else (p.width, p.thickness)
    material = fm.Material("rod", p.youngs_modulus, p.poisson, 1000.0)
    count = max(p.elements, -(-24 // p.parts))
    found, modes = [], fm.CraigBampton("root", count=0, frequency_tolerance=None)
    for part in range(p.parts):
        mesh = fm.line_mesh(1.0, count, fm.rectangle(y, z), material)
        mesh = replace(mesh, points=places(p, (part + np.linspace(0.0, 1.0, count + 1)) / p.parts))
        found.append(fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes))
    return found


def loaded(p: Parameters, parts: list[fm.FlexibleBody], factor: float, bent: list[np.ndarray]) -> fm.System:
    """The rod under a part of its load, ``bent`` (modal coordinates by part) at the start."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    end = system.ground["origin"]
    for number, (body, q) in enumerate(zip(parts, bent, strict=True), start=1):
        part = system.add(body, name=f"part {number}", modal_coordinates=q)
        system.fixed(end, part["root"])
        end = part["tip"]
    angle = radians(90.0 if p.kind == "bend45" else p.angle_deg)
    if p.kind == "tip_moment":
        system.torque(end, tuple(factor * x for x in p.moment))
    else:
        system.force(end, (0.0, factor * p.load * cos(angle), factor * p.load * sin(angle)))
    return system


def analyse(p: Parameters) -> dict[str, object]:
    """Equilibria under the growing load; how the end has moved, and the error that the watch estimates."""
    parts = bodies(p)
    bent = [np.zeros(body.mode_count) for body in parts]
    for step in range(1, p.load_steps + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if step < p.load_steps else "default", fm.ResultWarning)
            still = loaded(p, parts, step / p.load_steps, bent).statics(stop_on_deformation=False)
        bent = [np.array([still[f"part {k}.{label}"][0] for label in body.mode_labels]) for k, body in enumerate(parts, start=1)]
    end = np.array([still[f"part {p.parts}.tip.position.{axis}"][0] for axis in "xyz"])
    return {
        "tip_displacement": (end - places(p, np.ones(1))[0]).tolist(),
        "deformation_error": still.stats["deformation_error"],
        "largest_rotation": still.stats["largest_rotation"],
    }
