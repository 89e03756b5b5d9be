"""What a study can vary a parameter over: ranges, lists of values, distributions of scipy.stats, seeds of runs.

An entry gives the values of its parameter by ``quantiles(u)`` for u between 0 and 1, of shape (n,), which do not decrease
with u (lists: the place in the list), and by ``levels(count)`` for grids. Values are rounded to digits that all processors
agree on: they are part of the name of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.case.parameters import Setting, converted
from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import few
from flexmbs.study.checks import ensure, number_of

FloatArray = NDArray[np.float64]

#: Significant digits of values that logarithms, exponentials or quantile functions are used for, in the last of which
#: libraries and processors differ; and of sums and products, which are the same everywhere: 0.9, not 0.9000000000000001.
SAFE_DIGITS, ALL_DIGITS = 12, 15
# Quantile functions are infinite at 0 and 1, which a sampler may hit.
_SMALLEST, _LARGEST = 1e-12, 1.0 - 1e-12


@dataclass(frozen=True)
class Range:
    """All numbers from ``low`` to ``high``, each equally probable; whole numbers for an int parameter (``whole``).

    With ``log=True`` the logarithm is uniform: as many values from 1 to 10 as from 10 to 100 (whole numbers n: with the
    probability log((n + 1) / n)). StudyError for a range that is empty or infinite, and for ``log`` from <= 0.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, number_of(getattr(self, name), f"{name} end of a range"))
        right = "write the smaller number first, or fix one value for all runs (fixed values, --set)"
        ensure(self.low < self.high, f"the range from {self.low:g} to {self.high:g} is empty; {right}")
        ensure(self.low > 0 or not self.log, f"a logarithmic range must begin above 0, not at {self.low:g}")

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}" + (", logarithmic" if self.log else "")

    def quantiles(self, u: FloatArray) -> Sequence[float]:
        """The value for each u."""
        if self.log:
            start, end = math.log(self.low), math.log(self.high + self.whole)
            values = _rounded((math.exp(start + place * (end - start)) for place in u.tolist()), SAFE_DIGITS)
        elif self.whole:
            values = [self.low + int(place * (self.high - self.low + 1)) for place in u.tolist()]
        else:
            values = _rounded((self.low + u * (self.high - self.low)).tolist(), ALL_DIGITS)
        kept = (min(max(value, self.low), self.high) for value in values)
        return [int(value) for value in kept] if self.whole else list(kept)

    def levels(self, count: int) -> Sequence[float]:
        """``count`` evenly spaced values from ``low`` to ``high`` (``log``: of even ratios); the middle for one."""
        if self.whole and count >= self.high - self.low + 1:
            return list(range(int(self.low), int(self.high) + 1))
        values = replace(self, whole=False).quantiles(np.array([0.5]) if count == 1 else np.linspace(0.0, 1.0, count))
        return list(dict.fromkeys(round(value) for value in values)) if self.whole else values


@dataclass(frozen=True)
class Choices:
    """The values of a list, each equally probable: numbers, text, True and False, tuples, None where it is allowed.

    StudyError for an empty list, and for a value that it has twice (1 and True differ, 1 and 1.0 do not).
    """

    values: tuple[object, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(plain_value(value) for value in self.values))
        ensure(self.values, "the list of values is empty; give at least one value")
        different = {(isinstance(value, bool), value) for value in self.values}
        ensure(len(different) == len(self.values), f"the list {self} has a value twice; give every value once")

    def __str__(self) -> str:
        return few(self.values, 8)

    def quantiles(self, u: FloatArray) -> Sequence[object]:
        """The value for each u."""
        count = len(self.values)
        return [self.values[min(int(place * count), count - 1)] for place in u.tolist()]

    def levels(self, count: int) -> Sequence[object]:
        """All values, whatever ``count``."""
        return self.values


