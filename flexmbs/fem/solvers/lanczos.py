"""Lowest modes of K x = lambda M x by block Lanczos iteration on K^-1 M."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.errors import BodyError
from flexmbs.fem.solvers.memory import require_memory
from flexmbs.stages import stage

BLOCK = 4  # vectors at a time: a solve for 4 costs less than two single ones
# Residual of a mode, in parts of 1 / lambda: modes are then orthogonal in stiffness too, to rounding.
_CONVERGED = 1e-14
_DEPENDENT = 1e-14  # what is left of a vector without what others show of it, in parts of it: rounding
_LONG = 20_000  # unknowns; from here on it may take a second


class BlockLanczos:
    """Modes nearest to lambda = 0; asking for more goes on where the last question stopped.

    The basis V is kept orthonormal in mass, V^T M V = I, each block against all before it (R. G. Grimes, J. G. Lewis
    and H. D. Simon, SIAM Journal on Matrix Analysis and Applications 15, 1994, without their shifts), so that modes of
    equal frequency are all found, up to ``BLOCK`` of them. The start is fixed: runs repeat.

    Parameters
    ----------
    solve : K^-1 on loads (n, k)
    mass : M, (n, n) symmetric, semi-definite
    """

    def __init__(self, solve: Callable[[np.ndarray], np.ndarray], mass) -> None:
        self._solve, self._mass = solve, mass
        self._basis: list[np.ndarray] = []  # blocks V_j (n, b); K^-1 M V_j is known of all but the last
        self._momenta: list[np.ndarray] = []  # M V_j
        self._projected = np.zeros((0, 0))  # V^T M K^-1 M V of all but the last block
        start = np.random.default_rng(0).standard_normal((self.size, min(BLOCK, self.size)))
        self._coupling = self._append(solve(mass @ start))

    @property
    def size(self) -> int:
        return self._mass.shape[0]

    def lowest(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """lambda (k,) rising in size and x (n, k) with x^T M x = 1; k < count where fewer modes have mass."""
        columns = 5 * count + 6 * BLOCK - 2 * sum(block.shape[1] for block in self._basis)
        require_memory(8.0 * self.size * columns, f"{count} modes of {self.size:,} unknowns", "Ask for fewer modes.")
        while True:
            growth, directions, residual = self._ritz(count)
            done = int(np.count_nonzero(residual <= _CONVERGED * np.abs(growth)))
            if done == count or self._basis[-1].shape[1] == 0:
                break
            stage("modes", done, count, long=self.size >= _LONG)
            self._extend()
        vectors, first = np.zeros((self.size, len(growth))), 0
        for block in self._basis[:-1]:
            vectors += block @ directions[first : first + block.shape[1]]
            first += block.shape[1]
        return 1.0 / growth, vectors

    def _ritz(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """1 / lambda falling in size, directions in the basis and residuals of at most ``count`` modes so far."""
        growth, directions = np.linalg.eigh(self._projected)
        size = np.abs(growth)
        largest = np.argsort(-size, kind="stable")[:count]
        largest = largest[size[largest] > _DEPENDENT * size.max(initial=0.0)]
        growth, directions = growth[largest], directions[:, largest]
        newest = directions[len(directions) - self._coupling.shape[1] :] if len(directions) else np.zeros((0, 0))
        return growth, directions, np.linalg.norm(self._coupling[:, : len(newest)] @ newest, axis=0)

    def _extend(self) -> None:
        """Take in the last block, and make the next one of what K^-1 M adds to it."""
        found = self._solve(self._momenta[-1])
        if not np.all(np.isfinite(found)):
            raise BodyError("the modes are not finite: check material and section of every element")
        column = np.concatenate([momenta.T @ found for momenta in self._momenta])
        known, width = len(self._projected), found.shape[1]
        corner = column[known:]
        self._projected = np.block(
            [[self._projected, column[:known]], [column[:known].T, 0.5 * (corner + corner.T)]]
        ).reshape(known + width, known + width)
        self._coupling = self._append(found)

    def _append(self, block: np.ndarray) -> np.ndarray:
        """Add what ``block`` (n, b) has besides the basis; its coefficients (new vectors, b) in the new vectors."""
        largest = np.sqrt(np.einsum("ia,ia->a", block, self._mass @ block).max(initial=0.0))
        block = self._without_basis(block)
        gram = block.T @ (self._mass @ block)
        squares, vectors = np.linalg.eigh(0.5 * (gram + gram.T))
        kept = squares > (_DEPENDENT * largest) ** 2
        lengths = np.sqrt(squares[kept])
        # again, for the rounding that the first time left
        block = self._without_basis(block @ (vectors[:, kept] / lengths))
        momenta = self._mass @ block
        gram = block.T @ momenta
        if len(lengths):
            inverse_root = np.linalg.inv(np.linalg.cholesky(0.5 * (gram + gram.T))).T
            block, momenta = block @ inverse_root, momenta @ inverse_root
        self._basis.append(block)
        self._momenta.append(momenta)
        return lengths[:, None] * vectors[:, kept].T

    def _without_basis(self, block: np.ndarray) -> np.ndarray:
        for vectors, momenta in zip(self._basis, self._momenta, strict=True):
            block = block - vectors @ (momenta.T @ block)
        return block
