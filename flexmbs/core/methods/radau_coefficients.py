"""Radau IIA of orders 5, 9 and 13 for second-order equations, written in the stage accelerations.

Collocation at c: V_i = v0 + h sum A_ij a_j, Q_i = q0 + h c_i v0 + h^2 sum (A^2)_ij a_j.  With A = S diag(g, mu_1,
conj mu_1, mu_2, ...) S^-1 the Newton matrix splits into a real one (lambda = g) and a complex one for each pair:
    M + h lambda D + h^2 lambda^2 K.
Hairer and Wanner, Solving Ordinary Differential Equations II (1996), IV.5, IV.8 (method, error estimate); orders 9 and
13: Stiff differential equations solved by Radau methods, J. Comput. Appl. Math. 111 (1999) 93.

Nodes and eigenvalues are stated, the rest follows from them in decimal arithmetic: to the last digit of a double, and
alike on every machine, which a library of linear algebra is not.  With pi(x) = prod (x - c_k) and the Lagrange
polynomials l_j

    A_ij = int_0^c_i l_j,   sum mu^k pi^(k)(0) = 0,   S_i ~ sum mu^k pi^(k+1)(c_i),   (S^-1)_j ~ sum mu^k l_j^(k)(0).

Arrays have one row for each number of stages, STAGES, filled up with zeros.  The stages stand in the order of their
nodes, but for the last, c = 1: it is always stage ``END``, where the end of a step is for all methods.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import reduce

import numpy as np

STAGES = np.array([3, 5, 7])
MAX_STAGES, MAX_PAIRS = 7, 3
END = 2
DIGITS = 40  # in which the coefficients are computed; the numbers below have 32

# Zeros of P_s - P_(s-1) on [0, 1], without 1.
_INNER_NODES = (
    "0.15505102572168219018027159252941 0.64494897427831780981972840747059",
    "0.057104196114517682193121192554116 0.27684301363812382768004599768563 "
    "0.58359043236891682005669766866292 0.86024013565621944784791291887512",
    "0.029316427159784891972050276913165 0.14807859966848429184997685249598 0.33698469028115429909705297208078 "
    "0.55867151877155013208139334180552 0.76923386203005450091688336011565 0.92694567131974111485187396581968",
)
# Eigenvalues of A, real and imaginary part: the real one, then one of each complex pair.
_EIGENVALUES = (
    (("0.27488882959567736774782860359941", "0"), ("0.16255558520216131612608569820029", "0.1849493244071407842750912237438")),
    (
        ("0.15906584442746912047791515435156", "0"),
        ("0.13317907701829959894510706191489", "0.074994511835818522924282577321613"),
        ("0.065065778545743618593713138687103", "0.11646852774031707572780946588979"),
    ),
    (
        ("0.11189646530003507593590533718077", "0"),
        ("0.10228556649689874019115847515787", "0.039427496438063535233342664693697"),
        ("0.075280411819775111093664125275877", "0.069819600780833305238877845128418"),
        ("0.035716558264077841516455500206634", "0.082953154313331607823041550636153"),
    ),
)


def nodes(f: int) -> list[Decimal]:
    """Nodes of a row of the tables."""
    inner = [Decimal(digits) for digits in _INNER_NODES[f].split()]
    return [*inner[:END], Decimal(1), *inner[END:]]


def _with_zeros(zeros: list[Decimal]) -> list[Decimal]:
    """Coefficients of prod (x - zero), that of the highest power first."""
    made = [Decimal(1)]
    for zero in zeros:
        made = [a - zero * b for a, b in zip([*made, 0], [0, *made], strict=True)]
    return made


def lagrange(c: list[Decimal], j: int) -> list[Decimal]:
    """Coefficients of the Lagrange polynomial of node ``j`` of ``c``, that of the highest power first."""
    own = _with_zeros(c[:j] + c[j + 1 :])
    return [a / value(own, c[j]) for a in own]


def integral(polynomial: list[Decimal]) -> list[Decimal]:
    """Coefficients of the integral from 0."""
    return [*(a / (len(polynomial) - k) for k, a in enumerate(polynomial)), Decimal(0)]


def value(polynomial: list[Decimal], x: Decimal) -> Decimal:
    """A polynomial at ``x``."""
    return reduce(lambda found, a: found * x + a, polynomial)


def _derivatives(polynomial: list[Decimal], x: Decimal) -> list[Decimal]:
    """All derivatives at ``x``, the highest first."""
    found = []
    for degree in range(len(polynomial) - 1, -1, -1):
        found.insert(0, value(polynomial, x))
        polynomial = [(degree - k) * a for k, a in enumerate(polynomial[:-1])]
    return found


def _eigenvectors(c: list[Decimal], lagrange_at_0: list, real: str, imaginary: str) -> tuple[complex, list, list]:
    """Eigenvalue, its column of S and its row of S^-1, whose product is 1.

    ``lagrange_at_0`` has all derivatives of the Lagrange polynomials at 0.
    """
    a, b = mu = Decimal(real), Decimal(imaginary)

    def times(z, w):
        return z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]

    def at_mu(polynomial):
        return reduce(lambda z, d: (z[0] * a - z[1] * b + d, z[0] * b + z[1] * a), polynomial, (0, 0))

    pi = _with_zeros(c)
    column = [at_mu(_derivatives(pi, x)[:-1]) for x in c]
    row = [at_mu(derivatives) for derivatives in lagrange_at_0]
    x, y = (sum(parts) for parts in zip(*map(times, row, column), strict=True))
    inverse = x / (x * x + y * y), -y / (x * x + y * y)
    return complex(*mu), [complex(*z) for z in column], [complex(*times(z, inverse)) for z in row]


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
# Of the stage increments in the embedded estimate (IV.8.20), order s with g h f(x0, y0) besides: -l_j(0) / c_j.
ERROR_WEIGHTS = np.zeros((_count, MAX_STAGES))
# 1 / prod (c_j - c_k) of each Lagrange polynomial
LAGRANGE = np.zeros((_count, MAX_STAGES))

with localcontext(prec=DIGITS):
    for _f, _s in enumerate(STAGES):
        _c = nodes(_f)
        _lagrange = [lagrange(_c, _j) for _j in range(_s)]
        _A = np.array([[value(integral(_l), _x) for _l in _lagrange] for _x in _c])
        C[_f, :_s], A[_f, :_s, :_s], A2[_f, :_s, :_s] = _c, _A, _A @ _A
        ERROR_WEIGHTS[_f, :_s] = [-_l[-1] / _x for _l, _x in zip(_lagrange, _c, strict=True)]
        LAGRANGE[_f, :_s] = [_l[0] for _l in _lagrange]
        _at_0 = [_derivatives(_l, Decimal(0)) for _l in _lagrange]
        _g, *_pairs = (_eigenvectors(_c, _at_0, *_mu) for _mu in _EIGENVALUES[_f])
        REAL_EIGENVALUE[_f], S_REAL[_f, :_s], S_INVERSE_REAL[_f, :_s] = (np.real(_part) for _part in _g)
        for _p, _pair in enumerate(_pairs):
            COMPLEX_EIGENVALUE[_f, _p], S_COMPLEX[_f, :_s, _p], S_INVERSE_COMPLEX[_f, _p, :_s] = _pair
