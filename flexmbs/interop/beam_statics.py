"""Static deflection of a uniform Euler-Bernoulli beam under a force, exact at the nodes of cubic elements.

What the supports leave free is carried by inertia: the load of a free beam is balanced by the inertia force of the
rigid acceleration that it causes, and the deflection has no momentum (P. Tong, T. H. H. Pian and L. L. Bucciarelli,
Computers & Structures 1, 1971, for the exactness at nodes).

And its exact bending vibration, with any supports at its ends:
w(x) = A cos kx + B sin kx + C exp(-kx) + D exp(-k (L - x)),  k^4 = mass per length omega^2 / EI: written with decaying
exponentials, so that no mode number is too high for double precision (R. D. Blevins, Formulas for Natural Frequency and
Mode Shape, 1979, chapter 8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


class BeamStatics:
    """x (nn,) m; K, M (2 nn, 2 nn) of displacement and slope of each node in turn; rigid (2 nn, r) motions left free.

    ``fixed``: components that are held, ``pinned`` those that are held in addition to prevent rigid motion.
    """

    def __init__(self, x: np.ndarray, EI: float, mass_per_length: float, supports: tuple[str, str]) -> None:
        self.x, (self.K, self.M) = x, _matrices(x, EI, mass_per_length)
        last = 2 * (len(x) - 1)
        self.fixed = [first + k for first, s in zip((0, last), supports, strict=True) for k in SUPPORTS[s] if k < 2]
        motions = np.zeros((2 * len(x), 2))
        motions[0::2, 0] = 1.0
        motions[0::2, 1], motions[1::2, 1] = x, 1.0
        # combinations of the two motions that the supports allow
        _, sizes, turned = np.linalg.svd(motions[self.fixed] if self.fixed else np.zeros((1, 2)))
        rank = int(np.count_nonzero(sizes > 1e-12))
        self.pinned = [k for k in (0, last, 1, last + 1) if k not in self.fixed][: 2 - rank]
        self.rigid = motions @ turned[rank:].T

    @property
    def held(self) -> list[int]:
        """Nodes that do not move."""
        return [k // 2 for k in self.fixed if k % 2 == 0]

    @property
    def mass(self) -> float:
        """kg"""
        ones = np.zeros(len(self.K))
        ones[0::2] = 1.0
        return float(ones @ self.M @ ones)

    def deflection(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """(nn,) displacement (m) and slope of the nodes under a unit force at one of them."""
        load = np.zeros(len(self.K))
        load[2 * node] = 1.0
        R = self.rigid
        carried = R @ np.linalg.solve(R.T @ self.M @ R, R.T) if R.shape[1] else np.zeros((len(load), len(load)))
        load = load - self.M @ (carried @ load)
        free = np.setdiff1d(np.arange(len(load)), (*self.fixed, *self.pinned))
        u = np.zeros(len(load))
        u[free] = np.linalg.solve(self.K[np.ix_(free, free)], load[free])
        u = u - carried @ (self.M @ u)
        return u[0::2], u[1::2]

    def moments(self, w: np.ndarray, slope: np.ndarray) -> tuple[float, float, float]:
        """Integrals over the mass of w, w x and w^2."""
        u = np.column_stack([w, slope]).ravel()
        one, along = np.zeros(len(u)), np.zeros(len(u))
        one[0::2] = 1.0
        along[0::2], along[1::2] = self.x, 1.0
        Mu = self.M @ u
        return float(one @ Mu), float(along @ Mu), float(u @ Mu)


_BENDING = np.array([[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]])
_INERTIA = np.array([[156.0, 22.0, 54.0, -13.0], [22.0, 4.0, 13.0, -3.0], [54.0, 13.0, 156.0, -22.0], [-13.0, -3.0, -22.0, 4.0]])


def _matrices(x: np.ndarray, EI: float, mass_per_length: float) -> tuple[np.ndarray, np.ndarray]:
    K, M = np.zeros((2 * len(x), 2 * len(x))), np.zeros((2 * len(x), 2 * len(x)))
    for i, h in enumerate(np.diff(x)):
        part, s = slice(2 * i, 2 * i + 4), np.array([1.0, h, 1.0, h])  # slopes are of h times the length
        K[part, part] += EI / h**3 * (s[:, None] * _BENDING * s)
        M[part, part] += mass_per_length * h / 420.0 * (s[:, None] * _INERTIA * s)
    return K, M


SUPPORTS = {"clamped": (0, 1), "pinned": (0, 2), "free": (2, 3)}  # derivatives of w that vanish at the end
_STEP = np.pi / 16.0
GAUSS = np.polynomial.legendre.leggauss(12)  # points from -1 to 1, and weights


@dataclass(frozen=True)
class BeamModes:
    """length in m; k (n,) 1/m, ascending; coefficients (n, 4) of the four functions, largest displacement 1."""

    length: float
    k: np.ndarray
    coefficients: np.ndarray

    def at(self, x: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(n, len(x)) derivatives of the modes."""
        each = zip(self.k, self.coefficients, strict=True)
        return np.array([_functions(k, self.length, x, derivative) @ c for k, c in each]).reshape(-1, len(x))

    def gauss_points(self) -> tuple[np.ndarray, np.ndarray]:
        """Points and weights that integrate products of four modes over the length: on panels of less than half a wave."""
        panels = max(8, int(np.ceil(2.0 * self.length * self.k.max(initial=0.0) / np.pi)))
        h = self.length / panels
        x = (h * (np.arange(panels)[:, None] + 0.5 * (GAUSS[0] + 1.0))).ravel()
        return x, np.tile(0.5 * h * GAUSS[1], panels)

    def moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n,) integrals over x of w, w x and w^2."""
        x, dx = self.gauss_points()
        w = self.at(x)
        return w @ dx, w @ (x * dx), w**2 @ dx


def beam_modes(length: float, supports: tuple[str, str], count: int) -> BeamModes:
    """The lowest ``count`` elastic modes."""
    roots: list[float] = []
    left = 0.5 * _STEP
    value = _determinant(left, supports)
    while len(roots) < count:
        right = left + _STEP
        next_value = _determinant(right, supports)
        if value * next_value <= 0.0:
            roots.append(brentq(_determinant, left, right, args=(supports,), xtol=1e-14, rtol=1e-15))
        left, value = right, next_value
    k = np.array(roots) / length
    shapes = [np.linalg.svd(_conditions(root, supports))[2][3] for root in roots]
    sizes = [_largest(n, length, c) for n, c in zip(k, shapes, strict=True)]
    return BeamModes(length, k, np.array([c / size for c, size in zip(shapes, sizes, strict=True)]).reshape(-1, 4))


def _functions(k: float, length: float, x: np.ndarray, derivative: int) -> np.ndarray:
    """(len(x), 4) derivatives of the four functions."""
    s, kx = k**derivative, k * np.asarray(x)
    turn = 0.5 * np.pi * derivative
    columns = (np.cos(kx + turn), np.sin(kx + turn), (-1.0) ** derivative * np.exp(-kx), np.exp(kx - k * length))
    return s * np.column_stack(columns)


def _largest(k: float, length: float, shape: np.ndarray) -> float:
    """Largest displacement: of a parabola through the largest of many points and its neighbours."""
    points = np.linspace(0.0, length, int(20.0 * k * length) + 101)
    w = np.abs(_functions(k, length, points, 0) @ shape)
    at = int(w.argmax())
    if at in (0, len(w) - 1):
        return float(w[at])
    before, largest, after = w[at - 1 : at + 2]
    return float(largest + 0.125 * (after - before) ** 2 / (2.0 * largest - before - after))


def _conditions(root: float, supports: tuple[str, str]) -> np.ndarray:
    """(4, 4): what vanishes at the ends, for k L = root, with lengths in 1 / k."""
    rows = []
    for end, support in zip((0.0, root), supports, strict=True):
        rows += [_functions(1.0, root, np.array([end]), derivative)[0] for derivative in SUPPORTS[support]]
    return np.array(rows)


def _determinant(root: float, supports: tuple[str, str]) -> float:
    return float(np.linalg.det(_conditions(root, supports)))
