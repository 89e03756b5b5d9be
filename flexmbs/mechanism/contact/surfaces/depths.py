"""How deep below each face of a surface a point can be whose closest point lies on that face."""

from __future__ import annotations

import numpy as np

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
