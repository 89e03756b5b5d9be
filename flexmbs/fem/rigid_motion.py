"""Rigid-body motions in the degrees of freedom of a model, and what rotations do to second order."""

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


def rotated_offset(turn_a: np.ndarray, turn_b: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """1/2 (a x (b x rho) + b x (a x rho)) along axis -2 of (..., 3, n) arrays; rho (..., 3)."""
    rho = offset[..., None]
    along_a, along_b = (np.sum(rho * turn, axis=-2, keepdims=True) for turn in (turn_a, turn_b))
    both = np.sum(turn_a * turn_b, axis=-2, keepdims=True)
    return 0.5 * (along_a * turn_b + along_b * turn_a) - both * rho


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b along axis -2 (several times as fast as ``np.cross``, which moves the axis)."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        np.multiply(a[..., j, :], b[..., k, :], out=result[..., i, :])
        result[..., i, :] -= a[..., k, :] * b[..., j, :]
    return result


def turned_arm(a: np.ndarray, b: np.ndarray, arm: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Second-order displacement per q_a q_b of ``arm`` that turns by q_a a + q_b b (``same``: a and b are one mode).

    (exp(theta) - 1) s is theta x s + 1/2 theta x (theta x s) to second order; this is the second term.
    """
    return np.where(same, 0.5, 1.0) * 0.5 * (np.cross(a, np.cross(b, arm)) + np.cross(b, np.cross(a, arm)))


def arm_stiffness(force: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """(m, 3, 3) S of forces (m, 3) on turning arms (m, 3): 1/2 theta^T S theta = force . 1/2 theta x (theta x arm)."""
    outer = force[:, :, None] * arm[:, None, :]
    along = np.einsum("mi,mi->m", force, arm)
    return 0.5 * (outer + outer.transpose(0, 2, 1)) - along[:, None, None] * np.eye(3)


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
