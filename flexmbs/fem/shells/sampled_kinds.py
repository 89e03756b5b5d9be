"""Shell elements whose strains are all sampled: the triangle with six nodes, the quadrilaterals with eight and nine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from flexmbs.fem.shells.assumed_strains import Functions, ShellKind, means, sampling
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.element_kinds import KINDS, QUAD4, monomial_values

Monomials = Callable[[np.ndarray], np.ndarray]
"""Reference points (m, 2) -> (m, k)."""

# The triangular shell with six nodes.
#
# Transverse shear and rotations are those of the plate MITC7 (Bathe, Brezzi and Cho, Computers and Structures 32, 1989):
# quadratic deflection, rotations with the cubic bubble eliminated, shear in the rotated Raviart-Thomas space by two
# samples on each side and its mean. Membrane strain is linear, sampled likewise (Regge interpolation: Neunteufel and
# Schoberl, CMAME 373, 2021; two samples on each side as in MITC6 of Lee and Bathe, Computers and Structures 82, 2004).

_A, _B = (6.0 - np.sqrt(15.0)) / 21.0, (6.0 + np.sqrt(15.0)) / 21.0
# Radon's rule of degree 5
_RADON = np.array([(1 / 3, 1 / 3), *((p, q) for c in (_A, _B) for p, q in ((c, c), (1 - 2 * c, c), (c, 1 - 2 * c)))])
_RADON_WEIGHTS = np.array([9 / 80, *[(155 - np.sqrt(15.0)) / 2400] * 3, *[(155 + np.sqrt(15.0)) / 2400] * 3])
_LOW, _HIGH = 0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)


def _linear(at: np.ndarray) -> np.ndarray:
    ones = np.column_stack([np.ones(len(at)), at])
    return np.einsum("cd,mk->mcdk", np.eye(3), ones).reshape(len(at), 3, 9)


def _turned_raviart_thomas(at: np.ndarray) -> np.ndarray:
    r, s = at.T
    none, one = np.zeros(len(at)), np.ones(len(at))
    along_r = [one, r, s, none, none, none, s * r, s * s]
    along_s = [none, none, none, one, r, s, -r * r, -r * s]
    return np.stack([np.column_stack(along_r), np.column_stack(along_s)], axis=1)


def _cubic_bubble(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m,) values and (m, 2) derivatives of 27 r s (1 - r - s)."""
    r, s = at.T
    q = 1.0 - r - s
    return 27.0 * r * s * q, 27.0 * np.column_stack([s * q - r * s, r * q - r * s])


# Gauss points of the sides 0-1, 0-2, 1-2; what stretches a side and what shears it
_SIDES = (
    (((_LOW, 0.0), (_HIGH, 0.0)), (1.0, 0.0, 0.0), (1.0, 0.0)),
    (((0.0, _LOW), (0.0, _HIGH)), (0.0, 1.0, 0.0), (0.0, 1.0)),
    (((_HIGH, _LOW), (_LOW, _HIGH)), (1.0, 1.0, -1.0), (-1.0, 1.0)),
)
TRI6 = ShellKind(
    "tri6",
    _RADON,
    _RADON_WEIGHTS,
    # the best linear fit
    np.column_stack([np.ones(6), KINDS["tri6"].reference_nodes]) @ np.linalg.pinv(np.column_stack([np.ones(7), _RADON])),
    sampling(
        "tri6",
        _RADON,
        (_linear, [[(p, stretch)] for side, stretch, _ in _SIDES for p in side] + means(_RADON, _RADON_WEIGHTS, 3)),
        (_turned_raviart_thomas, [[(p, shear)] for side, _, shear in _SIDES for p in side] + means(_RADON, _RADON_WEIGHTS, 2)),
        _cubic_bubble,
        balanced=False,
    ),
)

_GAUSS, _GAUSS_WEIGHTS = gauss.cube(3, 2)
_TWO, _THREE = (-1.0 / np.sqrt(3.0), 1.0 / np.sqrt(3.0)), (-np.sqrt(0.6), 0.0, np.sqrt(0.6))
_BILINEAR = partial(monomial_values, QUAD4)
_CROSSED = [(r, s) for r in _TWO for s in _TWO]


def _bilinear_fit(kind: str, bilinear: Monomials) -> np.ndarray:
    """Values at the points to the nodes, the best bilinear fit."""
    return bilinear(KINDS[kind].reference_nodes) @ np.linalg.pinv(bilinear(_GAUSS))


