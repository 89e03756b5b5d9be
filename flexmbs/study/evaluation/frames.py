"""Tables of a study as pandas DataFrame and xarray Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.versions import require
from flexmbs.study.evaluation.table_data import TableData

if TYPE_CHECKING:
    import pandas
    import xarray


def to_pandas(table: TableData) -> pandas.DataFrame:
    """``StudyTable.to_pandas``."""
    require("pandas", "a pandas table", StudyError, "studies")
    import pandas

    extra = [table.run_column(name) for name in ("run.status", "run.seconds", "run.key")]
    data: dict[str, Any] = {}
    for column in [*table.columns.values(), *extra]:
        if column.is_text:
            repeats = column.name != "run.key"
            texts = pandas.Series(column.plain_values(), dtype=object)
            data[column.name] = pandas.Categorical(texts) if repeats else texts.to_numpy()
        else:
            values = column.values
            data[column.name] = values.astype(np.int64) if column.whole and np.isfinite(values).all() else values
    frame = pandas.DataFrame(data, index=pandas.Index(table.index, name="run"))
    frame.attrs["units"] = {column.name: column.unit for column in [*table.columns.values(), *extra]}
    return frame


def to_xarray(table: TableData, grid: bool | None = None) -> xarray.Dataset:
    """``StudyTable.to_xarray``."""
    require("xarray", "an xarray dataset", StudyError, "studies")
    levels = {name: np.unique(table[name]) for name in table.parameters}
    if grid is None:
        grid = bool(levels) and prod(map(len, levels.values())) == len(table) and _once(table, levels)
    return _on_grid(table, levels) if grid else _along_runs(table)


def _along_runs(table: TableData) -> xarray.Dataset:
    import xarray

    def variable(name: str) -> xarray.Variable:
        column = table.column(name)
        return xarray.Variable(("run",), _plain(column.values), {"units": column.unit, "long_name": column.help})

    coordinates: dict[str, Any] = {name: variable(name) for name in table.parameters}
    coordinates["run"] = table.index
    return xarray.Dataset({name: variable(name) for name in table.figures}, coordinates)


def _on_grid(table: TableData, levels: dict[str, npt.NDArray[np.generic]]) -> xarray.Dataset:
    import xarray

    shape = tuple(len(values) for values in levels.values())
    if not levels or prod(shape) > 1000 + 10 * len(table) or not _once(table, levels):
        raise StudyError(
            f"the {len(table)} runs are no grid of {' x '.join(map(str, shape))} values, each combination once; "
            f"grid=False gives a dataset along the runs"
        )
    places = _places(table, levels)
    variables: dict[str, xarray.Variable] = {}
    for name in table.figures:
        column = table.column(name)
        empty: object = "" if column.is_text else np.nan
        values = np.full(shape, empty, dtype=object if column.is_text else float)
        values[places] = column.values
        attributes = {"units": column.unit, "long_name": column.help}
        variables[name] = xarray.Variable(tuple(levels), _plain(values), attributes)
    coordinates = {}
    for name, values in levels.items():
        column = table.column(name)
        attributes = {"units": column.unit, "long_name": column.help}
        coordinates[name] = xarray.Variable((name,), _plain(values), attributes)
    return xarray.Dataset(variables, coordinates)


def _places(table: TableData, levels: dict[str, npt.NDArray[np.generic]]) -> tuple[npt.NDArray[np.intp], ...]:
    return tuple(np.searchsorted(values, table[name]) for name, values in levels.items())


def _once(table: TableData, levels: dict[str, npt.NDArray[np.generic]]) -> bool:
    """Whether no combination of values occurs twice."""
    shape: Sequence[int] = [len(values) for values in levels.values()]
    if prod(shape) >= 2**62:
        return False
    flat = np.ravel_multi_index(_places(table, levels), tuple(shape))
    return len(np.unique(flat)) == len(flat)


def _plain(values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Text as NumPy text, which files of xarray can hold; numbers as they are."""
    return values.astype(str) if values.dtype == object else values
