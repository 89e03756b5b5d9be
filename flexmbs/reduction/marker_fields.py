"""Fields of the markers: first- and second-order motion of every interface."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.fem.rigid_fit import turned_arm
from flexmbs.reduction.flexible_body import PointFields
from flexmbs.reduction.interface import Attachment


def marker_fields(
    fem, attachment: Attachment, modes: np.ndarray, quadratic: np.ndarray, pairs: np.ndarray, held: bool
) -> PointFields:
    """PointFields of one interface; exactly zero for the marker that holds the frame.

    modes (ndof, n), quadratic (ndof, npairs), pairs (npairs, 2).
    """
    first, second = attachment.operator @ modes, _of_linear_map(fem, attachment, modes, quadratic, pairs)
    Phi, Psi, Zu, Zr = first[:3].T, first[3:].T, second[:3].T, second[3:].T
    if held:
        _check_held(attachment, Phi, Psi, Zu, Zr, np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
        Phi, Psi, Zu, Zr = (np.zeros_like(field) for field in (Phi, Psi, Zu, Zr))
    elif attachment.has_rotation:
        moved, turned = _of_finite_rotation(fem, attachment, Psi, modes, pairs)
        Zu, Zr = Zu + moved, Zr + turned
    return PointFields(attachment.position.copy(), *(np.ascontiguousarray(f) for f in (Phi, Psi, Zu, Zr)), attachment.has_rotation)


def _of_linear_map(fem, attachment: Attachment, modes: np.ndarray, quadratic: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(6, npairs) second-order motion without the contribution of finite rotations of node sets."""
    if len(attachment.nodes):
        return attachment.operator @ quadratic
    return fem.point_second_order(attachment.position, modes, pairs, quadratic)


def _check_held(attachment: Attachment, Phi, Psi, Zu, Zr, size: float) -> None:
    """The conditions must hold to rounding of the solution (1e-9 leaves room for the condition number of K)."""
    worst = max(np.abs(f * s).max(initial=0.0) for f, s in ((Phi, 1.0), (Psi, size), (Zu, size), (Zr, size**2)))
    scale = 1.0 + np.abs(Zu).max(initial=0.0) * size
    if not worst <= 1e-6 * scale:
        raise BodyError(
            f"interface '{attachment.name}' holds the frame, but its marker moves by {worst:.2g} of the largest "
            "displacement: the stiffness matrix is too ill-conditioned (check sections and element sizes)"
        )


def _of_finite_rotation(
    fem, attachment: Attachment, Psi: np.ndarray, modes: np.ndarray, pairs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(npairs, 3) each: contribution of finite rotation to the marker's second-order displacement and rotation."""
    if attachment.fit is not None:
        moved, turned = attachment.fit.second_order(modes.reshape(-1, fem.dofs_per_node, modes.shape[1]), pairs)
        return moved[0].T, turned[0].T
    a, b = pairs.T
    moved = turned_arm(Psi[a], Psi[b], attachment.arm, (a == b)[:, None])
    return moved, np.zeros_like(moved)
