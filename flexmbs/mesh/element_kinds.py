"""The element kinds that a mesh can hold: shape (corners, edges, faces), nodes and polynomials of each, in VTK node order.

To add a kind, add its row here, its names in ``element_names`` and its formulation in ``fem``; no reader changes
(docs/architecture.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

Rings = tuple[tuple[int, ...], ...]
Powers = tuple[tuple[int, ...], ...]
"""Powers of the natural coordinates; the monomials span the shape functions of a kind."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape on its reference domain."""

    name: str
    corners: np.ndarray  # (n, dimension) natural coordinates
    edges: Rings  # pairs of corners
    faces: Rings  # rings of corners; faces of solids point outward
    mirrored: tuple[int, ...]  # the corners of the same element in the opposite orientation
    sample_points: np.ndarray | None = None  # (m, 3) where the Jacobian of a solid is checked; None: pyramids, surfaces, lines
    middles: np.ndarray | None = None  # (edges, dimension) midside nodes where they are not halfway between the corners

    @property
    def dimension(self) -> int:
        return self.corners.shape[1]

    def nodes(self, second_order: bool, inner: Powers = ()) -> np.ndarray:
        """(n, dimension) corners, midside nodes of second-order kinds, and nodes inside."""
        middles = np.array([self.corners[list(pair)].mean(axis=0) for pair in self.edges])
        middles = middles if self.middles is None else self.middles
        return np.vstack([self.corners, *([middles] if second_order else []), *np.array(inner, float)[:, None]])


_A, _B = 0.5854101966249685, 0.1381966011250105  # the 4-point rule of degree 2 on the tetrahedron
_G = 1.0 / np.sqrt(3.0)

POINT = Shape("point", np.zeros((1, 0)), (), (), (0,))
LINE = Shape("line", np.array([[-1.0], [1.0]]), ((0, 1),), (), (1, 0))
TRI = Shape("tri", np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]), ((0, 1), (1, 2), (2, 0)), ((0, 1, 2),), (0, 2, 1))
QUAD = Shape(
    "quad",
    np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
    ((0, 1), (1, 2), (2, 3), (3, 0)),
    ((0, 1, 2, 3),),
    (0, 3, 2, 1),
)
TET = Shape(
    "tet",
    np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]),
    ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
    (0, 2, 1, 3),
    np.array([(_B, _B, _B), (_A, _B, _B), (_B, _A, _B), (_B, _B, _A)]),
)
# On the cube [-1, 1]^2 times [-1, 0] whose top is one point (``quadrature.py``).
PYRAMID = Shape(
    "pyramid",
    np.array([(-1.0, -1.0, -1.0), (1.0, -1.0, -1.0), (1.0, 1.0, -1.0), (-1.0, 1.0, -1.0), (0.0, 0.0, 0.0)]),
    ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)),
    ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
    (0, 3, 2, 1, 4),
    middles=np.array(
        [
            *((0.0, -1.0, -1.0), (1.0, 0.0, -1.0), (0.0, 1.0, -1.0), (-1.0, 0.0, -1.0)),
            *((-1.0, -1.0, -0.5), (1.0, -1.0, -0.5), (1.0, 1.0, -0.5), (-1.0, 1.0, -0.5)),
        ]
    ),
)
WEDGE = Shape(
    "wedge",
    np.array([(*corner, t) for t in (-1.0, 1.0) for corner in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))]),
    ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)),
    ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    (0, 2, 1, 3, 5, 4),
    np.array([(r, s, t) for t in (-_G, _G) for r, s in ((1 / 6, 1 / 6), (2 / 3, 1 / 6), (1 / 6, 2 / 3))]),
)
_HEX_CORNERS = np.array([(*corner, t) for t in (-1.0, 1.0) for corner in QUAD.corners])
HEX = Shape(
    "hex",
    _HEX_CORNERS,
    ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)),
    ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    (0, 3, 2, 1, 4, 7, 6, 5),
    _G * _HEX_CORNERS,
)

