"""Displacement and stress of a flexible body from its modal coordinates."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.body import FlexibleBody, PointFields
from flexmbs.result.interpolation import rotation_matrix


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


def marker_rotation(body: FlexibleBody, fields: PointFields, q: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of a marker relative to the body frame; q (n,)."""
    return rotation_matrix(superpose(body, fields.Psi, fields.Zr, q))


def surface_displacement(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(np, 3) displacement of the surface points in the body frame, m; q (n,)."""
    return superpose(body, body.surface.modes, body.surface.quadratic, q)


def surface_stress(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(np, 6) stress xx, yy, zz, yz, xz, xy at the surface points, Pa; linear in q.

    The second-order displacements H_ab are those that keep the quadratic part of the strain in equilibrium; what
    stress they leave is of second order and not recovered.
    """
    return body.stress(q).stress


def largest_von_mises(body: FlexibleBody, q: np.ndarray) -> float:
    """Largest von Mises stress, Pa, at the surface over many states q (k, n).

    It is a norm of q, so sum_a |q_a| (largest stress of mode a) bounds it: states are taken in the order of their
    bounds, until the bound falls below what was found.
    """
    unit = np.array([von_mises(stress).max(initial=0.0) for stress in body.surface_stress_modes])
    bounds = np.abs(q) @ unit
    largest = 0.0
    for index in np.argsort(-bounds):
        if bounds[index] <= largest:
            break
        largest = max(largest, float(von_mises(surface_stress(body, q[index])).max(initial=0.0)))
    return largest
