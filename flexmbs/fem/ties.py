"""Ties: nodes of one surface glued to the faces of another, across small gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from flexmbs.errors import MeshError
from flexmbs.fem.joined_rows import JoinedRows, rows_of, summed_blocks
from flexmbs.fem.node_fit import NodeFit, node_fit
from flexmbs.fem.rigid_followers import name_of
from flexmbs.mesh.couplings import Tie
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.names import few

# Nodes are tied across gaps up to this part of the size of the face, unless the tie says another distance.
GAP = 0.05
_CANDIDATES = 16  # faces whose centres are nearest to a node: the one that it lies on is among them
_NEWTON_STEPS = 12


def tie_rows(mesh: Mesh, tie: Tie, turning: np.ndarray) -> tuple[list[JoinedRows], list[str]]:
    """u = sum N_i u_i + theta x gap: the nodes of the first surface follow the faces of the second.

    N are the shape functions of the face at the node's place on it, theta the rotation that fits the displacements of
    the face's nodes best, so that rotation of the whole body strains nothing. Rotations follow by the shape functions
    where the nodes of both sides have any.

    Returns
    -------
    conditions, and a warning for nodes that are too far away to be tied (MeshError when all of them are)
    """
    nodes, faces = _sides(mesh, tie)
    nodes = np.setdiff1d(nodes, np.concatenate([rows.ravel() for rows in faces.values()]))
    if not len(nodes):
        return [], []
    nearest = _nearest(mesh, nodes, faces)
    allowed = np.full(len(nodes), tie.tolerance) if tie.tolerance is not None else GAP * nearest.size
    near = nearest.gap <= allowed * (1.0 + 1e-9)
    if not near.any():
        closest = int(np.argmin(nearest.gap))
        raise MeshError(
            f"{name_of(mesh, tie)}: no node of {tie.first} lies on {tie.second}; the nearest, node"
            f" {mesh.node_ids[nodes[closest]]}, is {nearest.gap[closest]:.3g} m away and {allowed[closest]:.3g} m are"
            " allowed: check the surfaces, or give the tie a position tolerance"
        )
    warnings = []
    if not near.all():
        away = mesh.node_ids[nodes[~near]]
        warnings.append(
            f"{name_of(mesh, tie)}: {len(away)} of {len(nodes)} nodes of {tie.first} are too far from {tie.second} and"
            f" are not tied ({few(away)})."
        )
    return [row for kind in faces for row in _rows(mesh, tie, nearest, nodes, near, kind, turning)], warnings


@dataclass(frozen=True)
class _Nearest:
    """For each node the nearest face: kind, nodes (padded with -1), shape functions, gap and size of the face (m)."""

    kind: np.ndarray
    nodes: np.ndarray
    values: np.ndarray
    gap: np.ndarray
    size: np.ndarray


def _sides(mesh: Mesh, tie: Tie) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Nodes of one side and faces of the other; the first surface gives the nodes unless only it has faces."""

    def faces(name: str) -> dict[str, np.ndarray]:
        found = mesh.surfaces[name].faces if name in mesh.surfaces else {}
        return {kind: rows for kind, rows in found.items() if kind.startswith(("tri", "quad")) and len(rows)}

    first, second = tie.first, tie.second
    if not faces(second) and faces(first):
        first, second = second, first
    if not faces(second):
        raise MeshError(
            f"{name_of(mesh, tie)}: neither {tie.first} nor {tie.second} is a surface with faces; a tie needs one"
        )
    if first in mesh.surfaces:
        return mesh.surfaces[first].nodes, faces(second)
    if first not in mesh.node_sets:
        raise MeshError(f"{name_of(mesh, tie)}: there is no surface or node set {first}")
    return np.unique(mesh.node_sets[first]), faces(second)


def _nearest(mesh: Mesh, nodes: np.ndarray, faces: dict[str, np.ndarray]) -> _Nearest:
    best = _Nearest(
        np.full(len(nodes), "", dtype=object),
        np.full((len(nodes), 8), -1),
        np.zeros((len(nodes), 8)),
        np.full(len(nodes), np.inf),
        np.ones(len(nodes)),
    )
    for kind, rows in faces.items():
        corners = mesh.points[rows]
        tree = cKDTree(corners.mean(axis=1))
        _, found = tree.query(mesh.points[nodes], k=min(_CANDIDATES, len(rows)))
        for face in found.reshape(len(nodes), -1).T:
            values = _projected(kind, corners[face], mesh.points[nodes])
            gap = np.linalg.norm(mesh.points[nodes] - np.einsum("mk,mki->mi", values, corners[face]), axis=1)
            nearer = gap < best.gap - 1e-12 * best.size
            width = rows.shape[1]
            best.kind[nearer], best.gap[nearer] = kind, gap[nearer]
            best.nodes[nearer, :width], best.values[nearer, :width] = rows[face][nearer], values[nearer]
            best.size[nearer] = np.linalg.norm(np.ptp(corners[face][nearer], axis=1), axis=1)
    return best