# Powers that span the shape functions of the usual kinds.
LINE2: Powers = ((0,), (1,))
LINE3: Powers = (*LINE2, (2,))
TRI3: Powers = ((0, 0), (1, 0), (0, 1))
TRI6: Powers = (*TRI3, (2, 0), (1, 1), (0, 2))
TET4: Powers = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
TET10: Powers = (*TET4, (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1), (1, 0, 1))
PYRAMID5: Powers = ((0, 0, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1))
PYRAMID13: Powers = (*PYRAMID5, *((i, j, 2) for i in range(3) for j in range(3) if i + j < 4))
WEDGE6: Powers = tuple((*ij, k) for k in range(2) for ij in TRI3)
# The serendipity wedge: quadratic in the triangle times linear, and linear in the triangle times the square.
WEDGE15: Powers = (*((*ij, k) for k in range(2) for ij in TRI6), *((*ij, 2) for ij in TRI3))
QUAD4: Powers = tuple((i, j) for i in range(2) for j in range(2))
QUAD9: Powers = tuple((i, j) for i in range(3) for j in range(3))
# Serendipity spaces: (bi- or tri-)linear monomials times at most one squared factor.
QUAD8: Powers = tuple((i, j) for i in range(3) for j in range(3) if (i == 2) + (j == 2) <= 1)
HEX8: Powers = tuple((i, j, k) for i in range(2) for j in range(2) for k in range(2))
HEX20: Powers = tuple((i, j, k) for i in range(3) for j in range(3) for k in range(3) if (i == 2) + (j == 2) + (k == 2) <= 1)


@dataclass(frozen=True, eq=False)
class ElementKind:
    """One kind of element: corners come first, then one node on each edge (second-order kinds), then nodes inside.

    Gauss points are for mass properties: exact for position times position times Jacobian (degree 4 in each direction of
    hexahedra and wedges of first order, 9 of those with curved sides; 2 and 7 in tetrahedra). Areas of warped surfaces
    are no polynomials.
    """

    name: str  # begins with its shape, or with "beam", "truss", "spring"
    shape: Shape
    monomials: Powers = ()  # powers that span the shape functions; springs have none
    gauss_points: int = 0  # in each direction
    first_order: str = ""  # the kind that the corners alone make; empty for first-order kinds
    inner: Powers = ()  # natural coordinates of nodes inside
    locking: float | None = None  # c of sqrt(1 + c (L / h)^2), the frequency of bending over the exact one (``locking.py``)
    waves: float | None = None  # c of 1 + c (L / wave length)^2, for kinds that do not lock

    @cached_property
    def reference_nodes(self) -> np.ndarray:
        """(n, dimension) natural coordinates of the nodes."""
        return self.shape.nodes(bool(self.first_order), self.inner)

    # Cached, as they are asked for often.
    node_count = cached_property(lambda self: len(self.reference_nodes))
    dimension = cached_property(lambda self: self.shape.dimension)  # 3 solids, 2 shells, 1 lines, 0 springs to ground
    corner_count = cached_property(lambda self: len(self.shape.corners))
    edges = cached_property(lambda self: self.shape.edges)
    faces = cached_property(lambda self: self.shape.faces)
    sample_points = cached_property(lambda self: self.shape.sample_points)
    inner_count = cached_property(lambda self: len(self.inner))

    @cached_property
    def is_beam(self) -> bool:
        """Whether the element needs a beam section."""
        return self.name.startswith("beam")

    @cached_property
    def has_middle_nodes(self) -> bool:
        """Whether there is a node on each edge."""
        return self.node_count - self.inner_count > self.corner_count


_KINDS = (
    ElementKind("spring1", POINT),  # to ground
    ElementKind("spring2", LINE),
    ElementKind("truss2", LINE, LINE2, gauss_points=3),
    ElementKind("truss3", LINE, LINE3, gauss_points=5, first_order="truss2"),
    ElementKind("beam2", LINE, LINE2, gauss_points=3),
    ElementKind("beam3", LINE, LINE3, gauss_points=5, first_order="beam2"),
    ElementKind("tri3", TRI, TRI3, gauss_points=2),
    ElementKind("tri6", TRI, TRI6, gauss_points=5, first_order="tri3"),
    ElementKind("quad4", QUAD, QUAD4, gauss_points=3),
    ElementKind("quad8", QUAD, QUAD8, gauss_points=4, first_order="quad4"),
    ElementKind("quad9", QUAD, QUAD9, gauss_points=4, first_order="quad4", inner=((0, 0),)),
    ElementKind("tet4", TET, TET4, gauss_points=3, locking=1.2),
    ElementKind("tet10", TET, TET10, gauss_points=5, first_order="tet4", waves=1.15),
    # Pyramids have no polynomial shape functions in their own coordinates (``quadrature.py``).
    ElementKind("pyramid5", PYRAMID, PYRAMID5, gauss_points=3, locking=0.8),
    ElementKind("pyramid13", PYRAMID, PYRAMID13, gauss_points=5, first_order="pyramid5", waves=1.15),
    ElementKind("wedge6", WEDGE, WEDGE6, gauss_points=3),
    ElementKind("wedge15", WEDGE, WEDGE15, gauss_points=5, first_order="wedge6", waves=1.15),
    ElementKind("hex8", HEX, HEX8, gauss_points=3, waves=2.8),
    ElementKind("hex20", HEX, HEX20, gauss_points=5, first_order="hex8", waves=1.15),
)
KINDS: dict[str, ElementKind] = {kind.name: kind for kind in _KINDS}

