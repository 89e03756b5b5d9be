"""Distributions of parameters: those of scipy.stats, with their usual names and truncation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmbs.case.parameters import Setting
from flexmbs.common.errors import StudyError
from flexmbs.study.space.entry import Entry, FloatArray
from flexmbs.study.space.plain_numbers import SAFE_DIGITS, finite_number, positive_number, rounded

# Quantile functions are infinite at 0 and 1, which a sampler may hit.
_SMALLEST, _LARGEST = 1e-12, 1.0 - 1e-12
_EXAMPLE = "scipy.stats.norm(7850, 50)"


@dataclass(frozen=True, repr=False)
class Distribution(Entry):
    """A distribution of scipy.stats for one parameter, on request truncated; parameters are independent of each other.

    Parameters
    ----------
    frozen : a distribution with its parameters, such as ``scipy.stats.gumbel_r(10, 2)``
    low, high : values beyond do not occur; the probability between is scaled to 1. None: no limit

    Quantiles are rounded to 12 significant digits, so that all machines of a cluster have the same. Dependent
    parameters (correlations, copulas) cannot be stated: sample them with other means, and give their values as a list
    of points (``fm.PointList``).

    Raises StudyError for anything else than a distribution of scipy.stats with numbers as parameters, for parameters
    that the distribution does not allow, and for limits between which it has no probability.
    """

    frozen: Any = field(compare=False)
    low: float | None = None
    high: float | None = None
    name: str = field(init=False)
    args: tuple[float, ...] = field(init=False)
    kwds: tuple[tuple[str, float], ...] = field(init=False)
    between: tuple[float, float] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        name, args, kwds = _named(self.frozen)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "kwds", tuple(sorted(kwds.items())))
        if not math.isfinite(float(self.frozen.ppf(0.5))):
            raise StudyError(f"{self}: scipy.stats does not allow these parameters")
        object.__setattr__(self, "between", self._probabilities())

    def __repr__(self) -> str:
        return f"Distribution({self})"

    def __str__(self) -> str:
        given = [f"{value:g}" for value in self.args] + [f"{name}={value:g}" for name, value in self.kwds]
        given += [f"{name}={end:g}" for name, end in (("low", self.low), ("high", self.high)) if end is not None]
        return f"{self.name}({', '.join(given)})"

    @property
    def bounded(self) -> bool:
        """Whether no value can be infinite."""
        low, high = self.frozen.support()
        return math.isfinite(low if self.low is None else self.low) and math.isfinite(high if self.high is None else self.high)

    def quantiles(self, u: FloatArray) -> list[float] | list[int]:
        """The value for each u, of shape (n,); ints for a discrete distribution."""
        start, end = self.between
        places = np.clip(start + u * (end - start), _SMALLEST, _LARGEST)
        values = rounded(self.frozen.ppf(places).tolist(), SAFE_DIGITS)
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        inside = [min(max(value, low), high) for value in values]
        return [int(value) for value in inside] if self._is_discrete else inside

    def levels(self, count: int) -> list[float] | list[int]:
        """The medians of ``count`` parts of equal probability."""
        values = self.quantiles((np.arange(count) + 0.5) / count)
        return list(dict.fromkeys(values))

    def to_json(self) -> dict[str, Any]:
        """The distribution as plain data."""
        plain = {"distribution": self.name, "args": list(self.args), "kwds": dict(self.kwds)}
        return {**plain, "low": self.low, "high": self.high}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Distribution:
        """The distribution that :meth:`to_json` wrote."""
        from scipy import stats

        return cls(getattr(stats, data["distribution"])(*data["args"], **data["kwds"]), data["low"], data["high"])

    def for_parameter(self, setting: Setting) -> Entry:
        """The distribution itself; StudyError if the parameter is no number, or whole and the distribution is not."""
        if setting.kind not in (float, int):
            raise StudyError(f"it is no number ({setting.kind.__name__}), so it has no distribution: give a list of values")
        if setting.kind is int and not self._is_discrete:
            raise StudyError(
                f"it is a whole number, which {self} is not: give a range, a list, or a discrete distribution such as "
                "scipy.stats.binom(10, 0.3)"
            )
        return self

    @property
    def _is_discrete(self) -> bool:
        return hasattr(self.frozen.dist, "pmf")

    def _probabilities(self) -> tuple[float, float]:
        """Cumulative probabilities of the limits."""
        for name, end in (("low", self.low), ("high", self.high)):
            if end is not None:
                object.__setattr__(self, name, finite_number(end, f"limit {name} of {self.name}"))
        # A discrete distribution has probability at its lower limit itself.
        below = 1 if self._is_discrete else 0
        start = 0.0 if self.low is None else float(self.frozen.cdf(self.low - below))
        end = 1.0 if self.high is None else float(self.frozen.cdf(self.high))
        if end - start < 1e-9:
            raise StudyError(f"{self}: the probability between low and high is {max(end - start, 0.0):.2g}, so no value is left")
        return start, end


def _named(frozen: Any) -> tuple[str, tuple[float, ...], dict[str, float]]:
    """Name and parameters of a frozen distribution of scipy.stats; StudyError for anything else."""
    from scipy import stats

    kind = getattr(frozen, "dist", None)
    name = str(getattr(kind, "name", ""))
    if not isinstance(frozen, stats.distributions.rv_frozen) or type(getattr(stats, name, None)) is not type(kind):
        raise StudyError(
            f"{type(frozen).__name__} is no distribution of scipy.stats with its parameters, which alone can be stored "
            f"with the study; write for example {_EXAMPLE}, or fm.Normal(7850, 50)"
        )
    try:
        args = tuple(float(value) for value in frozen.args)
        kwds = {key: float(value) for key, value in frozen.kwds.items()}
    except (TypeError, ValueError):
        raise StudyError(f"the parameters of the distribution {name} must be single numbers, as in {_EXAMPLE}") from None
    return name, args, kwds


def Normal(mean: float, deviation: float, low: float | None = None, high: float | None = None) -> Distribution:
    """Normal distribution of given mean and standard deviation; truncated at ``low`` and ``high`` if they are given."""
    from scipy import stats

    frozen = stats.norm(finite_number(mean, "mean"), positive_number(deviation, "standard deviation"))
    return Distribution(frozen, low, high)


def LogNormal(mean: float, deviation: float, low: float | None = None, high: float | None = None) -> Distribution:
    """Log-normal distribution; mean and standard deviation are those of the value itself, not of its logarithm."""
    from scipy import stats

    mean = positive_number(mean, "mean")
    variation = positive_number(deviation, "standard deviation") / mean
    spread = math.sqrt(math.log1p(variation**2))
    return Distribution(stats.lognorm(spread, scale=mean / math.sqrt(1.0 + variation**2)), low, high)


def Triangular(low: float, mode: float, high: float) -> Distribution:
    """Triangular distribution from ``low`` to ``high``, most probable at ``mode``."""
    from scipy import stats

    low, mode, high = (
        finite_number(value, f"{name} of a triangular distribution")
        for name, value in (("low", low), ("mode", mode), ("high", high))
    )
    if not low <= mode <= high or low == high:
        raise StudyError(f"a triangular distribution needs low <= mode <= high, not {low:g}, {mode:g}, {high:g}")
    return Distribution(stats.triang((mode - low) / (high - low), loc=low, scale=high - low))


def Weibull(scale: float, shape: float, location: float = 0.0, low: float | None = None, high: float | None = None) -> Distribution:
    """Weibull distribution: probability 1 - exp(-((x - location) / scale)^shape) of a value below x."""
    from scipy import stats

    shape, scale = positive_number(shape, "shape"), positive_number(scale, "scale")
    frozen = stats.weibull_min(shape, loc=finite_number(location, "location"), scale=scale)
    return Distribution(frozen, low, high)
