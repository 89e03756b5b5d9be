"""Derivatives of forces by differences whose steps find out how smooth the forces are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FINER = 8.0  # from one step to the next smaller one
LEVELS = 6  # down to 3e-5 of the first step
SMOOTH = 1e-5  # difference between formulas of second and fourth order, as a part of the derivative


def derivatives(function: Callable[[np.ndarray], np.ndarray], columns: int, step: float) -> np.ndarray:
    """(rows, columns) of ``function`` (columns,) -> (rows,) at zero, central differences of fourth order.

    The step of each column is ``step`` where the function is smooth over it: formulas of second and fourth order then
    agree.  Where they do not (a contact that is pressed in by less than the step, a stop, a friction force within its
    transition) the step gets smaller until they do, or rounding keeps them from it; the nearest agreement counts.
    """
    return np.array([_column(function, columns, k, step) for k in range(columns)]).T


def _column(function: Callable[[np.ndarray], np.ndarray], columns: int, k: int, step: float) -> np.ndarray:
    best, smallest = np.zeros(0), np.inf
    for _ in range(LEVELS):
        move = np.zeros(columns)
        move[k] = step
        ahead, behind = function(move), function(-move)
        near, far = ahead - behind, function(2.0 * move) - function(-2.0 * move)
        found = (8.0 * near - far) / (12.0 * step)
        apart = float(np.abs(found - near / (2.0 * step)).max(initial=0.0))
        if apart < smallest:
            best, smallest = found, apart
        rounding = 1e-14 * float(np.abs(ahead).max(initial=0.0)) / step
        if apart <= SMOOTH * float(np.abs(found).max(initial=0.0)) + rounding:
            break
        step /= FINER
    return best
