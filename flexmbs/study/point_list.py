"""Lists of points, in a CSV file or in the script; and samplers, of which they are one, from stored studies."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.case.parameters import converted
from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import CaseError, StudyError, StudyWarning
from flexmbs.study.checks import ensure
from flexmbs.study.entries import Choices, RunSeeds, plain_value
from flexmbs.study.samplers import Grid, Sampler, sampler_by_name
from flexmbs.study.space import Points, Space

_UNIT = re.compile(r"\[(.*)\]")


@dataclass(frozen=True, init=False)
class PointList(Sampler):
    """Points given one by one: ``source`` is the path of a CSV file, or rows (mappings parameter -> value, a pandas table).

    The file has a header of parameter names, optionally a second row of units such as "[m]", which must be those of the
    case's parameters, and a line for each point; it is separated by commas, semicolons or tabs. Values may be
    expressions such as pi/2. The values come from the list, so the study's space holds nothing but seeds of runs
    (:class:`RunSeeds`). A longer list that begins with the same rows extends a study.

    Raises StudyError, with line and column, for what is no list of points; values are checked by :meth:`points`.
    """

    names: tuple[str, ...]  # of the columns
    units: tuple[str | None, ...]  # of the columns; None where no unit is given
    rows: tuple[tuple[object, ...], ...]  # a value for each column, text if it comes from a file
    places: tuple[str, ...] = field(compare=False)  # of each row, for messages: "points.csv, line 7"
    name = "list"

    def __init__(self, source: str | Path | Iterable[Mapping[str, object]]) -> None:
        given = _of_file(Path(source)) if isinstance(source, str | Path) else _of_mappings(source)
        for entry, value in zip(fields(self), given, strict=True):
            object.__setattr__(self, entry.name, value)

    def __str__(self) -> str:
        return f"PointList({len(self.rows)} points of {', '.join(self.names)})"

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points; StudyError with line and column for a value or a unit that the case's parameter does not have."""
        right = f"so the space must hold nothing but seeds of runs; leave out {', '.join(space.names)}"
        ensure(not space.varied, f"the values of a list of points come from the list, {right}")
        columns = {name: self._column(space, place) for place, name in enumerate(self.names)}
        # The space of the points: what the table and the plots know of the parameters.
        entries: dict[str, object] = {setting.name: RunSeeds() for setting in space.seeds}
        entries |= {name: Choices(tuple(dict.fromkeys(values))) for name, values in columns.items()}
        of_points = Space(space.settings.values(), entries, space.fixed)

        def rows(first: int, last: int) -> list[Sequence[object]]:
            return [values[first:last] for values in columns.values()]

        return Points(of_points, seed, len(self.rows), rows, extremes=chain.from_iterable(map(_extremes, columns.values())))

    def to_json(self) -> dict[str, Any]:
        """The list as plain data, with all its values."""
        return {"sampler": self.name, "names": self.names, "units": self.units, "rows": self.rows}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PointList:
        """The list that :meth:`to_json` wrote."""
        found = cls(dict(zip(data["names"], row, strict=True)) for row in data["rows"])
        object.__setattr__(found, "units", tuple(data["units"]))
        return found

    def extends(self, other: Sampler) -> bool:
        """Whether the list begins with the rows of ``other``."""
        if not isinstance(other, PointList):
            return False
        return (self.names, self.units, self.rows[: len(other.rows)]) == (other.names, other.units, other.rows)

    def _column(self, space: Space, place: int) -> list[object]:
        """The values of a column with the type of their parameter."""
        name, unit = self.names[place], self.units[place]
        setting, _ = space.setting(name)
        has, right = (f"[{text}]" if text else "no unit" for text in (unit, setting.unit))
        stated = unit == setting.unit or (unit is None and not (setting.unit and any(self.units)))
        convert = f"the case's parameter has {right}; convert the values and state it, or leave out all units"
        ensure(stated, f"list of points: the column {name} has {has}, {convert}")
        values = []
        for row, where in zip(self.rows, self.places, strict=True):
            try:
                values.append(converted(setting, row[place]))
            except CaseError as error:
                raise StudyError(f"{where}, column {name}: {error}") from None
        return values


def sampler_from_json(data: Mapping[str, Any]) -> Sampler:
    """The sampler that ``to_json`` of a sampler wrote, without its warnings; StudyError for other data."""
    options = dict(data)
    name = str(options.pop("sampler", ""))
    if name == PointList.name:
        return PointList.from_json(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)
        return sampler_by_name(name, **options, **({"confirmed": True} if name == Grid.name else {}))


def _extremes(values: list[Any]) -> tuple[int, int]:
    """Places of the smallest and the largest number; of the first and last value where not all are numbers."""
    if not all(isinstance(value, int | float) for value in values):
        return 0, len(values) - 1
    return int(np.argmin(values)), int(np.argmax(values))


def _of_file(path: Path) -> tuple[object, ...]:
    """Names, units, rows and places of a CSV file; StudyError with the line for what cannot be a list of points."""
    (where, names), *rows = _lines(path)
    ensure(not names[0].startswith("#"), f"{where}: lines that begin with # are no comments here; remove them")
    right = all(names) and len(set(names)) == len(names)
    ensure(right, f"{where}: each column needs a name of its own; they are {', '.join(map(repr, names))}")
    for where, cells in rows:
        right = len(cells) == len(names)
        ensure(right, f"{where}: {len(cells)} values for {len(names)} columns ({', '.join(names)})")
    units: list[str | None] = [None] * len(names)
    matches = [_UNIT.fullmatch(cell) for cell in rows[0][1]]
    if all(match or not cell for match, cell in zip(matches, rows[0][1], strict=True)):
        units = [match[1].strip() if match else None for match in matches]
        rows = rows[1:]
    ensure(rows, f"{path}: there is no point below the units")
    return names, tuple(units), tuple(cells for _, cells in rows), tuple(where for where, _ in rows)


def _lines(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    """("points.csv, line 7", cells) of the header and the lines with content below it."""
    wrong, form = path_problem(path), "a CSV file has a header of parameter names, and a line for each point"
    ensure(not wrong, f"{path}: {wrong}; {form}")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: cannot be read as text in UTF-8: {error}") from None
    separator = next((mark for mark in ";\t" if lines and mark in lines[0]), ",")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    try:
        found = [(f"{path}, line {reader.line_num}", tuple(cell.strip() for cell in row)) for row in reader]
    except csv.Error as error:
        raise StudyError(f"{path}, line {reader.line_num}: no CSV: {error}") from None
    found = [(where, cells) for where, cells in found if any(cells)]
    ensure(len(found) > 1, f"{path}: there is no point; {form}")
    return found


def _of_mappings(source: Any) -> tuple[object, ...]:
    """Names, units, rows and places of mappings, or of a pandas table."""
    if hasattr(source, "to_dict"):
        source = source.to_dict("records")
    right = 'a list of points is a CSV file or a list such as [{"length": 0.5}, ...]'
    ensure(isinstance(source, Iterable) and not isinstance(source, Mapping), f"{right}, not {source!r}")
    rows: list[Any] = list(source)
    ensure(rows, "the list of points is empty")
    places = tuple(f"list of points, row {place}" for place in range(len(rows)))
    for where, row in zip(places, rows, strict=True):
        same = isinstance(row, Mapping) and row and row.keys() == rows[0].keys()
        ensure(same, f"{where}: expected a mapping parameter -> value, of the same parameters as row 0, not {row!r}")
    values = tuple(tuple(plain_value(row[name]) for name in rows[0]) for row in rows)
    return tuple(map(str, rows[0])), (None,) * len(rows[0]), values, places
