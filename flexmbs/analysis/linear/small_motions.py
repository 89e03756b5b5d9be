"""Equations of small motions about a steady motion, within its constraints, and whether they are periodic.

The residual is M a + D v + K q. Holonomic constraints leave the positions q = P p, all constraints the rates
v = N u + B p. P = N and B = 0, except about rolling: its constraints are not integrable, so there are more p than u, and a
change of position changes the rates that they demand (H). With the accelerations N u' + C p + E u that they allow,
    p' = P^+ (N u + B p),   N^T (M N u' + (M C + D B + K P) p + (M E + D N) u) = 0.
If they change while something turns or slides, eigenvalues at one instant are neither growth rates nor frequencies, even if they
are the same at every azimuth, as those of a rotor with three blades on a support that does not turn. So not they are
compared, but the equations, in joint coordinates and along the same motions: reactions and rows of loops may turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.massless_motions import following_motions
from flexmbs.analysis.linear.steady_motion import check_steady, moving
from flexmbs.analysis.statics.equilibrium import UNHELD, Forces, turning_coordinates
from flexmbs.common.errors import SimulationError
from flexmbs.core.layout.tables import ROLLING
from flexmbs.model.mechanism_size import size_in_pose

GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))  # rad: far from all fractions of a turn by small numbers, as is its double
CONSTANT = 1e-4  # relative change of what counts as constant: more than rounding, less than that of a rotor out of round
SHARE = 0.05  # of the size of the mechanism: a translation by it counts as one radian
SLOW = 0.01  # of the fastest motion: slower vibrations are compared as if they were so fast


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

    def natural(self, motions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(others, k) the same motions as vibrations without damping, of unit inertia: soft ones apart from stiff ones.

        With their rates (k,), natural frequency or damping, in 1/s.
        """
        full = self.following @ motions
        M, D, K = (0.5 * full.T @ (matrix + matrix.T) @ full for matrix in (self.M, self.D, self.K))
        squares, vectors = eigh(K, M + 1e-14 * np.trace(M) * np.eye(len(M)))
        return motions @ vectors, np.maximum(np.sqrt(np.abs(squares)), np.abs(np.diag(vectors.T @ D @ vectors)))

    def state_matrix(self, P: np.ndarray, N: np.ndarray) -> np.ndarray:
        """(p + u, p + u) time derivative of (p, u)."""
        F, turned = self.following, np.linalg.pinv(self.G @ self.following, rcond=1e-10)
        B = -turned @ self.H @ F @ P
        # positions, rates and (for u' = 0) accelerations that the constraints demand, of (p, u)
        q, v = np.hstack([F @ P, 0.0 * F @ N]), np.hstack([B, N])
        a = -turned @ (self.J @ q + self.L @ F @ v)
        rates, left = np.linalg.pinv(P) @ v, (F @ N).T
        forces = left @ (self.M @ F @ a + self.D @ F @ v + self.K @ q)
        return np.vstack([rates, np.linalg.pinv(N) @ (a - B @ rates) - np.linalg.solve(left @ self.M @ F @ N, forces)])


def small_motions(forces: Forces, q: np.ndarray, multipliers: np.ndarray) -> SmallMotions:
    """The equations about the position ``q``, moving at the rates ``forces.steady``."""
    model, free, rows = forces.model, forces.free, forces.rows
    n, count, constraints = len(free), len(rows), model.tables.constraints
    in_q, in_v, in_a = (forces.derivatives(order, q, model.reference, multipliers) for order in range(3))
    K, moves = in_q[:n], np.any(forces.steady)
    following = following_motions(model, free, K)
    tangents = constraints["row"][constraints["kind"] == ROLLING, None] + [1, 2]
    holonomic = ~(moves & np.isin(rows, tangents))
    demanded = (moves * part for part in (in_q[n + count :], in_q[n : n + count], in_v[n : n + count]))
    return SmallMotions(in_a[:n], in_v[:n], K, forces.constraint_matrix(q, model.reference), *demanded, holonomic, following)


