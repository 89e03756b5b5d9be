"""The points of a study: parameter values by the number of the run, made when they are asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from flexmbs.study.space.entry import FloatArray
from flexmbs.study.space.plain_numbers import whole_number
from flexmbs.study.space.space import Space

_BLOCK = 1024  # points that are made at once: making one alone takes a distribution's function 0.1 ms
#: Values of the dimensions for points [first, last): one sequence for each dimension.
Columns = Callable[[int, int], Sequence[Sequence[object]]]


class Points(Sequence[dict[str, object]]):
    """Parameter values of each run of a study: ``points[i]`` is a dict, parameter -> value.

    Nothing but the last block of points is kept: a million points take as much memory as the sampler's array of
    quantiles, or none (grids).

    Attributes
    ----------
    space : the space that the points are of
    seed : of the study
    unit : (points, dimensions), the quantiles between 0 and 1, float64; None for grids and lists
    extremes : numbers of points that together have the smallest and the largest value of every dimension: what a case
        refuses, it refuses at one of these, unless it depends on several parameters
    """

    def __init__(
        self, space: Space, seed: int, count: int, columns: Columns, unit: FloatArray | None = None, extremes: Iterable[int] = ()
    ) -> None:
        self.space = space
        self.seed = whole_number(seed, "seed of a study", smallest=0)
        self.unit = unit
        self.extremes = tuple(sorted(set(extremes)))
        self._count = count
        self._columns = columns
        self._last: tuple[int, list[tuple[object, ...]]] = (-1, [])

    @classmethod
    def of_unit_cube(cls, space: Space, seed: int, unit: FloatArray) -> Points:
        """Points at quantiles, of shape (points, dimensions).

        Raises StudyError if a distribution gives a point a value that its parameter cannot have.
        """
        for place, item in enumerate(space.varied):
            item.check_samples(unit[:, place])
        ends = [int(place) for u in unit.T for place in (u.argmin(), u.argmax())]
        return cls(space, seed, len(unit), lambda first, last: space.columns(unit[first:last]), unit, ends)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions and of the parameters that have seeds."""
        return self.space.names + self.space.seed_names

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> dict[str, object]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, object]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, object] | list[dict[str, object]]:
        """Parameter values of one point, or of several."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._count))]
        run = int(place) + (self._count if place < 0 else 0)
        if not 0 <= run < self._count:
            raise IndexError(f"point {place} of {self._count}")
        return self.space.assembled(self.coordinates(run), run, self.seed)

    def __iter__(self) -> Iterator[dict[str, object]]:
        return (self[place] for place in range(self._count))

    def coordinates(self, run: int) -> tuple[object, ...]:
        """Values of the dimensions at a point, in the order of ``space.names``."""
        block, within = divmod(run, _BLOCK)
        # Read once and replaced as a whole: threads of an executor may ask at the same time.
        kept, rows = self._last
        if kept != block:
            first = block * _BLOCK
            last = min(first + _BLOCK, self._count)
            columns = self._columns(first, last)
            rows = list(zip(*columns, strict=True)) if columns else [()] * (last - first)
            self._last = (block, rows)
        return rows[within]

    def digest(self, count: int = 16) -> str:
        """Hash of the first ``count`` points: tells whether another version of a library makes other points."""
        plain = [self[place] for place in range(min(count, self._count))]
        return hashlib.blake2b(json.dumps(plain, sort_keys=True).encode(), digest_size=16).hexdigest()


def generator(seed: int) -> np.random.Generator:
    """The random numbers that a sampler makes its points of."""
    return np.random.default_rng(whole_number(seed, "seed of a study", smallest=0))
