"""Displacement and stress of a flexible body from its modal coordinates."""

from __future__ import annotations

import numpy as np

from flexmbs.reduction.flexible_body import FlexibleBody, PointFields
from flexmbs.reduction.stress_recovery import von_mises_into


def superpose(body: FlexibleBody, modes: np.ndarray, quadratic: np.ndarray, q: np.ndarray) -> np.ndarray:
    """sum_a q_a modes_a + sum_r s_r(q) quadratic_r; q (..., n), fields (n, ...) and (forms, ...) of ``body``."""
    linear = np.tensordot(q, modes, axes=(-1, 0))
    if len(body.pairs) == 0:
        return linear
    return linear + np.tensordot(body.quadratic_coordinates(q), quadratic, axes=(-1, 0))


def marker_displacement(body: FlexibleBody, fields: PointFields, q: np.ndarray) -> np.ndarray:
    """Displacement (..., 3) of a marker in the body frame, m; q (..., n)."""
    return superpose(body, fields.Phi, fields.Zu, q)


def marker_velocity(body: FlexibleBody, fields: PointFields, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocity (..., 3) of a marker relative to the body frame, body axes, m/s; q and its rates v (..., n)."""
    linear = np.tensordot(v, fields.Phi, axes=(-1, 0))
    if len(body.pairs) == 0:
        return linear
    return linear + np.tensordot(body.quadratic_coordinates(q, v), fields.Zu, axes=(-1, 0))


def surface_displacement(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(np, 3) displacement of the surface points in the body frame, m; q (n,)."""
    return superpose(body, body.surface.modes, body.surface.quadratic, q)


def surface_stress(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(..., np, 6) stress xx, yy, zz, yz, xz, xy at the surface points, Pa; linear in q (..., n).

    The second-order displacements H_ab are those that keep the quadratic part of the strain in equilibrium; what
    stress they leave is of second order and not recovered.
    """
    return np.tensordot(q, body.surface_stress_modes, axes=(-1, 0))


def von_mises_at(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(k, np) von Mises stress, Pa, at the surface points in many states q (k, n)."""
    modes = body.surface_stress_modes
    return von_mises_into(np.empty((len(q), modes.shape[1])), modes, q)
