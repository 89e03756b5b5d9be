"""Rigid-body motions in the degrees of freedom of a model."""

from __future__ import annotations

import numpy as np


def rigid_motions(points: np.ndarray, dofs_per_node: int, center: np.ndarray) -> np.ndarray:
    """(ndof, 6) displacements of unit translations (m) and small unit rotations (rad) about ``center``."""
    nn = len(points)
    R = np.zeros((nn, dofs_per_node, 6))
    R[:, :3, :3] = np.eye(3)
    R[:, :3, 3:] = -skew(points - center)
    if dofs_per_node == 6:
        R[:, 3:, 3:] = np.eye(3)
    return R.reshape(nn * dofs_per_node, 6)


def skew(r: np.ndarray) -> np.ndarray:
    """Matrices S (k, 3, 3) with S u = r x u, for r (k, 3)."""
    S = np.zeros((len(r), 3, 3))
    S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -r[:, 2], r[:, 1], -r[:, 0]
    return S - S.transpose(0, 2, 1)
