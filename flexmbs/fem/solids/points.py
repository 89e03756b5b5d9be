"""Find the element that contains a point, and interpolate there."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.errors import BodyError
from flexmbs.fem.solids.elements import SolidGroup
from flexmbs.mesh.mesh import Mesh

POINT_TOLERANCE = 1e-6  # of the body's size: a point given in decimal digits still counts as on the surface
NEWTON_STEPS = 30


def solid_point_operator(mesh: Mesh, groups: list[SolidGroup], point: np.ndarray) -> sparse.csr_matrix:
    """(6, ndof): displacement and rotation (half the curl) at ``point``; BodyError if it is outside the body."""
    point = np.asarray(point, dtype=float)
    size = np.ptp(mesh.points, axis=0).max()
    group, element, xi, distance = _containing_element(groups, point, POINT_TOLERANCE * size)
    if group is None or distance > POINT_TOLERANCE * size:
        nearest = min(distance, np.linalg.norm(mesh.points - point, axis=1).min())
        raise BodyError(
            f"point {point.tolist()} m lies about {nearest:.3g} m outside the body {mesh.source or ''}, which spans "
            f"{mesh.points.min(axis=0).tolist()} to {mesh.points.max(axis=0).tolist()} m"
        )
    values = group.shape.values(xi[None])[0]
    reference = group.shape.gradients(xi[None])[0]
    slopes = np.linalg.solve(reference @ group.coordinates[element], reference)
    nodes = group.nodes[element]
    operator = sparse.lil_matrix((6, 3 * len(mesh.points)))
    for axis in range(3):
        after, last = (axis + 1) % 3, (axis + 2) % 3
        operator[axis, 3 * nodes + axis] = values
        operator[3 + axis, 3 * nodes + last] = 0.5 * slopes[after]
        operator[3 + axis, 3 * nodes + after] = -0.5 * slopes[last]
    return operator.tocsr()


def _containing_element(groups: list[SolidGroup], point: np.ndarray, tolerance: float):
    """Group, element, reference coordinates and distance of the best element near ``point``."""
    best = (None, -1, np.zeros(3), np.inf)
    for group in groups:
        low, high = group.coordinates.min(axis=1), group.coordinates.max(axis=1)
        # curved sides may bulge beyond the box of the nodes
        margin = 0.1 * (high - low) + tolerance
        near = np.all((point >= low - margin) & (point <= high + margin), axis=1)
        for element in np.flatnonzero(near):
            xi = _reference_point(group, group.coordinates[element], point)
            distance = np.linalg.norm(group.shape.values(xi[None])[0] @ group.coordinates[element] - point)
            if distance < best[3]:
                best = (group, int(element), xi, float(distance))
    return best


def _reference_point(group: SolidGroup, coordinates: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Reference coordinates of ``point`` by Newton, moved into the reference domain."""
    shape = group.shape
    xi = shape.nodes.mean(axis=0)
    for _ in range(NEWTON_STEPS):
        residual = point - shape.values(xi[None])[0] @ coordinates
        jacobian = shape.gradients(xi[None])[0] @ coordinates
        if abs(np.linalg.det(jacobian)) < 1e-300:
            break  # left the region where the map can be inverted: the clipped point below tells the distance
        step = np.linalg.solve(jacobian.T, residual)
        xi = np.clip(xi + step, -3.0, 3.0)
        if np.abs(step).max() < 1e-13:
            break
    return shape.inside(xi[None])[0]
