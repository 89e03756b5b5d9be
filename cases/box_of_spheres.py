"""Spheres fly, fall and collide in a box.

Every sphere can touch every other and the six walls; contacts start and end as events. Their law loses energy with the
restitution that is given (Flores et al. 2011), or none at all with a restitution of 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi

import numpy as np

import flexmbs as fm

PLOTS = {"Energy": ("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total")}
UNITS = {"box_size": "m"}
WALLS = {"floor": (2, 0.0), "ceiling": (2, 1.0), "left": (0, 0.0), "right": (0, 1.0), "front": (1, 0.0), "back": (1, 1.0)}


@dataclass(frozen=True)
class Parameters:
    count: int = fm.parameter(1000, "", "number of spheres", minimum=1)
    radius: float = fm.parameter(0.005, "m", "radius of a sphere")
    density: float = fm.parameter(2500.0, "kg/m3", "density")
    youngs_modulus: float = fm.parameter(60e6, "Pa", "Young's modulus of spheres and walls")
    poisson_ratio: float = fm.parameter(0.25, "", "Poisson's ratio of both")
    restitution: float = fm.parameter(0.8, "", "restitution of spheres; 1: without loss", minimum=0.0, maximum=1.0)
    spacing: float = fm.parameter(2.5, "", "distance between centres at the start, in radii", minimum=2.05)
    speed: float = fm.parameter(1.0, "m/s", "root mean square of each component of the velocities at the start")
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, downwards")
    seed: int = fm.parameter(1, "", "of the random velocities")
    t_end: float = fm.parameter(2e-3, "s", "end time")
    rtol: float = fm.parameter(1e-5, "", "relative tolerance")


def resolve(p: Parameters) -> Parameters:
    return p


def box_size(p: Parameters) -> float:
    """Side of the box, m: as many cells as hold a sphere each."""
    return ceil(round(p.count ** (1.0 / 3.0), 9)) * p.spacing * p.radius


def contact_law(p: Parameters) -> fm.ContactLaw:
    """Hertz between two equal spheres, with the damping of Flores unless nothing is to be lost."""
    modulus = 0.5 * p.youngs_modulus / (1.0 - p.poisson_ratio**2)
    stiffness = 4.0 / 3.0 * modulus * (0.5 * p.radius) ** 0.5
    return fm.Hertz(stiffness) if p.restitution == 1.0 else fm.Flores(stiffness, p.restitution)


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -p.gravity))
    rng = np.random.default_rng(p.seed)
    size, cell = box_size(p), p.spacing * p.radius
    side = round(size / cell)
    room = 0.5 * cell - 1.01 * p.radius
    body, shapes = fm.RigidBody.sphere(p.density, p.radius), []
    for number in range(p.count):
        place = np.array([number % side, number // side % side, number // side**2]) + 0.5
        part = system.add(
            body,
            f"ball {number + 1}",
            position=cell * place + room * rng.uniform(-1.0, 1.0, 3),
            velocity=p.speed * rng.normal(size=3),
        )
        shapes.append(fm.Sphere(part["origin"], p.radius))
    for name, (axis, far) in WALLS.items():
        normal = np.zeros(3)
        normal[axis] = 1.0 - 2.0 * far
        wall = system.ground.marker(name, position=far * size * np.abs(normal))
        shapes.append(fm.Plane(wall, normal=tuple(normal)))
    system.contact_all(shapes, law=contact_law(p), name="spheres", grouped=True)
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    energy = result["energy.total"]
    return {
        "contact_count": len(result.contacts),
        "energy_lost": float((energy[0] - energy[-1]) / energy[0]),
        "largest_gain": float(max(0.0, np.max(np.maximum.accumulate(energy[::-1])[::-1] - energy) / energy[0])),
        "energy_balance": fm.energy_balance(result),
        "box_size": box_size(p),
        "fill": p.count * 4.0 / 3.0 * pi * (p.radius / box_size(p)) ** 3,
        "steps": int(result.stats["steps_accepted"]),
    }
