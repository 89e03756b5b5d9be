"""Plane shapes (unions of rectangles, or quadrilaterals side by side), and the constants of beam sections that they make.

Bending by exact integrals over straight edges. Torsion and shear by finite elements: Saint-Venant's torsion and
Jourawski's exact counterpart for shear (flexure with Poisson's ratio 0) are each one Laplace problem on the section with
the normal derivative given, so that holes need nothing special: Pilkey, Analysis and Design of Elastic Beams, Wiley 2002,
chapters 5 and 6. Eight-node elements, refined towards every corner; the constants are right to 0.1 %, whether walls are
thick or thin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.mesh.properties import BeamSection
from flexmbs.mesh.quadrature import cube
from flexmbs.mesh.sections.beam_sections import principal_axes

_GROWTH = 1.6
_SMALLEST_PARTS = 8  # of the thinnest wall across a direction: size of the elements beside a corner
_CELL_PARTS = 8
# Coordinates nearer to each other than this part of the section are one; thinner walls are refused.
_SAME = 1e-7
_THINNEST = 1e-5


@dataclass(frozen=True)
class Shape:
    """A plane region as quadrilaterals that share whole edges, y and z in the axes of the profile."""

    cells: np.ndarray  # (k, 4, 2) corners, counterclockwise
    # the two rising lists of coordinates, when the cells are those of a rectangular grid; else None
    grid: tuple[np.ndarray, np.ndarray] | None = None
    origin: tuple[float, float] = (0.0, 0.0)  # (y, z) of the profile's own origin in these coordinates

    def moments(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Area, centroid (2,) and second moments (2, 2) about it: the integrals of y y, y z, z z (exact)."""
        reference = self.cells.mean(axis=(0, 1))
        p = self.cells - reference
        q = np.roll(p, -1, axis=1)
        cross = p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0]
        area = float(cross.sum()) / 2.0
        first = np.einsum("ke,kei->i", cross, p + q) / 6.0
        mixed = np.einsum("ke,kei,kej->ij", cross, p, q)
        second = np.einsum("ke,kei,kej->ij", cross, p, p) + np.einsum("ke,kei,kej->ij", cross, q, q)
        second = second / 12.0 + (mixed + mixed.T) / 24.0
        centroid = first / area
        return area, reference + centroid, second - area * np.outer(centroid, centroid)

    def outline(self) -> np.ndarray:
        """(m, 2) the outer boundary as a closed polygon, without the points inside straight edges."""
        corners, loop_edges = _boundary(self.cells)
        following = {first: second for first, second in loop_edges}
        loops = []
        while following:
            start, node = next(iter(following.items()))
            loop = [start]
            del following[start]
            while node != start and node in following:
                loop.append(node)
                node = following.pop(node)
            loops.append(corners[loop])
        return _without_straight_points(max(loops, key=lambda points: abs(_area(points))))


def from_rectangles(*rectangles: Sequence[float]) -> Shape:
    """The union of rectangles (y low, y high, z low, z high), which may overlap.

    Raises MeshError when a wall is too thin against the section for its torsion to be computed, or when the
    rectangles do not touch.
    """
    boxes = np.array(rectangles, float)
    size = max(np.ptp(boxes[:, :2]), np.ptp(boxes[:, 2:]))
    y, z = _merged(boxes[:, :2], _SAME * size), _merged(boxes[:, 2:], _SAME * size)
    thinnest = min(np.diff(boxes[:, :2]).min(), np.diff(boxes[:, 2:]).min())
    if thinnest < _THINNEST * size:
        raise MeshError(
            f"a wall thickness of {thinnest:g} is too small for a section of size {size:g}; give the section by its"
            " area and moments of inertia."
        )
    middle_y, middle_z = ((edges[:-1] + edges[1:]) / 2.0 for edges in (y, z))
    inside = np.zeros((len(middle_y), len(middle_z)), bool)
    for low_y, high_y, low_z, high_z in boxes:
        inside |= np.outer((middle_y > low_y) & (middle_y < high_y), (middle_z > low_z) & (middle_z < high_z))
    if _pieces(inside) > 1:
        raise MeshError("the section consists of separate pieces; check its dimensions.")
    return Shape(grid_cells(y, z, inside), (y, z))


