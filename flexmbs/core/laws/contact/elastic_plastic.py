"""Thornton's law of a sphere that yields: Hertz, then plastic flow at constant pressure, then elastic unloading."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ZERO_FORCE, ContactLaw, law_begin, law_energy, law_force, law_update
from flexmbs.core.laws.contact.law_numbers import checked_number, compliance_of
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

if TYPE_CHECKING:
    from flexmbs.mesh.properties import Material

MODULUS, RADIUS, PRESSURE, YIELD_DEPTH = range(4)
LARGEST_DEPTH = 0  # of the history


@kernel
def loading_force(parameters, depth):
    """Force (N) at a depth (m) that has not been reached before."""
    if depth <= parameters[YIELD_DEPTH]:
        return 4.0 / 3.0 * parameters[MODULUS] * math.sqrt(parameters[RADIUS]) * depth**1.5
    slope = math.pi * parameters[PRESSURE] * parameters[RADIUS]
    return slope * (depth - parameters[YIELD_DEPTH] / 3.0)  # F_y = 2/3 of the slope times the depth at yield


@kernel
def unloading_curve(parameters, largest):
    """Stiffness (N/m^1.5) and residual depth (m) of the elastic curve from the ``largest`` depth back.

    The contact area a^2 = R d is that of the larger sphere of radius R_p that Hertz's law asks for at that force.
    """
    radius = parameters[RADIUS]
    area = radius * largest
    curved = 4.0 * parameters[MODULUS] * area**1.5 / (3.0 * loading_force(parameters, largest))
    return 4.0 / 3.0 * parameters[MODULUS] * math.sqrt(curved), largest - area / curved


@entry(law_force)
def plastic_force(parameters, history, depth, rate):
    largest = history[LARGEST_DEPTH]
    if depth >= largest or largest <= parameters[YIELD_DEPTH]:
        return loading_force(parameters, depth)
    stiffness, residual = unloading_curve(parameters, largest)
    return stiffness * max(depth - residual, 0.0) ** 1.5


@entry(law_energy)
def plastic_energy(parameters, history, depth):
    largest = max(history[LARGEST_DEPTH], depth)
    if largest <= parameters[YIELD_DEPTH]:
        return 0.4 * loading_force(parameters, depth) * depth
    stiffness, residual = unloading_curve(parameters, largest)
    return 0.4 * stiffness * max(depth - residual, 0.0) ** 2.5


@entry(law_begin)
def keep_dent(parameters, history, speed, mass):
    pass


@entry(law_update)
def deepen_dent(parameters, history, depth, rate):
    history[LARGEST_DEPTH] = max(history[LARGEST_DEPTH], depth)


@dataclass(frozen=True)
class ElasticPlastic(ContactLaw):
    """Elastic, perfectly plastic sphere: C. Thornton, J. Appl. Mech. 64 (1997) 383.

    Up to the depth d_y = (pi p / (2 E*))^2 R Hertz's law; beyond, F = F_y + pi p R (d - d_y); back from the largest
    depth d_1 elastically, F = 4/3 E* sqrt(R_p) (d - d_r)^1.5 with R_p = 4 E* (R d_1)^1.5 / (3 F_1) and the residual
    depth d_r = d_1 (1 - R / R_p). The contact ends at the residual depth, where its force vanishes. The dent stays with
    the contact: the next hit finds it at the same place, so the law is for bodies that hit the same spot.

    The elastic energy is what unloading gives back; the rest of the work has been lost.

    Parameters
    ----------
    modulus : E* in Pa, 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
    radius : R in m, 1/R = 1/R_a + 1/R_b
    yield_pressure : p in Pa, the largest pressure in the contact; 1.6 times the yield stress where yielding begins
        (von Mises), up to 2.8 times when it is fully plastic
    """

    modulus: float
    radius: float
    yield_pressure: float

    force = plastic_force
    energy = plastic_energy
    begin = keep_dent
    update = deepen_dent
    history = ("largest depth (m)",)
    separation = ZERO_FORCE

    def __post_init__(self) -> None:
        checked_number(self.modulus, "modulus", "Pa")
        checked_number(self.radius, "radius", "m")
        checked_number(self.yield_pressure, "yield_pressure", "Pa")

    @classmethod
    def from_materials(cls, radius: ArrayLike, material_a: Material, material_b: Material, yield_pressure: float) -> ElasticPlastic:
        """The law of two spheres; ``radius`` in m: of a sphere on a plane, or the pair of radii of two spheres."""
        radii = np.atleast_1d(np.asarray(radius, dtype=float))
        if not np.all(radii > 0.0):
            raise MechanismError(f"contact law: radius {radius!r} m must be positive")
        compliance = compliance_of(material_a, material_b)
        return cls(float(1.0 / compliance), float(1.0 / np.sum(1.0 / radii)), yield_pressure)

    @property
    def yield_depth(self) -> float:
        """Depth at which yielding begins, m."""
        return (0.5 * math.pi * self.yield_pressure / self.modulus) ** 2 * self.radius

    def parameters(self) -> tuple[float, ...]:
        return float(self.modulus), float(self.radius), float(self.yield_pressure), self.yield_depth
