"""Hailstones fall on a flexible plate, which is clamped along its rim.

The plate is of shell elements; the stones hit its surface, which moves and bends with its modes, and each other. Every
contact loses energy by the law of Flores et al. (2011), or none with a restitution of 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi

import numpy as np

import flexmbs as fm

PLOTS = {
    "Centre of the plate": ("plate.centre.displacement.z",),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total"),
}
UNITS = {"deflection_max": "m", "peak_force": "N"}


@dataclass(frozen=True)
class Parameters:
    count: int = fm.parameter(100, "", "number of stones", minimum=1)
    diameter: float = fm.parameter(0.02, "m", "diameter of a stone")
    stone_density: float = fm.parameter(917.0, "kg/m3", "density of ice")
    stone_modulus: float = fm.parameter(9e9, "Pa", "Young's modulus of ice")
    stone_poisson_ratio: float = fm.parameter(0.33, "", "Poisson's ratio of ice")
    restitution: float = fm.parameter(0.3, "", "restitution of a stone; 1: without loss", minimum=0.0, maximum=1.0)
    speed: float = fm.parameter(18.0, "m/s", "speed of the stones, downwards")
    spread: float = fm.parameter(0.02, "s", "time in which the stones arrive")
    side: float = fm.parameter(1.0, "m", "side of the plate")
    thickness: float = fm.parameter(0.003, "m", "thickness of the plate")
    elements: int = fm.parameter(10, "", "shell elements along each side", minimum=4)
    youngs_modulus: float = fm.parameter(70e9, "Pa", "Young's modulus of the plate")
    poisson_ratio: float = fm.parameter(0.33, "", "Poisson's ratio of the plate")
    density: float = fm.parameter(2700.0, "kg/m3", "density of the plate")
    modes: int = fm.parameter(12, "", "modes of the plate", minimum=1)
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, downwards")
    seed: int = fm.parameter(1, "", "of the places and times of the stones")
    t_end: float | None = fm.parameter(None, "s", "end time; none: a little longer than the stones arrive")
    rtol: float = fm.parameter(1e-5, "", "relative tolerance")


def resolve(p: Parameters) -> Parameters:
    return p if p.t_end is not None else replace(p, t_end=1.1 * p.spread + 1e-3)


def plate_mesh(p: Parameters) -> fm.Mesh:
    """Square of quad4 shells in the plane z = 0, with its middle at the origin; node set RIM."""
    line = np.linspace(-0.5 * p.side, 0.5 * p.side, p.elements + 1)
    x, y = (grid.ravel() for grid in np.meshgrid(line, line, indexing="ij"))
    numbers = np.arange(len(x)).reshape(len(line), len(line))
    cells = np.stack([numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]], axis=-1).reshape(-1, 4)
    metal = fm.Material("plate", p.youngs_modulus, p.poisson_ratio, p.density)
    block = fm.ElementBlock("quad4", np.arange(len(cells)) + 1, cells, metal, fm.ShellSection(p.thickness))
    rim = np.flatnonzero(np.maximum(np.abs(x), np.abs(y)) > 0.5 * p.side * (1.0 - 1e-9))
    return fm.Mesh(np.stack([x, y, 0.0 * x], axis=-1), np.arange(len(x)) + 1, (block,), node_sets={"RIM": rim}, source="plate")


def contact_law(p: Parameters, radius: float) -> fm.ContactLaw:
    """Of a stone on a stiff plate."""
    stiffness = 4.0 / 3.0 * p.stone_modulus / (1.0 - p.stone_poisson_ratio**2) * radius**0.5
    return fm.Hertz(stiffness) if p.restitution == 1.0 else fm.Flores(stiffness, p.restitution)


def build(p: Parameters) -> fm.System:
    mesh, radius = plate_mesh(p), 0.5 * p.diameter
    body = fm.reduce(mesh, interfaces={"rim": fm.Interface(set="RIM", kind="rigid")}, modes=fm.ClampedFree(at="rim", count=p.modes))
    system = fm.System(gravity=(0.0, 0.0, -p.gravity))
    plate = system.add(body, "plate")
    system.fixed(system.ground["origin"], plate["rim"], name="clamp")
    points = mesh.points
    inner = np.flatnonzero(np.abs(points[:, :2]).max(axis=1) < 0.5 * p.side * (1.0 - 1e-9))
    plate.marker("centre", node=int(inner[np.argmin(np.linalg.norm(points[inner], axis=1))]) + 1)
    surface = fm.BodySurface(plate)
    rng, stone, stones = np.random.default_rng(p.seed), fm.RigidBody.sphere(p.stone_density, radius), []
    for number, place in enumerate(falling(p, rng), 1):
        part = system.add(stone, f"stone {number}", position=place, velocity=(0.0, 0.0, -p.speed))
        stones.append(fm.Sphere(part["origin"], radius))
        system.contact(stones[-1], surface, law=contact_law(p, radius), name=f"plate - stone {number}")
    if len(stones) > 1:
        system.contact_all(stones, law=contact_law(p, 0.5 * radius), name="stones", grouped=True)
    return system


def falling(p: Parameters, rng: np.random.Generator) -> np.ndarray:
    """(count, 3) m: where the stones are at the start, above the plate and apart from each other."""
    places: list[np.ndarray] = []
    while len(places) < p.count:
        height = 0.6 * p.diameter + rng.uniform(0.0, p.spread) * p.speed
        place = np.array([*(0.4 * p.side * rng.uniform(-1.0, 1.0, 2)), height])
        if all(np.linalg.norm(place - other) > 1.1 * p.diameter for other in places):
            places.append(place)
    return np.array(places)


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    energy = result["energy.total"]
    hits = [contact for contact in result.contacts if contact.name.startswith("plate - ")]
    return {
        "contact_count": len(result.contacts),
        "hits": len(hits),
        "peak_force": max((contact.peak_force for contact in hits), default=0.0),
        "deflection_max": float(-result["plate.centre.displacement.z"].min()),
        "energy_lost": float((energy[0] - energy[-1]) / energy[0]),
        "energy_balance": fm.energy_balance(result),
        "hail_mass": p.count * p.stone_density * pi / 6.0 * p.diameter**3,
        "steps": int(result.stats["steps_accepted"]),
    }