def grid_cells(y: np.ndarray, z: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(k, 4, 2) corners of the cells of a rectangular grid that are inside."""
    i, j = np.nonzero(inside)
    corners = [(y[i], z[j]), (y[i + 1], z[j]), (y[i + 1], z[j + 1]), (y[i], z[j + 1])]
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)


def from_quadrilaterals(*quadrilaterals: Sequence[Sequence[float]]) -> Shape:
    """Quadrilaterals with whole edges in common; one with clockwise corners is turned around."""
    cells = np.array(quadrilaterals, float)
    for cell in cells:
        if _area(cell) < 0.0:
            cell[:] = cell[::-1].copy()
    turns = [np.roll(cells, -1, axis=1) - cells, cells - np.roll(cells, 1, axis=1)]
    if (turns[1][..., 0] * turns[0][..., 1] - turns[1][..., 1] * turns[0][..., 0]).min() < -1e-12 * np.ptp(cells) ** 2:
        raise MeshError("the corners of a quadrilateral must be in order around it, and it must be convex.")
    if min(_area(cell) for cell in cells) < _THINNEST * np.ptp(cells) ** 2:
        raise MeshError("a quadrilateral of the section has no area.")
    return Shape(cells)


def _pieces(inside: np.ndarray) -> int:
    from scipy.ndimage import label

    return label(inside)[1]


def _merged(values: np.ndarray, tolerance: float) -> np.ndarray:
    values = np.unique(values)
    return values[np.concatenate([[True], np.diff(values) > tolerance])]


def _area(points: np.ndarray) -> float:
    y, z = points.T
    return float(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1))) / 2.0


def numbered(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct points (n, 2) and for every point (...) its number, points nearer than 1e-9 of the whole being one."""
    flat = points.reshape(-1, 2)
    low, size = flat.min(axis=0), np.ptp(flat, axis=0).max()
    keys = np.rint((flat - low) * (1e9 / size)).astype(np.int64)
    _, first, number = np.unique(keys[:, 0] * 2_000_000_011 + keys[:, 1], return_index=True, return_inverse=True)
    return flat[first], number.reshape(points.shape[:-1])


def _boundary(cells: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    corners, cells_by_number = numbered(cells)
    edges = np.stack([cells_by_number, np.roll(cells_by_number, -1, axis=1)], axis=-1).reshape(-1, 2)
    known = {(int(a), int(b)) for a, b in edges if a != b}
    return corners, [edge for edge in known if edge[::-1] not in known]


def _without_straight_points(points: np.ndarray) -> np.ndarray:
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return points[np.abs(turn) > 1e-12 * np.ptp(points) ** 2]


def section_constants(shape: Shape) -> BeamSection:
    """The section with all constants of a shape (units of its coordinates); its line is the shape's origin."""
    area, centroid, second = shape.moments()
    angle, Iy, Iz = principal_axes(second[1, 1], second[0, 0], second[0, 1])
    size = np.sqrt(area)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])  # columns: principal axes
    torsion, shear_y, shear_z, center = _solve((_fine(shape) - centroid) @ turn / size, Iy / size**4, Iz / size**4)

    def turned(y: float, z: float) -> tuple[float, float]:
        return float(turn[0, 0] * y + turn[1, 0] * z), float(turn[0, 0] * z - turn[1, 0] * y)

    return BeamSection(
        area,
        Iy,
        Iz,
        torsion * size**4,
        (shape.outline() - centroid) @ turn,
        np.array([0.0, 1.0, 0.0]),
        shear_y,
        shear_z,
        angle,
        turned(*(centroid - shape.origin)),
        shear_center=turned(*(turn @ center * size)),
    )