@dataclass(frozen=True)
class Distribution:
    """A frozen distribution of scipy.stats, such as ``scipy.stats.gumbel_r(10, 2)``, truncated at ``low`` and ``high``.

    Values beyond do not occur; the probability between is scaled to 1. None: no limit. Parameters are independent of
    each other: dependent ones (correlations, copulas) are sampled by other means and given as a ``fm.PointList``.

    StudyError for anything else than a distribution of scipy.stats with numbers as parameters, for parameters that it
    does not allow, and for limits between which it has no probability.
    """

    frozen: Any = field(compare=False)
    low: float | None = None
    high: float | None = None
    whole: bool = field(default=False, repr=False)  # for an int parameter
    parameters: dict[str, Any] = field(init=False, repr=False, hash=False)  # name of the distribution, args, kwds
    between: tuple[float, float] = field(init=False, repr=False)  # cumulative probabilities of the limits

    def __post_init__(self) -> None:
        from scipy import stats

        kind = getattr(self.frozen, "dist", None)
        name, what = str(getattr(kind, "name", "")), type(self.frozen).__name__
        example = "write for example scipy.stats.norm(7850, 50), or fm.Normal(7850, 50)"
        known = isinstance(self.frozen, stats.distributions.rv_frozen) and type(getattr(stats, name, None)) is type(kind)
        ensure(known, f"{what} is no distribution of scipy.stats with its parameters, which alone a study can store; {example}")
        try:
            args = [float(value) for value in self.frozen.args]
            kwds = {key: float(value) for key, value in sorted(self.frozen.kwds.items())}
        except (TypeError, ValueError):
            raise StudyError(f"the parameters of the distribution {name} must be single numbers; {example}") from None
        object.__setattr__(self, "parameters", {"distribution": name, "args": args, "kwds": kwds})
        for end in ("low", "high"):
            if getattr(self, end) is not None:
                object.__setattr__(self, end, number_of(getattr(self, end), f"limit {end} of {name}"))
        ensure(math.isfinite(self.frozen.ppf(0.5)), f"{self}: scipy.stats does not allow these parameters")
        # A discrete distribution has probability at its lower limit itself.
        start = 0.0 if self.low is None else float(self.frozen.cdf(self.low - self.is_discrete))
        stop = 1.0 if self.high is None else float(self.frozen.cdf(self.high))
        left = max(stop - start, 0.0)
        ensure(left > 1e-9, f"{self}: the probability between low and high is {left:.2g}, so no value is left")
        object.__setattr__(self, "between", (start, stop))

    def text(self, form: str = "g") -> str:
        """The distribution as a call of scipy.stats, its numbers in this format ("r": every digit)."""
        args, kwds = self.parameters["args"], self.parameters["kwds"]
        given = [("", value) for value in args] + [(f"{key}=", value) for key, value in kwds.items()]
        numbers = [key + (repr(value) if form == "r" else f"{value:{form}}") for key, value in given]
        return f"{self.parameters['distribution']}({', '.join(numbers)})"

    def __str__(self) -> str:
        limits = [f"{key}={end:g}" for key, end in (("low", self.low), ("high", self.high)) if end is not None]
        return f"{', '.join([self.text()[:-1], *limits])})"

    @property
    def is_discrete(self) -> bool:
        """Whether its values are apart from each other, as those of ``scipy.stats.poisson``."""
        return hasattr(self.frozen.dist, "pmf")

    def quantiles(self, u: FloatArray) -> Sequence[float]:
        """The value for each u."""
        start, stop = self.between
        values = _rounded(self.frozen.ppf(np.clip(start + u * (stop - start), _SMALLEST, _LARGEST)).tolist(), SAFE_DIGITS)
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        inside = [min(max(value, low), high) for value in values]
        return [int(value) for value in inside] if self.whole else inside

    def levels(self, count: int) -> Sequence[float]:
        """The medians of ``count`` parts of equal probability."""
        return list(dict.fromkeys(self.quantiles((np.arange(count) + 0.5) / count)))


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

        ``place``: of this parameter among those that have seeds, so that they are independent.
        """
        low = 0 if setting.minimum is None else math.ceil(setting.minimum)
        high = 2**31 - 1 if setting.maximum is None else math.floor(setting.maximum)
        state = np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(place + 1)
        return low + int(state[place]) % (high - low + 1)


Entry = Range | Choices | Distribution


def Normal(mean: float, deviation: float, low: float | None = None, high: float | None = None) -> Any:
    """``scipy.stats.norm`` of given mean and standard deviation, truncated at ``low`` and ``high`` if they are given."""
    return _made("norm", low, high, mean, deviation)


def LogNormal(mean: float, deviation: float, low: float | None = None, high: float | None = None) -> Any:
    """``scipy.stats.lognorm``; mean and standard deviation are those of the value itself, not of its logarithm."""
    variation = number_of(deviation, "standard deviation", above=0.0) / number_of(mean, "mean", above=0.0)
    scale = float(mean) / math.sqrt(1.0 + variation**2)
    return _made("lognorm", low, high, math.sqrt(math.log1p(variation**2)), scale=scale)


def Triangular(low: float, mode: float, high: float) -> Any:
    """``scipy.stats.triang`` from ``low`` to ``high``, most probable at ``mode``."""
    low, mode, high = (number_of(value, "ends and mode of a triangular distribution") for value in (low, mode, high))
    right = low <= mode <= high and low < high
    ensure(right, f"a triangular distribution needs low <= mode <= high, not {low:g}, {mode:g}, {high:g}")
    return _made("triang", None, None, (mode - low) / (high - low), loc=low, scale=high - low)


def Weibull(scale: float, shape: float, location: float = 0.0, low: float | None = None, high: float | None = None) -> Any:
    """``scipy.stats.weibull_min``: probability 1 - exp(-((x - location) / scale)^shape) of a value below x."""
    return _made("weibull_min", low, high, shape, loc=location, scale=scale)


def _made(name: str, low: float | None, high: float | None, *args: float, **kwds: float) -> Any:
    from scipy import stats

    entry = Distribution(getattr(stats, name)(*args, **kwds), low, high)
    return entry.frozen if low is None and high is None else entry


def entry_from(given: Any) -> Entry | RunSeeds:
    """A range of two numbers (low, high), a list of values, a frozen distribution of scipy.stats, or an entry itself.

    StudyError, with examples, for anything else.
    """
    if isinstance(given, Entry | RunSeeds):
        return given
    if isinstance(given, list | range):
        return Choices(tuple(given))
    if isinstance(given, tuple):
        others = "a list of values is written [1, 2, 3], a logarithmic range fm.Range(1e9, 1e11, log=True)"
        ensure(len(given) == 2, f"a tuple is a range, (low, high), and {given!r} is not; {others}")
        return Range(*given)
    if hasattr(given, "ppf"):
        return Distribution(given)
    examples = "a range (0.8, 1.2), a list [2, 3, 4], fm.Range(1e9, 1e11, log=True), fm.Normal(7850, 50)"
    ensure(hasattr(given, "tolist"), f"{given!r} says no values; write {examples}, ...")
    return entry_from(given.tolist())  # an array


def checked_entry(entry: Entry | RunSeeds, setting: Setting) -> Entry | RunSeeds:
    """The entry as it is used for a parameter: its values have the parameter's type.

    StudyError or CaseError, without the parameter's name, if the parameter cannot have these values.
    """
    kind = setting.kind
    if isinstance(entry, RunSeeds):
        ensure(kind is int, "seeds are whole numbers, which the parameter is not")
        return entry
    if isinstance(entry, Choices):
        return Choices(tuple(converted(setting, value) for value in entry.values))
    parts = f"a tuple of numbers ({setting.name}[0] is one of them)"
    is_other = {str: "text", bool: "true or false", tuple: parts}.get(kind)
    ensure(not is_other, f"it is {is_other}, which has no {type(entry).__name__.lower()}: give a list of values")
    if isinstance(entry, Distribution):
        right = "give a range, a list, or a discrete distribution such as scipy.stats.binom(10, 0.3)"
        ensure(kind is float or entry.is_discrete, f"it is a whole number, which {entry} is not: {right}")
    else:
        for end in (entry.low, entry.high):
            converted(setting, end)
    return replace(entry, whole=kind is int)


def entry_to_json(entry: Entry | RunSeeds) -> dict[str, Any]:
    """The entry as plain data."""
    if isinstance(entry, Range):
        return {"range": [entry.low, entry.high], "log": entry.log}
    if isinstance(entry, Choices):
        return {"choices": list(entry.values)}
    if isinstance(entry, RunSeeds):
        return {"run_seeds": True}
    return {**entry.parameters, "low": entry.low, "high": entry.high}


def entry_from_json(data: Mapping[str, Any]) -> Entry | RunSeeds:
    """The entry that :func:`entry_to_json` wrote; StudyError, KeyError, TypeError, ValueError or AttributeError for other data."""
    from scipy import stats

    if "range" in data:
        low, high = data["range"]
        return Range(low, high, log=data["log"])
    if "choices" in data:
        return Choices(data["choices"])
    if "run_seeds" in data:
        return RunSeeds()
    return Distribution(getattr(stats, data["distribution"])(*data["args"], **data["kwds"]), data["low"], data["high"])


def plain_value(value: object) -> object:
    """NumPy numbers as Python's, lists and arrays as tuples."""
    if isinstance(value, np.ndarray | list | tuple):
        return tuple(plain_value(part) for part in value)
    return value.item() if isinstance(value, np.generic) else value


def _rounded(values: Iterable[float], digits: int) -> list[float]:
    return [float(f"{value:.{digits}g}") for value in values]
