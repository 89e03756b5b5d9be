"""Histories as tables and functions of time, with unit and description of each.

CSV, pandas, xarray, Parquet, NetCDF, MATLAB and universal files.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.progress import on_progress
from flexmbs.common.versions import require
from flexmbs.interop.universal_file import checked_uff_path, header, line, units, write_sets
from flexmbs.result.export.checks import SIZE_LIMIT, check_size, checked_path, chosen_times

if TYPE_CHECKING:
    import pandas
    import xarray

_ROWS = 20_000  # of text at a time, to limit memory
_LONGEST = 63  # characters of a name in MATLAB
_DIGITS = 20.0  # bytes of a number as text
# Kinds of data in data set 58 by their units; 1: general.
_KINDS = {"m": 8, "m/s": 11, "m/s2": 12, "N": 13, "rad": 8, "rad/s": 11, "rad/s2": 12, "N m": 13, "Pa": 2}
_DIRECTIONS = {".x": 1, ".y": 2, ".z": 3}


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


def history_columns(result: Any, names: Sequence[str]) -> list[Column]:
    """The time, then the histories of these names (none: all); FlexmbsError for a name that no file can hold."""
    names = names or result.names
    refuse_unwritable(names, "histories")
    return [Column("t", result.t, "s", "time"), *(Column(n, result[n], result.unit(n), description(n)) for n in names)]


def _checked_path(
    result: Any, path: str | Path, endings: Sequence[str], names: Sequence[str], force: bool, limit: float | None
) -> Path:
    """The path of a table; FlexmbsError for one that cannot be written, or would be too large."""
    names = names or result.names
    path = checked_path(path, endings, force, names)
    size = (8.0 if endings else _DIGITS) * len(result.t) * (1 + len(names))  # of text: any ending
    check_size(path, size, limit, "name fewer histories, or write result.resampled(times)")
    return path


def _checked(
    result: Any, path: str | Path, endings: Sequence[str], names: Sequence[str], *checks: Any
) -> tuple[Path, list[Column]]:
    """Path and columns of a table; else FlexmbsError."""
    return _checked_path(result, path, endings, names, *checks), history_columns(result, names)


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


def to_pandas(self: Any, *names: str) -> pandas.DataFrame:
    """Histories (all, or those named) as a pandas DataFrame: one column per name, indexed by t.

    ``frame.attrs["units"]`` holds the unit of every column and of the index "t".
    """
    import pandas

    time, *columns = history_columns(self, names)
    frame = pandas.DataFrame({column.name: column.values for column in columns}, index=pandas.Index(time.values, name="t"))
    frame.attrs["units"] = {column.name: column.unit for column in (time, *columns)}
    return frame


def to_csv(self: Any, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
    """Write histories (all, or those named) to a CSV file: t first, one row per step, headings "name [unit]".

    Numbers are written with full precision, so that reading them back gives the same values. FlexmbsError if the
    file exists and ``force`` is not set, or would exceed ``size_limit`` (bytes; None: no limit).
    """
    return write_csv(*_checked(self, path, (), names, force, size_limit), force=force)


def to_parquet(self: Any, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
    """Write histories to a Parquet file; its fields have metadata "unit" and "help". Errors as :meth:`to_csv`."""
    require("pyarrow", "a Parquet file")
    path, columns = _checked(self, path, (".parquet",), names, force, size_limit)
    import pyarrow
    from pyarrow import parquet

    arrays = [pyarrow.array(column.values) for column in columns]
    told = [{"unit": column.unit, "help": column.help} for column in columns]
    fields = [pyarrow.field(c.name, values.type, metadata=said) for c, values, said in zip(columns, arrays, told, strict=True)]
    schema = pyarrow.schema(fields, metadata={"source": "flexmbs", "status": self.status})
    with replacing_in_folder(path) as temporary:
        parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), temporary)
    return path


def to_xarray(self: Any, *names: str) -> xarray.Dataset:
    """Histories (all, or those named) as an xarray dataset along "t" with attributes "units" and "long_name"."""
    require("xarray", "an xarray dataset")
    import xarray

    told = {c.name: xarray.Variable(("t",), c.values, {"units": c.unit, "long_name": c.help}) for c in history_columns(self, names)}
    return xarray.Dataset(told, {"t": told.pop("t")}, {"source": "flexmbs", "status": self.status})


def to_netcdf(self: Any, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
    """Write the dataset of :meth:`to_xarray` to a NetCDF 3 file (.nc); errors as :meth:`to_csv`.

    Names are those of the histories with "_" in place of what NetCDF does not allow.
    """
    path = _checked_path(self, path, (".nc",), names, force, size_limit)
    dataset = to_xarray(self, *names)
    known = [str(name) for name in dataset.data_vars]
    for name in known:
        dataset[name].attrs["history"] = name
    plain = dict(zip(known, ("t_" if short == "t" else short for short in valid_names(known)), strict=True))
    with replacing_in_folder(path) as temporary:  # NetCDF 3 with 64-bit offsets, which SciPy writes
        dataset.rename(plain).to_netcdf(temporary, format="NETCDF3_64BIT", engine="scipy")
    return path


def to_mat(self: Any, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
    """Write histories to a MATLAB file (version 5), a column vector each; errors as :meth:`to_csv`.

    Names become valid ones ("hinge.angle" is ``hinge_angle``); the struct ``columns`` has variable, history, unit,
    description of each.
    """
    path, columns = _checked(self, path, (".mat",), names, force, size_limit)
    from scipy.io import savemat

    short = valid_names([column.name for column in columns], taken=("columns",))
    content: dict[str, Any] = {name: np.asarray(column.values)[:, None] for name, column in zip(short, columns, strict=True)}
    rows = zip(*((name, c.name, c.unit, c.help) for name, c in zip(short, columns, strict=True)), strict=True)
    titles = ("variable", "history", "unit", "description")
    content["columns"] = {title: np.array(row, dtype=object)[:, None] for title, row in zip(titles, rows, strict=True)}
    with replacing_in_folder(path) as temporary:
        savemat(temporary, content, long_field_names=True, appendmat=False, do_compression=True)
    return path


@on_progress()
def to_uff(
    self: Any,
    path: str | Path,
    *names: str,
    samples: int = 4096,
    start: float | None = None,
    end: float | None = None,
    force: bool = False,
    size_limit: float | None = SIZE_LIMIT,
) -> Path:
    """Write histories (all, or those named) to a universal file: data sets 58, ``samples`` evenly spaced times.

    Needs pyuff. Modes of a body: :func:`flexmbs.write_uff`. FlexmbsError as :meth:`to_vtkhdf`.
    """
    names = names or self.names
    path = checked_uff_path(path, force, names)
    if not len(self.t) or samples is None or np.ndim(samples) or int(samples) < 2:
        raise FlexmbsError(f"samples is {samples!r}; it must be a whole number of at least 2, spread evenly over time")
    t = chosen_times(self.t, int(samples), start, end)
    check_size(path, _DIGITS * len(t) * len(names), size_limit, f"name fewer histories, or take fewer than {len(t)} samples")
    here = self.resampled(t)
    functions = [_function(name, here[name], self.unit(name), t, number) for number, name in enumerate(names, start=1)]
    write_sets(path, [header("histories"), units(), *functions])
    return path


def _function(name: str, values: np.ndarray, unit: str, t: np.ndarray, number: int) -> dict[str, Any]:
    """Data set 58 of a time response; its full name is in the first line."""
    axes = ("abscissa", "ordinate", "orddenom", "z_axis")
    zeros = [f"{axis}_{kind}_unit_exp" for axis in axes for kind in ("len", "force", "temp")]
    zeros += ["ref_node", "ref_dir", "orddenom_spec_data_type", "z_axis_spec_data_type"]
    texts = {"id1": line(name), "id2": line(description(name)), "id3": "made by flexmbs"}
    nodes = {"rsp_ent_name": "NONE", "rsp_node": number, "rsp_dir": _DIRECTIONS.get(name[-2:], 0), "ref_ent_name": "NONE"}
    spacing = {"num_pts": len(t), "abscissa_spacing": 1, "abscissa_min": t[0], "abscissa_inc": t[1] - t[0]}
    across = {"abscissa_spec_data_type": 17, "abscissa_axis_lab": "Time", "abscissa_axis_units_lab": "s", "x": t}
    up = {"ord_data_type": 4, "ordinate_spec_data_type": _KINDS.get(unit, 1), "ordinate_axis_units_lab": unit}
    up |= {"ordinate_axis_lab": line(name)[:20], "data": np.asarray(values, dtype=float)}
    kind = {"type": 58, "func_type": 1, "func_id": number}
    return {**dict.fromkeys(zeros, 0), **kind, **texts, **nodes, **spacing, **across, **up}


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
