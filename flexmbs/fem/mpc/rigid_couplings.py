"""Rigid couplings (RBE2, kinematic couplings, rigid bodies): their nodes follow the reference node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmbs.fem.mpc.condition_rows import JoinedRows, component_direction, rows_of
from flexmbs.fem.rigid_motion import arm_stiffness, skew
from flexmbs.fem.sparsity_pattern import summed_blocks
from flexmbs.mesh.couplings import Coupling
from flexmbs.mesh.mesh import Mesh


def rigid_rows(mesh: Mesh, couplings: Sequence[Coupling], turning: np.ndarray, axes: dict[int, np.ndarray]) -> list[JoinedRows]:
    """u = u0 + theta0 x r and theta = theta0 of the coupled components of every node.

    A component in a direction d (of the node's displacement axes) follows  d . (u - u0 - theta0 x r) = 0; to second
    order  d . 1/2 theta0 x (theta0 x r)  stands on the right. Rotations of nodes that have none are left out.

    Parameters
    ----------
    turning : (nn,) bool, nodes that have rotations
    axes : of ``nodal_axes``
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
