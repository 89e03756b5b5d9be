"""Second-order fields of a surface by a few quadratic forms of the modes, and how deep points can lie below its faces."""

from __future__ import annotations

import numpy as np

from flexmbs.reduction.flexible_body import FlexibleBody, assumed_amplitudes

#: Left out of second-order displacements, relative to the size of the body, at the largest deflection that is assumed.
TOLERANCE = 1e-6


def second_order_terms(body: FlexibleBody, fields: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matrices C (K, n, n) and fields (K, np, 3) with sum_p q_a q_b Z_p = sum_r (q^T C_r q) Y_r.

    ``fields`` (npairs or forms, np, 3) are those of the body's pairs, or of its forms, at the points of the surface. By
    the singular value decomposition of the fields at the amplitudes that are assumed of the modes.
    """
    n = body.mode_count
    if len(body.pairs) == 0 or not np.any(fields):
        return np.zeros((0, n, n)), np.zeros((0, *fields.shape[1:]))
    amplitudes = assumed_amplitudes(body)
    scales = np.prod(amplitudes[body.pairs], axis=1)
    forms = np.eye(len(body.pairs)) if body.forms is None else body.forms
    weights = np.sqrt(np.sum((forms * scales) ** 2, axis=1))
    weights = np.where(weights > 0.0, weights, 1.0)
    scaled = (weights[:, None] * fields.reshape(len(fields), -1)) / np.sqrt(fields.shape[1])
    values, turn = np.linalg.eigh(scaled @ scaled.T)
    size = float(np.linalg.norm(np.ptp(body.points, axis=0)))
    left_out = np.cumsum(np.maximum(values, 0.0)) <= (TOLERANCE * size) ** 2
    turn = turn[:, ~left_out][:, ::-1]
    kept = np.tensordot((turn * weights[:, None]).T, fields, 1)
    coefficients = (turn / weights[:, None]).T @ forms  # of the products of pairs
    matrices = np.zeros((len(kept), n, n))
    a, b = body.pairs.T
    np.add.at(matrices, (slice(None), a, b), 0.5 * coefficients)
    np.add.at(matrices, (slice(None), b, a), 0.5 * coefficients)
    return matrices, kept


_ROUNDS = 40
#: Added to depths: bodies deform, and the points that stand for the surface lie apart.
_MARGIN = 1.25


def inner_depths(points: np.ndarray, centres: np.ndarray, normals: np.ndarray, largest: float) -> np.ndarray:
    """(nf,) radius of the largest ball inside that touches each face at its centre, with a margin, m.

    The shrinking ball of J. Ma, S. Bae and S. Choi, The Visual Computer 28 (2012) 7.

    Parameters
    ----------
    points : (np, 3) points of the whole surface of the body
    centres, normals : (nf, 3) of the faces; unit normals, outward
    largest : radius at most, m
    """
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    radius = np.full(len(centres), float(largest))
    shrinking = np.arange(len(centres))
    for _ in range(_ROUNDS):
        ball = centres[shrinking] - radius[shrinking, None] * normals[shrinking]
        distance, nearest = tree.query(ball)
        away = centres[shrinking] - points[nearest]
        along = np.einsum("ij,ij->i", away, normals[shrinking])
        inside = (distance < radius[shrinking] * (1.0 - 1e-6)) & (along > 0.0)
        smaller = np.einsum("ij,ij->i", away, away)[inside] / (2.0 * along[inside])
        shrinking = shrinking[inside]
        radius[shrinking] = np.minimum(smaller, radius[shrinking])
        if len(shrinking) == 0:
            break
    return np.minimum(_MARGIN * radius, largest)
