"""Rows that follow from rows before them, and from which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DEPENDENT = 1e-7  # what is left of a row of length 1
TAKES_PART = 1e-6  # coefficient, relative to the largest one


@dataclass(frozen=True)
class Dependence:
    """Row ``row`` is a combination of the rows ``others`` (empty: it is zero)."""

    row: int
    others: tuple[int, ...]
    coefficients: tuple[float, ...]


def dependences(rows: np.ndarray) -> list[Dependence]:
    """Rows (of length 1 or 0) that depend on rows before them, in order (Gram-Schmidt, twice)."""
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
    # in terms of all independent rows, in one solution: those behind a row have no part in it
    coefficients = np.linalg.lstsq(rows[independent].T, rows[found].T, rcond=None)[0].T
    return [_explained(rows, i, independent, own) for i, own in zip(found, coefficients, strict=True)]


def _explained(rows: np.ndarray, i: int, independent: list[int], coefficients: np.ndarray) -> Dependence:
    if not np.any(rows[i]):
        return Dependence(i, (), ())
    part = np.flatnonzero(np.abs(coefficients) > TAKES_PART * np.abs(coefficients).max())
    return Dependence(i, tuple(independent[k] for k in part), tuple(float(coefficients[k]) for k in part))
