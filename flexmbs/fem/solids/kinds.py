"""The solid elements that there are: shape functions, integration rules, and the points where stress is taken.

Node order is that of ``element_kinds``. Reference domains are the unit tetrahedron, the cube of side 2, the unit triangle
times [-1, 1], and for pyramids [-1, 1]^2 times [-1, 0].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product

import numpy as np

from flexmbs.mesh import element_kinds as shapes
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.connectivity import ring
from flexmbs.mesh.element_kinds import KINDS, ElementKind, Powers, faces_of, monomial_values, shape_gradients, shape_values

# Nearest to the top of a pyramid, where its Jacobian vanishes (mesh/quadrature.py); its place is then right to rounding.
_PYRAMID_TOP = -1e-14


@dataclass(frozen=True, eq=False)
class Rule:
    """Quadrature points (g, 3) and weights (g,) on the reference element."""

    points: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class SolidKind:
    """The formulation of one kind of solid."""

    kind: str  # a name in ``element_kinds.KINDS``
    stiffness: Rule
    mass: Rule
    stress: Rule  # points where stress is most accurate; weights unused
    stress_powers: Powers  # monomials through the values at these points, for the stress at the nodes
    # with few points, where the file or the user asks for it; None: the kind has no such rule
    reduced_stiffness: Rule | None = None
    # curved_stiffness, curved_mass: for elements whose sides are not straight; None: the same as for straight ones
    curved_stiffness: Rule | None = None
    curved_mass: Rule | None = None
    has_incompatible_modes: bool = False  # the kind can have internal modes (``elements``)

    @cached_property
    def basis(self) -> ElementKind:
        """The kind with the monomials that span its shape functions on the reference domain."""
        return KINDS[self.kind]

    @property
    def nodes(self) -> np.ndarray:
        """(nen, 3) reference coordinates of the nodes."""
        return self.basis.reference_nodes

    @cached_property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        """Local node numbers of each face as a polygon: corner, midside, corner, ..."""
        return tuple(tuple(face[i] for i in ring(name)) for name, face in faces_of(self.kind))

    def values(self, xi: np.ndarray) -> np.ndarray:
        """(g, nen) shape functions at reference points (g, 3)."""
        return shape_values(self.basis, xi)

    def gradients(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3, nen) derivatives by the reference coordinates at (g, 3)."""
        return np.ascontiguousarray(shape_gradients(self.basis, xi).transpose(0, 2, 1))

    def extrapolation(self) -> np.ndarray:
        """(nen, stress points) matrix: values at the stress points to nodes, linear in each coordinate."""
        at_points = monomial_values(self.stress_powers, self.stress.points)
        return monomial_values(self.stress_powers, self.nodes) @ np.linalg.pinv(at_points)

    def inside(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3) reference points moved to the nearest simple place inside the reference domain."""
        corners = self.basis.corner_count
        if corners == 8:
            return np.clip(xi, -1.0, 1.0)
        if corners == 5:
            return np.clip(xi, -1.0, [1.0, 1.0, _PYRAMID_TOP])
        barycentric = 2 if corners == 6 else 3
        clipped = np.maximum(xi[..., :barycentric], 0.0)
        clipped = clipped / np.maximum(clipped.sum(axis=-1, keepdims=True), 1.0)
        return np.concatenate([clipped, np.clip(xi[..., barycentric:], -1.0, 1.0)], axis=-1)


def gauss_pyramid(count: int) -> Rule:
    """``count`` points in each direction of [-1, 1]^2 times [-1, 0]."""
    points, weights = gauss.cube(count, 3)
    points[:, 2] = 0.5 * (points[:, 2] - 1.0)
    return Rule(points, 0.5 * weights)


def gauss_cube(count: int) -> Rule:
    """``count`` points in each direction of [-1, 1]^3."""
    return Rule(*gauss.cube(count, 3))


def _symmetric(orbits: tuple[tuple[tuple[float, ...], float], ...], parts: float) -> tuple[np.ndarray, np.ndarray]:
    """All distinct permutations of barycentric coordinates, with weights that sum to 1 over a simplex of volume 1 / ``parts``."""
    points, weights = [], []
    for barycentric, weight in orbits:
        distinct = sorted({p for p in product(barycentric, repeat=len(barycentric)) if sorted(p) == sorted(barycentric)})
        points += [p[1:] for p in distinct]
        weights += [weight / parts] * len(distinct)
    return np.array(points), np.array(weights)


def tetrahedron_4() -> Rule:
    """Exact to degree 2."""
    a = (5.0 - np.sqrt(5.0)) / 20.0
    return Rule(*_symmetric((((a, a, a, 1 - 3 * a), 0.25),), 6.0))


def tetrahedron_14() -> Rule:
    """Exact to degree 5, positive weights: Walkington, Quadrature on simplices of arbitrary dimension, 2000."""
    a, b, c = 0.31088591926330060980, 0.092735250310891226402, 0.045503704125649649492
    orbits = (
        ((a, a, a, 1 - 3 * a), 0.11268792571801585080),
        ((b, b, b, 1 - 3 * b), 0.073493043116361949544),
        ((c, c, 0.5 - c, 0.5 - c), 0.042546020777081466438),
    )
    return Rule(*_symmetric(orbits, 6.0))


def prism(triangle: gauss.Points, count: int) -> Rule:
    """A rule on the unit triangle times ``count`` Gauss points along [-1, 1]."""
    return Rule(*gauss.prism(triangle, count))


def triangle_6() -> gauss.Points:
    """Exact to degree 4: Strang and Fix, An Analysis of the Finite Element Method, 1973."""
    a, b = 0.445948490915964886, 0.091576213509770743
    return _symmetric((((a, a, 1 - 2 * a), 0.223381589678011466), ((b, b, 1 - 2 * b), 0.109951743655321868)), 2.0)


def triangle_3() -> gauss.Points:
    """Exact to degree 2."""
    return _symmetric((((1 / 6, 1 / 6, 2 / 3), 1 / 3),), 2.0)


def triangle_1() -> gauss.Points:
    """The centre."""
    return np.full((1, 2), 1 / 3), np.array([0.5])


_CENTER = Rule(np.full((1, 3), 0.25), np.array([1.0 / 6.0]))
TET4 = SolidKind("tet4", stiffness=_CENTER, mass=tetrahedron_4(), stress=_CENTER, stress_powers=((0, 0, 0),))

TET10 = SolidKind(
    "tet10",
    # Exact with straight sides. With curved ones 4 points (as in CalculiX) err less than 14: a quarter ring bends and
    # spins with 1 to 26 % smaller errors (docs/theory.md).
    stiffness=tetrahedron_4(),
    # Products of two shape functions have degree 4; times the Jacobian of curved sides degree 7.
    mass=tetrahedron_14(),
    curved_mass=Rule(*gauss.simplex(5, 3)),
    stress=tetrahedron_4(),
    stress_powers=shapes.TET4,
)

# In the collapsed coordinates of ``mesh.quadrature`` everything in a pyramid is a polynomial. Five nodes: across it gradients,
# shape functions and Jacobian have degree 1; along it 0 or 1, 1, and 2. Thirteen: across it gradients and shape functions
# have degree 2, the Jacobian 1 (5 with curved sides); along it 1 or 2, 2, and 2 (5).
PYRAMID5 = SolidKind(
    "pyramid5", stiffness=gauss_pyramid(2), mass=gauss_pyramid(3), stress=gauss_pyramid(2), stress_powers=shapes.PYRAMID5
)

PYRAMID13 = SolidKind(
    "pyramid13",
    stiffness=gauss_pyramid(3),
    curved_stiffness=gauss_pyramid(4),
    mass=gauss_pyramid(4),
    curved_mass=gauss_pyramid(5),
    stress=gauss_pyramid(2),
    stress_powers=shapes.PYRAMID5,
)


_ALONG_AXIS = prism(triangle_1(), 2)
# Wedges: the fewest points with which the patch test holds and only rigid motions are free of energy, as in Abaqus and
# CalculiX. Exact integration makes bars of wedge6 up to 50 %, of wedge15 0.4 % stiffer in bending, further from the truth.
WEDGE6 = SolidKind(
    "wedge6", stiffness=_ALONG_AXIS, mass=prism(triangle_6(), 3), stress=_ALONG_AXIS, stress_powers=((0, 0, 0), (0, 0, 1))
)

WEDGE15 = SolidKind(
    "wedge15",
    # Also with curved sides, where 9 points err less than 18 (docs/theory.md).
    stiffness=prism(triangle_3(), 3),
    # Straight sides, but faces that need not be parallel: the Jacobian adds degree 1 (2 along the prism).
    mass=prism(gauss.simplex(4, 2), 4),
    curved_mass=prism(gauss.simplex(5, 2), 5),
    stress=prism(triangle_3(), 2),
    stress_powers=shapes.WEDGE6,
)

# With or without the internal modes (``elements``).
HEX8 = SolidKind(
    "hex8",
    stiffness=gauss_cube(2),
    mass=gauss_cube(3),
    stress=gauss_cube(2),
    stress_powers=shapes.HEX8,
    has_incompatible_modes=True,
)

# Stiffness from 3x3x3 points, or from 2x2x2.
HEX20 = SolidKind(
    "hex20",
    stiffness=gauss_cube(3),
    # In each coordinate the product of two shape functions has degree 4, the Jacobian 2 (5 with curved sides).
    mass=gauss_cube(4),
    curved_mass=gauss_cube(5),
    stress=gauss_cube(2),
    stress_powers=shapes.HEX8,
    reduced_stiffness=gauss_cube(2),
)

SOLIDS = {element.kind: element for element in (TET4, TET10, PYRAMID5, PYRAMID13, WEDGE6, WEDGE15, HEX8, HEX20)}
SOLID_KINDS = tuple(SOLIDS)


@cache
def solid_kind(kind: str, reduced: bool = False) -> SolidKind:
    """One of ``SOLID_KINDS``; ``reduced``: with the stiffness from few points."""
    found = SOLIDS[kind]
    return replace(found, stiffness=found.reduced_stiffness, curved_stiffness=None) if reduced else found
