"""Linearly dependent rows, and the earlier rows that each depends on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DEPENDENT = 1e-7  # residual of a unit row after projection
SIGNIFICANT = 1e-6  # coefficient relative to the largest one


@dataclass(frozen=True)
class Dependence:
    """Row ``row`` is a linear combination of the rows ``others`` (empty: the row is zero)."""

    row: int
    others: tuple[int, ...]
    coefficients: tuple[float, ...]


def dependences(rows: np.ndarray) -> list[Dependence]:
    """Rows (unit or zero) that depend on earlier rows, in order (Gram-Schmidt with reorthogonalisation)."""
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
    return [_explained(rows, i, independent, own) for i, own in zip(found, coefficients, strict=True)]


def _explained(rows: np.ndarray, i: int, independent: list[int], coefficients: np.ndarray) -> Dependence:
    if not np.any(rows[i]):
        return Dependence(i, (), ())
    part = np.flatnonzero(np.abs(coefficients) > SIGNIFICANT * np.abs(coefficients).max())
    return Dependence(i, tuple(independent[k] for k in part), tuple(float(coefficients[k]) for k in part))
