"""Which components of a model are held, what displacements that leaves, and what moves without resistance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import few, listed
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.mpc.dependence import describe, nodal_axes
from flexmbs.fem.mpc.elimination import eliminated, row_sizes, without_rounding
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.mesh.mesh import ElementBlock, Mesh
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


_MOST_UNKNOWNS = 1500  # beyond, the check would cost more than it is worth
_AT_ONCE = 4000  # rows of the system that are dense at a time
_NOTHING = 1e-8  # of the largest singular value


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Elements that share nodes: ``label`` (nn,) of the cluster of each node, -1 where none is."""

    blocks: tuple[ElementBlock, ...]
    label: np.ndarray
    count: int


def mechanism(model: FEModel) -> str:
    """What parts of a mixed body can move against the rest without resistance, in a sentence.

    Elements that share nodes are one cluster, which can move as a rigid body only: solids by themselves, shells and beams
    together. What nodes in two clusters, couplings, equations, ties, trusses, springs and shear panels demand of these motions is a
    small linear system. Its solutions beyond the six motions of the whole body are mechanisms, such as a beam that stands
    on one node of a solid, where nothing has a rotation. Empty when nothing can move (or when the body is too large to be
    examined).
    """
    if model.dependence is None:
        return ""
    solids, others = _clusters(model, 3), _clusters(model, 6)
    owner = _owners(solids, others)
    C = sparse.vstack([sparse.csr_matrix((0, model.ndof)), *(rows.matrix for rows in model.dependence.rows)]).tocsr()
    flexible = [model.widened(family, family.K) for family in model.families if not family.moves_rigidly]
    demands = sparse.vstack([C, *flexible]).tocsr()
    moving = np.diff(model.dependence.D.indptr) > 0
    touched = np.zeros(model.ndof, bool)
    touched[demands.indices] = True
    loose = np.flatnonzero((owner.ravel() < 0) & moving & (touched | model.stiff))
    count = solids.count + others.count
    if count == 0 or 6 * count + len(loose) > _MOST_UNKNOWNS:
        return ""
    size = float(np.linalg.norm(np.ptp(model.mesh.points, axis=0)))
    R = rigid_motions(model.mesh.points, 6, model.center) * np.repeat([1.0, 1.0 / size], 3)
    U = _unknowns(owner.ravel(), loose, R, count, size)
    in_both = np.flatnonzero((solids.label >= 0) & (others.label >= 0))
    free = _null_space(sparse.vstack([_hinges(solids, others, in_both, R, count, len(loose)), demands @ U]).tocsr())
    whole = np.vstack([np.tile(np.eye(6), (count, 1)), R[loose] * np.where(loose % 6 < 3, 1.0, size)[:, None]])
    sizes = np.bincount(owner[owner[:, 0] >= 0, 0], minlength=count)
    main = int(np.argmax(sizes))
    against = free - whole @ free[6 * main : 6 * main + 6]
    vectors, values, _ = np.linalg.svd(against, full_matrices=False)
    if not len(values) or values[0] < 1e-6:
        return ""
    joints = np.unique(np.append(demands.indices // 6, in_both))
    return _sentence(model, solids, others, loose, vectors[:, 0], joints)


def _clusters(model: FEModel, components: int) -> _Clusters:
    """Of elements that move rigidly and whose nodes have so many components."""
    families = [family for family in model.families if family.moves_rigidly and family.components == components]
    blocks = [block for family in families for block in family.mesh.blocks]
    nn = len(model.mesh.points)
    used = np.zeros(nn, bool)
    first, other = [np.empty(0, int)], [np.empty(0, int)]
    for block in blocks:
        used[block.nodes] = True
        first.append(np.repeat(block.nodes[:, 0], block.nodes.shape[1]))
        other.append(block.nodes.ravel())
    first, other = np.concatenate(first), np.concatenate(other)
    links = sparse.coo_matrix((np.ones(len(first)), (first, other)), (nn, nn))
    _, label = connected_components(links, directed=False)
    found, numbered = np.unique(label[used], return_inverse=True)
    result = np.full(nn, -1)
    result[used] = numbered.ravel()
    return _Clusters(tuple(blocks), result, len(found))


def _owners(solids: _Clusters, others: _Clusters) -> np.ndarray:
    """(nn, 6) the cluster to which each component belongs, or -1; shells and beams take precedence over solids."""
    owner = np.full((len(solids.label), 6), -1)
    owner[solids.label >= 0, :3] = solids.label[solids.label >= 0, None]
    owner[others.label >= 0] = solids.count + others.label[others.label >= 0, None]
    return owner


def _unknowns(owner: np.ndarray, loose: np.ndarray, R: np.ndarray, count: int, size: float) -> sparse.csr_matrix:
    """(ndof, unknowns): components from the six motions of every cluster and from the loose components.

    Rotations count by what they move over the size of the body, so that all unknowns are lengths.
    """
    owned = np.flatnonzero(owner >= 0)
    rows = np.concatenate([np.repeat(owned, 6), loose])
    columns = np.concatenate([(6 * owner[owned, None] + np.arange(6)).ravel(), 6 * count + np.arange(len(loose))])
    values = np.concatenate([R[owned].ravel(), np.where(loose % 6 < 3, 1.0, 1.0 / size)])
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(owner), 6 * count + len(loose)))


