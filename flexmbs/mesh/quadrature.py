"""Integration over elements: Gauss points, samples of elements for exact integrals of mass and moments; shells at their nodes.

A point of the pyramid |x|, |y| <= t = 1 - z has the coordinates (x / t, y / t, -t) in [-1, 1]^2 times [-1, 0]. In them
the rational shape functions (G. Bedrosian, IJNME 35, 1992) are polynomials; they contain every linear (13 nodes:
quadratic) function of x, y, z and join all other solids.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, shape_gradients, shape_values, triple_product
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.omissions import what_to_add
from flexmbs.mesh.properties import ShellSection

# A middle node this near to the middle of its edge (in parts of the edge's length) is there, for the choice of
# a quadrature rule: what the rule for straight sides misses is of the order of its square.
_STRAIGHT = 1e-8
_SAMPLES_AT_ONCE = 200_000


@cache
def rule(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (m, dimension) in natural coordinates and weights (m,) of an element kind."""
    count = KINDS[kind].gauss_points
    if kind.startswith("pyramid"):
        points, weights = cube(count, 3)
        return points * [1.0, 1.0, 0.5] - [0.0, 0.0, 0.5], 0.5 * weights
    if kind.startswith(("tri", "tet")):
        return simplex(count, KINDS[kind].dimension)
    if kind.startswith("wedge"):
        return prism(simplex(count, 2), count)
    return cube(count, KINDS[kind].dimension)


