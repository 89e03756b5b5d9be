"""What the table of a study holds: columns by name, and the runs that its rows are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.evaluation.columns import FIGURE, PARAMETER, Column, Numbers
from flexmbs.study.evaluation.reasons import Reason
from flexmbs.study.evaluation.table_text import table_text

#: Columns that every table has besides its parameters and figures.
RUN_COLUMNS = ("run.index", "run.status", "run.seconds", "run.key")


@dataclass(frozen=True)
class TableData:
    """One row a run, in the order of the points.  What users get is ``StudyTable``, which writes itself too.

    Attributes
    ----------
    columns : name -> column, parameters first
    index : (n,) number of the point in the sample
    keys : (n,) bytes, names of the runs in the store
    finished : (n,) whether the run finished; figures of the others are nan
    seconds : (n,) time that each run took, s
    failed, not_run : number of runs that failed (with or without a row here), and of points without a run
    failures, warnings : what failed and warned runs said, the most frequent first
    left_out : figures without a column, since they are lists, with how to get them
    """

    columns: Mapping[str, Column]
    index: npt.NDArray[np.int64]
    keys: npt.NDArray[np.bytes_]
    finished: npt.NDArray[np.bool_]
    seconds: Numbers
    failed: int = 0
    not_run: int = 0
    failures: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()
    left_out: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, name: str) -> npt.NDArray[np.generic]:
        """(n,) values of a column; KeyError that names similar ones."""
        if name in RUN_COLUMNS:
            return self.run_column(name).values
        try:
            return self.columns[name].values
        except KeyError:
            raise KeyError(f"no column {name!r} in this table. {near_names(name, self.columns)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __str__(self) -> str:
        run = [self.run_column("run.index"), self.run_column("run.status")]
        return table_text([*run, *self.columns.values()], list(self.columns.values()), self.summary)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the varied parameters."""
        return tuple(name for name, column in self.columns.items() if column.role == PARAMETER)

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures that have a column."""
        return tuple(name for name, column in self.columns.items() if column.role == FIGURE)

    @property
    def summary(self) -> str:
        """One line: how many runs finished, failed, are missing."""
        parts = [f"{int(self.finished.sum())} finished runs"]
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.not_run} points not run"] if self.not_run else []
        return ", ".join(parts)

    def column(self, name: str) -> Column:
        """A parameter or figure with its unit; StudyError that names similar ones."""
        try:
            return self.columns[name]
        except KeyError:
            raise StudyError(f"no parameter or figure {name!r} in this study. {near_names(name, self.columns)}") from None

    def numbers(self, name: str) -> Numbers:
        """(n,) values of a column of numbers; StudyError if it holds text."""
        column = self.column(name)
        if column.is_text:
            raise StudyError(f"{name} is text; numbers are needed here")
        return column.values.astype(float, copy=False)

    def select(self, names: Iterable[str] | None = None, rows: npt.ArrayLike | None = None) -> Self:
        """A table with some columns (``names``) and some rows only.

        ``rows``: (n,) mask, or indices of rows: ``table.select(rows=table["length"] > 1.0)``.  ``failed`` and
        ``not_run`` still count the whole study.
        """
        columns = dict(self.columns) if names is None else {name: self.column(name) for name in names}
        if rows is None:
            return replace(self, columns=columns)
        chosen = np.asarray(rows)
        if chosen.dtype == bool and chosen.shape != self.index.shape:
            raise StudyError(f"select: the mask has {chosen.shape} values, but the table {len(self)} rows")
        return replace(
            self,
            columns={name: column.taken(chosen) for name, column in columns.items()},
            index=self.index[chosen],
            keys=self.keys[chosen],
            finished=self.finished[chosen],
            seconds=self.seconds[chosen],
        )

    def run_column(self, name: str) -> Column:
        """One of ``RUN_COLUMNS`` as column."""
        if name == "run.index":
            return Column(name, "", "number of the point", PARAMETER, self.index.astype(float), whole=True)
        if name == "run.seconds":
            return Column(name, "s", "time that the run took", PARAMETER, self.seconds)
        if name == "run.status":
            status = np.array(["failed", "finished"], dtype=object)[self.finished.astype(int)]
            return Column(name, "", "finished or failed", PARAMETER, status)
        keys = np.array([key.decode() for key in self.keys.tolist()], dtype=object)
        return Column("run.key", "", "name of the run in the store", PARAMETER, keys)
