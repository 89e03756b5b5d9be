"""The space of a study - which parameters are varied, and over what - and its points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from flexmbs.case.parameters import Setting, converted, settings_of
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.checks import ensure, whole_number
from flexmbs.study.entries import FloatArray, RunSeeds, checked_entry, entry_from, entry_from_json, entry_to_json

_COMPONENT = re.compile(r"(\w+)\[(0|[1-9]\d*)\]")
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

    def check(self, values: Iterable[object]) -> None:
        """StudyError if the parameter cannot have one of these values of a distribution; others have been checked."""
        try:
            for value in values:
                converted(self.setting, value)
        except CaseError as error:
            right = "truncate the distribution with low= and high="
            raise StudyError(f"space: {self.label}: {self.entry} gives values that cannot be run: {error}; {right}") from None


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
        for item in found:
            whole, name = item.setting.name, item.name
            if item.component is None:
                also = f"also fixed to {self.fixed.get(whole)!r}; leave out one of them"
                ensure(whole not in self.fixed, f"space: {name} is varied, and {also}")
            else:
                ensure(whole not in entries, f"space: {whole} is varied as a whole, so its component {name} cannot be varied too")
        self.varied = tuple(item for item in found if not isinstance(item.entry, RunSeeds))
        self.seeds = tuple(item.setting for item in found if isinstance(item.entry, RunSeeds))
        self._entries = {item.name: item.entry for item in found}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions, "length" or "axis[1]"."""
        return tuple(item.name for item in self.varied)

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

    def __str__(self) -> str:
        lines = [f"{item.label}: {item.entry}" for item in self.varied]
        return "\n".join([*lines, *(f"{setting.name}: {RunSeeds()}" for setting in self.seeds)])

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
        """All parameters of the case in a run with these values of some of them; CaseError for what it does not take."""
        return self.base | {name: converted(self.settings[name], value) for name, value in values.items()}

    def to_json(self) -> dict[str, Any]:
        """The entries and fixed values as plain data."""
        return {"entries": {name: entry_to_json(entry) for name, entry in self._entries.items()}, "fixed": self.fixed}

    @classmethod
    def from_json(cls, parameters: type | Iterable[Setting], data: Mapping[str, Any]) -> Space:
        """The space that :meth:`to_json` wrote, for the case's parameters."""
        entries = {name: entry_from_json(entry) for name, entry in data["entries"].items()}
        return cls(parameters, entries, data.get("fixed"))

    def setting(self, name: str) -> tuple[Setting, int | None]:
        """What the values of "length" or "axis[1]" are checked against, and the component.

        StudyError with near names, or for a component that the parameter does not have.
        """
        match = _COMPONENT.fullmatch(name)
        whole = match[1] if match else name
        ensure(whole in self.settings, f"space: the case has no parameter {whole!r}. {near_names(whole, self.settings)}")
        setting, value = self.settings[whole], self.base[whole]
        if match is None:
            return setting, None
        ensure(setting.kind is tuple, f"space: {name}: the parameter {whole} has no components; write {whole}")
        size, place = len(value) if isinstance(value, tuple) else 0, int(match[2])
        right = f"{whole}[0] to {whole}[{size - 1}]" if size else f"fix {whole} to a tuple, or give a list of tuples for it"
        ensure(place < size, f"space: {name}: {whole} has {size} components: {right}")
        return replace(setting, kind=float, optional=False), place

    def _fixed(self, name: str, value: object) -> object:
        ensure(name in self.settings, f"fixed values: no parameter {name!r}. {near_names(name, self.settings)}")
        try:
            return converted(self.settings[name], value)
        except CaseError as error:
            raise StudyError(f"fixed values: {error}") from None

    def _dimension(self, name: str, given: object) -> Dimension:
        item = Dimension(name, *self.setting(name), given)
        try:
            return replace(item, entry=checked_entry(entry_from(given), item.setting))
        except (StudyError, CaseError) as error:
            raise StudyError(f"space: {item.label}: {error}") from None


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
        self._count, self._columns = count, columns
        self._kept_block = lru_cache(maxsize=1)(self._block)

    @classmethod
    def of_unit_cube(cls, space: Space, seed: int, unit: FloatArray) -> Points:
        """Points at quantiles, of shape (points, dimensions).

        Raises StudyError if a distribution gives a point a value that its parameter cannot have.
        """
        for item, u in zip(space.varied, unit.T, strict=True):
            # Values do not decrease with u, so the two extreme ones tell.
            item.check(item.entry.quantiles(np.array([u.min(), u.max()])))

        def columns(first: int, last: int) -> list[Sequence[object]]:
            return [item.entry.quantiles(u[first:last]) for item, u in zip(space.varied, unit.T, strict=True)]

        return cls(space, seed, len(unit), columns, unit, (int(place) for u in unit.T for place in (u.argmin(), u.argmax())))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions and of the parameters that have seeds."""
        return (*self.space.names, *(setting.name for setting in self.space.seeds))

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        """Parameter values of one point; a list of them for a slice."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._count))]
        run = range(self._count)[place]
        return self.space.assembled(self._kept_block(run // _BLOCK)[run % _BLOCK], run, self.seed)

    def _block(self, number: int) -> list[tuple[object, ...]]:
        first, last = number * _BLOCK, min((number + 1) * _BLOCK, self._count)
        columns = self._columns(first, last)
        return list(zip(*columns, strict=True)) if columns else [()] * (last - first)
