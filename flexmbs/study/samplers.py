"""Samplers: which points of a space a study runs. SciPy and SALib make the points."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.names_in_messages import near_names
from flexmbs.common.user_warnings import warn
from flexmbs.common.versions import require
from flexmbs.study.checks import ensure, whole_number
from flexmbs.study.entries import Distribution, FloatArray
from flexmbs.study.space import Points, Space

#: Grids of more points are refused unless they are confirmed: their number grows with every parameter.
GRID_LIMIT = 100_000
_LEVELS = 5  # of a grid
# Morris goes to the ends of the quantiles, where a normal distribution is infinite.
_TAIL = 0.01


class Sampler:
    """Which points of a space a study runs; the same space, sampler and seed give the same points to every digit."""

    #: Name on the command line and in stored studies.
    name: ClassVar[str]
    #: The field that says how many points; ``grows``: more points begin with those of fewer, so studies can be extended.
    size: ClassVar[str] = "runs"
    grows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        what = f"number of {self.size} of the sampler {self.name}"
        object.__setattr__(self, self.size, whole_number(getattr(self, self.size), what))

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points, ``points[i]`` -> parameter -> value; StudyError for values that a parameter cannot have.

        Memory: 8 bytes for each point and dimension.
        """
        ensure(space.varied or space.seeds, "the space is empty, so all runs would be the same; vary at least one parameter")
        generator = np.random.default_rng(whole_number(seed, "seed of a study", smallest=0))
        return Points.of_unit_cube(space, seed, np.ascontiguousarray(self._unit(space, generator)))

    def _unit(self, space: Space, generator: np.random.Generator) -> FloatArray:
        """Points of the unit cube, of shape (points, dimensions): quantiles of the parameters."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """The sampler as plain data."""
        return {"sampler": self.name, **asdict(self)}  # type: ignore[call-overload]

    def extends(self, other: Sampler) -> bool:
        """Whether the points of ``other`` are the first ones of this sampler's (or the same)."""
        new, old = self.to_json(), other.to_json()
        if self.grows and self.size in old and new[self.size] >= old[self.size]:
            old[self.size] = new[self.size]
        return new == old


@dataclass(frozen=True)
class RandomSample(Sampler):
    """``runs`` independent random points (Monte Carlo). More runs begin with the same points."""

    runs: int
    name = "random"

    def _unit(self, space: Space, generator: np.random.Generator) -> FloatArray:
        return generator.random((self.runs, len(space)))


@dataclass(frozen=True)
class LatinHypercube(Sampler):
    """``runs`` points, of which each parameter has one in each of ``runs`` parts of equal probability.

    ``optimization="random-cd"`` exchanges coordinates so that the points fill the space more evenly (scipy.stats.qmc).
    It takes seconds for 1,000 runs, in proportion to their number, and decides by comparing sums: machines that share a
    study must be of one kind. Other numbers of runs have other points: a study cannot be extended (Sobol, Halton and
    random points can).
    """

    runs: int
    optimization: str | None = None
    name, grows = "lhs", False

    def __post_init__(self) -> None:
        super().__post_init__()
        right = self.optimization in (None, "random-cd")
        ensure(right, f"optimization must be None or 'random-cd', not {self.optimization!r}")

    def _unit(self, space: Space, generator: np.random.Generator) -> Any:
        from scipy.stats import qmc

        return qmc.LatinHypercube(len(space), optimization=self.optimization, seed=generator).random(self.runs)


@dataclass(frozen=True)
class Sobol(Sampler):
    """``runs`` points of a Sobol sequence, scrambled by the seed. More runs begin with the same points.

    Numbers of runs that are no power of 2 lose much of the sequence's evenness and give a StudyWarning.
    """

    runs: int
    name = "sobol"

    def __post_init__(self) -> None:
        super().__post_init__()
        _advise_power_of_two(self.runs, "runs")

    def _unit(self, space: Space, generator: np.random.Generator) -> Any:
        from scipy.stats import qmc

        exponent = (self.runs - 1).bit_length()
        return qmc.Sobol(len(space), scramble=True, seed=generator).random_base2(exponent)[: self.runs]


@dataclass(frozen=True)
class Halton(Sampler):
    """``runs`` points of a Halton sequence, scrambled by the seed. More runs begin with the same points."""

    runs: int
    name = "halton"

    def _unit(self, space: Space, generator: np.random.Generator) -> Any:
        from scipy.stats import qmc

        return qmc.Halton(len(space), scramble=True, seed=generator).random(self.runs)


@dataclass(frozen=True)
class SobolIndices(Sampler):
    """Points for variance-based sensitivity indices: Saltelli's extension of a Sobol sequence (SALib).

    ``base`` points of the sequence, a power of 2 (else a StudyWarning), give base * (D + 2) runs for D parameters, or
    base * (2 D + 2) with ``second_order`` indices. A larger base begins with the same points.

    Saltelli, Making best use of model evaluations to compute sensitivity indices, Computer Physics Communications 145
    (2002), 280-297.
    """

    base: int
    second_order: bool = False
    name, size = "sobol-indices", "base"

    def __post_init__(self) -> None:
        super().__post_init__()
        _advise_power_of_two(self.base, "base points")

    def _unit(self, space: Space, generator: np.random.Generator) -> Any:
        problem = _problem(space, 2)
        from SALib.sample.sobol import sample

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of the power of 2, which has been said
            return sample(problem, self.base, calc_second_order=self.second_order, seed=generator)


