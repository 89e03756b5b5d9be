"""What every solver offers: a matrix that is factorised, and solutions for loads."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy import sparse

from flexmbs.common.progress import stage

LONG = 20_000  # unknowns; from here on a factorisation may take a second


class Factor(ABC):
    """A factorised symmetric matrix."""

    @abstractmethod
    def __init__(self, matrix: sparse.csr_matrix) -> None:
        """Factorise; ArithmeticError when the matrix is singular, MemoryError when the memory runs out."""

    @staticmethod
    @abstractmethod
    def load() -> None:
        """Load the libraries of the solver; ImportError, OSError or AttributeError where they are not usable."""

    @abstractmethod
    def solve(self, loads: np.ndarray) -> np.ndarray:
        """Solutions (n,) or (n, k) for loads (n,) or (n, k). Many at once take a third of the time a piece."""


def announce(unknowns: int, size: str) -> None:
    """Say that a factorisation begins."""
    stage(f"factorising ({unknowns:,} unknowns, {size})", long=unknowns >= LONG)
