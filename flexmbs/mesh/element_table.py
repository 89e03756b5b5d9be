"""The one table of element kinds: what each is, and the shapes that they have: corners, edges, faces, and polynomials on them.

To add a kind, add its row here, its names in ``element_names`` and its formulation in ``fem``; no reader changes
(docs/architecture.md). Nodes are in VTK order.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class ElementRow:
    """One kind.

    Gauss points are for mass properties: exact for position times position times Jacobian (degree 4 in each direction of
    hexahedra and wedges of first order, 9 of those with curved sides; 2 and 7 in tetrahedra). Areas of warped surfaces
    are no polynomials.
    """

    kind: str  # begins with its shape, or with "beam", "truss", "spring"
    shape: Shape | None = None  # None: springs, which have only nodes
    monomials: Powers = ()  # powers that span the shape functions
    gauss_points: int = 0  # in each direction
    first_order: str = ""  # the kind that the corners alone make; empty for first-order kinds
    inner: Powers = ()  # natural coordinates of nodes inside, after those of the edges
    locking: float | None = None  # c of sqrt(1 + c (L / h)^2), the frequency of bending over the exact one (``locking.py``)
    waves: float | None = None  # c of 1 + c (L / wave length)^2, for kinds that do not lock


ELEMENTS = (
    ElementRow("spring1"),  # to ground
    ElementRow("spring2"),
    ElementRow("truss2", LINE, LINE2, gauss_points=3),
    ElementRow("truss3", LINE, LINE3, gauss_points=5, first_order="truss2"),
    ElementRow("beam2", LINE, LINE2, gauss_points=3),
    ElementRow("beam3", LINE, LINE3, gauss_points=5, first_order="beam2"),
    ElementRow("tri3", TRI, TRI3, gauss_points=2),
    ElementRow("tri6", TRI, TRI6, gauss_points=5, first_order="tri3"),
    ElementRow("quad4", QUAD, QUAD4, gauss_points=3),
    ElementRow("quad8", QUAD, QUAD8, gauss_points=4, first_order="quad4"),
    ElementRow("quad9", QUAD, QUAD9, gauss_points=4, first_order="quad4", inner=((0, 0),)),
    ElementRow("tet4", TET, TET4, gauss_points=3, locking=1.2),
    ElementRow("tet10", TET, TET10, gauss_points=5, first_order="tet4", waves=1.15),
    # Pyramids have no polynomial shape functions in their own coordinates (``quadrature.py``).
    ElementRow("pyramid5", PYRAMID, PYRAMID5, gauss_points=3, locking=0.8),
    ElementRow("pyramid13", PYRAMID, PYRAMID13, gauss_points=5, first_order="pyramid5", waves=1.15),
    ElementRow("wedge6", WEDGE, WEDGE6, gauss_points=3),
    ElementRow("wedge15", WEDGE, WEDGE15, gauss_points=5, first_order="wedge6", waves=1.15),
    ElementRow("hex8", HEX, HEX8, gauss_points=3, waves=2.8),
    ElementRow("hex20", HEX, HEX20, gauss_points=5, first_order="hex8", waves=1.15),
)
