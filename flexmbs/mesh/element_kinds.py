"""The element kinds that a mesh can hold: dimension, nodes, edges and faces of each, in VTK node order.

Which kinds there are says ``element_table``, what the formats call them ``element_names``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.mesh.element_table import ELEMENTS, LINE, PYRAMID, ElementRow, Powers


@dataclass(frozen=True)
class ElementKind:
    """One kind of element; ``ElementRow`` and ``Shape`` say what fields of the same name are."""

    name: str
    dimension: int  # of the reference element: 3 solids, 2 shells, 1 beams, trusses and springs between two nodes, 0 points
    node_count: int
    corner_count: int  # corners come first, then one node on each edge in the order of ``edges`` (second-order kinds)
    edges: tuple = ()
    faces: tuple = ()
    is_beam: bool = False  # the element needs a beam section
    reference_nodes: np.ndarray | None = None  # (n, dimension) natural coordinates of the nodes
    monomials: Powers = ()
    sample_points: np.ndarray | None = None
    gauss_points: int = 0
    mirrored_corners: tuple[int, ...] = ()
    inner_count: int = 0  # nodes inside, after those of the edges
    collapsed: tuple[np.ndarray, Powers] | None = None  # pyramids: nodes and monomials on a cube (``quadrature.with_polynomials``)

    @property
    def has_middle_nodes(self) -> bool:
        """Whether there is a node on each edge."""
        return self.node_count - self.inner_count > self.corner_count


def _kind(row: ElementRow) -> ElementKind:
    shape = row.shape
    if shape is None:  # springs have only nodes
        count = int(row.kind.removeprefix("spring"))
        return ElementKind(row.kind, count - 1, count, count, LINE.edges if count == 2 else ())
    nodes = shape.nodes(bool(row.first_order), row.inner)
    known = ElementKind(
        row.kind,
        shape.dimension,
        len(nodes),
        len(shape.corners),
        shape.edges,
        shape.faces,
        is_beam=row.kind.startswith("beam"),
        gauss_points=row.gauss_points,
        mirrored_corners=shape.mirrored,
        inner_count=len(row.inner),
    )
    if shape is PYRAMID:
        return replace(known, collapsed=(nodes, row.monomials))
    return replace(known, reference_nodes=nodes, monomials=row.monomials, sample_points=shape.sample_points)


KINDS: dict[str, ElementKind] = {row.kind: _kind(row) for row in ELEMENTS}

# First-order kind of each second-order one.
FIRST_ORDER = {row.kind: row.first_order for row in ELEMENTS if row.first_order}


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
