"""Lists of points, in a CSV file or in the script; and samplers, of which they are one, from stored studies."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.case.parameters import converted
from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import CaseError, StudyError, StudyWarning
from flexmbs.study.checks import ensure
from flexmbs.study.entries import Choices, plain_value
from flexmbs.study.samplers import SAMPLERS, Grid, Sampler
from flexmbs.study.space import Points, Space

# "length [m]": a unit behind the name; "axis[1]" has none.
_NAME_WITH_UNIT = re.compile(r"(.*\S)\s+\[(.*)\]")
_UNIT = re.compile(r"\[(.*)\]")


@dataclass(frozen=True, init=False, eq=False)
class PointList(Sampler):
    """Points given one by one: ``source`` is the path of a CSV file, or rows (mappings parameter -> value, a pandas table).

    The file has a header of parameter names, optionally a second row of units such as "[m]" (or "length [m]" in the
    header), which must be those of the case's parameters, and a line for each point; it is separated by commas,
    semicolons or tabs, and empty lines and those that begin with # are skipped. Values may be expressions such as pi/2.
    The values come from the list, so the study's space holds nothing but seeds of runs (:class:`RunSeeds`). A longer
    list that begins with the same rows extends a study.

    Raises StudyError, with line and column, for what is no list of points; values are checked by :meth:`points`.
    """

    names: tuple[str, ...]  # of the columns
    units: tuple[str | None, ...]  # of the columns; None where no unit is given
    rows: tuple[tuple[object, ...], ...]  # a value for each column, text if it comes from a file
    places: tuple[str, ...]  # of each row, for messages: "points.csv, line 7"
    name = "list"

    def __init__(self, source: str | Path | Iterable[Mapping[str, object]]) -> None:
        given = _of_file(Path(source)) if isinstance(source, str | Path) else _of_mappings(source)
        for field, value in zip(("names", "units", "rows", "places"), given, strict=True):
            object.__setattr__(self, field, value)

    def __str__(self) -> str:
        return f"PointList({len(self.rows)} points of {', '.join(self.names)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PointList) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def count(self, space: Space) -> int:
        """Number of points."""
        return len(self.rows)

    def points(self, space: Space, seed: int = 0) -> Points:
        """The points; StudyError with line and column for a value or a unit that the case's parameter does not have."""
        seeds = "so the space must hold nothing but seeds of runs"
        ensure(not space.varied, f"the values of a list of points come from the list, {seeds}; leave out {', '.join(space.names)}")
        columns = dict(self._columns(space))
        # The space of the points: what the table and the plots know of the parameters.
        of_points = space.with_entries({name: Choices(tuple(dict.fromkeys(values))) for name, values in columns.items()})
        ordered = [columns[name] for name in of_points.names]
        return Points(
            of_points,
            seed,
            len(self.rows),
            lambda first, last: [each[first:last] for each in ordered],
            extremes=(place for values in ordered for place in _extremes(values)),
        )

    def to_json(self) -> dict[str, Any]:
        """The list as plain data, with all its values."""
        rows = [[list(cell) if isinstance(cell, tuple) else cell for cell in row] for row in self.rows]
        return {"sampler": self.name, "names": list(self.names), "units": list(self.units), "rows": rows}

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

    def _columns(self, space: Space) -> Iterator[tuple[str, list[object]]]:
        """Names and values of the columns, each value with the type of its parameter."""
        for place, (name, unit) in enumerate(zip(self.names, self.units, strict=True)):
            setting, _ = space.setting(name)
            right = f"the case's parameter is in {f'[{setting.unit}]' if setting.unit else '[], no unit'}"
            missing = unit is None and setting.unit and any(self.units)
            others = f"{right}: state it, or leave out all units"
            ensure(not missing, f"list of points: the column {name} has no unit, though others have; {others}")
            wrong = unit is not None and unit != setting.unit
            convert = f"{right}; convert the values, and correct the unit"
            ensure(not wrong, f"list of points: the column {name} is in [{unit}], {convert}")
            values = []
            for row, where in zip(self.rows, self.places, strict=True):
                try:
                    values.append(converted(setting, row[place]))
                except CaseError as error:
                    raise StudyError(f"{where}, column {name}: {error}") from None
            yield name, values


