"""Lowest modes of a constrained body, exact and deterministic, also with its kept interfaces clamped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import linalg, sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.solvers.lanczos import BlockLanczos
from flexmbs.reduction.constrained_body import ConstrainedProblem, null_space

DENSE_LIMIT = 700  # dofs; below it LAPACK is as fast as Lanczos iteration and finds every mode


@dataclass
class ModeFamily:
    """Modes of a group of dofs that is not coupled to others.

    Attributes
    ----------
    dofs : (m,) independent dofs of the group
    size : number of all independent dofs
    kind : "bending y", "axial", ... if the group determines it, otherwise None
    """

    problem: ConstrainedProblem
    dofs: np.ndarray
    size: int
    kind: str | None
    _known: tuple[np.ndarray, np.ndarray] = field(default=(np.empty(0), np.empty((0, 0))), repr=False)
    _iteration: BlockLanczos | None = field(default=None, repr=False)

    @property
    def limit(self) -> int:
        """Number of modes that exist; in large models, that can be computed (Lanczos iteration finds few of many)."""
        exist = self.problem.mode_limit
        return exist if self.problem.size <= DENSE_LIMIT else min(exist, self.problem.size // 4)

    def lowest(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """omega^2 (k,) ascending, rad2/s2, and fields (size, k), k = min(count, limit)."""
        count = min(count, self.limit)
        if len(self._known[0]) < count:
            self._known = self._found(count)
        values, vectors = self._known
        fields = np.zeros((self.size, min(count, len(values))))
        if fields.shape[1]:
            fields[self.dofs] = vectors[:, :count]
        return values[:count], fields

    def _found(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        if self.problem.size <= DENSE_LIMIT:
            return _dense_modes(self.problem, self.limit)
        if self._iteration is None:  # about zero: the constrained solve is the inverse of K
            self._iteration = BlockLanczos(self.problem.solve, self.problem.M)
        return self._iteration.lowest(count)


def _dense_modes(problem: ConstrainedProblem, count: int) -> tuple[np.ndarray, np.ndarray]:
    """M u = mu K u, mu = 1 / omega^2: K is definite where M need not be (beams without torsional inertia)."""
    basis = problem.subspace_basis()
    K, M = (basis.T @ (A @ basis) for A in (problem.K, problem.M))
    if not (np.diag(K) > 0.0).all():
        raise BodyError(f"the supported body is not stiff in every direction: {problem.loose}")
    scale = 1.0 / np.sqrt(np.diag(K))
    K, M = (0.5 * scale[:, None] * (A + A.T) * scale for A in (K, M))
    try:
        mu, vectors = linalg.eigh(M, K)
    except linalg.LinAlgError as error:
        raise BodyError(f"the supported body is not stiff in every direction: {problem.loose} ({error})") from error
    mu, vectors = mu[::-1][:count], vectors[:, ::-1][:, :count]
    keep = mu > 0.0
    return 1.0 / mu[keep], basis @ (scale[:, None] * vectors[:, keep])


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
    def _flexibility(self) -> tuple[np.ndarray, bool]:
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
