"""Functions of time as users give them, as numbers or Python functions: checked, and differentiated."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from flexmbs.common.errors import MechanismError

#: A number, a Python function of time (s), or a TimeFunction.
FunctionOfTime: TypeAlias = float | Callable[[float], float]

DIFFERENCE_REACH = 3e-3  # s, to both sides, of differences in place of derivatives that are not given


def number_or_function(given: Any, name: str) -> float | Callable[[float], float]:
    """``given`` as a finite number or a function of time; MechanismError when it is neither or not finite at t = 0."""
    if callable(given):
        try:
            at_start = float(given(0.0))
        except Exception as error:
            raise MechanismError(f"{name}: the function of time fails at t = 0: {error!r}") from error
        if not math.isfinite(at_start):
            raise MechanismError(f"{name}: the function of time returns {at_start!r} at t = 0")
        return given
    try:
        value = float(given)
    except (TypeError, ValueError):
        raise MechanismError(f"{name}: expected a number or a function of time, got {given!r}") from None
    if not math.isfinite(value):
        raise MechanismError(f"{name}: {given!r} is not finite")
    return value


def with_derivatives(
    function: Callable[[float], float],
    rate: Callable[[float], float] | None = None,
    acceleration: Callable[[float], float] | None = None,
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """First and second derivative of a function of time; those that are not given are sixth-order differences.

    The differences use steps of 1e-3 s; their error is about 1e-10 of the function for changes slower than 0.1 s.
    """
    return rate or _first_difference(function), acceleration or _second_difference(function, rate)


def _first_difference(f: Callable[[float], float]) -> Callable[[float], float]:
    h = DIFFERENCE_REACH / 3.0
    a, b, c = 0.75, -0.15, 1.0 / 60.0  # each term by itself: numba compiles that
    return lambda t: (a * (f(t + h) - f(t - h)) + b * (f(t + 2 * h) - f(t - 2 * h)) + c * (f(t + 3 * h) - f(t - 3 * h))) / h


def _second_difference(f: Callable[[float], float], rate: Callable[[float], float] | None) -> Callable[[float], float]:
    if rate is not None:
        return _first_difference(rate)
    h = DIFFERENCE_REACH / 3.0
    a, b, c, d = 1.5, -0.15, 1.0 / 90.0, 49.0 / 18.0

    def difference(t: float) -> float:
        pairs = a * (f(t + h) + f(t - h)) + b * (f(t + 2 * h) + f(t - 2 * h)) + c * (f(t + 3 * h) + f(t - 3 * h))
        return (pairs - d * f(t)) / (h * h)

    return difference
