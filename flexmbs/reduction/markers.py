"""Fields of the markers: first- and second-order motion of every interface."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import BodyError
from flexmbs.fem.shell_model import ShellModel
from flexmbs.reduction.body import PointFields
from flexmbs.reduction.interface import Attachment, fitted_inverse


def marker_fields(
    fem, attachment: Attachment, modes: np.ndarray, quadratic: np.ndarray, pairs: np.ndarray, held: bool
) -> PointFields:
    """PointFields of one interface; a held marker's fields are exactly zero.

    modes (ndof, n), quadratic (ndof, npairs), pairs (npairs, 2).
    """
    first, second = attachment.operator @ modes, attachment.operator @ quadratic
    Phi, Psi, Zu, Zr = first[:3].T, first[3:].T, second[:3].T, second[3:].T
    if held:
        _check_held(attachment, Phi, Psi, Zu, Zr, np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
        Phi, Psi, Zu, Zr = (np.zeros_like(field) for field in (Phi, Psi, Zu, Zr))
    elif len(attachment.nodes) and attachment.has_rotation:
        turned = np.zeros_like(Zr)
        if fem.dofs_per_node == 3 or isinstance(fem, ShellModel):
            turned = _fitted_rotation_correction(fem, attachment, modes, pairs)
        Zr, Zu = Zr + turned, Zu + _offset_correction(attachment, Psi, turned, pairs)
    return PointFields(
        attachment.position.copy(), *(np.ascontiguousarray(f) for f in (Phi, Psi, Zu, Zr)), attachment.has_rotation
    )


def _check_held(attachment: Attachment, Phi, Psi, Zu, Zr, size: float) -> None:
    """The conditions are met to rounding of the solution (1e-9 leaves room for the condition number of K)."""
    worst = max(np.abs(f * s).max(initial=0.0) for f, s in ((Phi, 1.0), (Psi, size), (Zu, size), (Zr, size**2)))
    scale = 1.0 + np.abs(Zu).max(initial=0.0) * size
    if not worst <= 1e-6 * scale:
        raise BodyError(
            f"interface '{attachment.name}' is held, yet its marker moves by {worst:.2g} of the largest displacement: "
            "the stiffness matrix is too ill-conditioned (check sections and element sizes)"
        )


def _offset_correction(attachment: Attachment, Psi: np.ndarray, turned: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(npairs, 3): second-order displacement of a marker beside the mean of its nodes, s = position - center.

    (exp(theta) - 1) s to second order is theta x s + 1/2 theta x (theta x s); the linear operator gives the first
    term only, and that without what is added to the rotation.
    """
    s = attachment.position - attachment.center
    a, b = Psi[pairs[:, 0]], Psi[pairs[:, 1]]
    bent = 0.5 * (np.cross(a, np.cross(b, s)) + np.cross(b, np.cross(a, s)))
    return np.cross(turned, s) + np.where((pairs[:, 0] == pairs[:, 1])[:, None], 0.5, 1.0) * bent


def _fitted_rotation_correction(fem, attachment: Attachment, modes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(npairs, 3): what a finite rotation adds to the least-squares rotation of a set, at second order.

    The rotation exp(theta) that fits the nodes best, sum |u_i - d - (exp(theta) - 1) r_i|^2 -> min (with the weights
    of the set), expanded to second order, theta = q psi + q^2 theta2, with d the mean of u, r from the mean, and
    e = u - d - psi x r the first-order misfit (J = sum r.r I - r r^T):
      J theta2 = sum r x (u2 - 1/2 psi x (psi x r)) + 1/2 sum [(psi x r) x e + r x (e x psi)].
    The linear operator alone gives only  J^-1 sum r x u2.
    """
    nodes = attachment.nodes
    w = attachment.weights
    r = fem.mesh.points[nodes] - attachment.center
    psi = (attachment.operator @ modes)[3:].T
    u = modes.reshape(-1, fem.dofs_per_node, modes.shape[1])[nodes, :3].transpose(2, 0, 1)
    misfit = u - np.einsum("i,aik->ak", w, u)[:, None] - np.cross(psi[:, None], r)
    inverse = fitted_inverse(w, r)

    def term(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        pa, pb, e = psi[a][:, None], psi[b][:, None], misfit[b]
        turning = -0.5 * np.cross(r, np.cross(pa, np.cross(pb, r)))
        straining = 0.5 * (np.cross(np.cross(pa, r), e) + np.cross(r, np.cross(e, pa)))
        return np.einsum("i,aik->ak", w, turning + straining) @ inverse

    a, b = pairs[:, 0], pairs[:, 1]
    return np.where((a == b)[:, None], term(a, b), term(a, b) + term(b, a))
