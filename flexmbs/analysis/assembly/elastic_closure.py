"""Loops that rigid motion cannot close, closed by the least elastic energy.

With the joint coordinates x, the modal coordinates m (stated values m0) and the stiffness K of all bodies
    minimise 1/2 (m - m0)^T K (m - m0)  so that  g(x, m) = 0,
by repeated linearisation: of the left singular vectors of G_x those without singular value, Q, are the directions in
which rigid motion closes nothing; there Q^T G_m dm = -Q^T g is solved with the least energy, then x closes the rest.
Coordinates without stiffness units would make a metre of one mode as good as a metre of any other; energy does not.

Axes that are out of line by a small angle give rigid motion a little of every direction: large rotations would close
small gaps.  Singular values below a multiple of the misalignment therefore count as none.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag

from flexmbs.analysis.assembly.loop_equations import Loops
from flexmbs.analysis.assembly.nearest_pose import CLOSED, LARGEST_MOVE, Pose, pose_at
from flexmbs.analysis.evaluation.constraint_directions import dense
from flexmbs.analysis.evaluation.quaternion_folding import folded
from flexmbs.core.layout.tables import OPENINGS
from flexmbs.model.compiled_model import Model

ITERATIONS = 60
SAME_ENERGY = 1e-9  # change of the energy, relative, from which on it is the least
NOT_RIGID = 1.5  # times the misalignment: rigid motion that would have to turn by the inverse of it (rad) is none
SMALLEST_RANK, LARGEST_RANK = 1e-6, 0.1


class Elasticity:
    """Modal coordinates of all flexible bodies of a model, as one vector, and their stiffness."""

    def __init__(self, model: Model):
        self.columns = np.concatenate([np.arange(s.start, s.stop) for s in model.modal.values()] or [np.zeros(0, int)])
        self.stated = model.q[self.columns]
        K = block_diag(*(model.bodies[name].Ke for name in model.modal)) if len(self.columns) else np.zeros((0, 0))
        self.K = 0.5 * (K + K.T)
        values, vectors = np.linalg.eigh(self.K) if len(K) else (np.zeros(0), np.zeros((0, 0)))
        values = np.maximum(values, 1e-12 * values.max(initial=1e-300))
        # q = root_inverse y: the energy is 1/2 |y|^2
        self.root_inverse = vectors / np.sqrt(values)
        self.root = (vectors * np.sqrt(values)).T

    def energy(self, q: np.ndarray) -> float:
        """J, of what was added to the stated modal coordinates."""
        change = q[self.columns] - self.stated
        return 0.5 * float(change @ self.K @ change)


def rigid_rank(misalignment: float) -> float:
    """Singular value of the scaled matrix (parts of the size, or rad, per rad) below which rigid motion closes nothing.

    ``misalignment``: parts of the size, or rad.
    """
    return min(max(NOT_RIGID * misalignment, SMALLEST_RANK), LARGEST_RANK)


def least_energy_change(
    rigid: np.ndarray, modal: np.ndarray, opening: np.ndarray, elastic: Elasticity, bent: np.ndarray, rank: float
) -> tuple[np.ndarray, np.ndarray]:
    """Changes (joint coordinates, modal coordinates) that close ``opening`` to first order.

    ``rigid``, ``modal``: columns of the matrix; ``bent``: what the modal coordinates are beyond those stated, so that
    bent + change has the least energy; ``rank``: see :func:`rigid_rank`.
    """
    left, singular, right = np.linalg.svd(rigid, full_matrices=True)
    count = int(np.count_nonzero(singular > rank))
    Q = left[:, count:]
    demand = Q.T @ (modal @ bent - opening)
    y = np.linalg.lstsq(Q.T @ modal @ elastic.root_inverse, demand, rcond=1e-9)[0]
    change = elastic.root_inverse @ y - bent
    rest = left[:, :count].T @ (-opening - modal @ change)
    return right[:count].T @ (rest / singular[:count]), change


def bent_closed(loops: Loops, movable: np.ndarray, start: Pose, misalignment: float) -> Pose | None:
    """A pose that is closed with the least elastic energy, from the nearest rigid one; None when there is none near.

    ``movable`` (n,) bool: joint coordinates that may move.
    """
    elastic = Elasticity(loops.model)
    rows, columns = loops.row_scales(), loops.column_scales()
    joints, rank = np.flatnonzero(movable), rigid_rank(misalignment)
    pose, before = start, np.inf
    for _ in range(ITERATIONS):
        G = dense(loops.matrix(pose.q, pose.reference, OPENINGS))
        rigid, modal = rows[:, None] * G[:, joints] * columns[joints], rows[:, None] * G[:, elastic.columns]
        bent = pose.q[elastic.columns] - elastic.stated
        moves, change = least_energy_change(rigid, modal, rows * pose.opening, elastic, bent, rank)
        factor = min(1.0, LARGEST_MOVE / max(float(np.abs(moves).max(initial=0.0)), 1e-300))
        found = _tried(loops, pose, factor, (joints, columns[joints] * moves), (elastic.columns, change))
        if found is None:
            return None
        energy = elastic.energy(found.q)
        settled = abs(energy - before) <= SAME_ENERGY * max(energy, 1e-300)
        pose, before = found, energy
        if pose.closed and settled:
            return pose
    return pose if np.abs(pose.opening).max(initial=0.0) < 100.0 * CLOSED else None


def _tried(loops: Loops, pose: Pose, factor: float, *changes) -> Pose | None:
    """The pose after a step, halved while the loops open further (by more than rounding)."""
    for _ in range(12):
        q = pose.q.copy()
        for numbers, change in changes:
            q[numbers] += factor * change
        found = pose_at(loops, q, folded(loops.model, q, pose.reference))
        if found.size < max(pose.size, 1e-6):
            return found
        factor *= 0.5
    return None
