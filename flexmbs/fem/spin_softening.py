"""Centrifugal load and softening of rigid bodies or sections that turn about a point of theirs."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.rigid_fit import arm_stiffness
from flexmbs.fem.rigid_motion import skew


def turning_load(B: np.ndarray) -> np.ndarray:
    """(k, 3) int r x y dm of B = int y r^T dm (k, 3, 3): the moment of forces y dm on arms r."""
    return np.stack([B[:, 2, 1] - B[:, 1, 2], B[:, 0, 2] - B[:, 2, 0], B[:, 1, 0] - B[:, 0, 1]], axis=1)


def turning_softening(across: np.ndarray, S: np.ndarray, B: np.ndarray) -> np.ndarray:
    """(k, 3, 3) of rotation vectors: int (theta x r) . P (theta x r) + y . theta x (theta x r) dm.

    Parameters
    ----------
    across : (k, 3, 3) or (3, 3) P
    S : (k, 3, 3) int r r^T dm
    B : (k, 3, 3) int y r^T dm, y the position across the axis
    """
    axes = skew(np.eye(3))  # e_i x r = axes_i r
    P = np.broadcast_to(across, S.shape)
    soft = np.einsum("iab,mbc,jdc,mad->mij", axes, S, axes, P)
    return soft + sum(arm_stiffness(B[:, :, k], np.tile(np.eye(3)[k], (len(B), 1))) for k in range(3))
