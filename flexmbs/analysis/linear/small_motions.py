"""Equations of small motions about a steady motion, within its constraints, at any azimuth of what turns.

The residual is M a + D v + K q. Holonomic constraints leave the positions q = P p, all constraints the rates
v = N u + B p. P = N and B = 0, except about rolling: its constraints are not integrable, so there are more p than u, and a
change of position changes the rates that they demand (H). With the accelerations N u' + C p + E u that they allow,
    p' = P^+ (N u + B p),   N^T (M N u' + (M C + D B + K P) p + (M E + D N) u) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.derivatives import derivatives
from flexmbs.analysis.evaluation.massless_coordinates import massless_coordinates
from flexmbs.analysis.statics.equilibrium import Forces
from flexmbs.core.layout.tables import ROLLING, VELOCITY_LEVEL
from flexmbs.model.compiled_model import Model


@dataclass(frozen=True)
class SmallMotions:
    """Derivatives of the residual, and of what the constraints demand, at one azimuth.

    M, D, K : (free, free); G : (rows, free) constraint matrix
    H : (rows, free) derivative of the rates of the constraints in q; J, L : of their accelerations in q and in v
    holonomic : (rows,) bool
    following : (free, others) motions of all coordinates with those of the others: massless ones balance their load
    """

    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    G: np.ndarray
    H: np.ndarray
    J: np.ndarray
    L: np.ndarray
    holonomic: np.ndarray
    following: np.ndarray

    def allowed(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """(others, k) motions that these rows of the constraints allow, orthonormal."""
        return null_space((self.G @ self.following)[rows])

    def natural(self, motions: np.ndarray) -> np.ndarray:
        """(others, k) the same motions as vibrations without damping, of unit inertia: soft ones apart from stiff ones."""
        full = self.following @ motions
        M, K = (0.5 * full.T @ (matrix + matrix.T) @ full for matrix in (self.M, self.K))
        return motions @ eigh(K, M + 1e-14 * np.trace(M) * np.eye(len(M)))[1]

    def state_matrix(self, P: np.ndarray, N: np.ndarray) -> np.ndarray:
        """(p + u, p + u) time derivative of (p, u)."""
        F, turned = self.following, np.linalg.pinv(self.G @ self.following, rcond=1e-10)
        B = -turned @ self.H @ F @ P
        C, E = -turned @ (self.J @ F @ P + self.L @ F @ B), -turned @ self.L @ F @ N
        left, onto_p, onto_u = (F @ N).T, np.linalg.pinv(P), np.linalg.pinv(N)
        forces = [left @ (self.M @ F @ C + self.D @ F @ B + self.K @ F @ P), left @ (self.M @ F @ E + self.D @ F @ N)]
        solved = np.linalg.solve(left @ self.M @ F @ N, np.hstack(forces))
        below = np.hstack([onto_u @ (C - B @ onto_p @ B), onto_u @ (E - B @ onto_p @ N)]) - solved
        return np.vstack([np.hstack([onto_p @ B, onto_p @ N]), below])


def small_motions(model: Model, forces: Forces, q: np.ndarray, multipliers: np.ndarray) -> SmallMotions:
    """The equations about the position ``q`` of ``model``, moving at the rates ``forces.steady``."""
    free, rows, constraints = forces.free, forces.rows, model.tables.constraints
    n, zero, count = len(free), np.zeros(len(free)), len(rows)

    def found(dq, dv, da):
        full = [q.copy(), np.zeros_like(q), np.zeros_like(q)]
        for vector, part in zip(full, (dq, dv, da), strict=True):
            vector[free] += part
        full[2][rows] = multipliers
        residual = forces.residual(*full, model.reference)
        return np.concatenate([residual[free], residual[rows], forces.evaluator.work.constraint[rows, VELOCITY_LEVEL]])

    in_a = derivatives(lambda a: found(zero, zero, a), n, 1.0)
    in_v = derivatives(lambda v: found(zero, v, zero), n, 1e-4)
    in_q = derivatives(lambda x: found(x, zero, zero), n, 1e-5)
    K, moving = in_q[:n], np.any(forces.steady)
    massless = np.isin(free, massless_coordinates(model))
    following = np.eye(n)[:, ~massless]
    if np.any(massless):
        following[massless] = -np.linalg.solve(K[np.ix_(massless, massless)], K[np.ix_(massless, ~massless)])
    tangents = constraints["row"][constraints["kind"] == ROLLING, None] + [1, 2]
    return SmallMotions(
        in_a[:n],
        in_v[:n],
        K,
        forces.constraint_matrix(q, model.reference),
        *(moving * part for part in (in_q[n + count :], in_q[n : n + count], in_v[n : n + count])),
        ~(moving & np.isin(rows, tangents)),
        following,
    )
