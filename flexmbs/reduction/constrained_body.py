"""Equilibrium and eigenproblems of a body whose rigid motion is removed by six linear conditions or clamped nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, sparse

from flexmbs.fem.solvers.factor import symmetric_factor


@dataclass(frozen=True)
class ConstrainedProblem:
    """K u + C^T lam = f, C u = 0, with K semi-definite: K R = 0.

    Attributes
    ----------
    K, M : (n, n) csr
    C : (nc, n) conditions that remove the nc rigid-body motions; nc = 0 if clamped nodes already do
    R : (n, nc) rigid-body motions
    pins : (nc,) dofs that hold the body statically determinately (only to factor K: they carry no reaction)
    nodal : (nc, ndof) the conditions on all nodal values, C = nodal T; None if there are none
    loose : possible reason for a singular K, for messages
    """

    K: sparse.csr_matrix
    M: sparse.csr_matrix
    C: np.ndarray
    R: np.ndarray
    pins: np.ndarray
    nodal: np.ndarray | None = None
    loose: str = "parts that are not connected, or elements without stiffness"

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
    def _factor(self):
        loose = f"the stiffness matrix is singular although the body is supported: {self.loose}"
        return symmetric_factor(self.K[self._free][:, self._free], loose)

    @cached_property
    def _CR(self):
        return linalg.lu_factor(self.C @ self.R)

    def solve(self, f: np.ndarray) -> np.ndarray:
        """u for loads f (n,) or (n, k); the reactions lam = (C R)^-T R^T f of the conditions carry unbalanced loads."""
        if f.ndim == 1 or f.shape[1] <= _COLUMNS:
            return self._solve_columns(f)
        u = np.empty(f.shape)
        for first in range(0, f.shape[1], _COLUMNS):
            u[:, first : first + _COLUMNS] = self._solve_columns(f[:, first : first + _COLUMNS])
        return u

    def _solve_columns(self, f: np.ndarray) -> np.ndarray:
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


_COLUMNS = 128  # solved at a time: more is not faster and needs more memory
_NEGLIGIBLE = 1e-11  # far above rounding in assembly (1e-15), far below any real coupling


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