def _projected(kind: str, corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(m, k) shape functions of the places on faces (m, k, 3) that are nearest to points (m, 3)."""
    known = KINDS[kind]
    xi = np.tile(known.reference_nodes[: known.corner_count].mean(axis=0), (len(points), 1))
    for _ in range(_NEWTON_STEPS):
        values, gradients = shape_values(known, xi), shape_gradients(known, xi)
        away = points - np.einsum("mk,mki->mi", values, corners)
        tangents = np.einsum("mka,mki->mai", gradients, corners)
        metric = tangents @ tangents.transpose(0, 2, 1)
        step = np.linalg.solve(metric, np.einsum("mai,mi->ma", tangents, away)[..., None])[..., 0]
        moved = _inside(known.corner_count, xi + step)
        if np.abs(moved - xi).max() < 1e-13:
            break
        xi = moved
    return shape_values(known, xi)


def _inside(corner_count: int, xi: np.ndarray) -> np.ndarray:
    if corner_count == 4:
        return np.clip(xi, -1.0, 1.0)
    over = np.maximum(xi.sum(axis=1, keepdims=True) - 1.0, 0.0)
    clipped = np.clip(xi - 0.5 * over, 0.0, 1.0)
    return clipped / np.maximum(clipped.sum(axis=1, keepdims=True), 1.0)


def _rows(mesh: Mesh, tie: Tie, nearest: _Nearest, nodes, near, kind: str, turning) -> list[JoinedRows]:
    own = np.flatnonzero(near & (nearest.kind == kind))
    if not len(own):
        return []
    width = KINDS[kind].node_count
    face, values = nearest.nodes[own, :width], nearest.values[own, :width]
    equal = np.ones(face.shape)
    fit = node_fit(mesh.points, face, equal, mesh.points[nodes[own]], np.zeros(len(turning), bool), shares=values)
    name, ndof = name_of(mesh, tie), 6 * len(mesh.points)
    displaced = _displacements(ndof, nodes[own], fit, name)
    both = turning[nodes[own]] & turning[face].all(axis=1)
    if not both.any():
        return [displaced]
    axis = np.arange(3, 6)
    columns = 6 * np.column_stack([nodes[own][both], face[both]])[:, None] + axis[:, None]
    shares = np.column_stack([np.ones(both.sum()), -values[both]])
    count = 3 * int(both.sum())
    terms = np.broadcast_to(shares[:, None], columns.shape).reshape(count, -1)
    turned = rows_of(ndof, columns.reshape(count, -1), terms, columns[:, :, 0].ravel(), np.full(count, name, object))
    return [displaced, turned]


def _displacements(ndof: int, nodes: np.ndarray, fit: NodeFit, name: str) -> JoinedRows:
    m, k = fit.nodes.shape
    axis = np.arange(3)
    follower = (6 * nodes[:, None] + axis)[:, :, None]
    columns = np.broadcast_to((6 * fit.nodes[:, :, None] + axis).reshape(m, 1, 3 * k), (m, 3, 3 * k))
    values = -fit.operator(3)[:, :3].reshape(m, 3, 3 * k)
    columns = np.concatenate([follower, columns], axis=2).reshape(3 * m, -1)
    values = np.concatenate([np.ones((m, 3, 1)), values], axis=2).reshape(3 * m, -1)

    def second_order(fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return fit.second_order(fields, pairs)[0].reshape(3 * m, len(pairs))

    def stiffness(multipliers: np.ndarray) -> sparse.csr_matrix:
        return summed_blocks(ndof, *fit.stiffness(multipliers.reshape(m, 3), np.zeros((m, 3))))

    names = np.full(3 * m, name, dtype=object)
    return rows_of(ndof, columns, values, follower.ravel(), names, second_order=second_order, stiffness=stiffness)
