"""Lowest modes of a constrained body, exact and deterministic."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import linalg

from flexmbs.common.errors import BodyError
from flexmbs.fem.solvers.lanczos import BlockLanczos
from flexmbs.reduction.constrained_body import ConstrainedProblem

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
