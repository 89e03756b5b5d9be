"""Displacement and stress of a flexible body from its modal coordinates."""

from __future__ import annotations

import numpy as np

from flexmbs.reduction.body import FlexibleBody, PointFields
from flexmbs.result.interpolation import rotation_matrix


def pair_products(pairs: np.ndarray, q: np.ndarray) -> np.ndarray:
    """q_a q_b of every pair; pairs (npairs, 2), q (..., n) -> (..., npairs)."""
    if len(pairs) == 0:
        return np.zeros(q.shape[:-1] + (0,))
    return q[..., pairs[:, 0]] * q[..., pairs[:, 1]]


def superpose(modes: np.ndarray, quadratic: np.ndarray, pairs: np.ndarray, q: np.ndarray) -> np.ndarray:
    """sum_a q_a modes_a + sum_p q_a q_b quadratic_p; q (..., n), fields (n, ...) and (npairs, ...)."""
    linear = np.tensordot(q, modes, axes=(-1, 0))
    if len(pairs) == 0:
        return linear
    return linear + np.tensordot(pair_products(pairs, q), quadratic, axes=(-1, 0))


def marker_displacement(fields: PointFields, pairs: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Displacement (..., 3) of a marker in the body frame, m; q (..., n)."""
    return superpose(fields.Phi, fields.Zu, pairs, q)


def marker_velocity(fields: PointFields, pairs: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocity (..., 3) of a marker relative to the body frame, body axes, m/s; q and its rates v (..., n)."""
    linear = np.tensordot(v, fields.Phi, axes=(-1, 0))
    if len(pairs) == 0:
        return linear
    a, b = pairs[:, 0], pairs[:, 1]
    return linear + np.tensordot(q[..., a] * v[..., b] + v[..., a] * q[..., b], fields.Zu, axes=(-1, 0))


def marker_rotation(fields: PointFields, pairs: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of a marker relative to the body frame; q (n,)."""
    return rotation_matrix(superpose(fields.Psi, fields.Zr, pairs, q))


def surface_displacement(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(np, 3) displacement of the surface points in the body frame, m; q (n,)."""
    return superpose(body.surface.modes, body.surface.quadratic, body.pairs, q)


def surface_stress(body: FlexibleBody, q: np.ndarray) -> np.ndarray:
    """(np, 6) stress xx, yy, zz, yz, xz, xy at the surface points, Pa; linear in q.

    The second-order displacements H_ab are those that keep the quadratic part of the strain in equilibrium; what
    stress they leave is of second order and not recovered.
    """
    return np.tensordot(q, body.surface.stress_modes, axes=(-1, 0))


def von_mises(stress: np.ndarray) -> np.ndarray:
    """Von Mises stress (...,), Pa, of stress (..., 6)."""
    xx, yy, zz, yz, xz, xy = np.moveaxis(stress, -1, 0)
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.sqrt(0.5 * normal + 3.0 * (yz**2 + xz**2 + xy**2))


def largest_von_mises(body: FlexibleBody, q: np.ndarray) -> float:
    """Largest von Mises stress, Pa, at the surface over many states q (k, n).

    It is a norm of q, so sum_a |q_a| (largest stress of mode a) bounds it: states are taken in the order of their
    bounds, until the bound falls below what was found.
    """
    unit = np.array([von_mises(stress).max(initial=0.0) for stress in body.surface.stress_modes])
    bounds = np.abs(q) @ unit
    largest = 0.0
    for index in np.argsort(-bounds):
        if bounds[index] <= largest:
            break
        largest = max(largest, float(von_mises(surface_stress(body, q[index])).max(initial=0.0)))
    return largest
