"""The table of a study: a pandas DataFrame with a row for each run, its statistics, and its files."""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.names_in_messages import few, near_names
from flexmbs.common.user_warnings import warn
from flexmbs.common.versions import require
from flexmbs.study.checks import ensure
from flexmbs.study.run_record import FAILED, FINISHED, RunRecord

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Row = tuple[int, Mapping[str, object], RunRecord | None]
Numbers = npt.NDArray[np.float64]
STATUS = ("run.number", "run.status", "run.reason", "run.seconds")
COMPONENT = re.compile(r"^(.*)\[(\d+)\]$")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
HUGE = 1e305  # differences of larger numbers are infinite
LONGEST_LIST, MOST_MESSAGES = 100, 200  # values of a list that become columns; different messages that are kept apart
ROWS_AT_A_TIME = 16384  # whose keys, or values for JSON, are Python objects at the same time
EXACT_WHOLE = 2**53  # float64 holds each whole number up to here
VALIDITY = "deformation_error"  # a statistic that has a column, as a figure: how wrong modal bodies are that bend far
PLAIN = {float, int, bool, str, type(None)}
FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets take for the beginning of a formula


def collect(
    rows: Iterable[Row],
    parameters: Mapping[str, tuple[str, str]],
    figures: Collection[str] = (),
    *,
    on_error: str = "nan",
    units: Mapping[str, str] | None = None,
    lists: Collection[str] = (),
) -> DataFrame:
    """The table of a study, as ``Study.table`` says.

    ``rows``: (number of the point, its values, its record or None if it has not been run), in any order; ``parameters``:
    varied parameter -> (unit, help), a component of a list as "axis[1]"; ``units``: figure -> unit (``Case.units``).
    """
    require("pandas", "the table of a study", StudyError, "studies")
    from pandas import CategoricalDtype, DataFrame, Index, Series, concat

    ensure(on_error in ("nan", "skip"), f"on_error={on_error!r}; it must be 'nan' or 'skip'")
    columns, found = {name: _Column() for name in (*parameters, *STATUS)}, dict[str, str]()  # found: column -> figure
    new_keys, keys = list[str](), list[Series]()
    reasons, warnings, warned = dict[str, str](), dict[str, str](), dict[str, list[int]]()
    left_out, units, count, failed, not_run = dict[str, None](), units or {}, 0, 0, 0
    for number, values, record in rows:
        if record is None:
            not_run += 1
            continue
        for text in {_alike(text, warnings) for text in record.warnings}:
            times, first = warned.get(text, (0, number))
            warned[text] = [times + 1, min(first, number)]
        row = {name: _value_of(values, name) for name in parameters}
        row |= {"run.number": number, "run.status": record.status, "run.seconds": record.seconds}
        if record.status == FINISHED:
            for figure, value in _without_lists(record, lists, left_out).items():
                name = f"figures.{figure}" if figure in parameters or figure.startswith("run.") else figure
                row[name] = value
                if name not in columns:
                    columns[name], found[name] = _Column(count), figure
        else:
            failed += 1
            if on_error == "skip":
                continue
            failure = record.failure
            row["run.reason"] = _alike(f"{failure.kind}: {failure.message}" if failure else "unknown", reasons)
        for name, growing in columns.items():
            growing.append(row.get(name))
        count += 1
        new_keys.append(record.key)
        if len(new_keys) == ROWS_AT_A_TIME:
            keys.append(Series(new_keys, dtype="str"))
            new_keys = []
    _check_names(found, left_out, lists, units)
    wanted = list(dict.fromkeys(figures or found))
    if missing := [name for name in wanted if found and name not in found]:
        raise StudyError(f"no figure {missing[0]!r} in this study. {near_names(missing[0], found)}")
    index = Index(columns.pop("run.number").values(), np.int64, name="run")
    data = {name: columns.pop(name).values() if name in columns else np.nan for name in (*parameters, *wanted, *STATUS[1:])}
    data["run.key"] = concat([*keys, Series(new_keys, dtype="str")], ignore_index=True).array
    table = DataFrame(data, index, copy=False)
    table = table.astype({"run.status": CategoricalDtype([FAILED, FINISHED]), "run.reason": "category"})
    if not index.is_monotonic_increasing:
        table = table.sort_index(kind="stable")
    unit_of = {name: unit for name, (unit, _) in parameters.items()} | {"run.seconds": "s"}
    for name in wanted:
        figure = found.get(name, name)
        unit_of[name] = units.get(figure, units.get(figure.partition("[")[0], ""))
    table.attrs = {
        "parameters": list(parameters),
        "figures": wanted,
        "units": unit_of,
        "helps": {name: text for name, (_, text) in parameters.items()},
        "failed": failed,
        "not_run": not_run,
        "warnings": [[text, *warned[text]] for text in sorted(warned, key=lambda text: -warned[text][0])],
        "left_out": list(left_out),
    }
    return table


