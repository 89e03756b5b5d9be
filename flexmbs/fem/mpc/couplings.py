"""Conditions of couplings: of rigid ones, of averaging ones, and of rotations that rigid ones leave open.

Rigid couplings (RBE2, kinematic couplings, rigid bodies): their nodes follow the reference node. Averaging couplings (RBE3,
distributing couplings): the reference node follows the mean motion of the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.fem.mpc.dependence import JoinedRows, component_direction, rows_of
from flexmbs.fem.rigid_motion import NodeFit, arm_stiffness, node_fit, skew
from flexmbs.fem.sparsity_pattern import summed_blocks
from flexmbs.mesh.mesh import Coupling, Mesh


def rigid_rows(mesh: Mesh, couplings: Sequence[Coupling], turning: np.ndarray, axes: dict[int, np.ndarray]) -> list[JoinedRows]:
    """u = u0 + theta0 x r and theta = theta0 of the coupled components of every node.

    A component in a direction d (of the node's displacement axes) follows  d . (u - u0 - theta0 x r) = 0; to second
    order  d . 1/2 theta0 x (theta0 x r)  stands on the right. Rotations of nodes that have none are left out.

    ``turning`` (nn,) bool, nodes that have rotations; ``axes`` of ``nodal_axes``.
    """
    node, reference, directions, components, names = _followers(mesh, couplings, axes)
    moving = components <= 3
    kept = moving | turning[node]
    node, reference, directions, components, names, moving = (
        values[kept] for values in (node, reference, directions, components, names, moving)
    )
    preferred = 6 * node + components - 1
    along = directions[np.arange(len(node)), (components - 1) % 3] > 1.0 - 1e-12
    preferred = np.where(along, preferred, -1)
    return [
        _displacements(mesh, node[moving], reference[moving], directions[moving], preferred[moving], names[moving]),
        _rotations(mesh, node[~moving], reference[~moving], directions[~moving], preferred[~moving], names[~moving]),
    ]


def _followers(mesh: Mesh, couplings: Sequence[Coupling], axes: dict[int, np.ndarray]):
    """One entry per coupled component: node, reference node, direction (3,), component 1 to 6, name."""
    nodes, references, components, names = [], [], [], []
    for coupling in couplings:
        own = np.asarray(coupling.nodes, dtype=int)
        dofs = np.array(coupling.dofs, dtype=int)
        nodes.append(np.repeat(own, len(dofs)))
        references.append(np.full(len(nodes[-1]), coupling.reference))
        components.append(np.tile(dofs, len(own)))
        names.append(np.full(len(nodes[-1]), name_of(mesh, coupling), dtype=object))
    node, reference, component = (np.concatenate([np.empty(0, int), *p]) for p in (nodes, references, components))
    name = np.concatenate([np.empty(0, object), *names])
    directions = np.eye(3)[(component - 1) % 3]
    if axes:
        for i in np.flatnonzero(np.isin(node, list(axes))):
            directions[i] = component_direction(axes, node[i], component[i])
    return _in_mesh_axes(node, reference, directions, component, name)


def _in_mesh_axes(node, reference, directions, component, name):
    """Where all three components of a kind are coupled, their directions do not matter: take the mesh's."""
    group = (node.astype(np.int64) * 2 + (component > 3)) * (reference.max(initial=0) + 1) + reference
    _, inverse, counts = np.unique(group, return_inverse=True, return_counts=True)
    whole = counts[inverse.ravel()] >= 3
    directions[whole] = np.eye(3)[(component[whole] - 1) % 3]
    return node, reference, directions, component, name


def _displacements(mesh: Mesh, node, reference, direction, preferred, names) -> JoinedRows:
    r = mesh.points[node] - mesh.points[reference]
    axis = np.arange(3)
    columns = np.hstack([6 * node[:, None] + axis, 6 * reference[:, None] + axis, 6 * reference[:, None] + 3 + axis])
    values = np.hstack([direction, -direction, -np.cross(r, direction)])
    order = np.argsort(reference, kind="stable")
    followers = np.split(order, np.flatnonzero(np.diff(reference[order])) + 1) if len(order) else []

    def second_order(fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        found = np.empty((len(node), len(pairs)))
        for rows in followers:
            psi = skew(fields[reference[rows[0]], 3:].T)
            first, second = psi[pairs[:, 0]], psi[pairs[:, 1]]
            turn = np.where(pairs[:, 0] == pairs[:, 1], 0.25, 0.5)[:, None, None] * (first @ second + second @ first)
            products = (direction[rows, :, None] * r[rows, None, :]).reshape(-1, 9)
            found[rows] = products @ turn.reshape(-1, 9).T
        return found

    ndof = 6 * len(mesh.points)

    def stiffness(multipliers: np.ndarray) -> sparse.csr_matrix:
        force = multipliers[:, None] * direction
        blocks = arm_stiffness(force, r)
        return summed_blocks(ndof, 6 * reference[:, None] + 3 + axis, blocks)

    more = {"strict": True, "second_order": second_order, "stiffness": stiffness}
    return rows_of(ndof, columns, values, preferred, names, **more)


def _rotations(mesh: Mesh, node, reference, direction, preferred, names) -> JoinedRows:
    axis = np.arange(3, 6)
    columns = np.hstack([6 * node[:, None] + axis, 6 * reference[:, None] + axis])
    return rows_of(6 * len(mesh.points), columns, np.hstack([direction, -direction]), preferred, names, strict=True)


def name_of(mesh: Mesh, joint) -> str:
    """How errors call a coupling, an equation or a tie: file and line, and its name."""
    return f"{joint.where or mesh.source or 'mesh'}: {joint.name}"


def average_rows(mesh: Mesh, coupling: Coupling, turning: np.ndarray, axes: dict[int, np.ndarray], needed: bool) -> JoinedRows:
    """d . (u0 - fitted u) = 0 for the coupled components d of the reference node.

    ``turning`` (nn,) bool, nodes that have rotations; ``needed``: whether the reference node carries something: MeshError where
    the nodes leave its rotation open. Otherwise it only moves along, and what is open stays out.
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


_ON_LINE = 1e-6  # of the size of the body: nodes of a file on one line lie on it to the digits of the file


def idle_spin_rows(
    mesh: Mesh, couplings: Sequence[Coupling], stiff: np.ndarray, turning: np.ndarray, bound: np.ndarray
) -> list[JoinedRows]:
    """Conditions for the undetermined rotations of reference nodes: of rigid couplings whose nodes are collinear or coincide.

    Such a rotation has neither stiffness nor mass, and would leave the matrices singular. It is made to follow the mean
    rotation of the solids that the coupling holds on to, which changes no displacement.

    ``stiff`` (nn, 6) bool, components that have stiffness or mass; ``turning`` (nn,) bool, nodes that have rotations;
    ``bound`` (nn,) bool, nodes that other couplings or equations bind.
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
