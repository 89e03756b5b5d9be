"""Find the shell element that contains a point, and interpolate there."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.shells.shell_elements import ShellGroup
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.mesh.mesh import Mesh

POINT_TOLERANCE = 1e-6  # of the body's size: a point given in decimal digits still counts as in the shell
NEWTON_STEPS = 30


def locate(mesh: Mesh, groups: list[ShellGroup], point: np.ndarray) -> tuple[ShellGroup, np.ndarray, float]:
    """The element (a group of one), shape functions (n,) and height over the middle surface (m) of ``point`` (3,).

    A point counts as in the shell anywhere in its thickness, and on the surface of its nodes. BodyError otherwise.
    """
    point = np.asarray(point, dtype=float)
    tolerance = POINT_TOLERANCE * np.ptp(mesh.points, axis=0).max()
    best = (np.inf, None, np.zeros(0), 0.0)
    for group in groups:
        low, high = group.middle.min(axis=1), group.middle.max(axis=1)
        margin = 0.5 * group.thickness.max(axis=1) + np.abs(group.offset) + tolerance
        near = np.all((point >= low - margin[:, None]) & (point <= high + margin[:, None]), axis=1)
        for row in np.flatnonzero(near):
            values, height, away = _projected(group, row, point)
            reach = max(0.5 * values @ group.thickness[row], abs(group.offset[row]))
            distance = float(np.hypot(away, max(abs(height) - reach, 0.0)))
            if distance < best[0]:
                only = group.of(slice(row, row + 1))
                best = (distance, only, values, height)
    if not best[0] <= tolerance:
        nearest = min(best[0], np.linalg.norm(mesh.points - point, axis=1).min())
        raise BodyError(
            f"point {point.tolist()} m lies about {nearest:.3g} m outside the shells of {mesh.source or 'the mesh'}, "
            f"which span {mesh.points.min(axis=0).tolist()} to {mesh.points.max(axis=0).tolist()} m"
        )
    return best[1], best[2], best[3]


def _projected(group: ShellGroup, row: int, point: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Shape functions, height along the director and distance beside the element of the nearest place."""
    kind = KINDS[group.kind]
    middle, normals = group.middle[row], group.normals[row]
    xi, height = kind.reference_nodes.mean(axis=0), 0.0
    for _ in range(NEWTON_STEPS):
        N, dN = shape_values(kind, xi[None])[0], shape_gradients(kind, xi[None])[0]
        residual = point - N @ middle - height * (N @ normals)
        columns = (dN.T @ (middle + height * normals)).T
        step = np.linalg.lstsq(np.column_stack([columns, N @ normals]), residual, rcond=None)[0]
        xi, height = np.clip(xi + step[:2], -3.0, 3.0), height + step[2]
        if np.abs(step[:2]).max() < 1e-13:
            break
    xi = np.clip(xi, -1.0, 1.0) if kind.corner_count == 4 else _in_triangle(xi)
    N = shape_values(kind, xi[None])[0]
    offset = point - N @ middle
    director = N @ normals
    height = float(offset @ director / (director @ director))  # of corners that differ it is no unit vector
    return N, height, float(np.linalg.norm(offset - height * director))


def _in_triangle(xi: np.ndarray) -> np.ndarray:
    clipped = np.maximum(xi, 0.0)
    return clipped / max(clipped.sum(), 1.0)


def shell_point_operator(mesh: Mesh, groups: list[ShellGroup], point: np.ndarray) -> sparse.csr_matrix:
    """(6, ndof): displacement u + z r and rotation, interpolated, at ``point``."""
    only, values, height = locate(mesh, groups, point)
    T = only.to_seven()[0]
    operator = np.zeros((6, len(values), 6))
    operator[:3] = np.einsum("n,nij->inj", values, T[:, :3] + height * T[:, 3:6])
    operator[3:, :, 3:] = np.einsum("n,ij->inj", values, np.eye(3))
    columns = (6 * only.nodes[0][:, None] + np.arange(6)).ravel()
    index = (np.repeat(np.arange(6), len(columns)), np.tile(columns, 6))
    return sparse.csr_matrix((operator.ravel(), index), shape=(6, 6 * len(mesh.points)))
