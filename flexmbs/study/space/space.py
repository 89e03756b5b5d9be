"""The space of a study: which parameters are varied, and over what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexmbs.case.parameters import Setting, from_values, settings_of
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.study.space.entries import entry_from, entry_from_json
from flexmbs.study.space.entry import Entry, FloatArray
from flexmbs.study.space.ranges import RunSeeds
from flexmbs.study.space.varied_parameter import VariedParameter, checked_seed_setting, find_setting, varied


class Space:
    """Varied parameters of a case and their values; each is independent of the others.

    Parameters
    ----------
    parameters : the case's class ``Parameters``
    entries : name -> range (low, high), list of values, :class:`Range`, :class:`Choices`, :class:`RunSeeds` or a
        distribution. "axis[1]" names one component of a parameter that is a tuple.
    fixed : name -> value of parameters that differ from their defaults in all runs

    Attributes
    ----------
    base : parameter -> value in runs that do not vary it
    varied : the dimensions, in the order of the entries; seeds of runs are none
    seeds : parameters that have a seed of their own in each run

    Raises StudyError, which names the parameter and what would be right: unknown names, ranges that are empty, inverted
    or beyond what the parameter allows, values of a wrong type, a parameter that is fixed and varied.
    """

    def __init__(self, parameters: type, entries: Mapping[str, object], fixed: Mapping[str, object] | None = None) -> None:
        self.parameters = parameters
        self.fixed = dict(fixed or {})
        known = {setting.name: setting for setting in settings_of(parameters)}
        base = self.base = _base_values(parameters, self.fixed)
        self._entries: dict[str, Entry | RunSeeds] = {}
        found: list[VariedParameter] = []
        seeds: list[Setting] = []
        for name, given in entries.items():
            setting, component = find_setting(name, known, base)
            entry = _entry_of(name, given)
            if isinstance(entry, RunSeeds):
                seeds.append(checked_seed_setting(name, setting, component))
                self._entries[name] = entry
            else:
                found.append(varied(name, setting, component, entry))
                self._entries[name] = found[-1].entry
        self.varied = tuple(found)
        self.seeds = tuple(seeds)
        dimensions = [(item.name, item.setting.name, item.component) for item in found]
        _refuse_twice([*dimensions, *((setting.name, setting.name, None) for setting in seeds)], self.fixed)

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

    def columns(self, u: FloatArray) -> list[Sequence[object]]:
        """For each dimension, its values at the rows of u, of shape (rows, dimensions) between 0 and 1."""
        return [item.quantiles(u[:, place]) for place, item in enumerate(self.varied)]

    def values(self, row: FloatArray | Sequence[float], run: int, seed: int) -> dict[str, object]:
        """Parameter -> value of one run.

        Parameters
        ----------
        row : (dimensions,) between 0 and 1
        run, seed : number of the run and seed of the study, for the seeds of runs
        """
        columns = self.columns(np.asarray(row, dtype=float)[None, :])
        return self.assembled([column[0] for column in columns], run, seed)

    def assembled(self, values: Sequence[object], run: int, seed: int) -> dict[str, object]:
        """Parameter -> value of one run from the values of the dimensions; components are put into their tuples."""
        found: dict[str, object] = {}
        for item, value in zip(self.varied, values, strict=True):
            name = item.setting.name
            if item.component is None:
                found[name] = value
            else:
                whole = list(found.get(name, self.base[name]))  # type: ignore[call-overload]
                whole[item.component] = value
                found[name] = tuple(whole)
        for place, setting in enumerate(self.seeds):
            found[setting.name] = RunSeeds().value(setting, place, run, seed)
        return found

    def problem(self, bounds: Sequence[tuple[float, float]] | None = None) -> dict[str, Any]:
        """The space as SALib's functions take it: num_vars, names, and bounds of the quantiles (0 and 1 by default)."""
        ends = [list(pair) for pair in bounds] if bounds else [[0.0, 1.0] for _ in self.varied]
        return {"num_vars": len(self.varied), "names": list(self.names), "bounds": ends}

    def to_json(self) -> dict[str, Any]:
        """The entries and fixed values as plain data."""
        fixed = {name: list(value) if isinstance(value, tuple) else value for name, value in self.fixed.items()}
        return {"entries": {name: entry.to_json() for name, entry in self._entries.items()}, "fixed": fixed}

    @classmethod
    def from_json(cls, parameters: type, data: Mapping[str, Any]) -> Space:
        """The space that :meth:`to_json` wrote, for the case's class ``Parameters``."""
        entries = {name: entry_from_json(entry) for name, entry in data["entries"].items()}
        return cls(parameters, entries, data.get("fixed"))

    def with_entries(self, entries: Mapping[str, object]) -> Space:
        """A space of the same case with further entries."""
        return Space(self.parameters, {**self._entries, **entries}, self.fixed)


def _base_values(parameters: type, fixed: dict[str, object]) -> dict[str, object]:
    """Values in runs that do not vary a parameter; StudyError for fixed values that the case does not take."""
    try:
        used = from_values(parameters, fixed)
    except CaseError as error:
        raise StudyError(f"fixed values: {error}") from None
    base = {setting.name: getattr(used, setting.name) for setting in settings_of(parameters)}
    fixed.update({name: base[name] for name in fixed})
    return base


def _entry_of(name: str, given: object) -> Entry | RunSeeds:
    try:
        return entry_from(given)
    except StudyError as error:
        raise StudyError(f"space: {name}: {error}") from None


def _refuse_twice(found: Sequence[tuple[str, str, int | None]], fixed: Mapping[str, object]) -> None:
    """StudyError for a parameter that is varied as a whole and by component, or fixed and varied.

    ``found``: name as written, name of the parameter, component.
    """
    whole = {parameter for _, parameter, component in found if component is None}
    components = set()
    for name, parameter, component in found:
        if component is None and parameter in fixed:
            raise StudyError(f"space: {name} is varied, and also fixed to {fixed[parameter]!r}; leave out one of them")
        if component is not None and parameter in whole:
            raise StudyError(f"space: {parameter} is varied as a whole, so its component {name} cannot be varied too")
        if component is not None and (parameter, component) in components:
            raise StudyError(f"space: {name} is varied twice")
        components.add((parameter, component))
