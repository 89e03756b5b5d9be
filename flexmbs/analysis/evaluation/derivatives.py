"""Derivatives of forces by finite differences; the step adapts to the smoothness of the forces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

REFINEMENT = 8.0  # ratio of a step to the next smaller one
LEVELS = 6  # down to 3e-5 of the first step
SMOOTH = 1e-5  # difference between the formulas of second and fourth order, relative to the derivative


def derivatives(function: Callable[[np.ndarray], np.ndarray], columns: int, step: float) -> np.ndarray:
    """Jacobian (rows, columns) of ``function`` (columns,) -> (rows,) at zero by fourth-order central differences.

    A column uses ``step`` where the second- and fourth-order formulas agree, that is, where the function is smooth
    over that distance. Elsewhere (a contact penetrating by less than the step, an end stop, friction in its transition)
    the step is reduced until they agree or rounding dominates; the step with the best agreement is used.
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
        step /= REFINEMENT
    return best