@cache
def _shapes(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    points, weights = rule(kind)
    known = KINDS[kind]
    return shape_values(known, points), shape_gradients(known, points), weights


def solid_samples(kind: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (ne, m, 3) and volumes (ne, m) that integrate over solid elements with nodes at ``corners`` (ne, n, 3).

    Volumes of elements whose node order turns them inside out are made positive.
    """
    values, gradients, weights = _shapes(kind)
    jacobian = np.einsum("eni,mnj->emij", corners, gradients, optimize=True)
    volumes = weights * triple_product(*np.moveaxis(jacobian, (-2, -1), (0, 1)))
    volumes *= np.where(volumes.sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    return np.einsum("eni,mn->emi", corners, values, optimize=True), volumes


def surface_samples(kind: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions (ne, m, 3), areas (ne, m) and shape functions (m, n) of shell elements."""
    values, gradients, weights = _shapes(kind)
    tangents = np.einsum("eni,mnj->jemi", corners, gradients, optimize=True)
    areas = np.linalg.norm(np.cross(tangents[0], tangents[1]), axis=2)
    return np.einsum("eni,mn->emi", corners, values, optimize=True), weights * areas, values


def line_samples(kind: str, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions (ne, m, 3), unit tangents (ne, m, 3), lengths (ne, m) and natural coordinates (m,) of lines."""
    values, gradients, weights = _shapes(kind)
    tangents = np.einsum("eni,mn->emi", ends, gradients[:, :, 0], optimize=True)
    stretch = np.linalg.norm(tangents, axis=2)
    tangents = tangents / np.where(stretch > 0.0, stretch, 1.0)[:, :, None]
    return np.einsum("eni,mn->emi", ends, values, optimize=True), tangents, weights * stretch, rule(kind)[0][:, 0]


def chunks(kind: str, count: int) -> Iterator[slice]:
    """Slices of ``count`` elements, small enough that their samples take some tens of MB."""
    samples = len(rule(kind)[1])
    step = max(1, _SAMPLES_AT_ONCE // samples)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def is_straight(kind: str, coordinates: np.ndarray, tolerance: float = _STRAIGHT) -> np.ndarray:
    """(ne,) bool: all middle nodes are in the middle of their edges, and nodes inside where the corners put them.

    True for kinds that have neither. ``coordinates`` (ne, n, 3) are those of the nodes; ``tolerance`` says how far from the
    middle a node may be, in parts of the edge's length.
    """
    known = KINDS[kind]
    straight = np.ones(len(coordinates), bool)
    for middle, (i, j) in zip(range(known.corner_count, known.node_count), known.edges, strict=False):
        bow = coordinates[:, middle] - 0.5 * (coordinates[:, i] + coordinates[:, j])
        edge = coordinates[:, j] - coordinates[:, i]
        straight &= np.linalg.norm(bow, axis=1) <= tolerance * np.linalg.norm(edge, axis=1)
    if known.inner_count:
        corners = coordinates[:, : known.corner_count]
        first, inside = KINDS[FIRST_ORDER[kind]], known.reference_nodes[-known.inner_count :]
        off = np.linalg.norm(coordinates[:, -known.inner_count :] - shape_values(first, inside) @ corners, axis=2)
        straight &= off.max(axis=1) <= tolerance * np.ptp(corners, axis=1).max(axis=1)
    return straight


Points = tuple[np.ndarray, np.ndarray]  # (m, dimension) and weights (m,)


def cube(count: int, dimension: int) -> Points:
    """``count`` points in each direction of [-1, 1]^dimension; exact to degree 2 count - 1 in each coordinate."""
    x, w = np.polynomial.legendre.leggauss(count)
    return _grid(x, dimension), np.prod(_grid(w, dimension), axis=1)


def simplex(count: int, dimension: int) -> Points:
    """Points on the unit triangle or tetrahedron, exact to the total degree 2 count - dimension.

    The square or cube collapsed to it: Stroud's conical product with Legendre points.
    """
    points, weights = cube(count, dimension)
    u, weights = 0.5 * (1.0 + points), weights / 2.0**dimension
    collapsed, rest = np.empty_like(u), np.ones(len(u))
    for axis in range(dimension):
        collapsed[:, axis] = rest * u[:, axis]
        weights = weights * (1.0 - u[:, axis]) ** (dimension - 1 - axis)
        rest = rest * (1.0 - u[:, axis])
    return collapsed, weights


def prism(triangle: Points, count: int) -> Points:
    """Product of points on the unit triangle and ``count`` Gauss points along the prism's axis, [-1, 1]."""
    (points, weights), (x, w) = triangle, np.polynomial.legendre.leggauss(count)
    along = np.repeat(x, len(points))[:, None]
    return np.hstack([np.tile(points, (count, 1)), along]), np.tile(weights, count) * np.repeat(w, len(points))


def _grid(values: np.ndarray, dimension: int) -> np.ndarray:
    return np.stack(np.meshgrid(*[values] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)


# Of the squared size: below it an element has no area, or folds over.
_SMALLEST_AREA = 1e-9


def shell_section(block: ElementBlock) -> ShellSection:
    """The section of a block of shells; without one all that it states is absent."""
    return block.section if isinstance(block.section, ShellSection) else ShellSection(None)


def nodal_thickness(block: ElementBlock) -> np.ndarray:
    """(ne, n) m, NaN where none is given; the element's own goes before that of the section."""
    section = shell_section(block)
    common = sum(layer.thickness for layer in section.layers) if section.layers else section.thickness
    thickness = np.full(block.nodes.shape, np.nan if common is None else float(common))
    if block.thickness is None:
        return thickness
    return np.where(np.isnan(block.thickness), thickness, block.thickness)


def surface_offset(block: ElementBlock) -> np.ndarray:
    """(ne,) m from the surface of the nodes to the middle surface; the element's own goes before the section's."""
    offset = np.full(len(block.nodes), float(shell_section(block).offset))
    if block.shell_offsets is None:
        return offset
    return np.where(np.isnan(block.shell_offsets), offset, block.shell_offsets)


def nodal_normals(kind: str, points: np.ndarray) -> np.ndarray:
    """(ne, n, 3) unit normals of elements with nodes at ``points`` (ne, n, 3); zero where there is no area."""
    normals = _area_vectors(kind, points, KINDS[kind].reference_nodes)
    length = np.linalg.norm(normals, axis=2, keepdims=True)
    return normals / np.where(length > 0.0, length, 1.0)


def check_thickness(block: ElementBlock, where: str, file_format: str = "") -> None:
    """MeshError for the first element without a positive thickness."""
    thickness = nodal_thickness(block)
    wrong = np.flatnonzero(~((thickness > 0.0) & np.isfinite(thickness)).all(axis=1))
    if wrong.size:
        value = thickness[wrong[0]].min()
        said = "no thickness" if np.isnan(value) else f"thickness {value:g} m"
        raise MeshError(
            f"{where}: element {block.ids[wrong[0]]} has {said}; it must be positive (m):"
            f" {what_to_add('shell thickness', file_format)}"
        )


def check_surface(mesh: Mesh, block: ElementBlock) -> None:
    """MeshError for the first element whose area vanishes or turns over, at a node or inside."""
    kind, points = block.kind, mesh.points[block.nodes]
    normals = _area_vectors(kind, points, np.concatenate([KINDS[kind].reference_nodes, rule(kind)[0]]))
    size = np.ptp(points, axis=1).max(axis=1)
    mean = normals.mean(axis=1)
    length = np.linalg.norm(mean, axis=1)
    along = np.einsum("egk,ek->eg", normals, mean) / np.where(length > 0.0, length, 1.0)[:, None]
    wrong = np.flatnonzero(~(along.min(axis=1) > _SMALLEST_AREA * size**2))
    if wrong.size:
        first, worst = wrong[0], along[wrong[0]].argmin()
        inside = worst >= block.nodes.shape[1]
        place = "inside" if inside else f"at its node {mesh.node_ids[block.nodes[first, worst]]}"
        named = ", ".join(str(mesh.node_ids[node]) for node in block.nodes[first])
        raise MeshError(
            f"{block.where or mesh.source or 'mesh'}: {kind} element {block.ids[first]} (nodes {named}) has zero or"
            f" negative area {place} (Jacobian {along[first].min():.3g} m2; {wrong.size} such elements in all);"
            " check its node order, that its nodes differ, and that midside nodes lie near the middle of their"
            " sides"
        )


def _area_vectors(kind: str, points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(ne, m, 3) normals as long as the area per unit of reference area, at reference points (m, 2)."""
    reference = shape_gradients(KINDS[kind], at).transpose(0, 2, 1)
    tangents = np.einsum("gan,enk->egak", reference, points)
    return np.cross(tangents[:, :, 0], tangents[:, :, 1])
