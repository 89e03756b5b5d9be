"""Hermite polynomials on [0, 1]; derivatives are those with respect to the place s in the interval.

``s`` and the values at the ends broadcast against each other.
"""

from __future__ import annotations

import numpy as np


def cubic(s, x0, d0, x1, d1) -> np.ndarray:
    """Value, from values and first derivatives at both ends."""
    return (1.0 + 2.0 * s) * (1.0 - s) ** 2 * x0 + s * (1.0 - s) ** 2 * d0 + s * s * (3.0 - 2.0 * s) * x1 + s * s * (s - 1.0) * d1


def cubic_rate(s, x0, d0, x1, d1) -> np.ndarray:
    """First derivative of :func:`cubic`."""
    return 6.0 * s * (1.0 - s) * (x1 - x0) + (1.0 - s) * (1.0 - 3.0 * s) * d0 + s * (3.0 * s - 2.0) * d1


def quintic(s, start: tuple, end: tuple) -> np.ndarray:
    """Value, from value, first and second derivative at both ends."""
    (x0, d0, c0), (x1, d1, c1) = start, end
    r = 1.0 - s
    low = r**3 * ((1.0 + 3.0 * s + 6.0 * s * s) * x0 + s * (1.0 + 3.0 * s) * d0 + 0.5 * s * s * c0)
    high = s**3 * ((1.0 + 3.0 * r + 6.0 * r * r) * x1 - r * (1.0 + 3.0 * r) * d1 + 0.5 * r * r * c1)
    return low + high


def quintic_rate(s, start: tuple, end: tuple) -> np.ndarray:
    """First derivative of :func:`quintic`."""
    (x0, d0, c0), (x1, d1, c1) = start, end
    r = 1.0 - s
    steep = 30.0 * s * s * r * r * (x1 - x0)
    slopes = r * r * (1.0 + 2.0 * s - 15.0 * s * s) * d0 + s * s * (1.0 + 2.0 * r - 15.0 * r * r) * d1
    bends = 0.5 * s * r * r * (2.0 - 5.0 * s) * c0 - 0.5 * r * s * s * (2.0 - 5.0 * r) * c1
    return steep + slopes + bends