def _along_r_and_s(along: Monomials, bilinear: Monomials) -> tuple[Functions, Functions]:
    """In-plane strain and transverse shear: functions ``along`` of rr and of shear r, the same along s; bilinear rs."""

    def components(at: np.ndarray, *others: np.ndarray) -> np.ndarray:
        blocks = along(at), along(at[:, ::-1]), *others
        ends = np.cumsum([0, *(block.shape[1] for block in blocks)])
        functions = np.zeros((len(at), len(blocks), ends[-1]))
        for row, block in enumerate(blocks):
            functions[:, row, ends[row] : ends[row + 1]] = block
        return functions

    return lambda at: components(at, bilinear(at)), components


def _in_plane_samples(stretches: list[tuple[float, float]]) -> list:
    """Stretch along r at points, along s at those with r and s exchanged, in-plane shear at 2 x 2 points."""
    along_r, along_s = [[(p, (1.0, 0.0, 0.0))] for p in stretches], [[((r, s), (0.0, 1.0, 0.0))] for s, r in stretches]
    return along_r + along_s + [[(p, (0.0, 0.0, 1.0))] for p in _CROSSED]


def _shear_samples(points: list[tuple[float, float]]) -> list:
    """Transverse shear along r at points, along s at those with r and s exchanged."""
    return [[(p, (1.0, 0.0))] for p in points] + [[((r, s), (0.0, 1.0))] for s, r in points]


# The quadrilateral shell with eight nodes.
#
# Transverse shear and rotations are those of the plate MITC9 (Bathe, Brezzi and Fortin, IJNME 28, 1989): serendipity
# deflection, rotations with the bubble (1 - r^2)(1 - s^2) eliminated, shear sampled at two points of each side and by its
# mean. Membrane strain is sampled likewise: stretch along the sides and by its mean, in-plane shear at 2 x 2 points.


def _bubble(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m,) values and (m, 2) derivatives of (1 - r^2)(1 - s^2)."""
    r, s = at.T
    return (1 - r**2) * (1 - s**2), np.column_stack([-2 * r * (1 - s**2), -2 * s * (1 - r**2)])


_R_BEFORE_S = partial(monomial_values, ((0, 0), (1, 0), (0, 1), (1, 1)))
_SIDES_R = [(r, s) for r in _TWO for s in (-1.0, 1.0)]
# bilinear, and quadratic across
_IN_PLANE_8, _SHEAR_8 = _along_r_and_s(lambda at: np.column_stack([_R_BEFORE_S(at), at[:, 1] * at[:, 1]]), _R_BEFORE_S)
QUAD8 = ShellKind(
    "quad8",
    _GAUSS,
    _GAUSS_WEIGHTS,
    _bilinear_fit("quad8", _R_BEFORE_S),
    sampling(
        "quad8",
        _GAUSS,
        (_IN_PLANE_8, _in_plane_samples(_SIDES_R) + means(_GAUSS, _GAUSS_WEIGHTS, 3)[:2]),
        (_SHEAR_8, _shear_samples(_SIDES_R) + means(_GAUSS, _GAUSS_WEIGHTS, 2)),
        _bubble,
        balanced=True,
    ),
)

# The quadrilateral shell with nine nodes.
#
# MITC9 (Bucalem and Bathe, IJNME 36, 1993): stretch and transverse shear along r are sampled at 2 x 3 points, along s at
# 3 x 2, in-plane shear at 2 x 2. The three of transverse shear lie on two sides and halfway between, so that neighbours
# sample the same shear along their common side: with Gauss points, as in the paper, a clamped plate of thickness 1/1000
# on 4 x 4 distorted elements bends 22 % too little; here 0.6 % too much.

_STRETCHES, _SHEARS = ([(r, s) for r in _TWO for s in across] for across in (_THREE, (-1.0, 0.0, 1.0)))
# linear along r and quadratic across; the same along s
_IN_PLANE_9, _SHEAR_9 = _along_r_and_s(partial(monomial_values, tuple((i, j) for i in range(2) for j in range(3))), _BILINEAR)
QUAD9 = ShellKind(
    "quad9",
    _GAUSS,
    _GAUSS_WEIGHTS,
    _bilinear_fit("quad9", _BILINEAR),
    sampling(
        "quad9",
        _GAUSS,
        (_IN_PLANE_9, _in_plane_samples(_STRETCHES)),
        (_SHEAR_9, _shear_samples(_SHEARS)),
        bubble=None,
        balanced=True,
    ),
)
