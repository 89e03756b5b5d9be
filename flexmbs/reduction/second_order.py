"""Second-order displacement fields: how the body shortens and shifts when it deforms by two modes together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from flexmbs.reduction.constrained import ConstrainedProblem
from flexmbs.reduction.interface import Attachment
from flexmbs.reduction.support import set_dofs


def quadratic_fields(
    fem, T: sparse.csr_matrix, problem: ConstrainedProblem, rigid: Iterable[Attachment], modes: np.ndarray,
    pairs: np.ndarray,
) -> np.ndarray:
    """Z (ndof, npairs), 1/m per q_a q_b in metres: -1/2 H_aa for a pair (a, a), -H_ab for a < b.

    K H_ab = f_ab, f_ab = int B^T D q(a, b) dV, q the quadratic part of the strain (static modal derivatives;
    Wu and Tiso, Multibody System Dynamics 36, 2016), with the body held as for its modes. The nodes of a rigid set
    move by Z = Zu + Zr x r + 1/2 psi x (psi x r): the last term is prescribed, the rest found.
    """
    ndof = modes.shape[0]
    if len(pairs) == 0:
        return np.zeros((ndof, 0))
    loads = np.asarray(fem.second_order_loads(modes, pairs))
    H_set = np.zeros((ndof, len(pairs)))
    for attachment in rigid:
        dofs = set_dofs(attachment, fem.dofs_per_node)
        H_set[dofs] = _turning_of_set(fem, attachment, modes, pairs)
    if H_set.any():
        loads = loads - fem.K @ H_set
    H = T @ problem.solve(T.T @ loads) + H_set
    return -np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0) * H


def _turning_of_set(fem, attachment: Attachment, modes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """H of a set that turns as a rigid body: -1/2 (psi_a x (psi_b x r) + psi_b x (psi_a x r)), rotations none."""
    psi = (attachment.operator @ modes)[3:].T
    r = fem.mesh.points[attachment.nodes] - attachment.position
    a, b = psi[pairs[:, 0], None], psi[pairs[:, 1], None]
    H = np.zeros((len(pairs), len(r), fem.dofs_per_node))
    H[:, :, :3] = -0.5 * (np.cross(a, np.cross(b, r)) + np.cross(b, np.cross(a, r)))
    return H.reshape(len(pairs), -1).T
