"""Flexible and rigid bodies as entries of the flat tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.core.layout.tables import DIAGONAL_MATRIX, FULL_MATRIX, ZERO_MATRIX
from flexmbs.mechanism.rigid_body import RigidBody

# Entries of projected matrices below this fraction of the diagonal are rounding.
ROUNDING = 1e-13


def rigid_inertia_basis(body: RigidBody) -> tuple[np.ndarray, float]:
    """X (3, 4) of a rigid body: column 0 carries the centre, the others the root of the central second moment.

    And the sign with which column 1 counts: -1 for the negative second moment of an inertia that no mass distribution has
    (there is never more than one, as the sum of any two is a principal moment).
    """
    values, vectors = np.linalg.eigh(body.second_moment)
    sign = -1.0 if body.nonphysical_reason else 1.0
    root = vectors * np.sqrt(np.maximum([sign * values[0], *values[1:]], 0.0))
    return np.column_stack([np.sqrt(body.mass) * body.center, root]), sign


def matrix_kind(matrix: np.ndarray) -> int:
    """What of a symmetric matrix (n, n) the kernels need to multiply with."""
    if not np.any(matrix):
        return ZERO_MATRIX
    root = np.sqrt(np.abs(np.diag(matrix)))
    beside = np.abs(matrix - np.diag(np.diag(matrix)))
    return DIAGONAL_MATRIX if np.all(beside <= ROUNDING * np.outer(root, root)) else FULL_MATRIX


def condensed_units(system, modal: Mapping[str, slice], count: int) -> np.ndarray:
    """(count,) 1 / w^2 (s2) of the modes that are condensed (``BodyInSystem.condensed``), 0 for others."""
    units = np.zeros(count)
    for name, part in modal.items():
        own = system.bodies[name]
        mass, stiffness = np.diag(own.body.Me), np.diag(own.body.Ke)
        # any value will do for a mode without mass
        mass = np.where(mass > 0.0, mass, own.body.mass)
        units[part][own.condensed] = mass[own.condensed] / stiffness[own.condensed]
    return units