def _check_names(found: Mapping[str, str], left_out: Collection[str], lists: Collection[str], units: Collection[str]) -> None:
    """Lists that were asked for and units that were stated, but that no run has returned."""
    known = {*found.values(), *left_out, *(base[1] for name in found if (base := COMPONENT.match(name)))}
    if missing := [name for name in lists if known and name not in known - {*left_out}]:
        raise StudyError(f"no run has returned a list {missing[0]!r}. {near_names(missing[0], left_out or found)}")
    if known and (unknown := [name for name in units if name not in known]):
        warn(f"UNITS of the case names figures that no run has returned: {few(unknown)}", StudyWarning)


class _Column:
    """A column that grows by a value for each run: 8 bytes a number (true is 1), or 4 bytes a text."""

    def __init__(self, rows_before: int = 0) -> None:
        self._numbers, self._whole = array("d", [math.nan]) * rows_before, True
        self._codes: array[int] | None = None
        self._texts: dict[str, int] = {}

    def append(self, value: object) -> None:
        if self._codes is not None:
            self._codes.append(-1 if value is None else self._texts.setdefault(str(value), len(self._texts)))
        elif isinstance(value, float):
            self._whole = False
            self._numbers.append(value)
        elif value is None:
            self._numbers.append(math.nan)
        elif isinstance(value, int) and abs(value) <= EXACT_WHOLE:
            self._numbers.append(value)
        else:  # text, or a whole number that float64 does not hold: what is there becomes text
            numbers, self._numbers, self._codes = self._numbers, array("d"), array("i")
            for number in (*numbers, value):
                missing, whole = number != number, self._whole and isinstance(number, float)
                self.append(None if missing else int(number) if whole else number)  # type: ignore[call-overload]

    def values(self) -> object:
        """(n,) float64, int64 if all are whole numbers, or categories; shares memory with this column."""
        from pandas import Categorical

        if self._codes is not None:
            return Categorical.from_codes(np.frombuffer(self._codes, np.intc), list(self._texts))
        numbers = np.frombuffer(self._numbers) if self._numbers else np.empty(0)
        return numbers.astype(np.int64) if self._whole and np.isfinite(numbers).all() else numbers


def _alike(text: str, known: dict[str, str]) -> str:
    """The first of the messages that differ from this one in their numbers only; memory stays bounded."""
    same = NUMBER.sub("#", text)
    if same not in known and len(known) >= MOST_MESSAGES:
        return "other messages"
    return known.setdefault(same, text)


def _value_of(values: Mapping[str, object], name: str) -> object:
    """Value of a parameter or of a component of one; a list as a whole as text."""
    found = None if name in values else COMPONENT.match(name)
    value = values.get(found[1] if found else name)
    if not isinstance(value, list | tuple):
        return value
    return value[int(found[2])] if found else " ".join(map(str, value))


def _without_lists(record: RunRecord, lists: Collection[str], left_out: dict[str, None]) -> Mapping[str, object]:
    """Figures of a run by name; those that are lists only if they are asked for, one by one."""
    figures = record.figures if VALIDITY not in record.stats else {VALIDITY: record.stats[VALIDITY], **record.figures}
    if PLAIN.issuperset(map(type, figures.values())):
        return figures
    flat = dict[str, object]()
    for name, value in figures.items():
        if type(value) in PLAIN:
            flat[name] = value
        elif isinstance(value, Mapping) or name not in lists:
            left_out[name] = None
        else:
            parts = np.array(value or [None], dtype=object).ravel()[:LONGEST_LIST]
            flat |= {f"{name}[{place}]": part for place, part in enumerate(parts)}
    return flat


def named(table: DataFrame, role: str) -> list[str]:
    """Names of the "parameters" or "figures" that this table has as columns."""
    return [name for name in table.attrs.get(role, ()) if name in table]


def column(table: DataFrame, name: str) -> Series:
    """A parameter or figure; StudyError that names similar ones."""
    known = [*named(table, "parameters"), *named(table, "figures")]
    ensure(name in table, f"no parameter or figure {name!r} in this study. {near_names(name, known)}")
    return table[name]


def is_text(values: Series) -> bool:
    """Whether a column holds text."""
    return values.dtype.kind not in "iuf"


