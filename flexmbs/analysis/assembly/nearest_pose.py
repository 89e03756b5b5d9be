"""The pose with the smallest opening of the loops, by the Levenberg-Marquardt method.

It closes loops that can be closed; for others, such as a planar loop with misaligned hinges, it finds the pose with the
smallest opening. Unlike Gauss-Newton, it is robust against nearly dependent rows.
Reference: Madsen, Nielsen, Tingleff, Methods for Non-Linear Least Squares Problems (2004), algorithm 3.16.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import identity, issparse

from flexmbs.analysis.assembly.loop_equations import Loops, scaled
from flexmbs.analysis.evaluation.quaternion_folding import folded
from flexmbs.core.layout.tables import OPENINGS

CLOSED = 1e-12  # m or rad
ITERATIONS = 200
LARGEST_MOVE = 0.5  # of one iteration, rad or relative to the size of the mechanism
STILL = 1e-10  # step at convergence, in the same units


@dataclass(frozen=True)
class Pose:
    """Coordinates, quaternions of the ball joints, openings (m, rad) and their scaled norm."""

    q: np.ndarray
    reference: np.ndarray
    opening: np.ndarray
    size: float

    @property
    def closed(self) -> bool:
        return bool(np.abs(self.opening).max(initial=0.0) < CLOSED)


def pose_at(loops: Loops, q: np.ndarray, reference: np.ndarray) -> Pose:
    """The pose at coordinates ``q`` and start quaternions ``reference``, with the openings of its loops."""
    opening = loops.openings(q, reference)
    return Pose(q, reference, opening, float(np.linalg.norm(loops.row_scales() * opening)))


def nearest_pose(loops: Loops, movable: np.ndarray, q: np.ndarray, reference: np.ndarray) -> Pose:
    """The nearby pose with the smallest opening; only the coordinates ``movable`` (n,) bool are changed."""
    rows, columns = loops.row_scales(), loops.column_scales()[movable]
    pose, damping, growth = pose_at(loops, q, reference), None, 2.0
    if not np.any(movable):
        return pose
    J = None
    for _ in range(ITERATIONS):
        if pose.closed:
            break
        if J is None:
            J = scaled(loops.matrix(pose.q, pose.reference, OPENINGS)[:, movable], rows, columns)
            r = rows * pose.opening
            slope, normal = J.T @ r, J.T @ J
            damping = 1e-3 * _largest(normal) if damping is None else damping
        step = -_solved(normal, damping, slope)
        step *= min(1.0, LARGEST_MOVE / max(float(np.abs(step).max()), 1e-300))
        found = _moved(loops, pose, movable, columns * step)
        predicted = -float(step @ slope) - 0.5 * float(step @ (normal @ step))
        gain = 0.5 * (pose.size**2 - found.size**2) / max(predicted, 1e-300)
        if found.size < pose.size:
            pose, J, growth = found, None, 2.0
            damping = max(damping * max(1.0 / 3.0, 1.0 - (2.0 * gain - 1.0) ** 3), 1e-16 * _largest(normal))
        else:
            damping, growth = damping * growth, 2.0 * growth
        if np.abs(step).max() < STILL and pose.size > 100.0 * CLOSED or damping > 1e12 * _largest(normal):
            break
    return pose


def _moved(loops: Loops, pose: Pose, movable: np.ndarray, change: np.ndarray) -> Pose:
    q = pose.q.copy()
    q[: len(movable)][movable] += change
    return pose_at(loops, q, folded(loops.model, q, pose.reference))


def _largest(normal) -> float:
    return max(float(normal.diagonal().max(initial=0.0)), 1e-300)


def _solved(normal, damping: float, slope: np.ndarray) -> np.ndarray:
    if issparse(normal):
        from scipy.sparse.linalg import spsolve

        return spsolve((normal + damping * identity(normal.shape[0])).tocsc(), slope)
    return np.linalg.solve(normal + damping * np.eye(len(slope)), slope)
