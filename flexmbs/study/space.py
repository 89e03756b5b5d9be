"""The space of a study - which parameters are varied, and over what - and its points."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from flexmbs.case.parameters import Setting, converted, settings_of
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.checks import ensure, whole_number
from flexmbs.study.entries import (
    Choices,
    Distribution,
    FloatArray,
    RunSeeds,
    checked_entry,
    entry_from,
    entry_from_json,
    entry_to_json,
)

_COMPONENT = re.compile(r"(\w+)\[(\d+)\]")
_BLOCK = 1024  # points that are made at once: making one alone takes a distribution's function 0.1 ms
#: Values of the dimensions for points [first, last): one sequence for each dimension.
Columns = Callable[[int, int], Sequence[Sequence[object]]]


@dataclass(frozen=True)
class Dimension:
    """A parameter of the case, or one component of it, and its values."""

    name: str  # as the user wrote it, "length" or "axis[1]"
    setting: Setting  # what its values are checked against; a component is a number
    component: int | None  # its place in a tuple; None for the whole parameter
    entry: Any  # its values: an Entry; of ``Space.seeds`` RunSeeds

    @property
    def label(self) -> str:
        """The name with its unit."""
        return f"{self.name} [{self.setting.unit}]" if self.setting.unit else self.name

    def typed(self, values: Sequence[object]) -> Sequence[object]:
        """Numbers as floats where the parameter is one: discrete distributions give ints."""
        if self.setting.kind is float:
            return [float(value) if isinstance(value, int) else value for value in values]
        return values

    def check(self, values: Sequence[Any], what: str) -> None:
        """StudyError if the parameter cannot have one of these values of a distribution; ``what`` they are."""
        least = -math.inf if self.setting.minimum is None else self.setting.minimum
        most = math.inf if self.setting.maximum is None else self.setting.maximum
        numbers = np.array(values if isinstance(self.entry, Distribution) else [], dtype=float)  # others have been checked
        wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= least) & (numbers <= most)))
        if not len(wrong):
            return
        first, limit, remedy = numbers[wrong[0]], "not finite", "low= and high="
        if math.isfinite(first):
            limit, remedy = f"below the parameter's minimum {least:g}", f"low={least:g}"
            if first > most:
                limit, remedy = f"above the parameter's maximum {most:g}", f"high={most:g}"
        raise StudyError(
            f"space: {self.label}: {len(wrong)} of {len(values)} {what} of {self.entry} cannot be run; the first, "
            f"number {wrong[0]}, has {first:.6g}, which is {limit}: truncate the distribution with {remedy}"
        )


class Space:
    """Varied parameters of a case and their values; each is independent of the others.

    Parameters
    ----------
    parameters : the case's class ``Parameters``, or its settings (``flexmbs.case.parameters.settings_of``)
    entries : name -> range (low, high), list of values, :class:`Range`, :class:`Choices`, :class:`RunSeeds` or a frozen
        distribution of scipy.stats. "axis[1]" names one component of a parameter that is a tuple.
    fixed : name -> value of parameters that differ from their defaults in all runs

    Attributes
    ----------
    settings : name -> what the case says of each of its parameters
    base : parameter -> value in runs that do not vary it
    varied : the dimensions, in the order of the entries; seeds of runs are none
    seeds : parameters that have a seed of their own in each run

    Raises StudyError, which names the parameter and what would be right: unknown names, ranges that are empty, inverted
    or beyond what the parameter allows, values of a wrong type, a parameter that is fixed and varied.
    """

    def __init__(
        self, parameters: type | Iterable[Setting], entries: Mapping[str, object], fixed: Mapping[str, object] | None = None
    ) -> None:
        given = settings_of(parameters) if isinstance(parameters, type) else parameters
        self.settings = {setting.name: setting for setting in given}
        self.fixed = {name: self._fixed(name, value) for name, value in (fixed or {}).items()}
        self.base = {name: setting.default for name, setting in self.settings.items()} | self.fixed
        found = [self._dimension(name, entry) for name, entry in entries.items()]
        self.varied = tuple(item for item in found if not isinstance(item.entry, RunSeeds))
        self.seeds = tuple(item.setting for item in found if isinstance(item.entry, RunSeeds))
        self._entries = {item.name: item.entry for item in found}
        self._refuse_repeated(found)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions, "length" or "axis[1]"."""
        return tuple(item.name for item in self.varied)

    @property
    def seed_names(self) -> tuple[str, ...]:
        """Names of the parameters that have a seed of their own in each run."""
        return tuple(setting.name for setting in self.seeds)

    @property
    def units(self) -> dict[str, str]:
        """Unit of each dimension."""
        return {item.name: item.setting.unit for item in self.varied}

    @property
    def helps(self) -> dict[str, str]:
        """Description of each dimension's parameter."""
        return {item.name: item.setting.help for item in self.varied}

    def __len__(self) -> int:
        return len(self.varied)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and (self._entries, self.fixed) == (other._entries, other.fixed)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = [f"{item.label}: {item.entry}" for item in self.varied]
        return "\n".join([*lines, *(f"{name}: {RunSeeds()}" for name in self.seed_names)])

    def assembled(self, values: Sequence[object], run: int, seed: int) -> dict[str, object]:
        """Parameter -> value of one run from the values of the dimensions; components are put into their tuples.

        ``run``, ``seed``: number of the run and seed of the study, for the seeds of runs.
        """
        found: dict[str, Any] = {}
        for item, value in zip(self.varied, values, strict=True):
            name = item.setting.name
            if item.component is None:
                found[name] = value
            else:
                whole = list(found.get(name, self.base[name]))
                whole[item.component] = value
                found[name] = tuple(whole)
        for place, setting in enumerate(self.seeds):
            found[setting.name] = RunSeeds().value(setting, place, run, seed)
        return found

    def parameters(self, values: Mapping[str, object]) -> dict[str, object]:
        """All parameters of the case in a run with these values; CaseError for what it does not take."""
        for name in values:
            if name not in self.settings:
                raise CaseError(f"the case has no parameter {name!r}. {near_names(name, self.settings)}")
        return self.base | {name: converted(self.settings[name], value) for name, value in values.items()}

    def problem(self, bounds: Sequence[tuple[float, float]] | None = None) -> dict[str, Any]:
        """The space as SALib's functions take it: num_vars, names, and bounds of the quantiles (0 and 1 by default)."""
        ends = [list(pair) for pair in bounds or [(0.0, 1.0)] * len(self)]
        return {"num_vars": len(self), "names": list(self.names), "bounds": ends}

    def to_json(self) -> dict[str, Any]:
        """The entries and fixed values as plain data."""
        fixed = {name: list(value) if isinstance(value, tuple) else value for name, value in self.fixed.items()}
        return {"entries": {name: entry_to_json(entry) for name, entry in self._entries.items()}, "fixed": fixed}

    @classmethod
    def from_json(cls, parameters: type | Iterable[Setting], data: Mapping[str, Any]) -> Space:
        """The space that :meth:`to_json` wrote, for the case's parameters."""
        entries = {name: entry_from_json(entry) for name, entry in data["entries"].items()}
        return cls(parameters, entries, data.get("fixed"))

    def with_entries(self, entries: Mapping[str, object]) -> Space:
        """A space of the same case with further entries."""
        return Space(self.settings.values(), {**self._entries, **entries}, self.fixed)

    def setting(self, name: str) -> tuple[Setting, int | None]:
        """What the values of "length" or "axis[1]" are checked against, and the component.

        StudyError with near names, or for a component that the parameter does not have.
        """
        match = _COMPONENT.fullmatch(name.strip())
        whole = match[1] if match else name
        known = near_names(whole, self.settings)
        ensure(whole in self.settings, f"space: the case has no parameter {whole!r}. {known}")
        setting, value = self.settings[whole], self.base[whole]
        if match is None:
            return setting, None
        ensure(setting.kind is tuple, f"space: {name}: the parameter {whole} has no components; write {whole}")
        if not isinstance(value, tuple):
            right = f"fix {whole} to a tuple, or give a list of tuples for it"
            raise StudyError(f"space: {name}: {whole} has no value of which a component could be varied; {right}")
        place, size = int(match[2]), len(value)
        ensure(place < size, f"space: {name}: {whole} has {size} components, {whole}[0] to {whole}[{size - 1}]")
        return replace(setting, kind=float, optional=False), place

    def _fixed(self, name: str, value: object) -> object:
        ensure(name in self.settings, f"fixed values: no parameter {name!r}. {near_names(name, self.settings)}")
        try:
            return converted(self.settings[name], value)
        except CaseError as error:
            raise StudyError(f"fixed values: {error}") from None

    def _dimension(self, name: str, given: object) -> Dimension:
        setting, place = self.setting(name)
        try:
            entry: Any = entry_from(given)
            if isinstance(entry, RunSeeds):
                ensure(setting.kind is int and place is None, f"{entry} are whole numbers, which the parameter is not")
                return Dimension(name, setting, place, entry)
            size = len(setting.default) if isinstance(setting.default, tuple) else 0
            parts = f"; its components are {setting.name}[0] to {setting.name}[{size - 1}]" if size else ""
            is_list = setting.kind is not tuple or isinstance(entry, Choices)
            ensure(is_list, f"it is a tuple of numbers: give a list of tuples{parts}")
            return Dimension(name, setting, place, checked_entry(entry, setting))
        except (StudyError, CaseError) as error:
            raise StudyError(f"space: {name}{f' [{setting.unit}]' if setting.unit else ''}: {error}") from None

    def _refuse_repeated(self, found: Sequence[Dimension]) -> None:
        """StudyError for a parameter that is varied as a whole and by component, or fixed and varied."""
        whole = {item.setting.name for item in found if item.component is None}
        seen = set()
        for item in found:
            name, parameter = item.name, item.setting.name
            if item.component is None:
                also = f"also fixed to {self.fixed.get(parameter)!r}; leave out one of them"
                ensure(parameter not in self.fixed, f"space: {name} is varied, and {also}")
            else:
                both = f"space: {parameter} is varied as a whole, so its component {name} cannot be varied too"
                ensure(parameter not in whole, both)
                ensure((parameter, item.component) not in seen, f"space: {name} is varied twice")
            seen.add((parameter, item.component))


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
        for item, u in zip(space.varied, unit.T, strict=True):
            # Values do not decrease with u, so the two extreme ones tell.
            try:
                item.check(item.entry.quantiles(np.array([u.min(), u.max()])), "points")
            except StudyError:
                item.check(item.entry.quantiles(u), "points")  # says how many

        def columns(first: int, last: int) -> list[Sequence[object]]:
            return [item.typed(item.entry.quantiles(u[first:last])) for item, u in zip(space.varied, unit.T, strict=True)]

        return cls(space, seed, len(unit), columns, unit, (int(place) for u in unit.T for place in (u.argmin(), u.argmax())))

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
        block, within = divmod(run, _BLOCK)
        # Read once and replaced as a whole: threads of an executor may ask at the same time.
        kept, rows = self._last
        if kept != block:
            first, last = block * _BLOCK, min((block + 1) * _BLOCK, self._count)
            columns = self._columns(first, last)
            rows = list(zip(*columns, strict=True)) if columns else [()] * (last - first)
            self._last = (block, rows)
        return self.space.assembled(rows[within], run, self.seed)

    def __iter__(self) -> Iterator[dict[str, object]]:
        return (self[place] for place in range(self._count))