@dataclass(frozen=True)
class Morris(Sampler):
    """Points for elementary effects (screening): random trajectories that change one parameter at a time (SALib).

    ``trajectories`` of D + 1 runs each for D parameters, on ``levels`` levels of the quantiles (an even number);
    distributions from their quantile of 1 % to that of 99 %. More trajectories begin with the same points.

    Morris, Factorial sampling plans for preliminary computational experiments, Technometrics 33 (1991), 161-174.
    """

    trajectories: int
    levels: int = 4
    name, size = "morris", "trajectories"

    def __post_init__(self) -> None:
        super().__post_init__()
        even = whole_number(self.levels, "number of levels", smallest=2) % 2 == 0
        ensure(even, f"the number of levels of Morris trajectories must be even, not {self.levels}")

    def _unit(self, space: Space, generator: np.random.Generator) -> Any:
        problem = _problem(space, 1, _TAIL)
        from SALib.sample.morris import sample

        return sample(problem, self.trajectories, num_levels=self.levels, seed=generator)


@dataclass(frozen=True)
class Grid(Sampler):
    """Every combination of the values (levels) of each parameter; the last parameter varies quickest.

    Parameters
    ----------
    levels : number of values of each parameter, or name -> number (5 for those not named). Lists have all their
        values, ranges of whole numbers at most all of theirs; ranges begin and end with their ends; distributions have
        the medians of parts of equal probability.
    confirmed : allows more than 100,000 points, which are refused otherwise

    Points are computed from their number; a grid takes no memory.
    """

    levels: int | Mapping[str, int] = _LEVELS
    confirmed: bool = field(default=False, compare=False)
    name, size, grows = "grid", "levels", False

    def __post_init__(self) -> None:
        given = self.levels.items() if isinstance(self.levels, Mapping) else [("a grid", self.levels)]
        for name, count in given:
            whole_number(count, f"number of levels of {name}")

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points; StudyError, with the product, if there are more than 100,000 and not confirmed."""
        ensure(space.varied, "the space has no parameter of which a grid could be made; vary at least one")
        given = self.levels if isinstance(self.levels, Mapping) else dict.fromkeys(space.names, self.levels)
        for name in given:
            ensure(name in space.names, f"levels of the grid: {name!r} is not varied. {near_names(name, space.names)}")
        values = [item.entry.levels(given.get(item.name, _LEVELS)) for item in space.varied]
        sizes = [len(each) for each in values]
        count, product = math.prod(sizes), f"{' x '.join(map(str, sizes))} = " if len(sizes) > 1 else ""
        right = "take fewer levels or another sampler, or confirm that you want them all: confirmed=True, --yes"
        ensure(count <= GRID_LIMIT or self.confirmed, f"the grid has {product}{count} points, more than {GRID_LIMIT}; {right}")
        for item, each in zip(space.varied, values, strict=True):
            item.check(each)

        def columns(first: int, last: int) -> list[Sequence[object]]:
            places = np.unravel_index(np.arange(first, last), sizes)
            return [[each[k] for k in place.tolist()] for each, place in zip(values, places, strict=True)]

        return Points(space, seed, count, columns, extremes=(0, count - 1))

    def to_json(self) -> dict[str, Any]:
        """The grid as plain data; one that is stored has been confirmed."""
        return {"sampler": self.name, "levels": dict(self.levels) if isinstance(self.levels, Mapping) else self.levels}


SAMPLERS: dict[str, type[Sampler]] = {
    kind.name: kind for kind in (LatinHypercube, Sobol, Halton, RandomSample, Grid, SobolIndices, Morris)
}


def sampler_by_name(name: str, /, **options: Any) -> Sampler:
    """A sampler by its name, such as ``sampler_by_name("lhs", runs=100)``.

    Raises StudyError for an unknown name, a missing option or one that the sampler does not have.
    """
    ensure(name in SAMPLERS, f"no sampler {name!r}. {near_names(name, SAMPLERS)} A list of points is given as FILE.csv")
    kind = SAMPLERS[name]
    try:
        return kind(**options)
    except TypeError:
        known = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
        for option in options:
            ensure(option in known, f"the sampler {name} has no option {option!r}. {near_names(option, known)}")
        example = 128 if kind.size == "runs" else 16
        raise StudyError(f"the sampler {name} needs {kind.size}, for example {kind.size}={example}") from None


def _advise_power_of_two(count: int, what: str) -> None:
    below = 2 ** (count.bit_length() - 1)
    if count != below:
        better = f"so they fill the space less evenly; {below} or {2 * below} would be better"
        warn(f"{count} {what} of a Sobol sequence are no power of 2, {better}", StudyWarning)


def _problem(space: Space, least: int, tail: float = 0.0) -> dict[str, Any]:
    """The space as SALib's functions take it, with bounds of the quantiles: those of distributions without their tails.

    StudyError for a space of which there are no sensitivity indices, or without SALib.
    """
    require("SALib", "a sample for sensitivity indices", StudyError, extra="studies")
    few = f"the space varies {len(space)}, at least {least} are needed (seeds of runs are none)"
    ensure(len(space) >= least, f"sensitivity indices say which of the parameters matters; {few}")
    ends = [[tail, 1.0 - tail] if isinstance(item.entry, Distribution) else [0.0, 1.0] for item in space.varied]
    return {"num_vars": len(space), "names": list(space.names), "bounds": ends}
