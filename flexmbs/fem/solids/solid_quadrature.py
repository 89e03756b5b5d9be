"""Quadrature of the solid elements on their reference domains."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from flexmbs.mesh import gauss_points as gauss


@dataclass(frozen=True, eq=False)
class Rule:
    """Quadrature points (g, 3) and weights (g,) on the reference element."""

    points: np.ndarray
    weights: np.ndarray


def rules(kind: str) -> dict[str, Rule]:
    """Quadrature of a kind: stiffness and mass, each for straight and for curved sides, and the stress points."""
    family = kind.rstrip("0123456789")
    by_family = {"tet": _tetrahedron_rules, "pyramid": _pyramid_rules, "wedge": _wedge_rules, "hex": _brick_rules}
    names = ("stiffness_rule", "curved_stiffness_rule", "mass_rule", "curved_mass_rule", "stress_rule")
    return dict(zip(names, by_family[family](kind), strict=True))


def reduced_brick_rule() -> Rule:
    """2x2x2 points."""
    return _gauss_cube(2)


def _tetrahedron_rules(kind: str) -> tuple[Rule, ...]:
    center, four = Rule(np.full((1, 3), 0.25), np.array([1.0 / 6.0])), _four_points()
    if kind == "tet4":
        return center, center, four, four, center
    # Stiffness: exact with straight sides. With curved ones 4 points (as in CalculiX) err less than 14: a quarter ring
    # bends and spins with 1 to 26 % smaller errors (docs/theory.md).
    # Mass: products of two shape functions have degree 4; times the Jacobian of curved sides degree 7.
    return four, four, _fourteen_points(), Rule(*gauss.simplex(5, 3)), four


def _pyramid_rules(kind: str) -> tuple[Rule, ...]:
    # In the collapsed coordinates everything is a polynomial. Across the pyramid the gradients have degree 1 (5 nodes)
    # or 2, the shape functions as well, the Jacobian 1 (5 with curved sides); along it 0 or 1, 1 or 2, and 2 (5).
    stress = _pyramid(2)
    if kind == "pyramid5":
        return stress, stress, _pyramid(3), _pyramid(3), stress
    return _pyramid(3), _pyramid(4), _pyramid(4), _pyramid(5), stress


def _wedge_rules(kind: str) -> tuple[Rule, ...]:
    # The fewest points with which the patch test holds and only rigid motions are free of energy, as in Abaqus and
    # CalculiX. Exact integration makes bars stiffer, further from the truth: wedge6 by up to 50 % in bending, wedge15
    # by 0.4 %.
    if kind == "wedge6":
        stiffness, mass = _prism(_one_point(), 2), _prism(_six_points(), 3)
        return stiffness, stiffness, mass, mass, stiffness
    # Also with curved sides, where 9 points err less than 18 (docs/theory.md).
    stiffness = _prism(_three_points(), 3)
    # straight sides, but faces that need not be parallel: the Jacobian adds degree 1 (2 along the prism)
    mass, curved_mass = _prism(gauss.simplex(4, 2), 4), _prism(gauss.simplex(5, 2), 5)
    return stiffness, stiffness, mass, curved_mass, _prism(_three_points(), 2)


def _brick_rules(kind: str) -> tuple[Rule, ...]:
    if kind == "hex8":
        return _gauss_cube(2), _gauss_cube(2), _gauss_cube(3), _gauss_cube(3), _gauss_cube(2)
    # In each coordinate the product of two shape functions has degree 4, the Jacobian 2 (5 with curved sides).
    return _gauss_cube(3), _gauss_cube(3), _gauss_cube(4), _gauss_cube(5), _gauss_cube(2)


def _pyramid(count: int) -> Rule:
    """``count`` points in each direction of [-1, 1]^2 times [-1, 0]."""
    points, weights = gauss.cube(count, 3)
    points[:, 2] = 0.5 * (points[:, 2] - 1.0)
    return Rule(points, 0.5 * weights)


def _gauss_cube(count: int) -> Rule:
    return Rule(*gauss.cube(count, 3))


def _symmetric_tetrahedron(orbits: tuple[tuple[tuple[float, ...], float], ...]) -> Rule:
    """All distinct permutations of barycentric coordinates, with weights that sum to 1 over the volume 1/6."""
    points, weights = [], []
    for barycentric, weight in orbits:
        distinct = sorted({p for p in product(barycentric, repeat=4) if sorted(p) == sorted(barycentric)})
        points += [p[1:] for p in distinct]
        weights += [weight / 6.0] * len(distinct)
    return Rule(np.array(points), np.array(weights))


def _four_points() -> Rule:
    a = (5.0 - np.sqrt(5.0)) / 20.0
    return _symmetric_tetrahedron((((a, a, a, 1 - 3 * a), 0.25),))


def _fourteen_points() -> Rule:
    # degree 5, positive weights: Walkington, Quadrature on simplices of arbitrary dimension, 2000
    a, b, c = 0.31088591926330060980, 0.092735250310891226402, 0.045503704125649649492
    return _symmetric_tetrahedron(
        (
            ((a, a, a, 1 - 3 * a), 0.11268792571801585080),
            ((b, b, b, 1 - 3 * b), 0.073493043116361949544),
            ((c, c, 0.5 - c, 0.5 - c), 0.042546020777081466438),
        )
    )


def _prism(triangle: gauss.Points, count: int) -> Rule:
    return Rule(*gauss.prism(triangle, count))


def _triangle(orbits: tuple[tuple[tuple[float, ...], float], ...]) -> tuple[np.ndarray, np.ndarray]:
    """All distinct permutations of barycentric coordinates, with weights that sum to 1 over the area 1/2."""
    points, weights = [], []
    for barycentric, weight in orbits:
        distinct = sorted({p for p in product(barycentric, repeat=3) if sorted(p) == sorted(barycentric)})
        points += [p[1:] for p in distinct]
        weights += [weight / 2.0] * len(distinct)
    return np.array(points), np.array(weights)


def _six_points() -> tuple[np.ndarray, np.ndarray]:
    # degree 4: Strang and Fix, An Analysis of the Finite Element Method, 1973
    a, b = 0.445948490915964886, 0.091576213509770743
    return _triangle((((a, a, 1 - 2 * a), 0.223381589678011466), ((b, b, 1 - 2 * b), 0.109951743655321868)))


def _three_points() -> tuple[np.ndarray, np.ndarray]:
    return _triangle((((1 / 6, 1 / 6, 2 / 3), 1 / 3),))


def _one_point() -> tuple[np.ndarray, np.ndarray]:
    return np.full((1, 2), 1 / 3), np.array([0.5])
