"""Modal damping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.errors import BodyError


@dataclass(frozen=True)
class Rayleigh:
    """D = alpha M + beta K; alpha in 1/s, beta in s."""

    alpha: float = 0.0
    beta: float = 0.0


def damping_matrix(
    damping: None | float | Rayleigh | Sequence[float], omega: np.ndarray, Me: np.ndarray, Ke: np.ndarray
) -> np.ndarray:
    """De (n, n) from nothing, a damping ratio, one ratio per mode (2 zeta omega Me), or Rayleigh's two numbers."""
    n = len(omega)
    if damping is None:
        return np.zeros((n, n))
    if isinstance(damping, Rayleigh):
        _check("damping: Rayleigh alpha (1/s) and beta (s)", np.array([damping.alpha, damping.beta]))
        return damping.alpha * Me + damping.beta * Ke
    try:
        ratios = np.asarray(damping, dtype=float)
    except (TypeError, ValueError):
        raise BodyError(
            f"damping is None, a ratio, one ratio per mode, or Rayleigh(alpha, beta); not {damping!r}"
        ) from None
    if ratios.ndim > 1 or (ratios.ndim == 1 and len(ratios) != n):
        raise BodyError(f"damping: one ratio, or one for each of the {n} modes, not an array of shape {ratios.shape}")
    _check("damping ratio", ratios)
    return np.diag(2.0 * ratios * omega * np.diag(Me))


def _check(what: str, values: np.ndarray) -> None:
    if not np.all(np.isfinite(values)) or np.any(values < 0.0):
        raise BodyError(f"{what}: must be finite and not negative, not {values.tolist()}")
