"""The sparse factorisation of symmetric matrices."""

from __future__ import annotations

from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from flexmbs.errors import BodyError


def symmetric_factor(matrix: sparse.spmatrix, when_singular: str) -> SuperLU:
    """SuperLU in symmetric mode, which orders by A + A^T and is several times faster than its default.

    Raises BodyError with ``when_singular`` when the matrix is singular.
    """
    try:
        options = {"SymmetricMode": True}
        return splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    except RuntimeError as error:
        raise BodyError(f"{when_singular} ({error})") from error
