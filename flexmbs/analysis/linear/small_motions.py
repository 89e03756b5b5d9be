"""Equations of small motions about a steady motion, within its constraints, and whether they are periodic.

The residual is M a + D v + K q. Holonomic constraints leave the positions q = P p, all constraints the rates
v = N u + B p. P = N and B = 0, except about rolling: its constraints are not integrable, so there are more p than u, and a
change of position changes the rates that they demand (H). With the accelerations N u' + C p + E u that they allow,
    p' = P^+ (N u + B p),   N^T (M N u' + (M C + D B + K P) p + (M E + D N) u) = 0.
If they change while something turns, eigenvalues at one azimuth are neither growth rates nor frequencies, even if they
are the same at every azimuth, as those of a rotor with three blades on a support that does not turn. So not they are
compared, but the equations, in joint coordinates and along the same motions: reactions and rows of loops may turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.derivatives import derivatives
from flexmbs.analysis.evaluation.massless_coordinates import massless_coordinates
from flexmbs.analysis.linear.steady_motion import check_steady
from flexmbs.analysis.statics.equilibrium import RESTING, Forces, turning_coordinates
from flexmbs.common.errors import SimulationError
from flexmbs.core.layout.tables import ROLLING, VELOCITY_LEVEL
from flexmbs.model.compiled_model import Model

GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))  # rad: far from all fractions of a turn by small numbers, as is its double
CONSTANT = 1e-4  # relative change of what counts as constant: more than rounding, less than that of a rotor out of round
SLOW = 0.01  # of the fastest rotation: slower vibrations are compared as if they were so fast
STANDING = 1e-6  # of the fastest rotation: slower ones do not count


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


def check_constant(model: Model, forces: Forces, found: SmallMotions, P: np.ndarray, N: np.ndarray) -> None:
    """SimulationError if the equations of the small motions (P, N) change while something turns, or it is not steady."""
    n = model.coordinate_count
    speeds = np.where(turning_coordinates(model), np.abs(forces.steady[:n]), 0.0)
    turning = np.flatnonzero(speeds > max(RESTING, STANDING * speeds.max(initial=0.0)))
    if len(turning) == 0:
        return
    slowest, fastest = speeds[turning].min(), speeds.max()
    state = found.state_matrix(P, N)
    rates_p, rates_u = (_rates(found, motions, SLOW * fastest) for motions in (P, N))
    rates, is_position = np.concatenate([rates_p, rates_u]), np.arange(len(state)) < len(rates_p)
    # p' by p and u' by u are rates, u' by p rates squared
    size = np.sqrt(np.outer(rates, rates)) ** (1.0 + is_position[None, :] - is_position[:, None].astype(float))
    for time in sorted({GOLDEN_ANGLE * turns / speed for speed in (slowest, fastest) for turns in (1, 2)}):
        q = model.q + time * forces.steady
        check_steady(model, forces, q)
        G = forces.constraint_matrix(q, model.reference)
        there = small_motions(model, forces, q, forces.multipliers(q, model.reference, G)[0])
        full = there.following @ N
        change = ""
        if np.any(np.abs(G @ (full / np.abs(full).max(axis=0))) > CONSTANT * np.abs(G).max(axis=1, keepdims=True)):
            change = "the motions that the constraints allow change"
        elif np.any(np.abs(there.state_matrix(P, N) - state) > CONSTANT * size):
            change = _largest([model.coordinate_names[k] for k in forces.free], found, there, N, rates_u)
        if change:
            moving = ", ".join(f"'{model.coordinate_names[k]}' ({forces.steady[k]:.6g} rad/s)" for k in turning)
            raise SimulationError(
                f"linearize: the equations are periodic and have no eigenvalues: {change} while {moving} turns for "
                f"{time:.3g} s. State what does not turn in the turning frame (driven joint next to ground, then springs "
                "and bodies), which works where it is alike in all directions, or use simulate"
            )


def _rates(found: SmallMotions, motions: np.ndarray, least: float) -> np.ndarray:
    """(k,) 1/s, natural frequency or damping of each motion."""
    full = found.following @ motions  # of unit inertia
    D, K = (np.abs(np.diag(full.T @ matrix @ full)) for matrix in (found.D, found.K))
    return np.maximum(np.maximum(np.sqrt(K), D), least)


def _largest(names: list[str], here: SmallMotions, there: SmallMotions, N: np.ndarray, rates: np.ndarray) -> str:
    """The entry of M, D or K that changes most for the motions N with their rates (1/s), in words."""
    entries = []
    for power, matrix in enumerate("MDK"):
        reach = (np.abs(here.following @ N) / rates ** (0.5 * power)).max(axis=1)
        before, after = getattr(here, matrix), getattr(there, matrix)
        weight = np.abs(after - before) * np.outer(reach, reach)
        i, j = np.unravel_index(int(np.argmax(weight)), weight.shape)
        entry = f"{matrix}['{names[i]}', '{names[j]}'] goes from {before[i, j]:.6g} to {after[i, j]:.6g}"
        entries.append((float(weight[i, j]), entry))
    return max(entries)[1]