def numbers(table: DataFrame, name: str) -> Numbers:
    """(n,) values of a column, nan where there is no finite one (or one beyond 1e305); StudyError if it holds text."""
    values = column(table, name)
    ensure(not is_text(values), f"{name} is text; numbers are needed here")
    found = values.to_numpy(dtype=float)
    return np.where(np.abs(found) < HUGE, found, np.nan)


def label(table: DataFrame, name: str) -> str:
    """Name and unit, as at axes and in the header of files: "length [m]"."""
    unit = table.attrs.get("units", {}).get(name)
    return f"{name} [{unit}]" if unit else name


def finished(table: DataFrame) -> npt.NDArray[np.bool_]:
    """(n,) whether a run finished."""
    return (table["run.status"] == FINISHED).to_numpy()


def summary(table: DataFrame) -> str:
    """One line: how many runs finished, failed, are missing."""
    counts = ((table.attrs["failed"], "failed"), (table.attrs["not_run"], "points not run"))
    return ", ".join([f"{int(finished(table).sum())} finished runs", *(f"{count} {what}" for count, what in counts if count)])


def statistics(table: DataFrame) -> DataFrame:
    """Number of finite values, quantiles, mean and deviation: a row for each column of numbers."""
    chosen = [name for role in ("parameters", "figures") for name in named(table, role) if not is_text(table[name])]
    if not chosen or not len(table):
        return table.iloc[:0, :0]
    with np.errstate(over="ignore"):  # the deviation of huge values is infinite
        found = table[chosen].astype(float).replace([np.inf, -np.inf], np.nan).describe(percentiles=[0.05, 0.5, 0.95]).T
    found.insert(1, "missing", len(table) - found["count"])
    found = found.astype({"count": int, "missing": int}).rename(index=lambda name: label(table, name), columns={"50%": "median"})
    return found[["count", "missing", "min", "5%", "median", "95%", "max", "mean", "std"]]


def table_text(table: DataFrame) -> str:
    """The first and last rows, statistics of the columns, and how many runs finished, for terminals."""
    shown = table.drop(columns="run.key").rename(columns=lambda name: label(table, name))
    parts = [shown, statistics(table)] if len(table) else []
    texts = [part.to_string(max_rows=20, max_colwidth=40, na_rep="-", float_format="{:.6g}".format) for part in parts if part.size]
    return "\n\n".join([*texts, summary(table)])


def export(table: DataFrame, path: Path) -> None:
    """Write a table in the format of the file's ending: .csv, .jsonl or .parquet; numbers keep every digit.

    CSV has the units in its header ("length [m]") and empty fields where there is no value; an apostrophe goes before
    texts that spreadsheets would take for formulas (beginning with = + - @, tab or carriage return, and no numbers).
    JSON lines have null where there is no value and "inf" as text; Parquet has ``table.attrs`` in its metadata.
    StudyError for another ending and without pyarrow, FlexmbsError if the file cannot be written.
    """
    kind = path.suffix.lower()
    ensure(kind in (".csv", ".jsonl", ".parquet"), f"{path}: the ending must be .csv, .jsonl or .parquet")
    if kind == ".parquet":
        require("pyarrow", "a Parquet file", StudyError, "studies")
    with replacing_in_folder(path) as temporary:
        if kind == ".csv":
            _for_spreadsheets(table).to_csv(temporary, lineterminator="\r\n")
        elif kind == ".parquet":
            table.to_parquet(temporary)
        else:
            _write_json_lines(table, temporary)


def _for_spreadsheets(table: DataFrame) -> DataFrame:
    def harmless(text: str) -> str:
        return f"'{text}" if text.startswith(FORMULAS) and not NUMBER.fullmatch(text) else text

    changed = {name: table[name].map(harmless, na_action="ignore") for name in table if is_text(table[name])}
    return table.assign(**changed).rename(columns=lambda name: harmless(label(table, name)))


def _write_json_lines(table: DataFrame, path: Path) -> None:
    """By json, since ``DataFrame.to_json`` rounds to 15 digits."""
    infinite = {math.inf: "inf", -math.inf: "-inf"}
    with path.open("w", encoding="utf-8") as file:
        for begin in range(0, len(table), ROWS_AT_A_TIME):
            part = table.iloc[begin : begin + ROWS_AT_A_TIME].astype(object)
            rows = part.where(part.notna(), None).replace(infinite).to_dict("records")
            for run, row in zip(part.index, rows, strict=True):
                file.write(json.dumps({"run": int(run), **row}, allow_nan=False) + "\n")
