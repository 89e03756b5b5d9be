"""Samplers that fill the space evenly or at random: Latin hypercube, Sobol, Halton, random."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import InitVar, asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.user_warnings import warn
from flexmbs.study.space.entry import FloatArray
from flexmbs.study.space.plain_numbers import whole_number
from flexmbs.study.space.points import Points, generator
from flexmbs.study.space.space import Space


class Sampler(ABC):
    """Which points of a space a study runs; the same space, sampler and seed give the same points to every digit."""

    #: Name on the command line and in stored studies.
    name: ClassVar[str]
    #: Whether more points begin with those of fewer, so that a study can be extended; the field that says how many.
    size_field: ClassVar[str | None] = None

    @abstractmethod
    def count(self, space: Space) -> int:
        """Number of points."""

    @abstractmethod
    def points(self, space: Space, seed: int = 0) -> Points:
        """The points, ``points[i]`` -> parameter -> value; StudyError for values that a parameter cannot have."""

    def to_json(self) -> dict[str, Any]:
        """The sampler as plain data."""
        return {"sampler": self.name, **asdict(self)}  # type: ignore[call-overload]

    def extends(self, other: Sampler) -> bool:
        """Whether the points of ``other`` are the first ones of this sampler's (or the same)."""
        new, old = self.to_json(), other.to_json()
        if self.size_field is None:
            return new == old
        return new.pop(self.size_field) >= old.pop(self.size_field, float("inf")) and new == old


@dataclass(frozen=True)
class UnitCubeSampler(Sampler):
    """A sampler that chooses ``runs`` points of the unit cube, whose coordinates are quantiles of the parameters.

    Raises StudyError if ``runs`` is no positive whole number.
    """

    runs: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", whole_number(self.runs, f"number of runs of the sampler {self.name}"))

    def count(self, space: Space) -> int:
        """Number of points."""
        return self.runs

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points; memory: 8 bytes for each point and dimension."""
        if not space.varied and not space.seeds:
            raise StudyError("the space is empty, so all runs would be the same; vary at least one parameter")
        unit = self.unit(len(space), seed) if space.varied else np.empty((self.runs, 0))
        return Points.of_unit_cube(space, seed, unit)

    @abstractmethod
    def unit(self, dimensions: int, seed: int) -> FloatArray:
        """Points of the unit cube, of shape (runs, dimensions)."""


@dataclass(frozen=True)
class RandomSample(UnitCubeSampler):
    """``runs`` independent random points (Monte Carlo). More runs begin with the same points."""

    name = "random"
    size_field = "runs"

    def unit(self, dimensions: int, seed: int) -> FloatArray:
        """Points of the unit cube, of shape (runs, dimensions)."""
        return generator(seed).random((self.runs, dimensions))


@dataclass(frozen=True)
class LatinHypercube(UnitCubeSampler):
    """``runs`` points, of which each parameter has one in each of ``runs`` parts of equal probability.

    ``optimization="random-cd"`` exchanges coordinates so that the points fill the space more evenly (scipy.stats.qmc);
    the time that takes is proportional to runs squared. Other numbers of runs have other points: a study cannot be
    extended (Sobol, Halton and random points can).
    """

    optimization: str | None = None
    name = "lhs"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.optimization not in (None, "random-cd", "lloyd"):
            raise StudyError(f"optimization must be None, 'random-cd' or 'lloyd', not {self.optimization!r}")

    def unit(self, dimensions: int, seed: int) -> FloatArray:
        """Points of the unit cube, of shape (runs, dimensions)."""
        from scipy.stats import qmc

        sampler = qmc.LatinHypercube(dimensions, optimization=self.optimization, seed=generator(seed))
        return np.ascontiguousarray(sampler.random(self.runs))


@dataclass(frozen=True)
class Sobol(UnitCubeSampler):
    """``runs`` points of a Sobol sequence, scrambled by the seed. More runs begin with the same points.

    Numbers of runs that are no power of 2 lose much of the sequence's evenness and give a StudyWarning, unless
    ``quiet`` is set.
    """

    quiet: InitVar[bool] = False
    name = "sobol"
    size_field = "runs"

    def __post_init__(self, quiet: bool = False) -> None:
        super().__post_init__()
        if not quiet:
            warn_unless_power_of_two(self.runs, "runs")

    def unit(self, dimensions: int, seed: int) -> FloatArray:
        """Points of the unit cube, of shape (runs, dimensions)."""
        from scipy.stats import qmc

        exponent = (self.runs - 1).bit_length()
        unit = qmc.Sobol(dimensions, scramble=True, seed=generator(seed)).random_base2(exponent)
        return unit if len(unit) == self.runs else unit[: self.runs].copy()


@dataclass(frozen=True)
class Halton(UnitCubeSampler):
    """``runs`` points of a Halton sequence, scrambled by the seed. More runs begin with the same points."""

    name = "halton"
    size_field = "runs"

    def unit(self, dimensions: int, seed: int) -> FloatArray:
        """Points of the unit cube, of shape (runs, dimensions)."""
        from scipy.stats import qmc

        return np.ascontiguousarray(qmc.Halton(dimensions, scramble=True, seed=generator(seed)).random(self.runs))


def warn_unless_power_of_two(count: int, what: str) -> None:
    """StudyWarning for a number of points of a Sobol sequence that is no power of 2."""
    below = 2 ** (count.bit_length() - 1)
    if count != below:
        warn(
            f"{count} {what} of a Sobol sequence are no power of 2, so they fill the space less evenly; "
            f"{below} or {2 * below} would be better",
            StudyWarning,
        )
