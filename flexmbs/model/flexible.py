"""Flexible and rigid bodies as entries of the flat tables."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import BodyError
from flexmbs.reduction.body import FlexibleBody, PointFields
from flexmbs.system.rigid import RigidBody

# Coefficients below this part of the largest one are noise of the eigen-decomposition that made them; dropping them
# keeps the tables sparse and changes inertia integrals by less than their own rounding.
NOISE = 1e-15


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


def rigid_cloud(body: RigidBody) -> np.ndarray:
    """X (3, 4) of a rigid body: column 0 carries the centre, the others the root of the central second moment."""
    values, vectors = np.linalg.eigh(body.second_moment)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.column_stack([np.sqrt(body.mass) * body.center, root])


def check_finite(body: FlexibleBody, name: str) -> None:
    """BodyError when an array of the body is not finite, its mass not positive or its modal mass not definite."""
    if not (np.isfinite(body.mass) and body.mass > 0.0):
        raise BodyError(f"body '{name}': mass {body.mass!r} kg must be positive")
    for what, values in (
        ("Ke", body.Ke), ("De", body.De), ("inertia X", body.inertia.X), ("inertia P", body.inertia.P),
        ("inertia Z", body.inertia.Z),
    ):  # fmt: skip
        if not np.all(np.isfinite(values)):
            raise BodyError(f"body '{name}': {what} has entries that are not finite")


def cloud_rows(body: FlexibleBody) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Non-zero rows of the inertia fields.

    Returns
    -------
    rows (k, 2) int (mode, component) of dr/dq, their P (k, R), quads (l, 5) int (a, b, row of a, row of b,
    component), their Z (l, R)
    """
    P, Z = body.inertia.P, body.inertia.Z
    big_p = np.abs(P).max(axis=2) > NOISE * max(np.abs(P).max(), 1e-300) if P.size else np.zeros(P.shape[:2], bool)
    big_z = np.zeros(Z.shape[:2], bool)
    if Z.size:
        big_z = np.abs(Z).max(axis=2) > NOISE * max(np.abs(Z).max(), 1e-300)
    needed = big_p.copy()
    for p, k in np.argwhere(big_z):
        for mode in body.pairs[p]:
            needed[mode, k] = True
    rows = np.argwhere(needed)
    index = {(int(a), int(k)): i for i, (a, k) in enumerate(rows)}
    quads, coefficients = [], []
    for p, k in np.argwhere(big_z):
        a, b = (int(mode) for mode in body.pairs[p])
        quads.append((a, b, index[a, int(k)], index[b, int(k)], int(k)))
        coefficients.append(Z[p, k])
    rank = body.inertia.X.shape[1]
    return (
        rows.reshape(-1, 2),
        P[rows[:, 0], rows[:, 1]] if len(rows) else np.zeros((0, rank)),
        np.array(quads, dtype=np.int64).reshape(-1, 5),
        np.array(coefficients).reshape(-1, rank),
    )


def marker_moves(fields: PointFields | None) -> bool:
    """False for rigid markers, among them the one that a clamped-free body's frame is fixed to."""
    if fields is None:
        return False
    return any(np.any(values != 0.0) for values in (fields.Phi, fields.Psi, fields.Zu, fields.Zr))
