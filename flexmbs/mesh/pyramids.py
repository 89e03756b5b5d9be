"""Shape functions of pyramids, as polynomials on a cube whose top is one point.

A point of the pyramid |x|, |y| <= t = 1 - z has the coordinates (x / t, y / t, -t) in [-1, 1]^2 times [-1, 0]. In them
the rational shape functions (G. Bedrosian, IJNME 35, 1992) are polynomials; they contain every linear (13 nodes:
quadratic) function of x, y, z and join all other solids.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, ElementKind

_FIRST_ORDER = ((0, 0, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1))
_SECOND_ORDER = (*_FIRST_ORDER, *((i, j, 2) for i in range(3) for j in range(3) if i + j < 4))
_CORNERS = ((-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (0, 0, 0))
_BASE_MIDDLES = ((0, -1, -1), (1, 0, -1), (0, 1, -1), (-1, 0, -1))
_SIDE_MIDDLES = ((-1, -1, -0.5), (1, -1, -0.5), (1, 1, -0.5), (-1, 1, -0.5))


def is_pyramid(kind: str) -> bool:
    """Whether elements of this kind are pyramids."""
    return kind.startswith("pyramid")


@cache
def with_polynomials(kind: str) -> ElementKind:
    """The kind with nodes and monomials on its reference domain; for pyramids the cube above.

    Parameters
    ----------
    kind : a name in ``element_kinds.KINDS``
    """
    known = KINDS[kind]
    if not is_pyramid(kind):
        return known
    middles = (*_BASE_MIDDLES, *_SIDE_MIDDLES) if kind == "pyramid13" else ()
    nodes = np.array([*_CORNERS, *middles], float)
    return replace(known, reference_nodes=nodes, monomials=_SECOND_ORDER if middles else _FIRST_ORDER)