def _fine(shape: Shape) -> np.ndarray:
    """(n, 4, 2) corners of the finite elements."""
    if shape.grid is not None:
        y, z = shape.grid
        inside = np.zeros((len(y) - 1, len(z) - 1), bool)
        middles = shape.cells.mean(axis=1)
        inside[np.searchsorted(y, middles[:, 0]) - 1, np.searchsorted(z, middles[:, 1]) - 1] = True
        sides = np.ptp(shape.cells, axis=1)
        wall = sides.prod(axis=1).sum() / sides.max(axis=1).sum()  # mean thickness
        (fine_y, of_y), (fine_z, of_z) = _graded(y, wall), _graded(z, wall)
        return grid_cells(fine_y, fine_z, inside[np.ix_(of_y, of_z)])
    steps = np.linspace(0.0, 1.0, _CELL_PARTS + 1)
    a, b, c, d = (shape.cells[:, i, None, None] for i in range(4))
    u, v = steps[:, None, None], steps[None, :, None]
    points = (1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d
    corners = [points[:, :-1, :-1], points[:, 1:, :-1], points[:, 1:, 1:], points[:, :-1, 1:]]
    return np.stack(corners, axis=3).reshape(-1, 4, 2)


def _graded(edges: np.ndarray, wall: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates with steps that grow away from every edge, and the interval each step belongs to."""
    parts, owners, smallest = [], [], min(np.diff(edges).min(), wall) / _SMALLEST_PARTS
    for number, length in enumerate(np.diff(edges)):
        sizes = [smallest]
        while 2.0 * sum(sizes) < length and len(sizes) < 60:
            sizes.append(sizes[-1] * _GROWTH)
        sizes = np.array(sizes + sizes[::-1])
        parts.append(edges[number] + np.concatenate([[0.0], np.cumsum(sizes)[:-1]]) * (length / sizes.sum()))
        owners += [number] * len(sizes)
    return np.concatenate([*parts, edges[-1:]]), np.array(owners)


def _solve(corners: np.ndarray, Iy: float, Iz: float) -> tuple[float, float, float, np.ndarray]:
    """Torsion constant, shear factors along y and z, shear centre of a section of area 1 in principal axes."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import splu

    middles = (corners + np.roll(corners, -1, axis=1)) / 2.0
    points, nodes = numbered(np.concatenate([corners, middles], axis=1))
    values, gradients, position, weights = _at_gauss_points(points[nodes])
    stiffness = np.einsum("eg,egni,egmi->enm", weights, gradients, gradients, optimize=True)
    loads = np.zeros((len(points), 3))
    # the derivative along the normal that makes the twisted boundary free of stress
    twist = np.stack([position[..., 1], -position[..., 0]], axis=-1)
    for column, element_loads in enumerate(
        (
            np.einsum("eg,egni,egi->en", weights, gradients, twist),
            np.einsum("eg,gn,eg->en", weights, values, position[..., 0] / Iz),
            np.einsum("eg,gn,eg->en", weights, values, position[..., 1] / Iy),
        )
    ):
        np.add.at(loads[:, column], nodes, element_loads)
    count = nodes.shape[1]
    rows, columns = np.repeat(nodes, count, axis=1).ravel(), np.tile(nodes, (1, count)).ravel()
    matrix = coo_matrix((stiffness.ravel(), (rows, columns)), (len(points),) * 2).tocsc()
    fields = np.zeros_like(loads)
    fields[1:] = splu(matrix[1:, 1:]).solve(loads[1:])  # the fields count up to a constant
    warping, along_y, along_z = fields.T
    strain = np.einsum("egni,en->egi", gradients, warping[nodes]) - twist
    torsion = float(np.einsum("eg,egi,egi->", weights, strain, strain))
    center = np.array([-loads[:, 0] @ along_z, loads[:, 0] @ along_y])
    return torsion, float(1.0 / (loads[:, 1] @ along_y)), float(1.0 / (loads[:, 2] @ along_z)), center


def _at_gauss_points(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Shape functions (g, 8), their gradients (e, g, 8, 2), positions (e, g, 2) and areas (e, g)."""
    kind, (at, weights) = KINDS["quad8"], cube(3, 2)
    values, natural = shape_values(kind, at), shape_gradients(kind, at)
    jacobian = np.einsum("eni,gnj->egij", corners, natural)
    (a, b), (c, d) = np.moveaxis(jacobian, (-2, -1), (0, 1))
    determinant = a * d - b * c
    inverse = np.stack([np.stack([d, -b], axis=-1), np.stack([-c, a], axis=-1)], axis=-2)
    gradients = np.einsum("gnj,egji->egni", natural, inverse / determinant[..., None, None])
    return values, gradients, np.einsum("eni,gn->egi", corners, values), determinant * weights
