"""Lists of points: what a study runs is written down, in a CSV file or in the script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.case.parameters import Setting, converted, settings_of
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.study.space.plain_numbers import plain_value
from flexmbs.study.space.point_file import PointRows, read_point_file
from flexmbs.study.space.points import Points
from flexmbs.study.space.ranges import Choices
from flexmbs.study.space.samplers import Sampler
from flexmbs.study.space.space import Space
from flexmbs.study.space.varied_parameter import component_setting, find_setting


class PointList(Sampler):
    """Points given one by one.

    Parameters
    ----------
    source : path of a CSV file (header of parameter names; optionally a second row of units such as "[m]", which must
        be those of the case's parameters), or rows: mappings parameter -> value, or a pandas table

    The values come from the list, so the study's space holds nothing but seeds of runs (:class:`RunSeeds`). Values of
    the file may be expressions such as pi/2. A longer list that begins with the same rows extends a study.

    Raises StudyError, with line and column, for what is no list of points; values are checked by :meth:`points`.
    """

    name = "list"

    def __init__(self, source: str | Path | Iterable[Mapping[str, object]]) -> None:
        self._given = read_point_file(source) if isinstance(source, str | Path) else _from_mappings(source)

    def __repr__(self) -> str:
        return f"PointList({len(self._given.rows)} points of {', '.join(self._given.names)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PointList) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def count(self, space: Space) -> int:
        """Number of points."""
        return len(self._given.rows)

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points; StudyError with line and column for a value or a unit that the case's parameter does not have."""
        if space.varied:
            raise StudyError(
                "the values of a list of points come from the list, so the space must hold nothing but seeds of runs; "
                f"leave out {', '.join(space.names)}"
            )
        columns = self._columns(space)
        # The space of the points: what the table and the plots know of the parameters.
        entries = {name: Choices(dict.fromkeys(values)) for name, values in columns.items()}
        of_points = space.with_entries(entries)
        ordered = [columns[name] for name in of_points.names]
        return Points(
            of_points,
            seed,
            len(self._given.rows),
            lambda first, last: [each[first:last] for each in ordered],
            extremes=(place for values in ordered for place in _extremes(values)),
        )

    def to_json(self) -> dict[str, Any]:
        """The list as plain data, with all its values."""
        given = self._given
        rows = [[list(cell) if isinstance(cell, tuple) else cell for cell in row] for row in given.rows]
        return {"sampler": self.name, "names": list(given.names), "units": list(given.units), "rows": rows}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PointList:
        """The list that :meth:`to_json` wrote."""
        rows = tuple(tuple(plain_value(cell) for cell in row) for row in data["rows"])
        found = cls.__new__(cls)
        found._given = PointRows(tuple(data["names"]), tuple(data["units"]), rows, _row_places(len(rows)))
        return found

    def extends(self, other: Sampler) -> bool:
        """Whether the list begins with the rows of ``other``."""
        if not isinstance(other, PointList):
            return False
        new, old = self._given, other._given
        return (new.names, new.units, new.rows[: len(old.rows)]) == (old.names, old.units, old.rows)

    def _columns(self, space: Space) -> dict[str, list[object]]:
        """Values by the name of the column, each with the type of its parameter."""
        known = {setting.name: setting for setting in settings_of(space.parameters)}
        found = {}
        for place, name in enumerate(self._given.names):
            setting, component = find_setting(name, known, space.base)
            _check_unit(name, self._given.units[place], setting)
            found[name] = self._values(place, component_setting(setting, component))
        return found

    def _values(self, place: int, setting: Setting) -> list[object]:
        values = []
        for row, where in zip(self._given.rows, self._given.places, strict=True):
            try:
                values.append(converted(setting, row[place]))
            except CaseError as error:
                raise StudyError(f"{where}, column {self._given.names[place]}: {error}") from None
        return values


def _extremes(values: Sequence[object]) -> tuple[int, int]:
    """Places of the smallest and the largest number; of the first and last value where not all are numbers."""
    if not all(isinstance(value, int | float) for value in values):
        return 0, len(values) - 1
    numbers = np.array(values, dtype=float)
    return int(numbers.argmin()), int(numbers.argmax())


def _check_unit(name: str, unit: str | None, setting: Setting) -> None:
    if unit is not None and unit != setting.unit:
        right = f"[{setting.unit}]" if setting.unit else "[], no unit"
        raise StudyError(
            f"list of points: the column {name} is in [{unit}], the case's parameter in {right}; convert the values, "
            "and correct the unit"
        )


def _from_mappings(source: object) -> PointRows:
    """Rows from mappings, or from a pandas table."""
    if hasattr(source, "to_dict"):
        source = source.to_dict("records")
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise StudyError(f'a list of points is a CSV file or a list such as [{{"length": 0.5}}, ...], not {source!r}')
    rows: Sequence[object] = list(source)
    if not rows:
        raise StudyError("the list of points is empty")
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping) or not row:
            raise StudyError(f"list of points, row {place}: expected a mapping parameter -> value, not {row!r}")
    names = tuple(str(name) for name in rows[0])  # type: ignore[attr-defined]
    for place, row in enumerate(rows):
        if set(row) != set(names):  # type: ignore[call-overload]
            differing = ", ".join(sorted(str(name) for name in set(row) ^ set(names)))  # type: ignore[call-overload]
            raise StudyError(
                f"list of points, row {place}: all rows must have the values of the same parameters as row 0 "
                f"({', '.join(names)}); differing: {differing}"
            )
    values = tuple(tuple(plain_value(row[name]) for name in names) for row in rows)  # type: ignore[index]
    return PointRows(names, (None,) * len(names), values, _row_places(len(rows)))


def _row_places(count: int) -> tuple[str, ...]:
    return tuple(f"list of points, row {place}" for place in range(count))
