"""Flexible and rigid bodies as entries of the flat tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.core.layout.records import NONE, make_records
from flexmbs.core.layout.tables import ROW
from flexmbs.mechanism.rigid_body import RigidBody
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields

# Coefficients below this fraction of the largest one are noise of the eigenvalue decomposition; dropping them keeps the
# tables sparse and changes inertia integrals by less than their rounding.
NOISE = 1e-15
# Dot products over rows use SIMD lanes; a multiple of the number of lanes avoids a slow remainder.
LANES = 8


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


def inertia_rows(body: FlexibleBody) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Non-zero rows of the inertia fields, sorted by component, as the kernels want them.

    Returns
    -------
    rows : core.layout.tables.ROW: mode a and component of P_a, form r and component of Z_r
    counts : rows of each of the three components, filled up with empty rows to a multiple of ``LANES``
    coefficients : flat; per component an (R, rows) array
    """
    modes: list[int] = []
    forms: list[int] = []
    counts, blocks = [], []
    for component in range(3):
        vectors: list[np.ndarray] = []
        linear = [(a, NONE) for a in range(body.mode_count)]
        second = [(0, r) for r in range(len(body.inertia.Z))]
        for fields, owners in ((body.inertia.P, linear), (body.inertia.Z, second)):
            smallest = NOISE * np.abs(fields).max(initial=0.0)
            for (mode, form), field in zip(owners, fields[:, component], strict=True):
                if np.abs(field).max(initial=0.0) > smallest:
                    modes.append(mode)
                    forms.append(form)
                    vectors.append(field)
        empty = -len(vectors) % LANES
        modes += [0] * empty
        forms += [NONE] * empty
        vectors += [np.zeros(body.inertia.X.shape[1])] * empty
        counts.append(len(vectors))
        blocks.append(np.array(vectors).T.ravel())
    rows = make_records(ROW, len(modes), mode=modes, form=forms, component=np.repeat(range(3), counts))
    return rows, counts, np.concatenate(blocks)


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
