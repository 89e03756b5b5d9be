"""The table of a study: one row for each run, one column for each varied parameter and each figure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flexmbs.study.evaluation.export import export
from flexmbs.study.evaluation.frames import to_pandas, to_xarray
from flexmbs.study.evaluation.table_data import TableData

if TYPE_CHECKING:
    import pandas
    import xarray


@dataclass(frozen=True)
class StudyTable(TableData):
    """One row a run, in the order of the points.

    ``table["peak_force"]`` is a column as array; ``len(table)`` the number of rows; ``str(table)`` shows its first and
    last rows, and its statistics.  Attributes: see ``TableData``.
    """

    def export(self, path: str | Path) -> None:
        """Write the table in the format of the file's ending: .csv, .jsonl or .parquet.

        Rows as in the table, with the columns run.index, run.status, run.seconds and run.key before its own; units in
        the header of CSV ("length [m]") and in the metadata of Parquet.  Numbers keep every digit.  StudyError for
        another ending and for a library that is missing, FlexmbsError if the file cannot be written.
        """
        export(self, path)

    def to_pandas(self) -> pandas.DataFrame:
        """One row a run, with the point's number as index "run".

        Columns: parameters, figures, run.status, run.seconds, run.key; ``frame.attrs["units"]``: column -> unit.
        Text as categories.  Whole numbers are int64 if each run has one.  StudyError if pandas is missing.
        """
        return to_pandas(self)

    def to_xarray(self, grid: bool | None = None) -> xarray.Dataset:
        """Dataset with units as attribute "units".

        grid : True: each parameter is a dimension, with its values as coordinates; figures are nan where there is no
            finished run.  False: one dimension "run", with the parameters as coordinates.  None: a grid if the points
            are one, each combination of values once.

        StudyError if xarray is missing, and with grid=True if a combination occurs twice or most do not occur.
        """
        return to_xarray(self, grid)