# First-order kind of each second-order one.
FIRST_ORDER = {kind.name: kind.first_order for kind in _KINDS if kind.first_order}


def kind_without_inner_nodes(kind: str) -> str:
    """The kind with the corners and the midside nodes alone (of "quad9": "quad8")."""
    known = KINDS[kind]
    return f"{kind.rstrip('0123456789')}{known.node_count - known.inner_count}" if known.inner_count else kind


def is_solid(kind: str) -> bool:
    """Whether elements of this kind are solids."""
    return KINDS[kind].dimension == 3


def is_shell(kind: str) -> bool:
    """Whether elements of this kind are surfaces with a thickness."""
    return KINDS[kind].dimension == 2


def faces_of(kind: str) -> list[tuple[str, tuple[int, ...]]]:
    """Faces of a solid (or the one of a shell): kind of face and its nodes in the element, second-order ones too."""
    return [face_of(kind, ring) for ring in KINDS[kind].faces]


def face_of(kind: str, ring: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """The face (or edge) of an element with these corners in turn: its kind and its nodes, second-order ones too.

    The face of a shell has the nodes inside it too.
    """
    known = KINDS[kind]
    middles: tuple[int, ...] = ()
    if known.has_middle_nodes:
        edge_of = {frozenset(edge): known.corner_count + i for i, edge in enumerate(known.edges)}
        pairs = zip(ring, (*ring[1:], ring[0]), strict=True) if len(ring) > 2 else [ring]
        middles = tuple(edge_of[frozenset(pair)] for pair in pairs)
    inner = range(known.node_count - known.inner_count, known.node_count) if 2 < len(ring) == known.corner_count else ()
    nodes = (*ring, *middles, *inner)
    return {2: "line", 3: "tri", 4: "quad"}[len(ring)] + str(len(nodes)), nodes


def shape_values(kind: ElementKind, at: np.ndarray) -> np.ndarray:
    """Shape functions (m, n) at natural coordinates ``at`` (m, dimension)."""
    return monomial_values(kind.monomials, at) @ _from_monomials(kind)


def shape_gradients(kind: ElementKind, at: np.ndarray) -> np.ndarray:
    """Gradients (m, n, dimension) of the shape functions at natural coordinates ``at`` (m, dimension), with respect to these.

    The shape functions are the nodal basis of the span of the kind's monomials, so one solve with their values
    at the nodes gives every kind its gradients.
    """
    powers, to_nodes = np.array(kind.monomials), _from_monomials(kind)
    gradients = []
    for axis in range(powers.shape[1]):
        lowered = powers.copy()
        lowered[:, axis] = np.maximum(powers[:, axis] - 1, 0)
        gradients.append(monomial_values(lowered, at) * powers[:, axis] @ to_nodes)
    return np.stack(gradients, axis=2)


def monomial_values(powers, at: np.ndarray) -> np.ndarray:
    """(m, n) values of monomials, ``powers`` (n, dimension), at natural coordinates ``at`` (m, dimension)."""
    return np.prod(np.asarray(at, float)[:, None, :] ** np.array(powers), axis=2)


def _from_monomials(kind: ElementKind) -> np.ndarray:
    return np.linalg.inv(monomial_values(kind.monomials, kind.reference_nodes))


def jacobian_determinants(kind: ElementKind, corners: np.ndarray, at: np.ndarray | None = None) -> np.ndarray:
    """(ne, m) det dx/dxi (m3 per unit of natural volume) of solids with nodes at ``corners`` (ne, n, 3), m.

    ``at``: natural coordinates (m, 3); None: the sample points of the kind.
    """
    gradients = shape_gradients(kind, kind.sample_points if at is None else at).transpose(2, 0, 1)  # (3, samples, n)
    return triple_product(*(np.moveaxis(along @ corners, -1, 0) for along in gradients))


def triple_product(a: Sequence[np.ndarray], b: Sequence[np.ndarray], c: Sequence[np.ndarray]) -> np.ndarray:
    """a . (b x c) of vectors by their components; by hand, as LAPACK and np.cross take several times as long."""
    product = a[0] * (b[1] * c[2] - b[2] * c[1])
    product += a[1] * (b[2] * c[0] - b[0] * c[2])
    product += a[2] * (b[0] * c[1] - b[1] * c[0])
    return product
