"""The sparse factorisation of symmetric matrices, by the fastest solver that is installed."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.solvers.factorisations import Factor, MumpsFactor, PardisoFactor, SuperLUFactor

VARIABLE = "FLEXMBS_SOLVER"
# In order of preference; a solver loads its libraries when it is first used.
SOLVERS: dict[str, type[Factor]] = {"pypardiso": PardisoFactor, "mumps": MumpsFactor, "scipy": SuperLUFactor}

# Part by which a known solution comes back wrong. Singular matrices give 4 and more, whatever the solver; a beam of
# 10,000 elements, the worst regular one that was tried, 1e-6.
_WRONG = 1e-2
_SOFT = 1e-8  # part of its diagonal that makes a singular matrix regular, to find what it leaves loose


class SingularMatrix(BodyError):
    """A matrix without an inverse.

    Attributes
    ----------
    motion : (n,) float
        What the matrix leaves (nearly) without resistance, largest component 1: it tells where to look.
    """

    def __init__(self, message: str, motion: np.ndarray) -> None:
        super().__init__(message)
        self.motion = motion


def symmetric_factor(matrix: sparse.spmatrix, when_singular: str, solver: str | None = None) -> Factor:
    """Factorise a symmetric sparse matrix, which need not be definite.

    Parameters
    ----------
    matrix : (n, n) sparse
    when_singular : starts the message when it is singular
    solver : "pypardiso", "mumps" or "scipy"
        None: what the environment variable FLEXMBS_SOLVER names, else the first of them that is installed.

    Raises
    ------
    SingularMatrix
        The matrix has no inverse, or none that double precision can find.
    BodyError
        The factor would not fit into the memory that is available; the solver is not installed or unknown.
    """
    matrix = matrix.tocsr()
    loose = ~(matrix.diagonal() != 0.0)
    if loose.any():
        raise SingularMatrix(f"{when_singular} (row {np.argmax(loose)} of {len(loose)} is empty)", loose.astype(float))
    solver = chosen_solver(solver)
    try:
        factor = SOLVERS[solver](matrix)
    except ArithmeticError as error:
        raise SingularMatrix(f"{when_singular} ({error})", _loose_motion(matrix, solver)) from None
    except MemoryError:
        raise BodyError(f"factorising {matrix.shape[0]:,} unknowns: out of memory. Use a coarser mesh.") from None
    wrong = _error_of_known_solution(matrix, factor)
    if not wrong < _WRONG:
        message = f"{when_singular} (relative error {wrong:.1g} in a known solution)"
        raise SingularMatrix(message, _loose_motion(matrix, solver))
    return factor


def chosen_solver(solver: str | None = None) -> str:
    """The solver that is used; ``solver`` as for ``symmetric_factor``."""
    asked = solver or os.environ.get(VARIABLE, "").strip().lower()
    if not asked:
        return next(name for name in SOLVERS if _is_usable(name))
    if asked not in SOLVERS:
        raise BodyError(f"{VARIABLE}={asked}: the solver must be one of {', '.join(SOLVERS)}")
    if not _is_usable(asked):
        install = {"pypardiso": 'pip install "flexmbs[fast]"', "mumps": "pip install python-mumps, with MUMPS itself"}
        raise BodyError(f"the solver {asked} is not installed ({install[asked]}); unset {VARIABLE} to use the default solver")
    return asked


@cache
def _is_usable(solver: str) -> bool:
    """Whether a solver is installed and its libraries load."""
    if solver != "scipy" and find_spec(solver) is None:
        return False
    try:
        SOLVERS[solver].load()
    except (ImportError, OSError, AttributeError):
        return False
    return True


def _error_of_known_solution(matrix: sparse.csr_matrix, factor: Factor) -> float:
    """Largest error of a solution of +-1 in units of the diagonal. No solver says reliably that a pivot is rounding."""
    scale = 1.0 / np.sqrt(np.abs(matrix.diagonal()))
    known = scale * np.random.default_rng(0).choice([-1.0, 1.0], len(scale))
    error = np.abs(factor.solve(matrix @ known) - known) / scale
    return float(np.inf if np.isnan(error).any() else error.max(initial=0.0))


def _loose_motion(matrix: sparse.csr_matrix, solver: str) -> np.ndarray:
    """Inverse iteration on a matrix that is a little stiffer."""
    diagonal = np.abs(matrix.diagonal())
    motion = np.random.default_rng(0).standard_normal(len(diagonal)) / np.sqrt(diagonal)
    try:
        factor = SOLVERS[solver]((matrix + _SOFT * sparse.diags(diagonal)).tocsr())
        for _ in range(3):
            motion = factor.solve(diagonal * motion)
            motion /= np.abs(motion).max()
    except ArithmeticError:
        return np.full(len(diagonal), np.nan)
    return motion
