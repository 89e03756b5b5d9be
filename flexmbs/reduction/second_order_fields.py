"""Second-order displacement fields: how the body shortens and shifts when it deforms by two modes together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy import sparse

from flexmbs.common.progress import stage
from flexmbs.reduction.constrained_body import ConstrainedProblem
from flexmbs.reduction.interface import Attachment
from flexmbs.reduction.reference_conditions import set_dofs

BLOCK = 128  # pairs whose fields are found together


def quadratic_fields(
    fem, T: sparse.csr_matrix, problem: ConstrainedProblem, rigid: Iterable[Attachment], modes: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Z (ndof, npairs), 1/m per q_a q_b in metres: -1/2 H_aa for a pair (a, a), -H_ab for a < b.

    K H_ab = f_ab, f_ab = int B^T D q(a, b) dV, q the quadratic part of the strain (static modal derivatives;
    Wu and Tiso, Multibody System Dynamics 36, 2016), with the body held as for its modes. The nodes of a rigid set
    move by Z = Zu + Zr x r + 1/2 psi x (psi x r): the last term is prescribed, the rest found.
    """
    Z = np.empty((len(pairs), modes.shape[0])).T
    for block in pair_blocks(len(pairs)):
        Z[:, block] = quadratic_block(fem, T, problem, rigid, modes, pairs[block])
    return Z


def pair_blocks(count: int) -> Iterator[slice]:
    """Slices of at most ``BLOCK`` pairs: processing all at once would need several times the memory."""
    for first in range(0, count, BLOCK):
        stage("second-order fields", first, count)
        yield slice(first, min(first + BLOCK, count))
    stage("second-order fields", count, count)


def quadratic_block(
    fem, T: sparse.csr_matrix, problem: ConstrainedProblem, rigid: Iterable[Attachment], modes: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """``quadratic_fields`` for a few pairs."""
    loads = np.asarray(fem.second_order_loads(modes, pairs))
    H_joined = _prescribed(fem, rigid, modes, pairs)
    if H_joined.any():
        loads = loads - fem.K @ H_joined
    found = problem.solve(T.T @ loads)
    if problem.nodal is not None and H_joined.any():  # nodes that follow may be among those that hold the body
        found -= problem.rigid_motion(problem.nodal @ H_joined)
    H = T @ found + H_joined
    return -np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0) * H


def _prescribed(fem, rigid: Iterable[Attachment], modes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """H of the nodes on rigid sets, and of all dependent dofs, with everything else at rest."""
    H = np.zeros((modes.shape[0], len(pairs)))
    for attachment in rigid:
        H[set_dofs(attachment, fem.dofs_per_node)] = _turning_of_set(fem, attachment, modes, pairs)
    if fem.dependence is None:
        return H
    Z = fem.dependence.second_order(modes, pairs)
    factor = np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)
    return fem.dependence.D @ H[fem.dependence.independent] - Z / factor


def _turning_of_set(fem, attachment: Attachment, modes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """H of a set that rotates as a rigid body: -1/2 (psi_a x (psi_b x r) + psi_b x (psi_a x r)); no rotations."""
    psi = (attachment.operator @ modes)[3:].T
    r = fem.mesh.points[attachment.nodes] - attachment.position
    a, b = psi[pairs[:, 0], None], psi[pairs[:, 1], None]
    H = np.zeros((len(pairs), len(r), fem.dofs_per_node))
    H[:, :, :3] = -0.5 * (np.cross(a, np.cross(b, r)) + np.cross(b, np.cross(a, r)))
    return H.reshape(len(pairs), -1).T
