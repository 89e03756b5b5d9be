"""Whether the equations of small motions are the same at every azimuth of what turns; otherwise they are periodic.

Eigenvalues at one azimuth are then neither growth rates nor frequencies, even if they are the same at every azimuth, as
those of a rotor with three blades on a support that does not turn. So not they are compared, but the equations, in joint
coordinates and along the same motions: reactions of loops, and how their rows turn, do not count.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.linear.small_motions import SmallMotions, small_motions
from flexmbs.analysis.linear.steady_motion import check_steady
from flexmbs.analysis.statics.equilibrium import RESTING, Forces, turning_coordinates
from flexmbs.common.errors import SimulationError
from flexmbs.model.compiled_model import Model

GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))  # rad: far from all fractions of a turn by small numbers, as is its double
CONSTANT = 1e-4  # relative change of what counts as constant: more than rounding, less than that of a rotor out of round
SLOW = 0.01  # of the fastest rotation: slower vibrations are compared as if they were so fast
STANDING = 1e-6  # of the fastest rotation: slower ones do not count


def check_constant(model: Model, forces: Forces, found: SmallMotions, P: np.ndarray, N: np.ndarray) -> None:
    """Compare the equations of the small motions (P, N) with those where what turns has turned further.

    Raises
    ------
    SimulationError
        They change (what turns and the entry that changes most are named), or the motion is not steady.
    """
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
        left = np.abs(G @ (full / np.abs(full).max(axis=0))).max(axis=1) - CONSTANT * np.abs(G).max(axis=1)
        change = ""
        if left.max(initial=0.0) > 0.0:
            change = f"the motions that constraint '{model.coordinate_names[forces.rows[int(np.argmax(left))]]}' allows change"
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
