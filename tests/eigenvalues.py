"""Eigenvalues of small motions, and their distance from others."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def furthest(found, exact):
    """Largest distance of an exact eigenvalue from its partner among those found."""
    apart = np.abs(np.subtract.outer(np.asarray(exact), np.asarray(found)))
    return apart[linear_sum_assignment(apart)].max()


def quadratic(M, D, K):
    """Eigenvalues of M q'' + D q' + K q = 0."""
    zero, one = np.zeros_like(M), np.eye(len(M))
    return np.linalg.eigvals(np.block([[zero, one], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]]))
