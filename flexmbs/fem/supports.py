"""Which components of a model are held: by node sets, or as the boundary conditions of the file say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.mpc.condition_rows import nodal_axes
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.operations import nodes_of


def supported_nodes(mesh: Mesh, sets: Sequence[str] | None = None) -> np.ndarray:
    """Indices of the nodes of which ``held_components`` fixes some component; ``sets`` as there."""
    held = [nodes_of(mesh, name) for name in sets or ()]
    if sets is None:
        held = [condition.nodes for condition in mesh.boundary_conditions]
    return np.unique(np.concatenate([np.empty(0, int), *held]).astype(int))


def held_components(model: FEModel, sets: Sequence[str] | None = None) -> np.ndarray | sparse.csr_matrix:
    """What does not move.

    Parameters
    ----------
    sets : names of node sets whose nodes are held in all components; an empty sequence holds nothing; None: the
        boundary conditions of the mesh

    Returns
    -------
    (ndof,) bool, components at rest; or, where single components in local axes are held, (k, ndof) sparse H with
    H u = 0

    Raises
    ------
    MeshError
        A set is not there or empty.
    """
    held = np.zeros((len(model.mesh.points), model.dofs_per_node), bool)
    if sets is not None:
        for name in sets:
            held[nodes_of(model.mesh, name)] = True
        return held.ravel()
    axes = nodal_axes(model.mesh)
    columns: list[np.ndarray] = []
    values: list[np.ndarray] = []
    for condition in model.mesh.boundary_conditions:
        nodes = np.asarray(condition.nodes, dtype=int)
        turned = np.isin(nodes, list(axes)) if axes else np.zeros(len(nodes), bool)
        for first in range(0, model.dofs_per_node, 3):
            own = np.array([dof - 1 for dof in condition.dofs if first < dof <= first + 3], dtype=int)
            plain = nodes[~turned] if len(own) < 3 else nodes
            held[np.ix_(plain, own)] = True
            for node in nodes[turned] if len(own) < 3 else ():
                for component in own:
                    columns.append(model.dofs_per_node * node + first + np.arange(3))
                    values.append(axes[int(node)][:, component - first])
    if not columns:
        return held.ravel()
    at_rest = np.flatnonzero(held.ravel())
    rows = np.concatenate([np.arange(len(at_rest)), len(at_rest) + np.repeat(np.arange(len(columns)), 3)])
    entries = np.concatenate([np.ones(len(at_rest)), *values])
    shape = (len(at_rest) + len(columns), held.size)
    return sparse.csr_matrix((entries, (rows, np.concatenate([at_rest, *columns]))), shape=shape)
