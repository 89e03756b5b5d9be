"""Radau IIA of orders 5, 9 and 13 for second-order equations, written in the stage accelerations.

Collocation at c: V_i = v0 + h sum A_ij a_j, Q_i = q0 + h c_i v0 + h^2 sum (A^2)_ij a_j.  With A = S diag(g, mu_1,
conj mu_1, mu_2, ...) S^-1 the Newton matrix splits into a real one (lambda = g) and a complex one for each pair:
    M + h lambda D + h^2 lambda^2 K.
Hairer and Wanner, Solving Ordinary Differential Equations II (1996), IV.5, IV.8 (method, error estimate); orders 9 and
13: Stiff differential equations solved by Radau methods, J. Comput. Appl. Math. 111 (1999) 93.

Arrays have one row for each number of stages, STAGES, filled up with zeros.  The stages stand in the order of their
nodes, but for the last, c = 1: it is always stage ``END``, where the end of a step is for all methods.
"""

from __future__ import annotations

import numpy as np

STAGES = np.array([3, 5, 7])
MAX_STAGES, MAX_PAIRS = 7, 3
END = 2


def _nodes(s: int) -> np.ndarray:
    """Zeros of P_s - P_(s-1) on [0, 1], by Newton's iteration, with 1 in the place of ``END``."""
    difference = np.polynomial.legendre.Legendre([0.0] * (s - 1) + [-1.0, 1.0])
    x = np.sort(difference.roots().real)[:-1]
    for _ in range(3):
        x = x - difference(x) / difference.deriv()(x)
    return np.insert(0.5 * (x + 1.0), END, 1.0)


def _integrals(c: np.ndarray) -> np.ndarray:
    """A_ij: the Lagrange polynomial of node j, integrated from 0 to node i by Gauss quadrature, which is exact."""
    x, w = np.polynomial.legendre.leggauss(len(c))
    points = 0.5 * c[:, None] * (x + 1.0)
    return np.stack([0.5 * c * (lagrange(c, j, points) @ w) for j in range(len(c))], axis=1)


def lagrange(c: np.ndarray, j: int, x: np.ndarray) -> np.ndarray:
    """The Lagrange polynomial of node ``j`` of ``c`` at points ``x``."""
    others = np.delete(c, j)
    return np.prod([(x - other) / (c[j] - other) for other in others], axis=0)


def _eigen(A: np.ndarray):
    """The real eigenvalue first, then one of each complex pair: eigenvalues, S, S^-1 (rows of the conjugates left)."""
    values, vectors = np.linalg.eig(A)
    real = int(np.argmin(np.abs(values.imag)))
    upper = np.flatnonzero(values.imag > 1e-8)
    upper = upper[np.argsort(values[upper].imag)]
    S = np.column_stack([vectors[:, real].real / vectors[0, real].real, vectors[:, upper]])
    inverse = np.linalg.inv(np.column_stack([S, np.conj(S[:, 1:])]))[: S.shape[1]]
    return values[real].real, values[upper], S, inverse


def _error_weights(c: np.ndarray, A: np.ndarray, g: float) -> np.ndarray:
    """Weights of the stage increments in the embedded estimate (IV.8.20): order s with g h f(x0, y0) besides."""
    s = len(c)
    wanted = 1.0 / np.arange(1.0, s + 1.0)
    wanted[0] -= g
    powers = np.vander(c, s, increasing=True).T
    embedded = np.linalg.solve(powers, wanted)
    return np.linalg.solve(A.T, embedded - A[END]) / g


_count = len(STAGES)
C = np.zeros((_count, MAX_STAGES))
A = np.zeros((_count, MAX_STAGES, MAX_STAGES))
A2 = np.zeros((_count, MAX_STAGES, MAX_STAGES))
REAL_EIGENVALUE = np.zeros(_count)
COMPLEX_EIGENVALUE = np.zeros((_count, MAX_PAIRS), dtype=complex)
S_REAL = np.zeros((_count, MAX_STAGES))
S_COMPLEX = np.zeros((_count, MAX_STAGES, MAX_PAIRS), dtype=complex)
S_INVERSE_REAL = np.zeros((_count, MAX_STAGES))
S_INVERSE_COMPLEX = np.zeros((_count, MAX_PAIRS, MAX_STAGES), dtype=complex)
ERROR_WEIGHTS = np.zeros((_count, MAX_STAGES))
# 1 / prod (c_j - c_k) of each Lagrange polynomial
LAGRANGE = np.zeros((_count, MAX_STAGES))

for _f, _s in enumerate(STAGES):
    _c = _nodes(int(_s))
    _A = _integrals(_c)
    _g, _mu, _S, _inverse = _eigen(_A)
    _pairs = len(_mu)
    C[_f, :_s], A[_f, :_s, :_s], A2[_f, :_s, :_s] = _c, _A, _A @ _A
    REAL_EIGENVALUE[_f], COMPLEX_EIGENVALUE[_f, :_pairs] = _g, _mu
    S_REAL[_f, :_s], S_COMPLEX[_f, :_s, :_pairs] = _S[:, 0].real, _S[:, 1:]
    S_INVERSE_REAL[_f, :_s], S_INVERSE_COMPLEX[_f, :_pairs, :_s] = _inverse[0].real, _inverse[1:]
    ERROR_WEIGHTS[_f, :_s] = _error_weights(_c, _A, _g)
    LAGRANGE[_f, :_s] = [1.0 / np.prod(_c[_j] - np.delete(_c, _j)) for _j in range(_s)]