def _hinges(solids: _Clusters, others: _Clusters, nodes: np.ndarray, R, count: int, loose: int) -> sparse.csr_matrix:
    """Displacements of nodes that solids share with shells or beams are the same in both."""
    dofs = (6 * nodes[:, None] + np.arange(3)).ravel()
    rows = np.repeat(np.arange(len(dofs)), 6)
    parts = []
    for cluster in (np.repeat(solids.label[nodes], 3), solids.count + np.repeat(others.label[nodes], 3)):
        columns = (6 * cluster[:, None] + np.arange(6)).ravel()
        parts.append(sparse.csr_matrix((R[dofs].ravel(), (rows, columns)), shape=(len(dofs), 6 * count + loose)))
    return parts[0] - parts[1]


def _null_space(A: sparse.csr_matrix) -> np.ndarray:
    """(n, k) orthonormal vectors with A y = 0, rows of A taken as equally important."""
    largest = abs(A).max(axis=1).toarray().ravel()
    A = sparse.diags(1.0 / largest[largest > 0.0]) @ A[largest > 0.0]
    triangle = np.zeros((0, A.shape[1]))
    for first in range(0, A.shape[0], _AT_ONCE):
        stacked = np.vstack([triangle, A[first : first + _AT_ONCE].toarray()])
        triangle = np.linalg.qr(stacked, mode="r")
    if not len(triangle):
        return np.eye(A.shape[1])
    _, values, vectors = np.linalg.svd(triangle)
    rank = int(np.count_nonzero(values > _NOTHING * values[0]))
    return vectors[rank:].T


def _sentence(model, solids: _Clusters, others: _Clusters, loose, motion: np.ndarray, joints: np.ndarray) -> str:
    mesh, count = model.mesh, solids.count + others.count
    of_clusters = np.linalg.norm(motion[: 6 * count].reshape(count, 6), axis=1)
    source = mesh.source or "mesh"
    if not count or of_clusters.max() < 1e-6 * np.abs(motion).max():
        dof = loose[int(np.argmax(np.abs(motion[6 * count :])))]
        return f"{source}: nothing restrains the {describe(dof, mesh.node_ids)}; couple it to nodes that determine it"
    moving = int(np.argmax(of_clusters))
    clusters, own = (solids, moving) if moving < solids.count else (others, moving - solids.count)
    nodes = np.flatnonzero(clusters.label == own)
    inside = [clusters.label[block.nodes[:, 0]] == own for block in clusters.blocks]
    ids = np.concatenate([block.ids[chosen] for block, chosen in zip(clusters.blocks, inside, strict=True)])
    kinds = [block.kind for block, chosen in zip(clusters.blocks, inside, strict=True) if chosen.any()]
    at = mesh.node_ids[np.intersect1d(nodes, joints)]
    held = f"connected to the rest at node{'s' * (len(at) > 1)} {few(at)}" if len(at) else "not connected to the rest"
    return (
        f"{source}: {len(ids)} elements of kind {', '.join(dict.fromkeys(kinds))} (element {ids[0]}) can move"
        f" relative to the rest of the body without resistance: they are {held}, where rotation is not transmitted"
        " because nodes of solids have none, or only some components are coupled; connect more nodes, or use a"
        " rigid or averaging coupling"
    )
