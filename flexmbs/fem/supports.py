"""Which components of a model are held, what displacements that leaves, and what holds a body that is to be free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import listed
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.mpc.condition_rows import nodal_axes
from flexmbs.fem.mpc.elimination import eliminated, row_sizes, without_rounding
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.operations import nodes_of

# Relative: sums of stiffness entries of one sign and the other cancel to 1e-12 of them on real meshes.
_ROUNDING = 1e-8


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


def free_space(model: FEModel, held: np.ndarray | sparse.spmatrix) -> sparse.csr_matrix:
    """(ndof, n) matrix T: every displacement that is possible is u = T x.

    Parameters
    ----------
    held : (ndof,) bool, components that do not move; or (k, ndof) sparse H of supports H u = 0
    """
    if not sparse.issparse(held):
        held = np.asarray(held, bool)
        if model.dependence is None:
            free = np.flatnonzero(~held)
            return _selection(free, model.ndof)
        held = _selection(np.flatnonzero(held), model.ndof).T
    D = sparse.eye(model.ndof, format="csr") if model.dependence is None else model.dependence.D
    own = np.arange(model.ndof) if model.dependence is None else model.dependence.independent
    size = float(np.linalg.norm(np.ptp(model.mesh.points, axis=0)))
    sizes = row_sizes(held, _six_a_node(model, np.arange(model.ndof)), size)
    dofs = _six_a_node(model, own)
    rows = without_rounding(held @ D, dofs, size, sizes)
    single = np.diff(rows.indptr) == 1
    at_rest = np.unique(rows[single].indices)
    kept = np.setdiff1d(np.arange(D.shape[1]), at_rest)
    others, sizes = rows[~single][:, kept].tocsr(), sizes[~single]
    left = np.diff(others.indptr) > 0
    D = D[:, kept].tocsr()
    if not left.any():
        return D
    rest = eliminated(others[left], dofs[kept], size, sizes[left])
    return (D[:, rest.kept] + D[:, rest.pivots] @ rest.of_kept).tocsr()


def _six_a_node(model: FEModel, dofs: np.ndarray) -> np.ndarray:
    """The numbers that components would have if every node had six."""
    return 6 * (dofs // model.dofs_per_node) + dofs % model.dofs_per_node


def _selection(dofs: np.ndarray, ndof: int) -> sparse.csr_matrix:
    """(ndof, k) columns of the identity."""
    return sparse.csr_matrix((np.ones(len(dofs)), (dofs, np.arange(len(dofs)))), shape=(ndof, len(dofs)))


def restricted(matrix: sparse.spmatrix, T: sparse.csr_matrix) -> sparse.csr_matrix:
    """T^T A T; taken out of A where T selects components."""
    if T.nnz == T.shape[1] and np.all(T.data == 1.0) and np.all(np.diff(T.tocsc().indptr) == 1):
        chosen = T.tocsc().indices
        return matrix.tocsr()[chosen][:, chosen]
    return (T.T @ matrix @ T).tocsr()


def check_free_motion(model: FEModel, motions: np.ndarray) -> None:
    """BodyError that names the spring, equation or tie that resists rigid-body motion.

    Parameters
    ----------
    motions : (ndof, 6) of ``rigid_motions``
    """
    dependence = model.dependence
    if dependence is None:
        return
    off = np.abs(dependence.D @ motions[dependence.independent] - motions)
    off[np.diff(dependence.D.indptr) == 0] = 0.0  # components that nothing has
    wrong = np.flatnonzero((off > _ROUNDING * np.abs(motions).max(axis=0)).any(axis=1))
    if len(wrong):
        joints = dict.fromkeys(dependence.follower_rows(wrong).values())
        raise BodyError(
            f"{model.mesh.source or 'mesh'}: the body cannot move freely: rigid-body motion is restrained, or causes"
            f" strain, because of {listed(joints, 3)}; remove or correct it (a body is supported only at its"
            " interfaces)"
        )
    # springs and dashpots by name, however weak beside the body: moving with its frame they would hold it nowhere
    named = [name for family in model.families for name in family.restraining]
    if not named and not _resists(model.K, motions):
        return
    raise BodyError(
        f"{model.mesh.source or 'mesh'}: the body cannot move freely: rigid-body motion is restrained, or causes"
        f" strain, because of {listed(named, 3) if named else 'its elements'}; remove it (a body is supported only at"
        " its interfaces; state springs to ground in the System)"
    )


def _resists(K: sparse.csr_matrix, motions: np.ndarray) -> bool:
    return bool(np.any(np.abs(K @ motions).max(axis=0) > _ROUNDING * (abs(K) @ np.abs(motions)).max(axis=0)))
