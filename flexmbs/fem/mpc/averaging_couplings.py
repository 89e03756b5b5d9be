"""Averaging couplings (RBE3, distributing couplings): the reference node follows the mean motion of the nodes."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.fem.mpc.condition_rows import JoinedRows, component_direction
from flexmbs.fem.mpc.rigid_couplings import name_of
from flexmbs.fem.rigid_fit import NodeFit, node_fit
from flexmbs.fem.sparsity_pattern import summed_blocks
from flexmbs.mesh.couplings import Coupling
from flexmbs.mesh.mesh import Mesh


def average_rows(mesh: Mesh, coupling: Coupling, turning: np.ndarray, axes: dict[int, np.ndarray], needed: bool) -> JoinedRows:
    """d . (u0 - fitted u) = 0 for the coupled components d of the reference node.

    Parameters
    ----------
    turning : (nn,) bool, nodes that have rotations
    needed : bool
        The reference node carries something: MeshError where the nodes leave its rotation open. Otherwise it only
        moves along, and what is open stays out.
    """
    nodes = np.asarray(coupling.nodes, dtype=int)
    weights = np.ones(len(nodes)) if coupling.weights is None else np.asarray(coupling.weights, dtype=float)
    fit = node_fit(mesh.points, nodes[None], weights[None], mesh.points[coupling.reference][None], turning)
    components = _determined(mesh, coupling, fit, needed)
    select, preferred = _components(coupling.reference, components, axes)
    nodes = np.append(coupling.reference, fit.nodes[0])
    columns = (6 * nodes[:, None] + np.arange(6)).ravel()
    values = np.hstack([select, -select @ fit.operator(6)[0].reshape(6, -1)])
    index = (np.repeat(np.arange(len(values)), len(columns)), np.tile(columns, len(values)))
    matrix = sparse.csr_matrix((values.ravel(), index), shape=(len(values), 6 * len(mesh.points)))
    matrix.eliminate_zeros()

    def second_order(fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        moved, turned = fit.second_order(fields, pairs)
        return select @ np.concatenate([moved[0], turned[0]])

    def stiffness(multipliers: np.ndarray) -> sparse.csr_matrix:
        load = select.T @ multipliers
        return summed_blocks(6 * len(mesh.points), *fit.stiffness(load[None, :3], load[None, 3:]))

    names = np.full(len(values), name_of(mesh, coupling), dtype=object)
    return JoinedRows(matrix, preferred, names, strict=True, second_order=second_order, stiffness=stiffness)


def _determined(mesh: Mesh, coupling: Coupling, fit: NodeFit, needed: bool) -> np.ndarray:
    """Components of the reference node that follow."""
    components = np.array(coupling.dofs, dtype=int)
    if fit.has_rotation[0]:
        return components
    lever = np.linalg.norm(fit.arm[0]) > 1e-9 * np.linalg.norm(np.ptp(mesh.points, axis=0))
    if needed and (lever or np.any(components > 3)):
        raise MeshError(
            f"{name_of(mesh, coupling)}: its {len(coupling.nodes)} nodes coincide or lie on one line and have no"
            f" rotations, so the rotation of node {mesh.node_ids[coupling.reference]} is undefined; couple nodes"
            " that span an area"
        )
    return components[:0] if lever else components[components <= 3]


def _components(node: int, components: np.ndarray, axes: dict[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(k, 6) directions of components of a node, and the component (k,) of the mesh's axes that each one is, or -1."""
    select, preferred = np.zeros((len(components), 6)), np.full(len(components), -1)
    for i, component in enumerate(components):
        first = 0 if component <= 3 else 3
        all_three = {first + 1, first + 2, first + 3} <= set(components.tolist())  # then their directions do not matter
        direction = component_direction({} if all_three else axes, node, component)
        select[i, first : first + 3] = direction
        if direction[(component - 1) % 3] > 1.0 - 1e-12:
            preferred[i] = 6 * node + component - 1
    return select, preferred
