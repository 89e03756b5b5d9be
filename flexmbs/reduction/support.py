"""How a body is held: rigid sets become one marker each, and rigid motion is ruled out at a marker or by mean axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from flexmbs.errors import BodyError
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.reduction.constrained import ConstrainedProblem, determinate_dofs
from flexmbs.reduction.interface import Attachment


def set_motion(attachment: Attachment, points: np.ndarray, dofs_per_node: int) -> np.ndarray:
    """(dofs of the set, 6): how the nodes of a rigid set follow the marker's displacement and rotation."""
    return rigid_motions(points[attachment.nodes], dofs_per_node, attachment.position)


def set_dofs(attachment: Attachment, dofs_per_node: int) -> np.ndarray:
    return (dofs_per_node * attachment.nodes[:, None] + np.arange(dofs_per_node)).ravel()


def hold(fem, attached: Mapping[str, Attachment], at: str | None) -> tuple[sparse.csr_matrix, ConstrainedProblem]:
    """Transformation T (ndof, n) from independent dofs to nodal ones, and the problem on the independent dofs.

    ``at`` names the interface whose marker is held; None means mean axes, int Phi dm = 0, int x cross Phi dm = 0.
    """
    held = attached[at] if at is not None else None
    clamped = held is not None and (held.rigid or (fem.dofs_per_node == 6 and len(held.nodes) == 1))
    if held is not None and not held.has_rotation:
        raise BodyError(
            f"modes cannot be clamped at interface '{at}': its {len(held.nodes)} node(s) of a solid lie in one point "
            "or line and determine no rotation; use a set of nodes that spans an area"
        )
    rigid = [a for a in attached.values() if a.rigid and a is not held]
    T = _transformation(fem, rigid, set_dofs(held, fem.dofs_per_node) if clamped else np.empty(0, dtype=np.int64))
    K, M = (T.T @ fem.K @ T).tocsr(), (T.T @ fem.M @ T).tocsr()
    n = K.shape[0]
    if clamped:
        none = np.zeros((0, n))
        return T, ConstrainedProblem(K, M, none, none.T, np.empty(0, dtype=np.int64))
    R_nodes = rigid_motions(fem.mesh.points, fem.dofs_per_node, fem.center)
    R = _independent_motions(fem, rigid, R_nodes, n)
    conditions = _mean_axes(fem, R_nodes) if held is None else held.operator.toarray()
    C = (T.T @ conditions.T).T
    candidates = _far_dofs(fem, rigid, n)
    return T, ConstrainedProblem(K, M, C, R, determinate_dofs(R, candidates))


def _mean_axes(fem, R: np.ndarray) -> np.ndarray:
    """C = R^T M: no momentum in the vibration.

    A straight beam without rotary inertia has no inertia about its axis; there the mean rotation is held instead.
    """
    C = (fem.M @ R).T
    moments, axes = np.linalg.eigh(C[3:] @ R[:, 3:])
    for axis in axes.T[moments < 1e-10 * moments.max()]:
        twist = np.zeros((len(fem.mesh.points), fem.dofs_per_node))
        twist[:, 3:] = axis * moments.max() / len(fem.mesh.points)
        C[3:] += np.outer(axis, twist.ravel())
    return C


def _transformation(fem, rigid: list[Attachment], clamped_dofs: np.ndarray) -> sparse.csr_matrix:
    ndof, d = fem.K.shape[0], fem.dofs_per_node
    following = [set_dofs(a, d) for a in rigid]
    kept = np.setdiff1d(np.arange(ndof), np.concatenate([clamped_dofs, *following]))
    if len(kept) == 0 and not rigid:
        raise BodyError("every node of the body is held: no motion is left for modes")
    parts = [sparse.csr_matrix((np.ones(len(kept)), (kept, np.arange(len(kept)))), shape=(ndof, len(kept)))]
    for attachment, dofs in zip(rigid, following, strict=True):
        block = sparse.lil_matrix((ndof, 6))
        block[dofs] = set_motion(attachment, fem.mesh.points, d)
        parts.append(block.tocsr())
    return sparse.hstack(parts).tocsr()


def _independent_motions(fem, rigid: list[Attachment], R_nodes: np.ndarray, n: int) -> np.ndarray:
    """Rigid motions in independent dofs: those of kept nodes, then of the markers of the rigid sets."""
    following = [set_dofs(a, fem.dofs_per_node) for a in rigid]
    kept = np.setdiff1d(np.arange(len(R_nodes)), np.concatenate([*following, np.empty(0, dtype=np.int64)]))
    R = np.zeros((n, 6))
    R[: len(kept)] = R_nodes[kept]
    for i, attachment in enumerate(rigid):
        R[len(kept) + 6 * i : len(kept) + 6 * i + 6] = rigid_motions(attachment.position[None], 6, fem.center)
    return R


def _far_dofs(fem, rigid: list[Attachment], n: int) -> np.ndarray:
    """Candidate dofs for pinning: a rigid set's marker, a beam's node, or three far nodes of a solid not in a line."""
    if rigid:
        return np.arange(n - 6, n)
    x = fem.mesh.points
    first = np.argmax(np.linalg.norm(x - fem.center, axis=1))
    if fem.dofs_per_node == 6:
        return 6 * first + np.arange(6)
    second = np.argmax(np.linalg.norm(x - x[first], axis=1))
    axis = (x[second] - x[first]) / np.linalg.norm(x[second] - x[first])
    third = np.argmax(np.linalg.norm(np.cross(x - x[first], axis), axis=1))
    return (3 * np.array([[first], [second], [third]]) + np.arange(3)).ravel()
