"""Samplers whose points sensitivity indices are computed from; SALib makes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.space.distributions import Distribution
from flexmbs.study.space.plain_numbers import whole_number
from flexmbs.study.space.points import Points, generator
from flexmbs.study.space.samplers import Sampler, warn_unless_power_of_two
from flexmbs.study.space.space import Space

# Morris goes to the ends of the quantiles, where a normal distribution is infinite.
_TAIL = 0.01


@dataclass(frozen=True)
class SobolIndices(Sampler):
    """Points for variance-based sensitivity indices: Saltelli's extension of a Sobol sequence (SALib).

    ``base`` points of the sequence, a power of 2 (else a StudyWarning, unless ``quiet``), give base * (D + 2) runs for
    D parameters, or base * (2 D + 2) with ``second_order`` indices. A larger base begins with the same points.

    Saltelli, Making best use of model evaluations to compute sensitivity indices, Computer Physics Communications 145
    (2002), 280-297.
    """

    base: int
    second_order: bool = False
    quiet: InitVar[bool] = False
    name = "sobol-indices"
    size_field = "base"

    def __post_init__(self, quiet: bool) -> None:
        object.__setattr__(self, "base", whole_number(self.base, "base of the Sobol indices"))
        if not quiet:
            warn_unless_power_of_two(self.base, "base points")

    def count(self, space: Space) -> int:
        """Number of points."""
        return self.base * ((2 if self.second_order else 1) * len(space) + 2)

    def problem(self, space: Space) -> dict[str, Any]:
        """The space as SALib's analysis takes it."""
        return space.problem()

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points, in SALib's order."""
        _refuse_too_few(space, 2)
        with _explained():
            from SALib.sample.sobol import sample
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of the power of 2, which has been said
            unit = sample(self.problem(space), self.base, calc_second_order=self.second_order, seed=generator(seed))
        return Points.of_unit_cube(space, seed, np.ascontiguousarray(unit))


@dataclass(frozen=True)
class Morris(Sampler):
    """Points for elementary effects (screening): random trajectories that change one parameter at a time (SALib).

    ``trajectories`` of D + 1 runs each for D parameters, on ``levels`` levels of the quantiles (an even number);
    distributions from their quantile of 1 % to that of 99 %. More trajectories begin with the same points.

    Morris, Factorial sampling plans for preliminary computational experiments, Technometrics 33 (1991), 161-174.
    """

    trajectories: int
    levels: int = 4
    name = "morris"
    size_field = "trajectories"

    def __post_init__(self) -> None:
        object.__setattr__(self, "trajectories", whole_number(self.trajectories, "number of Morris trajectories"))
        if whole_number(self.levels, "number of levels", smallest=2) % 2:
            raise StudyError(f"the number of levels of Morris trajectories must be even, not {self.levels}")

    def count(self, space: Space) -> int:
        """Number of points."""
        return self.trajectories * (len(space) + 1)

    def problem(self, space: Space) -> dict[str, Any]:
        """The space as SALib's analysis takes it."""
        ends = [(_TAIL, 1.0 - _TAIL) if isinstance(item.entry, Distribution) else (0.0, 1.0) for item in space.varied]
        return space.problem(ends)

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points, in SALib's order."""
        _refuse_too_few(space, 1)
        with _explained():
            from SALib.sample.morris import sample
        unit = sample(self.problem(space), self.trajectories, num_levels=self.levels, seed=generator(seed))
        return Points.of_unit_cube(space, seed, np.ascontiguousarray(unit))


@contextmanager
def _explained() -> Iterator[None]:
    """StudyError instead of ImportError if SALib is not installed."""
    try:
        yield
    except ImportError as error:
        raise StudyError(
            f'these samples are made by SALib, which cannot be loaded ({error}); install it: pip install "flexmbs[studies]"'
        ) from None


def _refuse_too_few(space: Space, least: int) -> None:
    if len(space) < least:
        raise StudyError(
            f"sensitivity indices say which of the parameters matters; the space varies {len(space)}, at least {least} "
            "are needed (seeds of runs are none)"
        )
