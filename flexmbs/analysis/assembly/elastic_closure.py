"""Loops that rigid motion cannot close, closed with the least elastic energy.

With the joint coordinates x, the modal coordinates m (stated values m0) and the stiffness K of all bodies
    minimise 1/2 (m - m0)^T K (m - m0)  subject to  g(x, m) = 0,
by successive linearisation. The left singular vectors Q of G_x with zero singular value are the directions that rigid
motion cannot close: Q^T G_m dm = -Q^T g is solved with the least energy, then x closes the rest. The energy is the
measure because modal coordinates of different modes are not comparable in metres.

Slightly misaligned axes make every direction reachable by rigid motion to a small degree, so that large rotations would
close small gaps. Singular values below a multiple of the misalignment are therefore treated as zero.
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
SAME_ENERGY = 1e-9  # relative change of the energy at convergence
NOT_RIGID = 1.5  # times the misalignment: smaller singular values are treated as zero
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
        """Elastic energy (J) of the deformation beyond the stated modal coordinates."""
        change = q[self.columns] - self.stated
        return 0.5 * float(change @ self.K @ change)


def rigid_rank(misalignment: float) -> float:
    """Singular value of the scaled matrix below which a direction counts as unreachable by rigid motion.

    ``misalignment``: relative to the size of the mechanism, or rad.
    """
    return min(max(NOT_RIGID * misalignment, SMALLEST_RANK), LARGEST_RANK)


def least_energy_change(
    rigid: np.ndarray, modal: np.ndarray, opening: np.ndarray, elastic: Elasticity, bent: np.ndarray, rank: float
) -> tuple[np.ndarray, np.ndarray]:
    """Changes of joint and modal coordinates that close ``opening`` to first order.

    ``rigid``, ``modal``: columns of the matrix; ``bent``: difference of the modal coordinates from the stated ones
    (bent + change has the least energy); ``rank``: see :func:`rigid_rank`.
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
    """A pose closed with the least elastic energy, starting from the nearest rigid one; None if none is found.

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
    """The pose after a step, which is halved while it increases the opening by more than rounding."""
    for _ in range(12):
        q = pose.q.copy()
        for numbers, change in changes:
            q[numbers] += factor * change
        found = pose_at(loops, q, folded(loops.model, q, pose.reference))
        if found.size < max(pose.size, 1e-6):
            return found
        factor *= 0.5
    return None
