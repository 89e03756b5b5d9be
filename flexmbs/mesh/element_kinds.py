"""The element kinds that a mesh can hold: node count, dimension and the reference element of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_HEX_CORNERS = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
_HEX_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
_TET_CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
_TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]


def _with_edge_middles(corners, edges) -> np.ndarray:
    corners = np.array(corners, float)
    return np.vstack([corners, [(corners[i] + corners[j]) / 2.0 for i, j in edges]])


@dataclass(frozen=True)
class ElementKind:
    """One kind of element; ``reference_nodes`` (n, 3) are its nodes in natural coordinates, VTK order."""

    name: str
    node_count: int
    is_beam: bool
    reference_nodes: np.ndarray | None = None
    monomials: tuple[tuple[int, int, int], ...] = ()
    sample_points: np.ndarray | None = None


_TET10_MONOMIALS = (
    (0, 0, 0),
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (2, 0, 0),
    (0, 2, 0),
    (0, 0, 2),
    (1, 1, 0),
    (0, 1, 1),
    (1, 0, 1),
)
_HEX8_MONOMIALS = tuple((i, j, k) for i in range(2) for j in range(2) for k in range(2))
# Serendipity space: trilinear monomials times at most one squared factor.
_HEX20_MONOMIALS = tuple(
    (i, j, k) for i in range(3) for j in range(3) for k in range(3) if (i == 2) + (j == 2) + (k == 2) <= 1
)
_A, _B = 0.5854101966249685, 0.1381966011250105  # the 4-point rule of degree 2 on the tetrahedron
_TET_SAMPLES = np.array([(_B, _B, _B), (_A, _B, _B), (_B, _A, _B), (_B, _B, _A)])
_HEX_SAMPLES = np.array(_HEX_CORNERS) / np.sqrt(3.0)

KINDS: dict[str, ElementKind] = {
    kind.name: kind
    for kind in (
        ElementKind("beam2", 2, True),
        ElementKind("tet4", 4, False, np.array(_TET_CORNERS, float), _TET10_MONOMIALS[:4], _TET_SAMPLES),
        ElementKind("tet10", 10, False, _with_edge_middles(_TET_CORNERS, _TET_EDGES), _TET10_MONOMIALS, _TET_SAMPLES),
        ElementKind("hex8", 8, False, np.array(_HEX_CORNERS, float), _HEX8_MONOMIALS, _HEX_SAMPLES),
        ElementKind("hex20", 20, False, _with_edge_middles(_HEX_CORNERS, _HEX_EDGES), _HEX20_MONOMIALS, _HEX_SAMPLES),
    )
}


def shape_gradients(kind: ElementKind, at: np.ndarray) -> np.ndarray:
    """Gradients of the shape functions of a solid kind, natural coordinates.

    The shape functions are the nodal basis of the span of the kind's monomials, so one solve with their values
    at the nodes gives every kind its gradients.

    Parameters
    ----------
    at : (m, 3) natural coordinates

    Returns
    -------
    (m, n, 3)
    """
    powers = np.array(kind.monomials)
    values_at_nodes = np.prod(kind.reference_nodes[:, None, :] ** powers, axis=2)
    gradients = np.empty((len(at), len(powers), 3))
    for axis in range(3):
        lowered = powers.copy()
        lowered[:, axis] = np.maximum(powers[:, axis] - 1, 0)
        gradients[:, :, axis] = powers[:, axis] * np.prod(at[:, None, :] ** lowered, axis=2)
    return np.einsum("mpi,pn->mni", gradients, np.linalg.inv(values_at_nodes))


def jacobian_determinants(kind: ElementKind, corners: np.ndarray) -> np.ndarray:
    """det dx/dxi (m3 per unit of natural volume) at the kind's sample points.

    Parameters
    ----------
    corners : (ne, n, 3) node coordinates, m

    Returns
    -------
    (ne, number of sample points)
    """
    gradients = shape_gradients(kind, kind.sample_points)
    return np.linalg.det(np.einsum("eni,snj->esij", corners, gradients))
