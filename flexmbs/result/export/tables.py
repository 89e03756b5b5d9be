"""Histories as tables: CSV, pandas, xarray, Parquet and MATLAB files, with unit and description of every column."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.versions import require
from flexmbs.result.export.checks import check_size, checked_path

if TYPE_CHECKING:
    import xarray


_REMEDY = "name fewer histories, or write result.resampled(times)"
_ROWS = 20_000  # of text at a time, to limit memory
_LONGEST = 63  # characters of a name in MATLAB


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table: name, values (k,), unit ("" without one), and what it is in words."""

    name: str
    values: np.ndarray
    unit: str = ""
    help: str = ""

    @property
    def label(self) -> str:
        """The heading: "name [unit]"."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


class Histories(Protocol):
    """What has histories by name (a result)."""

    @property
    def t(self) -> np.ndarray: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def status(self) -> str: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def unit(self, name: str) -> str: ...


def history_columns(result: Histories, names: Sequence[str]) -> list[Column]:
    """The time, then the histories of these names (none: all); FlexmbsError for a name that no file can hold."""
    refuse_unwritable(names or result.names, "histories")
    found = [Column("t", result.t, "s", "time")]
    for name in names or result.names:
        found.append(Column(name, result[name], result.unit(name), description(name)))
    return found


def write_csv(path: str | Path, columns: Sequence[Column], *, force: bool = False) -> Path:
    """Write columns with headings "name [unit]"; numbers keep all their digits."""
    path = Path(path)
    refuse_existing(path, force)
    with replacing_in_folder(path) as temporary, temporary.open("x", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([column.label for column in columns])
        for first in range(0, len(columns[0].values), _ROWS):
            rows = (column.values[first : first + _ROWS].tolist() for column in columns)
            writer.writerows(zip(*rows, strict=True))
    return path


def histories_to_csv(result: Histories, path: str | Path, names: Sequence[str], *, force: bool, size_limit) -> Path:
    """``Result.to_csv``."""
    path = checked_path(path, (), force, names or result.names)
    check_size(path, 20.0 * len(result.t) * (1 + len(names or result.names)), size_limit, _REMEDY)
    return write_csv(path, history_columns(result, names), force=force)


def histories_to_parquet(result: Histories, path: str | Path, names: Sequence[str], *, force: bool, size_limit) -> Path:
    """``Result.to_parquet``: units and descriptions as metadata of the fields ("unit", "help")."""
    require("pyarrow", "a Parquet file")
    path = checked_path(path, (".parquet",), force, names or result.names)
    _check_numbers(result, path, names, size_limit)
    import pyarrow
    from pyarrow import parquet

    columns = history_columns(result, names)
    fields = [
        pyarrow.field(
            column.name, pyarrow.from_numpy_dtype(column.values.dtype), metadata={"unit": column.unit, "help": column.help}
        )
        for column in columns
    ]
    table = pyarrow.Table.from_arrays(
        [pyarrow.array(column.values) for column in columns],
        schema=pyarrow.schema(fields, metadata={"source": "flexmbs", "status": result.status}),
    )
    with replacing_in_folder(path) as temporary:
        parquet.write_table(table, temporary)
    return path


def histories_to_xarray(result: Histories, names: Sequence[str]) -> xarray.Dataset:
    """``Result.to_xarray``: attributes "units" and "long_name" of every variable, as in the CF conventions."""
    require("xarray", "an xarray dataset")
    import xarray

    time, *columns = history_columns(result, names)
    variables = {
        column.name: xarray.Variable(("t",), column.values, {"units": column.unit, "long_name": column.help}) for column in columns
    }
    axis = xarray.Variable(("t",), time.values, {"units": "s", "long_name": "time"})
    return xarray.Dataset(variables, {"t": axis}, {"source": "flexmbs", "status": result.status})


def histories_to_netcdf(result: Histories, path: str | Path, names: Sequence[str], *, force: bool, size_limit) -> Path:
    """The dataset of :func:`histories_to_xarray` as a NetCDF 3 file (64-bit offsets), which SciPy writes.

    Names are those of the histories with "_" in place of what NetCDF does not allow.
    """
    path = checked_path(path, (".nc",), force, names or result.names)
    _check_numbers(result, path, names, size_limit)
    dataset = histories_to_xarray(result, names)
    plain = dict(zip(dataset.data_vars, valid_names([str(name) for name in dataset.data_vars]), strict=True))
    for name, short in plain.items():
        dataset[name].attrs["history"] = str(name)
        if short == "t":
            plain[name] = "t_"
    with replacing_in_folder(path) as temporary:
        dataset.rename(plain).to_netcdf(temporary, format="NETCDF3_64BIT", engine="scipy")
    return path


def histories_to_mat(result: Histories, path: str | Path, names: Sequence[str], *, force: bool, size_limit) -> Path:
    """``Result.to_mat``: one column vector for each history under a valid name, and the table ``columns``."""
    path = checked_path(path, (".mat",), force, names or result.names)
    _check_numbers(result, path, names, size_limit)
    from scipy.io import savemat

    columns = history_columns(result, names)
    short = valid_names([column.name for column in columns], taken=("columns",))
    content: dict[str, Any] = {name: np.asarray(column.values)[:, None] for name, column in zip(short, columns, strict=True)}
    content["columns"] = {
        "variable": np.array(short, dtype=object)[:, None],
        "history": np.array([column.name for column in columns], dtype=object)[:, None],
        "unit": np.array([column.unit for column in columns], dtype=object)[:, None],
        "description": np.array([column.help for column in columns], dtype=object)[:, None],
    }
    with replacing_in_folder(path) as temporary:
        savemat(temporary, content, long_field_names=True, appendmat=False, do_compression=True)
    return path


def valid_names(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Each name as letters, digits and "_", starting with a letter, at most 63 long, each only once."""
    used, found = {name.lower() for name in taken}, []
    for name in names:
        short = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "x"
        short = (short if short[0].isalpha() else "x" + short)[:_LONGEST]
        number, base = 1, short
        while short.lower() in used:
            number += 1
            short = f"{base[: _LONGEST - 1 - len(str(number))]}_{number}"
        used.add(short.lower())
        found.append(short)
    return found


