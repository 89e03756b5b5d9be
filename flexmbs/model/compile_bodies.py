"""Flexible and rigid bodies as entries of the flat tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.core.layout.tables import DIAGONAL_MATRIX, FULL_MATRIX, ZERO_MATRIX
from flexmbs.mechanism.rigid_body import RigidBody
from flexmbs.model.inertia_layout import InertiaLayout
from flexmbs.reduction.flexible_body import PointFields

# Entries of projected matrices below this fraction of the diagonal are rounding.
ROUNDING = 1e-13


class Pool:
    """One growing array of floats; ``add`` returns the offset."""

    def __init__(self):
        self.parts: list[np.ndarray] = []
        self.size = 0

    def add(self, values) -> int:
        flat = np.ascontiguousarray(values, dtype=float).ravel()
        at = self.size
        self.parts.append(flat)
        self.size += len(flat)
        return at

    def array(self) -> np.ndarray:
        return np.concatenate(self.parts) if self.parts else np.zeros(1)


def rigid_inertia_basis(body: RigidBody) -> np.ndarray:
    """X (3, 4) of a rigid body: column 0 carries the centre, the others the root of the central second moment."""
    values, vectors = np.linalg.eigh(body.second_moment)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.column_stack([np.sqrt(body.mass) * body.center, root])


def marker_fields(fields: PointFields, layout: InertiaLayout) -> np.ndarray:
    """(6, places) displacement and rotation of a marker by each field of its body, in the order of their places."""
    found = np.zeros((6, layout.places))
    forms = slice(layout.first_form, layout.first_form + len(layout.form_order))
    for rows, linear, second in ((slice(0, 3), fields.Phi, fields.Zu), (slice(3, 6), fields.Psi, fields.Zr)):
        found[rows, : len(layout.mode_order)] = linear[layout.mode_order].T
        found[rows, forms] = second[layout.form_order].T
    return found


def matrix_kind(matrix: np.ndarray) -> int:
    """What of a symmetric matrix (n, n) the kernels need to multiply with."""
    if not np.any(matrix):
        return ZERO_MATRIX
    root = np.sqrt(np.abs(np.diag(matrix)))
    beside = np.abs(matrix - np.diag(np.diag(matrix)))
    return DIAGONAL_MATRIX if np.all(beside <= ROUNDING * np.outer(root, root)) else FULL_MATRIX


def marker_moves(fields: PointFields | None) -> bool:
    """False for rigid markers, among them the one that a clamped-free body's frame is fixed to."""
    if fields is None:
        return False
    return any(np.any(values != 0.0) for values in (fields.Phi, fields.Psi, fields.Zu, fields.Zr))


def condensed_units(system, modal: Mapping[str, slice], count: int) -> np.ndarray:
    """(count,) 1 / w^2 (s2) of the modes that ``System.add(high_modes=QuasiStatic(...))`` condenses, 0 for others."""
    units = np.zeros(count)
    for name, part in modal.items():
        own = system.bodies[name]
        mass, stiffness = np.diag(own.body.Me), np.diag(own.body.Ke)
        # any value will do for a mode without mass
        mass = np.where(mass > 0.0, mass, own.body.mass)
        units[part][own.condensed] = mass[own.condensed] / stiffness[own.condensed]
    return units
