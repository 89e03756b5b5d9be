"""Linearly dependent rows, and the earlier rows that each depends on."""

from __future__ import annotations

import numpy as np

DEPENDENT = 1e-7  # residual of a unit row after projection
SIGNIFICANT = 1e-6  # coefficient relative to the largest one


def dependences(rows: np.ndarray) -> list[tuple[int, list[int]]]:
    """Rows (unit or zero) that are combinations of earlier ones, in order, each with those (none: the row is zero).

    By Gram-Schmidt with reorthogonalisation.
    """
    basis = np.zeros((min(rows.shape), rows.shape[1]))
    independent: list[int] = []
    found = []
    for i, row in enumerate(rows):
        known = basis[: len(independent)]
        rest = row - known.T @ (known @ row)
        rest = rest - known.T @ (known @ rest)
        size = float(np.linalg.norm(rest))
        if size > DEPENDENT:
            basis[len(independent)] = rest / size
            independent.append(i)
        else:
            found.append(i)
    if not found:
        return []
    # one least-squares solution in all independent rows; rows after the dependent one get zero coefficients
    coefficients = np.linalg.lstsq(rows[independent].T, rows[found].T, rcond=None)[0].T
    parts = [np.flatnonzero(np.abs(own) > SIGNIFICANT * np.abs(own).max(initial=0.0)) for own in coefficients]
    return [(i, [independent[k] for k in part]) for i, part in zip(found, parts, strict=True)]
