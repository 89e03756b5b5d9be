"""Torsion constant, shear factors and shear centre of a plane shape by finite elements.

Saint-Venant's torsion and Jourawski's exact counterpart for shear (flexure with Poisson's ratio 0) are each one Laplace
problem on the section with the normal derivative given, so that holes need nothing special: Pilkey, Analysis and
Design of Elastic Beams, Wiley 2002, chapters 5 and 6. Eight-node elements, refined towards every corner; the constants
are right to 0.1 %, whether walls are thick or thin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.mesh.sections.beam_sections import principal_axes
from flexmbs.mesh.sections.profiles.shapes import Shape, grid_cells, numbered

_GROWTH = 1.6
_SMALLEST_PARTS = 8  # of the thinnest wall across a direction: size of the elements beside a corner
_CELL_PARTS = 8


@dataclass(frozen=True)
class SectionConstants:
    """What bending, torsion and shear of a shape need, about its centroid in its principal axes.

    Attributes
    ----------
    angle : float, rad
        From the profile's y axis to the principal one, between -pi/4 and pi/4.
    shear_center : (2,)
        Seen from the centroid, in the profile's own (not principal) axes.
    outline : (m, 2)
        Around the centroid, principal axes.
    """

    area: float
    centroid: np.ndarray
    Iy: float
    Iz: float
    angle: float
    torsion_constant: float
    shear_factor_y: float
    shear_factor_z: float
    shear_center: np.ndarray
    outline: np.ndarray


def section_constants(shape: Shape) -> SectionConstants:
    """All constants of a shape (units of its coordinates)."""
    area, centroid, second = shape.moments()
    angle, Iy, Iz = principal_axes(second[1, 1], second[0, 0], second[0, 1])
    size = np.sqrt(area)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])  # columns: principal axes
    torsion, shear_y, shear_z, center = _solve((_fine(shape) - centroid) @ turn / size, Iy / size**4, Iz / size**4)
    return SectionConstants(
        area,
        centroid,
        Iy,
        Iz,
        angle,
        torsion * size**4,
        shear_y,
        shear_z,
        turn @ center * size,
        (shape.outline() - centroid) @ turn,
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
    kind = KINDS["quad8"]
    x, w = np.polynomial.legendre.leggauss(3)
    at = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
    values, natural = shape_values(kind, at), shape_gradients(kind, at)
    jacobian = np.einsum("eni,gnj->egij", corners, natural)
    determinant = jacobian[..., 0, 0] * jacobian[..., 1, 1] - jacobian[..., 0, 1] * jacobian[..., 1, 0]
    inverse = np.stack(
        [
            np.stack([jacobian[..., 1, 1], -jacobian[..., 0, 1]], axis=-1),
            np.stack([-jacobian[..., 1, 0], jacobian[..., 0, 0]], axis=-1),
        ],
        axis=-2,
    )
    gradients = np.einsum("gnj,egji->egni", natural, inverse / determinant[..., None, None])
    return values, gradients, np.einsum("eni,gn->egi", corners, values), determinant * np.outer(w, w).ravel()
