"""Equilibrium and lowest modes of a body whose rigid motion is removed by six linear conditions or clamped nodes.

Modes are exact and deterministic, also with further markers held.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.solvers.factor import symmetric_factor
from flexmbs.fem.solvers.lanczos import BlockLanczos

_COLUMNS = 128  # solved at a time: more is not faster and needs more memory
_NEGLIGIBLE = 1e-11  # far above rounding in assembly (1e-15), far below any real coupling
_DEPENDENT = 1e-9  # in the scaled flexibility: conditions that others already imply, to rounding of the solves
DENSE_LIMIT = 700  # dofs; below it LAPACK is as fast as Lanczos iteration and finds every mode


@dataclass(frozen=True)
class ConstrainedProblem:
    """K u + C^T lam = f, C u = 0, with K semi-definite: K R = 0."""

    K: sparse.csr_matrix  # (n, n)
    M: sparse.csr_matrix
    C: np.ndarray  # (nc, n) conditions that remove the nc rigid-body motions; nc = 0 if clamped nodes already do
    R: np.ndarray  # (n, nc) rigid-body motions
    pins: np.ndarray  # (nc,) dofs that hold the body statically determinately (only to factor K: they carry no reaction)
    nodal: np.ndarray | None = None  # (nc, ndof) the conditions on all nodal values, C = nodal T; None if there are none
    # possible reason for a singular K, for messages
    loose: str = "parts that are not connected, elements without stiffness, membranes, bars or panels that nothing holds across"

    @property
    def size(self) -> int:
        return self.K.shape[0]

    @property
    def mode_limit(self) -> int:
        """Number of modes that exist: dofs with mass minus the conditions."""
        return max(int(np.count_nonzero(self.M.diagonal() > 0.0)) - len(self.C), 0)

    @cached_property
    def _free(self) -> np.ndarray:
        return np.setdiff1d(np.arange(self.size), self.pins)

    @cached_property
    def _factor(self) -> Any:
        loose = f"the stiffness matrix is singular although the body is supported: {self.loose}"
        return symmetric_factor(self.K[self._free][:, self._free], loose)

    @cached_property
    def _CR(self) -> Any:
        return linalg.lu_factor(self.C @ self.R)

    def solve(self, f: np.ndarray) -> np.ndarray:
        """u for loads f (n,) or (n, k); the reactions lam = (C R)^-T R^T f of the conditions carry unbalanced loads."""
        if f.ndim == 2 and f.shape[1] > _COLUMNS:
            u = np.empty(f.shape)
            for first in range(0, f.shape[1], _COLUMNS):
                u[:, first : first + _COLUMNS] = self.solve(f[:, first : first + _COLUMNS])
            return u
        if not len(self.C):
            return self._factor.solve(f)
        carried = self.C.T @ linalg.lu_solve(self._CR, self.R.T @ f, trans=1)
        np.subtract(f, carried, out=carried)
        u = np.zeros(f.shape)
        u[self._free] = self._factor.solve(carried[self._free])
        u -= self.rigid_motion(self.C @ u)
        return u

    def rigid_motion(self, values: np.ndarray) -> np.ndarray:
        """(n, k) the rigid-body motion R a whose conditions C R a are ``values`` (nc, k)."""
        return self.R @ linalg.lu_solve(self._CR, values)

    def subspace_basis(self) -> np.ndarray:
        """(n, n - nc) basis of C u = 0 (small problems only)."""
        return null_space(self.C)

    def restricted(self, dofs: np.ndarray) -> ConstrainedProblem:
        """The same problem on dofs that are not coupled to others."""
        rows = np.abs(self.C[:, dofs]).max(axis=1, initial=0.0) > _NEGLIGIBLE * np.abs(self.C).max(axis=1, initial=0.0)
        motions = np.abs(self.R[dofs]).max(axis=0, initial=0.0) > _NEGLIGIBLE * np.abs(self.R).max(axis=0, initial=0.0)
        R = self.R[np.ix_(dofs, motions)]
        return ConstrainedProblem(
            self.K[dofs][:, dofs],
            self.M[dofs][:, dofs],
            self.C[np.ix_(rows, dofs)],
            R,
            determinate_dofs(R, np.arange(len(dofs))),
            loose=self.loose,
        )

    def uncoupled_dofs(self) -> list[np.ndarray]:
        """Groups of dofs that are not coupled to each other (a straight beam: bending y, bending z, axial, torsion)."""
        coupled = _significant(self.K) + _significant(self.M)
        parts = [coupled]
        for matrix in (self.C, self.R.T):
            strong = np.abs(matrix) > _NEGLIGIBLE * np.abs(matrix).max(axis=1, initial=0.0, keepdims=True)
            parts.append(sparse.csr_matrix(strong.astype(float)))
        extra = sparse.vstack(parts[1:])
        graph = sparse.bmat([[coupled, extra.T], [extra, None]]) if extra.shape[0] else coupled
        count, labels = sparse.csgraph.connected_components(graph, directed=False)
        groups = [np.flatnonzero(labels[: self.size] == i) for i in range(count)]
        groups = [g for g in groups if len(g)]
        if len(groups) > 1 and not all(len(part.C) == part.R.shape[1] for part in map(self.restricted, groups)):
            return [np.arange(self.size)]  # the conditions do not hold each group by itself
        return groups


def _significant(A: sparse.csr_matrix) -> sparse.csr_matrix:
    """1 where |A_ij| is significant compared with sqrt(A_ii A_jj)."""
    scale = np.sqrt(np.maximum(A.diagonal(), 0.0))
    A = A.tocoo()
    keep = np.abs(A.data) > _NEGLIGIBLE * scale[A.row] * scale[A.col]
    return sparse.csr_matrix((np.ones(np.count_nonzero(keep)), (A.row[keep], A.col[keep])), shape=A.shape)


def null_space(C: np.ndarray) -> np.ndarray:
    """(n, n - nc) basis of C u = 0 that keeps all but nc components unchanged."""
    nc, n = C.shape
    if nc == 0:
        return np.eye(n)
    scaled = C / np.linalg.norm(C, axis=1, keepdims=True)
    dependent = np.sort(linalg.qr(scaled, mode="r", pivoting=True)[1][:nc])
    others = np.setdiff1d(np.arange(n), dependent)
    basis = np.zeros((n, n - nc))
    basis[others, np.arange(len(others))] = 1.0
    basis[dependent] = -np.linalg.solve(scaled[:, dependent], scaled[:, others])
    return basis


def determinate_dofs(R: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """As many of the candidate dofs as R has columns, chosen to constrain all rigid-body motions well."""
    if R.shape[1] == 0:
        return np.empty(0, dtype=np.int64)
    scaled = R[candidates] / np.abs(R).max(axis=0)
    return np.sort(candidates[linalg.qr(scaled.T, mode="r", pivoting=True)[1][: R.shape[1]]])


def symmetric(A: np.ndarray) -> np.ndarray:
    """The symmetric part of a matrix, from which products differ by rounding."""
    return 0.5 * (A + A.T)


@dataclass
class ModeFamily:
    """Modes of a group of dofs that is not coupled to others."""

    problem: ConstrainedProblem | FixedProblem
    dofs: np.ndarray  # (m,) independent dofs of the group
    size: int  # number of all independent dofs
    kind: str | None  # "bending y", "axial", ... if the group determines it
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
            if self.problem.size <= DENSE_LIMIT:
                self._known = _dense_modes(self.problem, self.limit)
            else:
                if self._iteration is None:  # about zero: the constrained solve is the inverse of K
                    self._iteration = BlockLanczos(self.problem.solve, self.problem.M)
                self._known = self._iteration.lowest(count)
        values, vectors = self._known
        fields = np.zeros((self.size, min(count, len(values))))
        if fields.shape[1]:
            fields[self.dofs] = vectors[:, :count]
        return values[:count], fields


def _dense_modes(problem: ConstrainedProblem | FixedProblem, count: int) -> tuple[np.ndarray, np.ndarray]:
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


@dataclass(frozen=True)
class FixedProblem:
    """``base`` with further conditions E u = 0 (the markers of kept interfaces): K u + C^T lam + E^T mu = f."""

    base: ConstrainedProblem
    E: np.ndarray  # (k, n) independent conditions
    G: np.ndarray  # (n, k) responses of ``base`` to E^T; E G is the (definite) flexibility seen by the conditions

    @property
    def K(self) -> sparse.csr_matrix:
        """That of ``base``."""
        return self.base.K

    @property
    def M(self) -> sparse.csr_matrix:
        """That of ``base``."""
        return self.base.M

    @property
    def size(self) -> int:
        """That of ``base``."""
        return self.base.size

    @property
    def loose(self) -> str:
        """That of ``base``."""
        return self.base.loose

    @property
    def mode_limit(self) -> int:
        return max(self.base.mode_limit - len(self.E), 0)

    @cached_property
    def _flexibility(self) -> tuple[np.ndarray, bool]:
        return linalg.cho_factor(symmetric(self.E @ self.G))

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
    F = symmetric(E @ G)
    free = np.flatnonzero(straining(base, E.T, G))
    scale = 1.0 / np.sqrt(np.diag(F)[free])
    R, order = linalg.qr(scale[:, None] * F[np.ix_(free, free)] * scale, mode="r", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(R)) > _DEPENDENT))
    kept = np.sort(free[order[:rank]])
    return FixedProblem(base, E[kept], G[:, kept])
