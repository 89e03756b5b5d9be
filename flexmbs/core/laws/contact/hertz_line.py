"""Line contact of cylinders with parallel axes: Johnson's implicit law, solved for the force."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw, plain_energy, plain_force
from flexmbs.core.laws.contact.law_numbers import checked_number, compliance_of
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

if TYPE_CHECKING:
    from flexmbs.mesh.properties import Material

FORCE_SCALE, RADIUS = range(2)  # 4 pi E* R length
LARGEST = 1.0 / 64.0  # of the load s = P / (4 pi E* R): there the half-width of the contact is R / 2
LARGEST_DEPTH = LARGEST * (math.log(1.0 / LARGEST) - 1.0)  # of y = d / (4 R)


@kernel
def load_at(y):
    """Load s of the depth y = -s (ln s + 1), 0 < y <= LARGEST_DEPTH.

    Newton's iteration for u = -ln s, of which y = exp(-u) (u - 1); its logarithm is nearly linear in u.
    """
    target = math.log(y)
    u = 1.0 - target
    for _ in range(50):
        u = max(u, 2.0)  # the branch on which the force grows with the depth
        change = (math.log(u - 1.0) - u - target) / (1.0 / (u - 1.0) - 1.0)
        u -= change
        if abs(change) < 1e-15 * u:
            break
    return math.exp(-u)


@entry(plain_force)
def line_force(parameters, depth, rate):
    y = depth / (4.0 * parameters[RADIUS])
    if y <= 0.0:
        return 0.0
    if y > LARGEST_DEPTH:  # the tangent; dy/ds = -ln s - 2
        return parameters[FORCE_SCALE] * (LARGEST + (y - LARGEST_DEPTH) / (-math.log(LARGEST) - 2.0))
    return parameters[FORCE_SCALE] * load_at(y)


@entry(plain_energy)
def line_energy(parameters, depth):
    y = depth / (4.0 * parameters[RADIUS])
    if y <= 0.0:
        return 0.0
    s = LARGEST if y > LARGEST_DEPTH else load_at(y)
    energy = -s * s * (0.5 * math.log(s) + 0.75)  # the integral of s (-ln s - 2) ds
    if y > LARGEST_DEPTH:
        beyond = y - LARGEST_DEPTH
        energy += LARGEST * beyond + 0.5 * beyond * beyond / (-math.log(LARGEST) - 2.0)
    return 4.0 * parameters[RADIUS] * parameters[FORCE_SCALE] * energy


@dataclass(frozen=True)
class HertzLine(ContactLaw):
    """Cylinders with parallel axes: d = P / (pi E*) (ln(4 pi E* R / P) - 1) with the load P = F / length.

    K. L. Johnson, Contact Mechanics (1985), sec. 5.6, in the form of Pereira, Ramalho and Ambrosio, Nonlinear Dyn. 63
    (2011) 681: R = R_a + R_b for cylinders outside of each other, R_a - R_b for a pin in a hole. The approach of
    cylinders depends on the bodies behind the contact; here each is compressed up to its axis.

    The formula has no answer beyond P = 4 pi E* R / e^2. Up to P = 4 pi E* R / 64, d = 0.197 R, where the half-width of
    the contact is half of R and Hertz's theory is no longer good, it is used; beyond, its tangent.

    Parameters
    ----------
    modulus : E* in Pa, 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
    radius : R in m
    length : of the contact along the axes, m
    """

    modulus: float
    radius: float
    length: float

    force = line_force
    energy = line_energy

    def __post_init__(self) -> None:
        checked_number(self.modulus, "modulus", "Pa")
        checked_number(self.radius, "radius", "m")
        checked_number(self.length, "length", "m")

    @classmethod
    def from_materials(cls, radius: ArrayLike, length: float, material_a: Material, material_b: Material) -> HertzLine:
        """The law of two cylinders.

        ``radius`` in m: of a cylinder on a plane, or the pair of radii of two cylinders; that of a hole is negative.
        """
        radii = np.atleast_1d(np.asarray(radius, dtype=float))
        total = float(radii.sum()) if radii.min() > 0.0 else float(abs(radii.sum()))
        hole = radii.size == 2 and radii.min() < 0.0 < radii.max() and abs(radii.min()) > radii.max()
        if radii.size > 2 or not (np.all(radii > 0.0) or hole) or not np.isfinite(total):
            raise MechanismError(
                f"contact law: radius {radius!r} m must be one or two positive numbers, or one of a pin and the larger "
                "one of its hole, negative"
            )
        compliance = compliance_of(material_a, material_b)
        return cls(1.0 / compliance, total, length)

    def parameters(self) -> tuple[float, ...]:
        return 4.0 * math.pi * self.modulus * self.radius * self.length, float(self.radius)
