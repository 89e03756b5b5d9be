"""Which columns a plot shows when none, or too many, are named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import few
from flexmbs.study.evaluation.columns import Column
from flexmbs.study.evaluation.table import StudyTable


def varies(column: Column) -> bool:
    """Whether a column has at least two different values."""
    if column.is_text:
        return len(set(column.values) - {""}) > 1
    finite = column.values[np.isfinite(column.values.astype(float, copy=False))]
    return len(finite) > 1 and bool(finite.min() != finite.max())


def chosen_columns(table: StudyTable, names: Sequence[str] | None, most: int) -> tuple[list[str], str]:
    """The columns named, or parameters and figures that vary, and a note about those that are not shown.

    At most ``most`` columns, of which up to half are figures.  StudyError for unknown names, and for too many.
    """
    if names is not None:
        if not names:
            raise StudyError("name at least one column")
        if len(names) > most:
            raise StudyError(f"{len(names)} columns are named; this plot shows at most {most}")
        return [table.column(name).name for name in names], ""
    parameters = [name for name in table.parameters if varies(table.columns[name])]
    figures = [name for name in table.figures if varies(table.columns[name])]
    room = max(most - len(parameters), most // 2)
    shown_figures = figures[:room]
    shown = [*parameters[: most - len(shown_figures)], *shown_figures]
    hidden = [name for name in (*parameters, *figures) if name not in shown]
    if not shown:
        shown = list(table.columns)[:most]
    note = f"not shown: {few(hidden, 4)}" if hidden else ""
    return shown, note


def chosen_response(table: StudyTable, response: str | None) -> str:
    """The figure named, or the first that varies; StudyError if it is text or there is none."""
    if response is not None:
        table.numbers(response)
        return response
    numbers = [name for name in table.figures if not table.columns[name].is_text]
    if not numbers:
        raise StudyError("the runs of this study have no figure that is a number")
    return next((name for name in numbers if varies(table.columns[name])), numbers[0])
