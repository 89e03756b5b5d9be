"""Radau IIA of order 5 for second-order equations, written in the stage accelerations.

Collocation at c: V_i = v0 + h sum A_ij a_j, Q_i = q0 + h c_i v0 + h^2 sum (A^2)_ij a_j.  With A = S diag(g, mu,
conj mu) S^-1 the Newton matrix splits into a real one (lambda = g) and a complex one (lambda = mu):
    M + h lambda D + h^2 lambda^2 K.
Hairer and Wanner, Solving Ordinary Differential Equations II (1996), IV.5, IV.8 (method, error estimate).
"""

from __future__ import annotations

import numpy as np

_S6 = np.sqrt(6.0)
C = np.array([(4.0 - _S6) / 10.0, (4.0 + _S6) / 10.0, 1.0])
A = np.array(
    [
        [(88.0 - 7.0 * _S6) / 360.0, (296.0 - 169.0 * _S6) / 1800.0, (-2.0 + 3.0 * _S6) / 225.0],
        [(296.0 + 169.0 * _S6) / 1800.0, (88.0 + 7.0 * _S6) / 360.0, (-2.0 - 3.0 * _S6) / 225.0],
        [(16.0 - _S6) / 36.0, (16.0 + _S6) / 36.0, 1.0 / 9.0],
    ]
)
A2 = A @ A


def _eigen():
    values, vectors = np.linalg.eig(A)
    real = int(np.argmin(np.abs(values.imag)))
    upper = int(np.argmax(values.imag))
    lower = int(np.argmin(values.imag))
    vectors = vectors[:, [real, upper, lower]]
    vectors[:, 0] = vectors[:, 0].real / vectors[0, 0].real
    vectors[:, 2] = np.conj(vectors[:, 1])
    return values[real].real, values[upper], vectors, np.linalg.inv(vectors)


_real, _complex, _S, _S_INVERSE = _eigen()
REAL_EIGENVALUE = float(_real)
COMPLEX_EIGENVALUE = complex(_complex)
S_REAL = np.ascontiguousarray(_S[:, 0].real)
S_COMPLEX = np.ascontiguousarray(_S[:, 1])
S_INVERSE_REAL = np.ascontiguousarray(_S_INVERSE[0].real)
S_INVERSE_COMPLEX = np.ascontiguousarray(_S_INVERSE[1])

# Weights of the stage increments in the embedded error estimate (IV.8.20).
ERROR_WEIGHTS = np.array([-13.0 - 7.0 * _S6, -13.0 + 7.0 * _S6, -1.0]) / 3.0

# Row j: coefficients (constant, linear, quadratic) of the Lagrange polynomial of stage j on [0, 1].
LAGRANGE = np.linalg.inv(np.vander(C, 3, increasing=True)).T.copy()
