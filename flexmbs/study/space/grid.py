"""Grids: every combination of a few values of each parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.space.plain_numbers import whole_number
from flexmbs.study.space.points import Points
from flexmbs.study.space.samplers import Sampler
from flexmbs.study.space.space import Space

#: Grids of more points are refused unless they are confirmed: their number grows with every parameter.
GRID_LIMIT = 100_000
_DEFAULT_LEVELS = 5


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

    levels: int | Mapping[str, int] = _DEFAULT_LEVELS
    confirmed: bool = field(default=False, compare=False)
    name = "grid"

    def __post_init__(self) -> None:
        if not isinstance(self.levels, Mapping):
            whole_number(self.levels, "number of levels of a grid")
            return
        for name, count in self.levels.items():
            whole_number(count, f"number of levels of {name}")

    def count(self, space: Space) -> int:
        """Number of points; StudyError, with the product, if there are more than 100,000 and not confirmed."""
        return self._checked_count([len(values) for values in self._values(space)])

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points."""
        if not space.varied:
            raise StudyError("the space has no parameter of which a grid could be made; vary at least one")
        values = self._values(space)
        sizes = [len(each) for each in values]
        count = self._checked_count(sizes)
        for item, each in zip(space.varied, values, strict=True):
            item.check_values(each, "levels")

        def columns(first: int, last: int) -> list[Sequence[object]]:
            places = np.unravel_index(np.arange(first, last), sizes)
            return [[each[k] for k in place.tolist()] for each, place in zip(values, places, strict=True)]

        return Points(space, seed, count, columns, extremes=(0, count - 1))

    def to_json(self) -> dict[str, Any]:
        """The grid as plain data; one that is stored has been confirmed."""
        levels = dict(self.levels) if isinstance(self.levels, Mapping) else self.levels
        return {"sampler": self.name, "levels": levels}

    def _values(self, space: Space) -> list[Sequence[object]]:
        given = self.levels if isinstance(self.levels, Mapping) else dict.fromkeys(space.names, self.levels)
        for name in given:
            if name not in space.names:
                raise StudyError(f"levels of the grid: {name!r} is not varied. {near_names(name, space.names)}")
        return [item.levels(given.get(item.name, _DEFAULT_LEVELS)) for item in space.varied]

    def _checked_count(self, sizes: Sequence[int]) -> int:
        count = math.prod(sizes)
        if count > GRID_LIMIT and not self.confirmed:
            product = f"{' x '.join(str(size) for size in sizes)} = " if len(sizes) > 1 else ""
            raise StudyError(
                f"the grid has {product}{count} points, more than {GRID_LIMIT}; "
                "take fewer levels, or a Latin hypercube or Sobol sequence, whose number of runs you choose, or "
                "confirm that you want them all: confirmed=True, --yes"
            )
        return count
