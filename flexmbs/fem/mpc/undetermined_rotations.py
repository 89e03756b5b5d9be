"""Undetermined rotations of reference nodes: rigid couplings whose nodes are collinear or coincide.

Such a rotation has neither stiffness nor mass, and would leave the matrices singular. It is made to follow the mean
rotation of the solids that the coupling holds on to, which changes no displacement.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmbs.fem.mpc.condition_rows import JoinedRows
from flexmbs.fem.mpc.rigid_couplings import name_of
from flexmbs.fem.rigid_fit import node_fit
from flexmbs.mesh.couplings import Coupling
from flexmbs.mesh.mesh import Mesh

_ON_LINE = 1e-6  # of the size of the body: nodes of a file on one line lie on it to the digits of the file


def idle_spin_rows(
    mesh: Mesh, couplings: Sequence[Coupling], stiff: np.ndarray, turning: np.ndarray, bound: np.ndarray
) -> list[JoinedRows]:
    """Conditions for the undetermined rotations of the reference nodes of rigid couplings.

    Parameters
    ----------
    stiff : (nn, 6) bool, components that have stiffness or mass
    turning : (nn,) bool, nodes that have rotations
    bound : (nn,) bool, nodes that other couplings or equations bind
    """
    by_reference: dict[int, list[Coupling]] = {}
    for coupling in couplings:
        by_reference.setdefault(int(coupling.reference), []).append(coupling)
    size = float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
    rows = []
    for reference, own in by_reference.items():
        nodes = np.unique(np.concatenate([coupling.nodes for coupling in own]))
        if stiff[reference, 3:].any() or bound[reference] or turning[nodes].any():
            continue
        axes = _idle_axes(mesh.points, reference, nodes, bool(stiff[reference, :3].any()), _ON_LINE * size)
        around = _neighbours(mesh, nodes) if len(axes) else np.empty(0, int)
        if len(axes) and len(around) > 2:
            rows.append(_following(mesh, reference, axes, around, turning, name_of(mesh, own[0])))
    return rows


def _idle_axes(points: np.ndarray, reference: int, nodes: np.ndarray, fixed: bool, tolerance: float) -> np.ndarray:
    """(k, 3) axes of rotations that move no node: through the reference node, or any axis if nothing restrains it."""
    r = points[nodes] - (points[reference] if fixed else points[nodes].mean(axis=0))
    _, extents, directions = np.linalg.svd(r, full_matrices=True)
    extents = np.pad(extents, (0, max(0, 3 - len(extents))))
    if extents[0] <= tolerance:
        return np.eye(3)
    return directions[:1] if extents[1] <= tolerance else np.zeros((0, 3))


def _neighbours(mesh: Mesh, nodes: np.ndarray) -> np.ndarray:
    """Nodes of the elements that have any of ``nodes``."""
    marked = np.zeros(len(mesh.points), bool)
    marked[nodes] = True
    found = [block.nodes[marked[block.nodes].any(axis=1)].ravel() for block in mesh.blocks]
    return np.unique(np.concatenate([np.empty(0, int), *found]))


def _following(mesh: Mesh, reference: int, axes: np.ndarray, around: np.ndarray, turning, name: str) -> JoinedRows:
    weights = np.ones((1, len(around)))
    fit = node_fit(mesh.points, around[None], weights, mesh.points[reference][None], turning)
    columns = np.concatenate([6 * reference + np.arange(3, 6), (6 * around[:, None] + np.arange(6)).ravel()])
    values = np.hstack([axes, -axes @ fit.operator(6)[0, 3:].reshape(3, -1)])
    index = (np.repeat(np.arange(len(axes)), len(columns)), np.tile(columns, len(axes)))
    matrix = sparse.csr_matrix((values.ravel(), index), shape=(len(axes), 6 * len(mesh.points)))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    largest = np.argmax(np.abs(axes), axis=1)

    def second_order(fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return axes @ fit.second_order(fields, pairs)[1][0]

    names = np.full(len(axes), name, dtype=object)
    return JoinedRows(matrix, 6 * reference + 3 + largest, names, second_order=second_order)
