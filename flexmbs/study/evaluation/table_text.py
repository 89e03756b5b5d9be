"""Tables of a study as text for terminals."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.study.evaluation.columns import Column
from flexmbs.study.evaluation.statistics import statistics_of

if TYPE_CHECKING:
    from rich.table import Table

ROWS = 20  # of a longer table that are shown, half of them from its end
WIDTH = 32767  # lines of str() are not broken
STATISTICS = ("values", "missing", "min", "5 %", "median", "95 %", "max", "mean", "std")


def shown(value: object, digits: int = 6) -> str:
    """A value as tables show it."""
    if value is None:
        return "-"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def rows_table(columns: Sequence[Column], rows: int = ROWS) -> Table:
    """The first and last rows as a rich table; a row of dots stands for those between."""
    from rich import box
    from rich.table import Table
    from rich.text import Text  # what stands in brackets would be taken for a style

    table = Table(box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(Text(column.label), justify="left" if column.is_text else "right", no_wrap=True)
    count = len(columns[0].values) if columns else 0
    places = range(count) if count <= rows else [*range(rows - rows // 2), *range(count - rows // 2, count)]
    picked = [column.taken(np.asarray(places, dtype=int)).plain_values() for column in columns]
    for number, cells in enumerate(zip(*picked, strict=True)):
        if count > rows and number == rows - rows // 2:
            table.add_row(*["..."] * len(columns))
        table.add_row(*(Text(shown(cell)) for cell in cells))
    return table


def statistics_table(columns: Sequence[Column]) -> Table:
    """Number of values, quantiles, mean and deviation of each column of numbers, as a rich table."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("", *STATISTICS, box=box.SIMPLE_HEAD)
    for column in table.columns[1:]:
        column.justify = "right"
    labels = {column.name: column.label for column in columns}
    for line in statistics_of(columns):
        numbers = [*line.quantiles, line.mean, line.deviation]
        table.add_row(Text(labels[line.name]), str(line.count), str(line.missing), *map(shown, numbers))
    return table


def table_text(columns: Sequence[Column], counted: Sequence[Column], summary: str) -> str:
    """Rows of ``columns``, statistics of ``counted`` and a summary as plain text."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=WIDTH, no_color=True, force_terminal=False)
    if columns and len(columns[0].values):
        console.print(rows_table(columns))
        console.print(statistics_table(counted))
    console.print(summary, highlight=False)
    stream = console.file
    assert isinstance(stream, io.StringIO)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"
