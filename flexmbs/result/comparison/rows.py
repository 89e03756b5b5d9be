"""Rows of the tables of a comparison: values of all runs, and how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.common.quantities import aligned

_MISSING = object()
DIGITS = 7


@dataclass(frozen=True)
class Row:
    """A value of each run under one name.

    ``difference``: largest distance from the value of the first run, relative to it; None where there is none (texts,
    lists, missing values, a first value of zero). ``values`` of runs that have none are None.
    """

    name: str
    values: tuple[Any, ...]
    difference: float | None
    differs: bool


def rows_of(parts: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    """A row for each name of any of the ``parts``, in the order of the first ones."""
    names = dict.fromkeys(name for part in parts for name in part)
    return tuple(_row(name, [part.get(name, _MISSING) for part in parts]) for name in names)


def _row(name: str, values: list[Any]) -> Row:
    plain = tuple(None if value is _MISSING else value for value in values)
    differs = any(value is _MISSING for value in values) or any(value != values[0] for value in values[1:])
    return Row(name, plain, _difference(plain), differs)


def _difference(values: Sequence[Any]) -> float | None:
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < len(values) or not all(map(math.isfinite, numbers)):
        return None
    largest = max((abs(number - numbers[0]) for number in numbers[1:]), default=0.0)
    if largest == 0.0:
        return 0.0
    return largest / abs(numbers[0]) if numbers[0] else None


def text_table(title: str, labels: Sequence[str], rows: Sequence[Row], *, last: str = "difference") -> str:
    """A table of plain text; empty without rows."""
    if not rows:
        return ""
    cells = [["", *labels, last]]
    for row in rows:
        difference = "" if row.difference is None else "0" if row.difference == 0.0 else f"{row.difference:.2g}"
        cells.append([row.name, *(shown(value) for value in row.values), difference])
    return "\n".join([title, *aligned(cells, range(1, len(cells[0])))])


def shown(value: Any) -> str:
    """A value in a table: seven digits, the first numbers of lists."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(shown(item) for item in value[:3]) + (", ..." if len(value) > 3 else "") + "]"
    return str(value)
