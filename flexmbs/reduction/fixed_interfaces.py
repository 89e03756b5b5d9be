"""A supported body whose kept interfaces are clamped as well, with the factorisation of the supported body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, sparse

from flexmbs.reduction.constrained_body import ConstrainedProblem, null_space

_DEPENDENT = 1e-9  # in the scaled flexibility: conditions that others already imply, to rounding of the solves


@dataclass(frozen=True)
class FixedProblem:
    """``base`` with further conditions E u = 0 (the markers of kept interfaces): K u + C^T lam + E^T mu = f.

    Attributes
    ----------
    E : (k, n) independent conditions
    G : (n, k) responses of ``base`` to E^T; E G is the (definite) flexibility seen by the conditions
    """

    base: ConstrainedProblem
    E: np.ndarray
    G: np.ndarray

    @property
    def K(self) -> sparse.csr_matrix:
        return self.base.K

    @property
    def M(self) -> sparse.csr_matrix:
        return self.base.M

    @property
    def size(self) -> int:
        return self.base.size

    @property
    def mode_limit(self) -> int:
        return max(self.base.mode_limit - len(self.E), 0)

    @cached_property
    def _flexibility(self):
        F = self.E @ self.G
        return linalg.cho_factor(0.5 * (F + F.T))

    def solve(self, f: np.ndarray) -> np.ndarray:
        """u for loads f (n,) or (n, k) with all markers at rest."""
        u = self.base.solve(f)
        return u - self.G @ linalg.cho_solve(self._flexibility, self.E @ u) if len(self.E) else u

    def subspace_basis(self) -> np.ndarray:
        """(n, n - nc) basis of all conditions (small problems only)."""
        return null_space(np.vstack([self.base.C, self.E]))


def straining(problem: ConstrainedProblem, loads: np.ndarray, responses: np.ndarray) -> np.ndarray:
    """(k,) bool: loads (n, k) that strain the body, by their responses (n, k).

    The energy f.u of a load is at least f.f over the largest eigenvalue of K, which is not far above its largest
    diagonal entry; of a load that the supports carry whole only rounding is left.
    """
    energies = np.einsum("ia,ia->a", loads, responses)
    return energies * np.max(problem.K.diagonal(), initial=0.0) > 1e-9 * np.einsum("ia,ia->a", loads, loads)


def fixed(base: ConstrainedProblem, E: np.ndarray) -> FixedProblem:
    """``base`` with those of the conditions E (k, n) that are independent of each other and of its own."""
    G = base.solve(np.ascontiguousarray(E.T))
    F = E @ G
    F = 0.5 * (F + F.T)
    free = np.flatnonzero(straining(base, E.T, G))
    scale = 1.0 / np.sqrt(np.diag(F)[free])
    R, order = linalg.qr(scale[:, None] * F[np.ix_(free, free)] * scale, mode="r", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(R)) > _DEPENDENT))
    kept = np.sort(free[order[:rank]])
    return FixedProblem(base, E[kept], G[:, kept])