def _check_numbers(result: Histories, path: Path, names: Sequence[str], limit: float | None) -> None:
    check_size(path, 8.0 * len(result.t) * (1 + len(names or result.names)), limit, _REMEDY)


_AXES = r"\.(?P<axis>[xyz])$"
# In order: the first that fits is taken; {b}: what stands before, {axis}: x, y or z.
_PATTERNS = (
    (r"^energy\.(?P<b>.+)$", "energy of the mechanism: {b}"),
    (r"^constraint_error$", "largest error of all constraints that close loops"),
    (r"^(?P<b>.+)\.reaction\.force" + _AXES, "force of joint {b} on its second body, {axis} of the world"),
    (r"^(?P<b>.+)\.reaction\.moment" + _AXES, "moment of joint {b} on its second body, {axis} of the world"),
    (r"^(?P<b>.+)\.driving_force$", "force or moment that drives {b}"),
    (r"^(?P<b>.+)\.displacement" + _AXES, "displacement of {b} by deformation, {axis} of its body"),
    (r"^(?P<b>.+)\.position" + _AXES, "position of {b}, {axis} of the world"),
    (r"^(?P<b>.+)\.velocity" + _AXES, "velocity of {b}, {axis} of the world"),
    (r"^(?P<b>.+)\.omega" + _AXES, "angular velocity of {b}, {axis}"),
    (r"^(?P<b>.+)\.alpha" + _AXES, "angular acceleration of {b}, {axis}"),
    (r"^(?P<b>.+)\.point" + _AXES, "point of contact {b}, {axis} of the world"),
    (r"^(?P<b>.+)\.gap$", "gap of contact {b}, negative inside"),
    (r"^(?P<b>.+)\.friction$", "friction force of {b}"),
    (r"^(?P<b>.+)\.slip$", "speed of sliding of contact {b}"),
    (r"^(?P<b>.+)\.force$", "force of {b}"),
    (r"^(?P<b>.+)\.work$", "work of {b} since the start"),
    (r"^(?P<b>.+)\.loss$", "energy lost in {b} since the start"),
    (r"^(?P<b>.+)\.acceleration$", "acceleration of {b}"),
    (r"^(?P<b>.+)\.rate$", "rate of {b}"),
)
_COMPILED = tuple((re.compile(pattern), text) for pattern, text in _PATTERNS)


def description(name: str) -> str:
    """A short description of the history of this name; the name itself where nothing more is known."""
    for pattern, text in _COMPILED:
        match = pattern.match(name)
        if match:
            return text.format(**match.groupdict())
    return name
