"""Checks of what users of studies state: StudyErrors in one line each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import StudyError


def ensure(right: object, message: str) -> None:
    """StudyError with this message unless something is right."""
    if not right:
        raise StudyError(message)


def names_of(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names that are given as a sequence, or one alone as text."""
    return (given,) if isinstance(given, str) else tuple(given)


def number_of(value: object, what: str, above: float = -math.inf) -> float:
    """A finite float above a limit; StudyError otherwise."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)
    ensure(is_number, f"the {what} must be a finite number, not {value!r}")
    found = float(value)  # type: ignore[arg-type]
    ensure(found > above, f"the {what} must be above {above:g}, not {found:g}")
    return found


def whole_number(value: object, what: str, smallest: int = 1) -> int:
    """An int that is at least ``smallest``; StudyError otherwise."""
    right = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= smallest
    ensure(right, f"the {what} must be a whole number of at least {smallest}, not {value!r}")
    return int(value)  # type: ignore[call-overload]
