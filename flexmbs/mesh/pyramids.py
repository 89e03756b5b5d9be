"""Shape functions of pyramids, as polynomials on a cube whose top is one point.

A point of the pyramid |x|, |y| <= t = 1 - z has the coordinates (x / t, y / t, -t) in [-1, 1]^2 times [-1, 0]. In them
the rational shape functions (G. Bedrosian, IJNME 35, 1992) are polynomials; they contain every linear (13 nodes:
quadratic) function of x, y, z and join all other solids.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from flexmbs.mesh.element_kinds import KINDS, ElementKind


@cache
def with_polynomials(kind: str) -> ElementKind:
    """The kind with nodes and monomials on its reference domain; for pyramids the cube above.

    Parameters
    ----------
    kind : a name in ``element_kinds.KINDS``
    """
    known = KINDS[kind]
    if known.collapsed is None:
        return known
    nodes, monomials = known.collapsed
    return replace(known, reference_nodes=nodes, monomials=monomials)
