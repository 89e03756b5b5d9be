"""The element kinds that a mesh can hold: dimension, nodes, edges and faces of each, in VTK node order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_TET_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
_TET_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
_PYRAMID_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4))
_PYRAMID_FACES = ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))
_WEDGE_EDGES = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5))
_WEDGE_FACES = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
_HEX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
_HEX_FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
_TRI_EDGES = ((0, 1), (1, 2), (2, 0))
_QUAD_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))
_LINE_EDGES = ((0, 1),)

_HEX_CORNERS = ((-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1))
_TET_CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
_WEDGE_CORNERS = ((0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1))
_TRI_CORNERS = ((0, 0), (1, 0), (0, 1))
_QUAD_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
_LINE_CORNERS = ((-1,), (1,))

# Powers of the natural coordinates that span the shape functions.
_TRI3 = ((0, 0), (1, 0), (0, 1))
_TRI6 = (*_TRI3, (2, 0), (1, 1), (0, 2))
_TET4 = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
_TET10 = (*_TET4, (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1), (1, 0, 1))
_WEDGE6 = tuple((*ij, k) for k in range(2) for ij in _TRI3)
# The serendipity wedge: quadratic in the triangle times linear, and linear in the triangle times the square.
_WEDGE15 = (*((*ij, k) for k in range(2) for ij in _TRI6), *((*ij, 2) for ij in _TRI3))
_QUAD4 = tuple((i, j) for i in range(2) for j in range(2))
# Serendipity spaces: (bi- or tri-)linear monomials times at most one squared factor.
_QUAD8 = tuple((i, j) for i in range(3) for j in range(3) if (i == 2) + (j == 2) <= 1)
_HEX8 = tuple((i, j, k) for i in range(2) for j in range(2) for k in range(2))
_HEX20 = tuple((i, j, k) for i in range(3) for j in range(3) for k in range(3) if (i == 2) + (j == 2) + (k == 2) <= 1)

_A, _B = 0.5854101966249685, 0.1381966011250105  # the 4-point rule of degree 2 on the tetrahedron
_G = 1.0 / np.sqrt(3.0)
_TET_SAMPLES = np.array([(_B, _B, _B), (_A, _B, _B), (_B, _A, _B), (_B, _B, _A)])
_HEX_SAMPLES = _G * np.array(_HEX_CORNERS)
_WEDGE_SAMPLES = np.array([(r, s, t) for t in (-_G, _G) for r, s in ((1 / 6, 1 / 6), (2 / 3, 1 / 6), (1 / 6, 2 / 3))])


@dataclass(frozen=True)
class ElementKind:
    """One kind of element.

    Attributes
    ----------
    dimension : int
        Of the reference element: 3 solids, 2 shells, 1 beams, trusses and springs between two nodes, 0 points.
    corner_count : int
        Corners come first, then one node on each edge in the order of ``edges`` (second-order kinds).
    edges, faces : pairs and rings of corners; faces of solids point outward
    is_beam : bool
        The element needs a beam section.
    reference_nodes : (n, dimension) natural coordinates of the nodes
    monomials : powers that span the shape functions
    sample_points : (m, dimension) where the Jacobian of a solid is checked
    """

    name: str
    dimension: int
    node_count: int
    corner_count: int
    edges: tuple = ()
    faces: tuple = ()
    is_beam: bool = False
    reference_nodes: np.ndarray | None = None
    monomials: tuple[tuple[int, ...], ...] = ()
    sample_points: np.ndarray | None = None


def _nodes(corners, edges=()) -> np.ndarray:
    corners = np.array(corners, float)
    return np.vstack([corners, *[(corners[i] + corners[j])[None] / 2.0 for i, j in edges]])


def _kind(name, corners, edges, faces, monomials, samples=None, is_beam=False) -> ElementKind:
    quadratic = len(monomials) > len(corners)
    nodes = _nodes(corners, edges if quadratic else ())
    return ElementKind(
        name, nodes.shape[1], len(nodes), len(corners), edges, faces, is_beam, nodes, tuple(monomials), samples
    )


_LINE2, _LINE3 = ((0,), (1,)), ((0,), (1,), (2,))

KINDS: dict[str, ElementKind] = {
    kind.name: kind
    for kind in (
        ElementKind("spring1", 0, 1, 1),  # to ground
        ElementKind("spring2", 1, 2, 2, _LINE_EDGES),
        _kind("truss2", _LINE_CORNERS, _LINE_EDGES, (), _LINE2),
        _kind("truss3", _LINE_CORNERS, _LINE_EDGES, (), _LINE3),
        _kind("beam2", _LINE_CORNERS, _LINE_EDGES, (), _LINE2, is_beam=True),
        _kind("beam3", _LINE_CORNERS, _LINE_EDGES, (), _LINE3, is_beam=True),
        _kind("tri3", _TRI_CORNERS, _TRI_EDGES, ((0, 1, 2),), _TRI3),
        _kind("tri6", _TRI_CORNERS, _TRI_EDGES, ((0, 1, 2),), _TRI6),
        _kind("quad4", _QUAD_CORNERS, _QUAD_EDGES, ((0, 1, 2, 3),), _QUAD4),
        _kind("quad8", _QUAD_CORNERS, _QUAD_EDGES, ((0, 1, 2, 3),), _QUAD8),
        _kind("tet4", _TET_CORNERS, _TET_EDGES, _TET_FACES, _TET4, _TET_SAMPLES),
        _kind("tet10", _TET_CORNERS, _TET_EDGES, _TET_FACES, _TET10, _TET_SAMPLES),
        # Pyramids have no polynomial shape functions; their volume is that of a hexahedron with its top in one point.
        ElementKind("pyramid5", 3, 5, 5, _PYRAMID_EDGES, _PYRAMID_FACES),
        ElementKind("pyramid13", 3, 13, 5, _PYRAMID_EDGES, _PYRAMID_FACES),
        _kind("wedge6", _WEDGE_CORNERS, _WEDGE_EDGES, _WEDGE_FACES, _WEDGE6, _WEDGE_SAMPLES),
        _kind("wedge15", _WEDGE_CORNERS, _WEDGE_EDGES, _WEDGE_FACES, _WEDGE15, _WEDGE_SAMPLES),
        _kind("hex8", _HEX_CORNERS, _HEX_EDGES, _HEX_FACES, _HEX8, _HEX_SAMPLES),
        _kind("hex20", _HEX_CORNERS, _HEX_EDGES, _HEX_FACES, _HEX20, _HEX_SAMPLES),
    )
}

# First-order kind of each second-order one.
FIRST_ORDER = {
    "truss3": "truss2",
    "beam3": "beam2",
    "tri6": "tri3",
    "quad8": "quad4",
    "tet10": "tet4",
    "pyramid13": "pyramid5",
    "wedge15": "wedge6",
    "hex20": "hex8",
}


def is_solid(kind: str) -> bool:
    """Whether elements of this kind fill a volume."""
    return KINDS[kind].dimension == 3


def is_shell(kind: str) -> bool:
    """Whether elements of this kind are surfaces with a thickness."""
    return KINDS[kind].dimension == 2


def faces_of(kind: str) -> list[tuple[str, tuple[int, ...]]]:
    """Faces of a solid (or the one of a shell): kind of face and its nodes in the element, second-order ones too."""
    return [face_of(kind, ring) for ring in KINDS[kind].faces]


def face_of(kind: str, ring: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """The face (or edge) of an element with these corners in turn: its kind and its nodes, second-order ones too."""
    known = KINDS[kind]
    middles: tuple[int, ...] = ()
    if known.node_count > known.corner_count:
        edge_of = {frozenset(edge): known.corner_count + i for i, edge in enumerate(known.edges)}
        pairs = zip(ring, (*ring[1:], ring[0]), strict=True) if len(ring) > 2 else [ring]
        middles = tuple(edge_of[frozenset(pair)] for pair in pairs)
    name = {2: "line", 3: "tri", 4: "quad"}[len(ring)] + str(len(ring) + len(middles))
    return name, (*ring, *middles)


def shape_values(kind: ElementKind, at: np.ndarray) -> np.ndarray:
    """Shape functions (m, n) at natural coordinates ``at`` (m, dimension)."""
    return monomial_values(kind.monomials, at) @ _from_monomials(kind)


def shape_gradients(kind: ElementKind, at: np.ndarray) -> np.ndarray:
    """Gradients of the shape functions, natural coordinates.

    The shape functions are the nodal basis of the span of the kind's monomials, so one solve with their values
    at the nodes gives every kind its gradients.

    Parameters
    ----------
    at : (m, dimension) natural coordinates

    Returns
    -------
    (m, n, dimension)
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


def jacobian_determinants(kind: ElementKind, corners: np.ndarray) -> np.ndarray:
    """det dx/dxi (m3 per unit of natural volume) of a solid kind at its sample points.

    Parameters
    ----------
    corners : (ne, n, 3) node coordinates, m

    Returns
    -------
    (ne, number of sample points)
    """
    gradients = shape_gradients(kind, kind.sample_points).transpose(2, 0, 1)  # (3, samples, n)
    a, b, c = (along @ corners for along in gradients)  # (ne, samples, 3) each
    # by hand: LAPACK and np.cross take several times as long
    product = a[..., 0] * (b[..., 1] * c[..., 2] - b[..., 2] * c[..., 1])
    product += a[..., 1] * (b[..., 2] * c[..., 0] - b[..., 0] * c[..., 2])
    return product + a[..., 2] * (b[..., 0] * c[..., 1] - b[..., 1] * c[..., 0])
