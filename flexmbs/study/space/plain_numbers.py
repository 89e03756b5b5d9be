"""Numbers as Python's own, finite, and to a number of digits that every processor agrees on."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from flexmbs.common.errors import StudyError

#: Significant digits of values that logarithms, exponentials or quantile functions are used for: libraries and
#: processors differ in the last of the 16 digits, and the value is part of the name under which a run is stored.
SAFE_DIGITS = 12
#: Significant digits of values made by sums and products, which are the same everywhere: 0.9, not 0.9000000000000001.
ALL_DIGITS = 15


def rounded(values: Iterable[float], digits: int) -> list[float]:
    """The values, each to a number of significant digits."""
    return [float(f"{value:.{digits}g}") for value in values]


def finite_number(value: object, what: str) -> float:
    """A finite float; StudyError otherwise."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise StudyError(f"the {what} must be a finite number, not {value!r}")


def positive_number(value: object, what: str) -> float:
    """A finite float above 0; StudyError otherwise."""
    found = finite_number(value, what)
    if found > 0:
        return found
    raise StudyError(f"the {what} must be above 0, not {found:g}")


def whole_number(value: object, what: str, smallest: int = 1) -> int:
    """An int that is at least ``smallest``; StudyError otherwise."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= smallest:
        return int(value)
    raise StudyError(f"the {what} must be a whole number of at least {smallest}, not {value!r}")


def plain_value(value: object) -> object:
    """NumPy numbers as Python's, lists and arrays as tuples."""
    if isinstance(value, np.ndarray | list | tuple):
        return tuple(plain_value(part) for part in value)
    return value.item() if isinstance(value, np.generic) else value
