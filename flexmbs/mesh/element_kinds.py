"""The element kinds that a mesh can hold: dimension, nodes, edges and faces of each, in VTK node order.

Which kinds there are, and what the formats call them, says ``element_table``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from flexmbs.mesh import element_shapes as shapes
from flexmbs.mesh.element_table import ELEMENTS, ElementRow


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
    gauss_points : in each direction, for mass properties
    mirrored_corners : the corners in the opposite orientation
    inner_count : nodes inside, after those of the edges
    collapsed : pyramids: nodes and monomials on the cube whose top is one point (``pyramids.with_polynomials``)
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
    gauss_points: int = 0
    mirrored_corners: tuple[int, ...] = ()
    inner_count: int = 0
    collapsed: tuple[np.ndarray, tuple[tuple[int, ...], ...]] | None = None

    @property
    def has_middle_nodes(self) -> bool:
        """Whether there is a node on each edge."""
        return self.node_count - self.inner_count > self.corner_count


def _kind(row: ElementRow) -> ElementKind:
    shape = row.shape
    if shape is None:  # springs have only nodes
        count = int(row.kind.removeprefix("spring"))
        return ElementKind(row.kind, count - 1, count, count, shapes.LINE.edges if count == 2 else ())
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
    if shape is shapes.PYRAMID:
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


@dataclass(frozen=True)
class FileElement:
    """A name of a format, and what it means.

    Attributes
    ----------
    node_counts : how many nodes such an element may have in the file
    kind : None for points
    order : where the nodes of the kind stand in it; nodes beyond are left out
    """

    name: str
    node_counts: tuple[int, ...]
    kind: str | None
    order: tuple[int, ...]


@cache
def elements_of(file_format: str) -> tuple[FileElement, ...]:
    """All names of a format, as the table spells it: "Abaqus", "Nastran", "Ansys", "Gmsh", "MED", "UNV", "VTK", ..."""
    found = []
    for row in ELEMENTS:
        own = KINDS[row.kind].node_count
        for word in row.names.get(file_format, "").split():
            name, _, counts = word.partition(":")
            first, _, last = counts.partition("-")
            allowed = tuple(range(int(first), int(last or first) + 1)) if counts else (own,)
            order = row.orders.get(f"{file_format} {name}", row.orders.get(file_format, tuple(range(own))))
            found.append(FileElement(name, allowed, row.kind, order))
    return tuple(found)


@cache
def element_named(file_format: str, name: str, node_count: int) -> FileElement | None:
    """What an element of that name and with that many nodes is in a format; None: no kind."""
    for element in elements_of(file_format):
        if element.name == name and node_count in element.node_counts:
            return element
    return None


@cache
def has_reduced_integration(kind: str, type_name: str) -> bool:
    """Whether the file calls an element of this kind by a name that asks for reduced integration."""
    names = next(row.reduced for row in ELEMENTS if row.kind == kind)
    return type_name.upper().startswith(names) if names else False
