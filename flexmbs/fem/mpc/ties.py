"""Ties: nodes of one surface glued to the faces of another, across small gaps."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.fem.mpc.condition_rows import JoinedRows, rows_of
from flexmbs.fem.mpc.nearest_faces import NearestFaces, face_sizes, nearest_faces
from flexmbs.fem.mpc.rigid_couplings import name_of
from flexmbs.fem.rigid_fit import NodeFit, node_fit
from flexmbs.fem.sparsity_pattern import summed_blocks
from flexmbs.mesh.couplings import Tie
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh

# Nodes are tied across gaps up to this part of the size of the face, unless the tie says another distance.
GAP = 0.05


def tied_rows(mesh: Mesh, turning: np.ndarray) -> tuple[list[JoinedRows], list[str]]:
    """Conditions of all ties of the mesh, and warnings; a node that two ties want is tied by the first of them."""
    rows, warnings, taken = [], [], np.zeros(len(mesh.points), bool)
    for tie in mesh.ties:
        own, warned = tie_rows(mesh, tie, turning, taken)
        for part in own:
            taken[part.preferred // 6] = True
        rows += own
        warnings += warned
    return rows, warnings


def tie_rows(mesh: Mesh, tie: Tie, turning: np.ndarray, taken: np.ndarray) -> tuple[list[JoinedRows], list[str]]:
    """u = sum N_i u_i + theta x gap: the nodes of the first surface follow the faces of the second.

    N are the shape functions of the face at the node's place on it, theta the rotation that fits the displacements of
    the face's nodes best, so that rotation of the whole body strains nothing. Rotations follow by the shape functions
    where the nodes of both sides have any.

    Parameters
    ----------
    turning : (nn,) bool, nodes that have rotations
    taken : (nn,) bool
        Nodes that other ties already give. They are left out: following two faces across gaps, they would make these
        strain each other as no glue does.

    Returns
    -------
    conditions, and warnings for nodes that are taken or too far away to be tied (MeshError when all are too far)
    """
    nodes, faces = _sides(mesh, tie)
    nodes = np.setdiff1d(nodes, np.concatenate([rows.ravel() for rows in faces.values()]))
    if not len(nodes):
        return [], []
    if tie.tolerance is not None:
        reach = tie.tolerance
    else:
        reach = GAP * max(face_sizes(mesh.points[rows]).max() for rows in faces.values())
    nearest = nearest_faces(mesh.points, nodes, faces, 1.01 * reach)
    allowed = np.full(len(nodes), tie.tolerance) if tie.tolerance is not None else GAP * nearest.size
    near = nearest.gap <= allowed * (1.0 + 1e-9)
    if not near.any():
        raise _too_far(mesh, tie, nodes, faces, nearest, allowed)
    warnings = []
    again, away = near & taken[nodes], ~near & ~taken[nodes]
    if again.any():
        warnings.append(
            f"{name_of(mesh, tie)}: {again.sum()} of {len(nodes)} nodes of {tie.first} already belong to another tie"
            f" and are not tied to {tie.second} ({few(mesh.node_ids[nodes[again]])}); remove them from one of the"
            " ties."
        )
    if away.any():
        warnings.append(
            f"{name_of(mesh, tie)}: {away.sum()} of {len(nodes)} nodes of {tie.first} are too far from {tie.second} and"
            f" are not tied ({few(mesh.node_ids[nodes[away]])})."
        )
    tied = near & ~again
    return [row for kind in faces for row in _rows(mesh, tie, nearest, nodes, tied, kind, turning)], warnings


def _too_far(mesh: Mesh, tie: Tie, nodes: np.ndarray, faces, nearest: NearestFaces, allowed: np.ndarray) -> MeshError:
    closest = int(np.argmin(nearest.gap))
    gap = nearest_faces(mesh.points, nodes[[closest]], faces).gap[0]
    return MeshError(
        f"{name_of(mesh, tie)}: no node of {tie.first} lies on {tie.second}; the nearest, node"
        f" {mesh.node_ids[nodes[closest]]}, is {gap:.3g} m away and {allowed[closest]:.3g} m are"
        " allowed: check the surfaces, or give the tie a position tolerance"
    )


def _sides(mesh: Mesh, tie: Tie) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Nodes of one side and faces of the other; the first surface gives the nodes unless only it has faces."""

    def faces(name: str) -> dict[str, np.ndarray]:
        found = mesh.surfaces[name].faces if name in mesh.surfaces else {}
        return {kind: rows for kind, rows in found.items() if kind.startswith(("tri", "quad")) and len(rows)}

    first, second = tie.first, tie.second
    if not faces(second) and faces(first):
        first, second = second, first
    if not faces(second):
        raise MeshError(f"{name_of(mesh, tie)}: neither {tie.first} nor {tie.second} is a surface with faces; a tie needs one")
    if first in mesh.surfaces:
        return mesh.surfaces[first].nodes, faces(second)
    if first not in mesh.node_sets:
        raise MeshError(f"{name_of(mesh, tie)}: there is no surface or node set {first}")
    return np.unique(mesh.node_sets[first]), faces(second)


def _rows(mesh: Mesh, tie: Tie, nearest: NearestFaces, nodes, near, kind: str, turning) -> list[JoinedRows]:
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
