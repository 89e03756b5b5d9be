"""Static deflection of a uniform Euler-Bernoulli beam under a force, exact at the nodes of cubic elements.

What the supports leave free is carried by inertia: the load of a free beam is balanced by the inertia force of the
rigid acceleration that it causes, and the deflection has no momentum (P. Tong, T. H. H. Pian and L. L. Bucciarelli,
Computers & Structures 1, 1971, for the exactness at nodes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.interop.beam_vibration import SUPPORTS


@dataclass(frozen=True)
class BeamStatics:
    """x (nn,) m; K, M (2 nn, 2 nn) of displacement and slope of each node in turn; rigid (2 nn, r) motions left free.

    ``fixed``: components that are held, ``pinned`` those that are held in addition to prevent rigid motion.
    """

    x: np.ndarray
    K: np.ndarray
    M: np.ndarray
    rigid: np.ndarray
    fixed: tuple[int, ...]
    pinned: tuple[int, ...]

    @classmethod
    def of(cls, x: np.ndarray, EI: float, mass_per_length: float, supports: tuple[str, str]) -> BeamStatics:
        K, M = _matrices(x, EI, mass_per_length)
        last = 2 * (len(x) - 1)
        fixed = tuple(first + k for first, s in zip((0, last), supports, strict=True) for k in SUPPORTS[s] if k < 2)
        motions = np.zeros((2 * len(x), 2))
        motions[0::2, 0] = 1.0
        motions[0::2, 1], motions[1::2, 1] = x, 1.0
        # combinations of the two motions that the supports allow
        _, sizes, turned = np.linalg.svd(motions[list(fixed)] if fixed else np.zeros((1, 2)))
        rank = int(np.count_nonzero(sizes > 1e-12))
        spare = [k for k in (0, last, 1, last + 1) if k not in fixed][: 2 - rank]
        return cls(x, K, M, motions @ turned[rank:].T, fixed, tuple(spare))

    @property
    def held(self) -> tuple[int, ...]:
        """Nodes that do not move."""
        return tuple(k // 2 for k in self.fixed if k % 2 == 0)

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


def _matrices(x: np.ndarray, EI: float, mass_per_length: float) -> tuple[np.ndarray, np.ndarray]:
    K, M = np.zeros((2 * len(x), 2 * len(x))), np.zeros((2 * len(x), 2 * len(x)))
    for i, h in enumerate(np.diff(x)):
        part = slice(2 * i, 2 * i + 4)
        K[part, part] += (
            EI
            / h**3
            * np.array(
                [
                    [12.0, 6.0 * h, -12.0, 6.0 * h],
                    [6.0 * h, 4.0 * h * h, -6.0 * h, 2.0 * h * h],
                    [-12.0, -6.0 * h, 12.0, -6.0 * h],
                    [6.0 * h, 2.0 * h * h, -6.0 * h, 4.0 * h * h],
                ]
            )
        )
        M[part, part] += (
            mass_per_length
            * h
            / 420.0
            * np.array(
                [
                    [156.0, 22.0 * h, 54.0, -13.0 * h],
                    [22.0 * h, 4.0 * h * h, 13.0 * h, -3.0 * h * h],
                    [54.0, 13.0 * h, 156.0, -22.0 * h],
                    [-13.0 * h, -3.0 * h * h, -22.0 * h, 4.0 * h * h],
                ]
            )
        )
    return K, M
