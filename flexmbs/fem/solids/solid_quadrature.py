"""Quadrature of solid elements on their reference domains, and what each element chooses of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.element_table import Powers


@dataclass(frozen=True, eq=False)
class Rule:
    """Quadrature points (g, 3) and weights (g,) on the reference element."""

    points: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class SolidElement:
    """The formulation of one kind of solid; ``registry`` holds all of them.

    Attributes
    ----------
    kind : a name in ``element_kinds.KINDS``
    stiffness, mass : Rule
    stress : Rule
        Points where stress is most accurate; weights unused.
    stress_powers : monomials through the values at these points, for the stress at the nodes
    reduced_stiffness : Rule or None
        With few points, where the file or the user asks for it; None: the kind has no such rule
    curved_stiffness, curved_mass : Rule or None
        For elements whose sides are not straight; None: the same as for straight ones
    has_incompatible_modes : the kind can have those of ``incompatible_modes``
    """

    kind: str
    stiffness: Rule
    mass: Rule
    stress: Rule
    stress_powers: Powers
    reduced_stiffness: Rule | None = None
    curved_stiffness: Rule | None = None
    curved_mass: Rule | None = None
    has_incompatible_modes: bool = False


def gauss_pyramid(count: int) -> Rule:
    """``count`` points in each direction of [-1, 1]^2 times [-1, 0]."""
    points, weights = gauss.cube(count, 3)
    points[:, 2] = 0.5 * (points[:, 2] - 1.0)
    return Rule(points, 0.5 * weights)


def gauss_cube(count: int) -> Rule:
    """``count`` points in each direction of [-1, 1]^3."""
    return Rule(*gauss.cube(count, 3))


def _symmetric_tetrahedron(orbits: tuple[tuple[tuple[float, ...], float], ...]) -> Rule:
    """All distinct permutations of barycentric coordinates, with weights that sum to 1 over the volume 1/6."""
    points, weights = [], []
    for barycentric, weight in orbits:
        distinct = sorted({p for p in product(barycentric, repeat=4) if sorted(p) == sorted(barycentric)})
        points += [p[1:] for p in distinct]
        weights += [weight / 6.0] * len(distinct)
    return Rule(np.array(points), np.array(weights))


def tetrahedron_4() -> Rule:
    """Exact to degree 2."""
    a = (5.0 - np.sqrt(5.0)) / 20.0
    return _symmetric_tetrahedron((((a, a, a, 1 - 3 * a), 0.25),))


def tetrahedron_14() -> Rule:
    """Exact to degree 5, positive weights: Walkington, Quadrature on simplices of arbitrary dimension, 2000."""
    a, b, c = 0.31088591926330060980, 0.092735250310891226402, 0.045503704125649649492
    return _symmetric_tetrahedron(
        (
            ((a, a, a, 1 - 3 * a), 0.11268792571801585080),
            ((b, b, b, 1 - 3 * b), 0.073493043116361949544),
            ((c, c, 0.5 - c, 0.5 - c), 0.042546020777081466438),
        )
    )


def prism(triangle: gauss.Points, count: int) -> Rule:
    """A rule on the unit triangle times ``count`` Gauss points along [-1, 1]."""
    return Rule(*gauss.prism(triangle, count))


def _triangle(orbits: tuple[tuple[tuple[float, ...], float], ...]) -> tuple[np.ndarray, np.ndarray]:
    """All distinct permutations of barycentric coordinates, with weights that sum to 1 over the area 1/2."""
    points, weights = [], []
    for barycentric, weight in orbits:
        distinct = sorted({p for p in product(barycentric, repeat=3) if sorted(p) == sorted(barycentric)})
        points += [p[1:] for p in distinct]
        weights += [weight / 2.0] * len(distinct)
    return np.array(points), np.array(weights)


def triangle_6() -> gauss.Points:
    """Exact to degree 4: Strang and Fix, An Analysis of the Finite Element Method, 1973."""
    a, b = 0.445948490915964886, 0.091576213509770743
    return _triangle((((a, a, 1 - 2 * a), 0.223381589678011466), ((b, b, 1 - 2 * b), 0.109951743655321868)))


def triangle_3() -> gauss.Points:
    """Exact to degree 2."""
    return _triangle((((1 / 6, 1 / 6, 2 / 3), 1 / 3),))


def triangle_1() -> gauss.Points:
    """The centre."""
    return np.full((1, 2), 1 / 3), np.array([0.5])
