"""Which parts of a mixed body can move against the rest without any resistance, although they are joined to it.

Elements that share nodes are one cluster, which can move as a rigid body only: solids by themselves, shells and beams
together. What nodes in two clusters, couplings, equations, ties, trusses and springs demand of these motions is a
small linear system. Its solutions beyond the six motions of the whole body are mechanisms, such as a beam that stands
on one node of a solid, where nothing has a rotation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from flexmbs.common.names_in_messages import few
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.mpc.dependent_components import describe
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.mesh.mesh import ElementBlock

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
    """What can move freely, in a sentence; empty when nothing can (or when the body is too large to be examined)."""
    if model.dependence is None:
        return ""
    solids, others = _clusters(model, 3), _clusters(model, 6)
    owner = _owners(solids, others)
    C = sparse.vstack([sparse.csr_matrix((0, model.ndof)), *(rows.matrix for rows in model.dependence.rows)]).tocsr()
    flexible = [family.K for family in model.families if not family.moves_rigidly]
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