def check_constant(forces: Forces, found: SmallMotions, P: np.ndarray, N: np.ndarray, rates: np.ndarray) -> None:
    """SimulationError if the equations of (p, u), which change at ``rates`` (1/s), change while something moves steadily.

    Also if the motion is not steady. One sense will do: the other may lead beyond the end of a curve or into a stop.
    """
    turning, sliding = (moving(forces.model, forces.steady, turns) for turns in (True, False))
    radian = SHARE * size_in_pose(forces.model.tables, forces.evaluator.work.frame)
    speeds = np.abs([*turning.values(), *(speed / radian for speed in sliding.values())])
    if len(speeds) == 0:
        return
    units = (turning, "rad/s"), (sliding, "m/s")
    moves = ", ".join(f"'{name}' ({speed:.6g} {unit})" for kind, unit in units for name, speed in kind.items())
    nature = "not constant and have no eigenvalues that last" if sliding else "periodic and have no eigenvalues"
    refused, rates = [], np.maximum(rates, SLOW * speeds.max())
    for sense in (1.0, -1.0):
        try:
            for time in sorted({GOLDEN_ANGLE * turns / speed for speed in (speeds.min(), speeds.max()) for turns in (1, 2)}):
                if change := _change(forces, found, P, N, rates, sense * time, speeds.max()):
                    raise SimulationError(
                        f"linearize: the equations are {nature}: {change} within {time:.3g} s, moving: {moves}. State "
                        "what stays behind in the moving or turning frame (driven joint at ground, then springs and bodies, if "
                        "alike in all places and directions), prescribe rates that should differ, or use simulate"
                    )
            return
        except SimulationError as error:
            refused.append(error)
    raise refused[0]


def _change(forces: Forces, here: SmallMotions, P: np.ndarray, N: np.ndarray, rates: np.ndarray, t: float, speed: float) -> str:
    """What changes in the equations of (p, u) until ``t`` (s), in words; if nothing turns, also of loads (not of unbalance)."""
    model, moved = forces.model, t * forces.steady
    q, names = model.q + moved, [model.coordinate_names[k] for k in forces.free]
    check_steady(forces, q)
    try:
        G = forces.constraint_matrix(q, model.reference)
        multipliers, left = forces.multipliers(q, model.reference, G)
        there = small_motions(forces, q, multipliers)
        full, change = there.following @ N, np.abs(there.state_matrix(P, N) - here.state_matrix(P, N))
    except np.linalg.LinAlgError:
        return "they end"
    reach = np.abs(G).max(axis=1, initial=0.0) + 1e-6 * np.abs(G).max(initial=0.0)  # rows may be all rounding
    if np.any(np.abs(G @ (full / np.abs(full).max(axis=0))) > CONSTANT * reach[:, None]):
        return "the motions that the constraints allow change"
    order = np.repeat([0.0, 1.0], [P.shape[1], N.shape[1]])
    # p' by p and u' by u are rates, u' by p rates squared
    if not np.all(change <= CONSTANT * np.sqrt(np.outer(rates, rates)) ** (1.0 + order[:, None] - order)):
        return _largest(names, here, there, P, speed)
    push = full.T @ left
    shift = np.where(np.abs(full @ push) > UNHELD, np.abs(full @ (push / rates[P.shape[1] :] ** 2)), 0.0)
    k, turns = int(np.argmax(shift)), np.any(moved[: model.coordinate_count][turning_coordinates(model)])
    grows = f"the load of '{names[k]}' goes from 0 to {left[k]:.6g} (N or N m)"
    return "" if turns or shift[k] <= CONSTANT * np.abs(moved).max() else grows


def _largest(names: list[str], here: SmallMotions, there: SmallMotions, P: np.ndarray, speed: float) -> str:
    """The entry of M, D or K that changes most for the motions P at the rate ``speed`` (1/s), in words."""
    reach, entries = np.abs(here.following @ P).max(axis=1), []
    for power, matrix in enumerate("MDK"):
        before, after = getattr(here, matrix), getattr(there, matrix)
        weight = np.abs(after - before) * np.outer(reach, reach) / speed**power
        i, j = np.unravel_index(int(np.argmax(weight)), weight.shape)
        entries.append((weight[i, j], f"{matrix}['{names[i]}', '{names[j]}'] goes from {before[i, j]:.6g} to {after[i, j]:.6g}"))
    return max(entries)[1]
