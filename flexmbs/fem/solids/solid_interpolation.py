"""Find the element that contains a point, and interpolate there."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.solids.solid_elements import SolidGroup
from flexmbs.mesh.mesh import Mesh

POINT_TOLERANCE = 1e-6  # of the body's size: a point given in decimal digits still counts as on the surface
NEWTON_STEPS = 30


def solid_point_operator(mesh: Mesh, groups: list[SolidGroup], point: np.ndarray) -> sparse.csr_matrix:
    """(6, ndof): displacement and rotation (half the curl) at ``point``; BodyError if it is outside the body."""
    nodes, values, slopes = _at_point(mesh, groups, point)
    operator = sparse.lil_matrix((6, 3 * len(mesh.points)))
    for axis in range(3):
        after, last = (axis + 1) % 3, (axis + 2) % 3
        operator[axis, 3 * nodes + axis] = values
        operator[3 + axis, 3 * nodes + last] = 0.5 * slopes[after]
        operator[3 + axis, 3 * nodes + after] = -0.5 * slopes[last]
    return operator.tocsr()


def solid_point_rotation(
    mesh: Mesh, groups: list[SolidGroup], point: np.ndarray, modes: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """(3, npairs) rotation vector per q_a q_b at ``point`` besides half the curl of the second-order displacement.

    The rotation R of F = R U, F = I + grad u, to second order: with E and w the symmetric part and half the curl of
    the first-order gradient, log R has - 1/2 (tr(E) I - E) w more than half the curl of F.
    """
    nodes, _, slopes = _at_point(mesh, groups, point)
    gradients = np.einsum("jn,nia->aij", slopes, modes.reshape(len(mesh.points), 3, -1)[nodes])
    E = 0.5 * (gradients + gradients.transpose(0, 2, 1))
    w = 0.5 * np.stack([gradients[:, (i + 2) % 3, (i + 1) % 3] - gradients[:, (i + 1) % 3, (i + 2) % 3] for i in range(3)], axis=1)
    across = np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3) - E
    a, b = pairs.T
    both = np.einsum("pij,pj->pi", across[a], w[b]) + np.einsum("pij,pj->pi", across[b], w[a])
    return (-0.5 * np.where(a == b, 0.5, 1.0)[:, None] * both).T


def _at_point(mesh: Mesh, groups: list[SolidGroup], point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes (n,) of the element that has ``point``, shape functions (n,) and their gradients (3, n) there."""
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
    return group.nodes[element], values, slopes


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
