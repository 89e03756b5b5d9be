"""Linear elastic materials as a mesh file states them, in SI units."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Damping:
    """Damping that a file gives to a material.

    Attributes
    ----------
    alpha : float, 1/s
        Mass-proportional part of C = alpha M + beta K.
    beta : float, s
        Stiffness-proportional part.
    structural : float, -
        Loss factor g of the complex stiffness (1 + i g) K.
    """

    alpha: float = 0.0
    beta: float = 0.0
    structural: float = 0.0


@dataclass(frozen=True)
class Material:
    """Isotropic linear elastic material.

    Attributes
    ----------
    youngs_modulus : float, Pa
    poisson_ratio : float
    density : float or None, kg/m3 (None: the file gave none)
    damping : Damping or None
    where : str
        File and line of its card, for messages.
    """

    name: str
    youngs_modulus: float
    poisson_ratio: float
    density: float | None = None
    damping: Damping | None = None
    where: str = field(default="", compare=False)

    @property
    def shear_modulus(self) -> float:
        """G = E / (2 (1 + nu)), Pa."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))


@dataclass(frozen=True)
class OrthotropicMaterial:
    """Orthotropic linear elastic material by its engineering constants in its own axes 1, 2, 3.

    ``nu12`` is minus the strain along 2 over the strain along 1 under stress along 1: nu12 / E1 = nu21 / E2.
    ``E3``, ``nu13`` and ``nu23`` are None for a material that is stated for plane stress (layers of shells) only.

    Attributes
    ----------
    E1, E2, E3 : float, Pa
    nu12, nu13, nu23 : float
    G12, G13, G23 : float, Pa
    density : float or None, kg/m3
    """

    name: str
    E1: float
    E2: float
    E3: float | None
    nu12: float
    nu13: float | None
    nu23: float | None
    G12: float
    G13: float
    G23: float
    density: float | None = None
    damping: Damping | None = None
    where: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class AnisotropicMaterial:
    """Linear elastic material by its stiffness matrix.

    Attributes
    ----------
    stiffness : (6, 6) float, Pa
        sigma = stiffness @ epsilon with the order 11, 22, 33, 12, 23, 13 and engineering shear strains; a file with
        another order is brought to this one.
    density : float or None, kg/m3
    """

    name: str
    stiffness: np.ndarray
    density: float | None = None
    damping: Damping | None = None
    where: str = ""


@dataclass(frozen=True)
class UnusableMaterial:
    """A material of the file without linear elasticity that flexmbs can use (none given, or fluid, rubber, ...).

    Elements that have it are read; computing with them raises a MeshError with ``reason``.
    """

    name: str
    reason: str
    density: float | None = None
    where: str = field(default="", compare=False)


AnyMaterial = Material | OrthotropicMaterial | AnisotropicMaterial | UnusableMaterial
