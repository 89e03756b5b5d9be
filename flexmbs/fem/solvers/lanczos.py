"""Lowest modes of K x = lambda M x by block Lanczos iteration on K^-1 M."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.common.progress import stage
from flexmbs.fem.solvers.memory import require_memory

BLOCK = 4  # vectors at a time: a solve for 4 costs less than two single ones
# In large models, where a solve reads the factor from memory, twice as many cost little more; fewer solves are needed.
WIDE_BLOCK = 8
# Residual of a mode, in parts of 1 / lambda: modes are then orthogonal in stiffness too, to rounding.
_CONVERGED = 1e-14
_DEPENDENT = 1e-14  # what is left of a vector without what others show of it, in parts of it: rounding
# Converged modes whose 1 / lambda exceeds that of all others by this factor are set aside: rigid-body motion under a
# small shift, whose rounding would otherwise hide the convergence of the elastic modes.
_FAR = 1e4
_CHECKED = 20  # blocks, for each of which one more is taken in before convergence is looked at, which costs their number cubed
_LONG = 20_000  # unknowns; from here on it may take a second


class BlockLanczos:
    """Modes nearest to lambda = 0; a request for more continues where the last one stopped.

    The basis V is kept orthonormal in mass, V^T M V = I, each block against all before it (R. G. Grimes, J. G. Lewis
    and H. D. Simon, SIAM Journal on Matrix Analysis and Applications 15, 1994, without their shifts), so that modes of
    equal frequency are all found, up to ``BLOCK`` of them. The start is fixed: runs repeat. Modes far below the others
    are found first, and the iteration then begins again orthogonal to them.

    Parameters
    ----------
    solve : K^-1 on loads (n, k)
    mass : M, (n, n) symmetric, semi-definite
    """

    def __init__(self, solve: Callable[[np.ndarray], np.ndarray], mass) -> None:
        self._solve, self._mass = solve, mass
        self._locked, self._locked_momenta = np.zeros((mass.shape[0], 0)), np.zeros((mass.shape[0], 0))
        self._locked_growth = np.zeros(0)  # 1 / lambda of the modes set aside, falling in size
        self._begin()

    def _begin(self) -> None:
        self._basis: list[np.ndarray] = []  # blocks V_j (n, b); K^-1 M V_j is known of all but the last
        self._momenta: list[np.ndarray] = []  # M V_j
        self._projected = np.zeros((0, 0))  # V^T M K^-1 M V of all but the last block
        start = np.random.default_rng(0).standard_normal((self.size, min(self._width, self.size)))
        self._coupling = self._append(self._solve(self._mass @ start))

    @property
    def size(self) -> int:
        return self._mass.shape[0]

    @property
    def _width(self) -> int:
        return BLOCK if self.size < _LONG else WIDE_BLOCK

    def lowest(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """lambda (k,) rising in size and x (n, k) with x^T M x = 1; k < count where fewer modes have mass."""
        columns = 5 * count + 6 * self._width - 2 * sum(block.shape[1] for block in self._basis)
        require_memory(8.0 * self.size * columns, f"{count} modes of {self.size:,} unknowns", "Ask for fewer modes.")
        while True:
            known = len(self._locked_growth)
            growth, directions, residual = self._ritz(max(count - known, 0))
            converged = residual <= _CONVERGED * np.abs(growth)
            done = known + int(np.count_nonzero(converged))
            if done >= count or self._basis[-1].shape[1] == 0:
                break
            stage("modes", done, count, long=self.size >= _LONG)
            if not self._set_aside(growth, directions, converged):
                for _ in range(max(1, len(self._basis) // _CHECKED)):
                    self._extend()
        growth = np.concatenate([self._locked_growth, growth])[:count]
        return 1.0 / growth, np.hstack([self._locked, self._combined(directions)])[:, :count]

    def _combined(self, directions: np.ndarray) -> np.ndarray:
        vectors, first = np.zeros((self.size, directions.shape[1])), 0
        for block in self._basis[:-1]:
            vectors += block @ directions[first : first + block.shape[1]]
            first += block.shape[1]
        return vectors

    def _set_aside(self, growth: np.ndarray, directions: np.ndarray, converged: np.ndarray) -> bool:
        """Keep converged modes that are far from all others and begin again without them; whether there were any."""
        others = np.abs(growth[~converged]).max(initial=0.0)
        far = converged & (np.abs(growth) > _FAR * others)
        if not (far.any() and others > 0.0):
            return False
        vectors = self._without_basis(self._combined(directions[:, far]), [])
        self._locked = np.hstack([self._locked, vectors])
        self._locked_momenta = self._mass @ self._locked
        self._locked_growth = np.concatenate([self._locked_growth, growth[far]])
        self._begin()
        return True

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
        """Take in the last block, and make the next one of what K^-1 M adds to it; nothing if that adds nothing."""
        if self._basis[-1].shape[1] == 0:
            return
        found = self._solve(self._momenta[-1])
        if not np.all(np.isfinite(found)):
            raise BodyError("the modes are not finite; check the material and section of every element")
        column = np.concatenate([momenta.T @ found for momenta in self._momenta])
        known, width = len(self._projected), found.shape[1]
        corner = column[known:]
        self._projected = np.block([[self._projected, column[:known]], [column[:known].T, 0.5 * (corner + corner.T)]]).reshape(
            known + width, known + width
        )
        self._coupling = self._append(found)

    def _append(self, block: np.ndarray) -> np.ndarray:
        """Add what ``block`` (n, b) has besides the basis; its coefficients (new vectors, b) in the new vectors."""
        largest = np.sqrt(np.einsum("ia,ia->a", block, self._mass @ block).max(initial=0.0))
        block = self._without_basis(block, self._basis)
        gram = block.T @ (self._mass @ block)
        squares, vectors = np.linalg.eigh(0.5 * (gram + gram.T))
        kept = squares > (_DEPENDENT * largest) ** 2
        lengths = np.sqrt(squares[kept])
        # again, for the rounding that the first time left
        block = self._without_basis(block @ (vectors[:, kept] / lengths), self._basis)
        momenta = self._mass @ block
        gram = block.T @ momenta
        if len(lengths):
            inverse_root = np.linalg.inv(np.linalg.cholesky(0.5 * (gram + gram.T))).T
            block, momenta = block @ inverse_root, momenta @ inverse_root
        self._basis.append(block)
        self._momenta.append(momenta)
        return lengths[:, None] * vectors[:, kept].T

    def _without_basis(self, block: np.ndarray, basis: list[np.ndarray]) -> np.ndarray:
        """``block`` less what the modes set aside show of it, and ``basis`` (all of it, or nothing)."""
        block = block - self._locked @ (self._locked_momenta.T @ block)
        for vectors, momenta in zip(basis, self._momenta, strict=False):
            block = block - vectors @ (momenta.T @ block)
        return block
