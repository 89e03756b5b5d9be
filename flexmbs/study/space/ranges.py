"""Ranges, lists of values, and random seeds of runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.case.parameters import Setting, converted
from flexmbs.common.errors import StudyError
from flexmbs.study.space.entry import Entry, FloatArray
from flexmbs.study.space.plain_numbers import ALL_DIGITS, SAFE_DIGITS, finite_number, plain_value, rounded


@dataclass(frozen=True)
class Range(Entry):
    """All numbers from ``low`` to ``high``, each equally probable; whole numbers for an int parameter.

    With ``log=True`` the logarithm is uniform: as many values from 1 to 10 as from 10 to 100.

    Raises StudyError for a range that is empty, inverted or infinite, and for ``log`` with low <= 0.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, finite_number(getattr(self, name), f"{name} end of a range"))
        if self.low == self.high:
            raise StudyError(
                f"the range from {self.low:g} to {self.high:g} is empty; give the parameter this value for all runs "
                "(fixed values, --set) instead of varying it"
            )
        if self.low > self.high:
            raise StudyError(
                f"the range begins at {self.low:g} and ends at {self.high:g}; "
                f"write the smaller number first: {self.high:g} to {self.low:g}"
            )
        if self.log and self.low <= 0:
            raise StudyError(f"a logarithmic range must begin above 0, not at {self.low:g}")

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}" + (", logarithmic" if self.log else "")

    def quantiles(self, u: FloatArray) -> list[float]:
        """The value for each u, of shape (n,)."""
        if self.log:
            start, width = math.log(self.low), math.log(self.high) - math.log(self.low)
            values = rounded((math.exp(start + place * width) for place in u.tolist()), SAFE_DIGITS)
        else:
            values = rounded((self.low + u * (self.high - self.low)).tolist(), ALL_DIGITS)
        return [min(max(value, self.low), self.high) for value in values]

    def levels(self, count: int) -> list[float]:
        """``count`` evenly spaced values from ``low`` to ``high`` (``log``: of even ratios); the middle for one."""
        return self.quantiles(_even_places(count))

    def to_json(self) -> dict[str, Any]:
        """The range as plain data."""
        return {"range": [self.low, self.high], "log": self.log}

    def for_parameter(self, setting: Setting) -> Entry:
        """The range, or the whole numbers in it for an int parameter; StudyError for text, truth values and tuples."""
        if setting.kind not in (float, int):
            raise StudyError(f"it is {_kind(setting)}, which has no range: give a list of values")
        if setting.minimum is not None and self.low < setting.minimum:
            raise StudyError(f"the range begins at {self.low:g}, below the parameter's minimum {setting.minimum:g}")
        if setting.maximum is not None and self.high > setting.maximum:
            raise StudyError(f"the range ends at {self.high:g}, above the parameter's maximum {setting.maximum:g}")
        return WholeNumbers.of(self) if setting.kind is int else self


@dataclass(frozen=True)
class WholeNumbers(Entry):
    """The whole numbers from ``low`` to ``high``, both included, each equally probable.

    With ``log``, the probability of n is proportional to log((n + 1) / n).
    """

    low: int
    high: int
    log: bool = False

    @classmethod
    def of(cls, given: Range) -> WholeNumbers:
        """Those of a range; StudyError if its ends are not whole numbers."""
        for end in (given.low, given.high):
            if end != int(end):
                raise StudyError(f"the parameter is a whole number, which {end:g}, an end of the range, is not")
        return cls(int(given.low), int(given.high), given.log)

    def quantiles(self, u: FloatArray) -> list[int]:
        """The value for each u, of shape (n,)."""
        if self.log:
            start, width = math.log(self.low), math.log(self.high + 1) - math.log(self.low)
            places = rounded((math.exp(start + place * width) for place in u.tolist()), SAFE_DIGITS)
            return [min(max(int(place), self.low), self.high) for place in places]
        count = self.high - self.low + 1
        return [self.low + min(int(place * count), count - 1) for place in u.tolist()]

    def levels(self, count: int) -> list[int]:
        """``count`` values as evenly spaced as whole numbers can be, or all if there are no more."""
        if count >= self.high - self.low + 1:
            return list(range(self.low, self.high + 1))
        between = Range(self.low, self.high, self.log).levels(count)
        return list(dict.fromkeys(round(value) for value in between))

    def to_json(self) -> dict[str, Any]:
        """The range as plain data."""
        return Range(self.low, self.high, self.log).to_json()

    def for_parameter(self, setting: Setting) -> Entry:
        """The range for another parameter."""
        return Range(self.low, self.high, self.log).for_parameter(setting)


@dataclass(frozen=True)
class Choices(Entry):
    """The values of a list, each equally probable: numbers, text, True and False, tuples, None where it is allowed.

    Raises StudyError for an empty list, and for a value that it has twice.
    """

    values: tuple[object, ...]

    def __init__(self, values: Iterable[object]) -> None:
        plain = tuple(plain_value(value) for value in values)
        if not plain:
            raise StudyError("the list of values is empty; give at least one value")
        _refuse_repeated(plain)
        object.__setattr__(self, "values", plain)

    def __str__(self) -> str:
        shown = [str(value) for value in self.values]
        return ", ".join(shown if len(shown) <= 8 else [*shown[:6], "...", shown[-1]])

    def quantiles(self, u: FloatArray) -> list[object]:
        """The value for each u, of shape (n,)."""
        count = len(self.values)
        return [self.values[min(int(place * count), count - 1)] for place in u.tolist()]

    def levels(self, count: int) -> Sequence[object]:
        """All values."""
        return self.values

    def to_json(self) -> dict[str, Any]:
        """The list as plain data."""
        return {"choices": [list(value) if isinstance(value, tuple) else value for value in self.values]}

    def for_parameter(self, setting: Setting) -> Entry:
        """The values with the parameter's type; CaseError for one that the parameter cannot have."""
        return Choices(converted(setting, value) for value in self.values)


@dataclass(frozen=True)
class RunSeeds:
    """An int of its own for each run, made from the study's seed and the number of the run.

    For parameters that seed random numbers of the case (road, noise). It is no dimension of the space: runs that a grid
    or a Sobol sequence chooses get different seeds without one more dimension.
    """

    def __str__(self) -> str:
        return "seeds"

    def value(self, setting: Setting, place: int, run: int, seed: int) -> int:
        """The seed of a run, between the parameter's minimum and maximum (0 and 2^31 - 1 if it has none).

        Parameters
        ----------
        place : number of this parameter among those that have seeds, so that they are independent
        run, seed : number of the run, seed of the study
        """
        low = 0 if setting.minimum is None else math.ceil(setting.minimum)
        high = 2**31 - 1 if setting.maximum is None else math.floor(setting.maximum)
        state = np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(place + 1)
        return low + int(state[place]) % (high - low + 1)

    def to_json(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {"run_seeds": True}


def _even_places(count: int) -> FloatArray:
    return np.array([0.5]) if count == 1 else np.linspace(0.0, 1.0, count)


def _kind(setting: Setting) -> str:
    return {str: "text", bool: "true or false", tuple: "a tuple of numbers"}.get(setting.kind, setting.kind.__name__)


def _refuse_repeated(values: Sequence[object]) -> None:
    """StudyError for a value that is there twice; 1 and True differ, 1 and 1.0 do not."""
    seen = set()
    for value in values:
        mark = (isinstance(value, bool), value)
        if mark in seen:
            raise StudyError(f"the list has {value!r} twice; every value once")
        seen.add(mark)
