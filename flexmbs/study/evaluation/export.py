"""Tables of a study as files: CSV, JSON lines, Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import StudyError
from flexmbs.common.versions import require
from flexmbs.study.evaluation.columns import Column
from flexmbs.study.evaluation.table_data import RUN_COLUMNS, TableData

ROWS_AT_A_TIME = 20000  # as Python objects, to limit memory


def export(table: TableData, path: str | Path) -> None:
    """Write a table in the format of the file's ending: ``StudyTable.export``."""
    path = Path(path)
    if path.suffix.lower() not in WRITERS:
        raise StudyError(f"{path}: the ending must be {', '.join(list(WRITERS)[:-1])} or {list(WRITERS)[-1]}")
    write = WRITERS[path.suffix.lower()]
    if path.suffix.lower() == ".parquet":
        require("pyarrow", "a Parquet file", StudyError, "studies")
    with replacing_in_folder(path) as temporary:
        write(table, temporary)


def all_columns(table: TableData) -> list[Column]:
    """Columns of the runs, of the parameters and of the figures."""
    return [*(table.run_column(name) for name in RUN_COLUMNS), *table.columns.values()]


def _write_csv(table: TableData, path: Path) -> None:
    """Units in the header: "length [m]"; an empty field where there is no value."""
    columns = all_columns(table)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([column.label for column in columns])
        for rows in _rows(columns, len(table)):
            writer.writerows(rows)


def _write_json_lines(table: TableData, path: Path) -> None:
    """One object a line; null where there is no value, "inf" and "-inf" as text, since JSON has no such numbers."""
    columns = all_columns(table)
    names = [column.name for column in columns]
    infinite = {float("inf"): "inf", float("-inf"): "-inf"}
    with path.open("w", encoding="utf-8") as file:
        for rows in _rows(columns, len(table)):
            for row in rows:
                plain = [infinite.get(value, value) if isinstance(value, float) else value for value in row]
                file.write(json.dumps(dict(zip(names, plain, strict=True)), allow_nan=False) + "\n")


def _write_parquet(table: TableData, path: Path) -> None:
    """Units and descriptions as metadata of the fields ("unit", "help")."""
    import pyarrow
    from pyarrow import parquet

    columns = all_columns(table)
    fields, arrays = [], []
    for column in columns:
        array = _arrow_array(column)
        arrays.append(array)
        fields.append(pyarrow.field(column.name, array.type, metadata={"unit": column.unit, "help": column.help}))
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields)), path)


def _arrow_array(column: Column):  # type: ignore[no-untyped-def]
    """Whole numbers as int64, other numbers as float64, text as text; null where there is no value."""
    import pyarrow

    if column.is_text:
        return pyarrow.array(column.plain_values(), type=pyarrow.string())
    values = column.values.astype(float, copy=False)
    missing = np.isnan(values)
    if column.whole:
        return pyarrow.array(np.where(missing, 0.0, values).astype(np.int64), mask=missing)
    return pyarrow.array(values, mask=missing)


def _rows(columns: list[Column], count: int) -> Iterator[list[tuple[object, ...]]]:
    """The rows as Python values, some thousand at a time."""
    for begin in range(0, count, ROWS_AT_A_TIME):
        part = np.arange(begin, min(begin + ROWS_AT_A_TIME, count))
        yield list(zip(*(column.taken(part).plain_values() for column in columns), strict=True))


WRITERS: dict[str, Callable[[TableData, Path], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".parquet": _write_parquet,
}
