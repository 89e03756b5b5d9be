"""Reading lists of points from CSV files."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import StudyError

# "length [m]": a unit behind the name; "axis[1]" has none.
_NAME_WITH_UNIT = re.compile(r"(.*\S)\s+\[(.*)\]")
_UNIT = re.compile(r"\[(.*)\]")


@dataclass(frozen=True)
class PointRows:
    """A list of points as it was given.

    Attributes
    ----------
    names : of the columns
    units : of the columns; None where none is given
    rows : a value for each column, text if it comes from a file
    places : of each row, for messages: "line 7", "row 3"
    """

    names: tuple[str, ...]
    units: tuple[str | None, ...]
    rows: tuple[tuple[object, ...], ...]
    places: tuple[str, ...]


def read_point_file(path: str | Path) -> PointRows:
    """The points of a CSV file: a header of parameter names, optionally a row of units such as "[m]", then the values.

    Units may also stand in the header, "length [m]". Separated by commas, semicolons or tabs; empty lines and lines
    that begin with # are skipped. Raises StudyError with the line for everything that cannot be a list of points.
    """
    lines = _lines(Path(path))
    if not lines:
        raise StudyError(f"{path}: the file is empty; expected a header of parameter names, and one line for each point")
    (number, header), *rows = lines
    names, units = _names_and_units(header)
    _check_header(f"{path}, line {number}", names)
    if rows and _is_unit_row(rows[0][1]):
        units = _units_of_row(f"{path}, line {rows[0][0]}", rows[0][1], units)
        rows = rows[1:]
    if not rows:
        raise StudyError(f"{path}: there is no point below the header")
    for number, row in rows:
        if len(row) != len(names):
            raise StudyError(f"{path}, line {number}: {len(row)} values for {len(names)} columns ({', '.join(names)})")
    places = tuple(f"{path}, line {number}" for number, _ in rows)
    return PointRows(names, units, tuple(tuple(row) for _, row in rows), places)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """(line number, cells) of the lines with content."""
    wrong = path_problem(path)
    if wrong:
        raise StudyError(f"{path}: {wrong}; expected a CSV file with a header of parameter names")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise StudyError(f"{path}: the file is no text in UTF-8; save it as CSV in UTF-8") from None
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error}") from None
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    separator = next((mark for mark in ";\t" if mark in first), ",")
    found = []
    try:
        reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, skipinitialspace=True, strict=True)
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells) and not cells[0].startswith("#"):
                found.append((reader.line_num, cells))
    except csv.Error as error:
        raise StudyError(f"{path}, line {reader.line_num}: no CSV: {error}") from None
    return found


def _names_and_units(header: list[str]) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    matches = [_NAME_WITH_UNIT.fullmatch(cell) for cell in header]
    names = tuple(match[1] if match else cell for match, cell in zip(matches, header, strict=True))
    return names, tuple(match[2].strip() if match else None for match in matches)


def _check_header(where: str, names: tuple[str, ...]) -> None:
    for place, name in enumerate(names):
        if not name:
            raise StudyError(f"{where}: column {place + 1} has no name")
        if name in names[:place]:
            raise StudyError(f"{where}: two columns are named {name!r}")


def _is_unit_row(row: list[str]) -> bool:
    return all(not cell or _UNIT.fullmatch(cell) for cell in row) and any(row)


def _units_of_row(where: str, row: list[str], in_header: tuple[str | None, ...]) -> tuple[str | None, ...]:
    if len(row) != len(in_header):
        raise StudyError(f"{where}: {len(row)} units for {len(in_header)} columns")
    return tuple(cell[1:-1].strip() if cell else unit for cell, unit in zip(row, in_header, strict=True))
