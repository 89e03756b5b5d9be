"""The shapes of elements: corners, edges and faces, and the polynomials on them, in VTK node order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Rings = tuple[tuple[int, ...], ...]
Powers = tuple[tuple[int, ...], ...]
"""Powers of the natural coordinates; the monomials span the shape functions of a kind."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape on its reference domain.

    Attributes
    ----------
    corners : (n, dimension) natural coordinates
    edges, faces : pairs and rings of corners; faces of solids point outward
    mirrored : the corners of the same element in the opposite orientation
    sample_points : (m, 3) where the Jacobian of a solid is checked; None for pyramids, surfaces and lines
    middles : (edges, dimension) midside nodes where they are not halfway between the corners; None: they are
    """

    name: str
    corners: np.ndarray
    edges: Rings
    faces: Rings
    mirrored: tuple[int, ...]
    sample_points: np.ndarray | None = None
    middles: np.ndarray | None = None

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
# Serendipity spaces: (bi- or tri-)linear monomials times at most one squared factor.
QUAD8: Powers = tuple((i, j) for i in range(3) for j in range(3) if (i == 2) + (j == 2) <= 1)
HEX8: Powers = tuple((i, j, k) for i in range(2) for j in range(2) for k in range(2))
HEX20: Powers = tuple((i, j, k) for i in range(3) for j in range(3) for k in range(3) if (i == 2) + (j == 2) + (k == 2) <= 1)