def sampler_from_json(data: Mapping[str, Any]) -> Sampler:
    """The sampler that ``to_json`` of a sampler wrote, without its warnings; StudyError for other data."""
    options = dict(data)
    if data.get("sampler") == PointList.name:
        return PointList.from_json(data)
    kind = SAMPLERS.get(options.pop("sampler", ""))
    if kind is None:
        raise StudyError(f"the stored sampler {data.get('sampler')!r} is none that this version of flexmbs knows")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StudyWarning)
            return kind(**options, **({"confirmed": True} if kind is Grid else {}))
    except TypeError as error:
        raise StudyError(f"the stored sampler {dict(data)!r} cannot be read ({error})") from None


def _extremes(values: list[Any]) -> tuple[int, int]:
    """Places of the smallest and the largest number; of the first and last value where not all are numbers."""
    if not all(isinstance(value, int | float) for value in values):
        return 0, len(values) - 1
    return int(np.argmin(values)), int(np.argmax(values))


def _of_file(path: Path) -> tuple[object, ...]:
    """Names, units, rows and places of a CSV file; StudyError with the line for what cannot be a list of points."""
    lines = _lines(path)
    ensure(lines, f"{path}: the file is empty; expected a header of parameter names, and one line for each point")
    (number, header), *rows = lines
    matches = [_NAME_WITH_UNIT.fullmatch(cell) for cell in header]
    names = [match[1] if match else cell for match, cell in zip(matches, header, strict=True)]
    units = [match[2].strip() if match else None for match in matches]
    for place, name in enumerate(names):
        ensure(name, f"{path}, line {number}: column {place + 1} has no name")
        ensure(name not in names[:place], f"{path}, line {number}: two columns are named {name!r}")
    if rows and all(not cell or _UNIT.fullmatch(cell) for cell in rows[0][1]):
        number, cells = rows.pop(0)
        ensure(len(cells) == len(names), f"{path}, line {number}: {len(cells)} units for {len(names)} columns")
        units = [cell[1:-1].strip() if cell else unit for cell, unit in zip(cells, units, strict=True)]
    ensure(rows, f"{path}: there is no point below the header")
    for number, cells in rows:
        right = len(cells) == len(names)
        ensure(right, f"{path}, line {number}: {len(cells)} values for {len(names)} columns ({', '.join(names)})")
    return tuple(names), tuple(units), tuple(tuple(cells) for _, cells in rows), tuple(f"{path}, line {n}" for n, _ in rows)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """(line number, cells) of the lines with content."""
    wrong = path_problem(path)
    ensure(not wrong, f"{path}: {wrong}; expected a CSV file with a header of parameter names")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise StudyError(f"{path}: the file is no text in UTF-8; save it as CSV in UTF-8") from None
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error}") from None
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    separator = next((mark for mark in ";\t" if mark in first), ",")
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        found = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise StudyError(f"{path}, line {reader.line_num}: no CSV: {error}") from None
    return [(number, cells) for number, cells in found if any(cells) and not cells[0].startswith("#")]


def _of_mappings(source: Any) -> tuple[object, ...]:
    """Names, units, rows and places of mappings, or of a pandas table."""
    if hasattr(source, "to_dict"):
        source = source.to_dict("records")
    right = 'a list of points is a CSV file or a list such as [{"length": 0.5}, ...]'
    ensure(isinstance(source, Iterable) and not isinstance(source, Mapping), f"{right}, not {source!r}")
    rows: list[Any] = list(source)
    ensure(rows, "the list of points is empty")
    for place, row in enumerate(rows):
        where = f"list of points, row {place}"
        ensure(isinstance(row, Mapping) and row, f"{where}: expected a mapping parameter -> value, not {row!r}")
        differing, same = sorted(map(str, set(row) ^ set(rows[0]))), f"as row 0 ({', '.join(map(str, rows[0]))})"
        have = f"all rows must have the values of the same parameters {same}; differing: {', '.join(differing)}"
        ensure(not differing, f"{where}: {have}")
    values = tuple(tuple(plain_value(row[name]) for name in rows[0]) for row in rows)
    places = tuple(f"list of points, row {place}" for place in range(len(rows)))
    return tuple(map(str, rows[0])), (None,) * len(rows[0]), values, places
