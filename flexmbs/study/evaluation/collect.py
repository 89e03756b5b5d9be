"""Making the table of a study from its records, one at a time."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.names_in_messages import few, near_names
from flexmbs.common.user_warnings import warn
from flexmbs.study.evaluation.columns import FIGURE, PARAMETER, Column, GrowingColumn
from flexmbs.study.evaluation.reasons import ReasonCounter
from flexmbs.study.evaluation.table import StudyTable
from flexmbs.study.run_record import FINISHED, RunRecord

Row = tuple[int, Mapping[str, object], RunRecord | None]
COMPONENT = re.compile(r"^(.*)\[(\d+)\]$")
ON_ERROR = ("nan", "skip")
LONGEST_LIST = 100  # values of a list that become columns
KEYS_AT_A_TIME = 65536
VALIDITY = ("deformation_error",)  # statistics that have columns, as figures: how wrong modal bodies are that bend far
PLAIN = {float, int, bool, str, type(None)}


def collect(
    rows: Iterable[Row],
    parameters: Mapping[str, tuple[str, str]],
    on_error: str = "nan",
    *,
    units: Mapping[str, str] | None = None,
    lists: Collection[str] = (),
) -> StudyTable:
    """The table of a study.

    Parameters
    ----------
    rows : (index of the point, its values, its record or None if it has not been run), in the order of the points
    parameters : varied parameter -> (unit, help); a component of a list as "axis[1]"
    on_error : "nan": a failed run is a row whose figures are nan; "skip": it has no row
    units : figure -> unit (``Case.units``)
    lists : figures that are lists and become columns: "peak_forces" as "peak_forces[0]", "peak_forces[1]", ...

    What a failed run returned as figures is left out: it describes a part of the run.  A figure named as a parameter
    becomes "figures.NAME".  Memory: 8 bytes for each number, 50 for each run.
    Raises StudyError for another ``on_error``, and for lists that no run has returned.
    """
    if on_error not in ON_ERROR:
        raise StudyError(f"on_error={on_error!r}; it must be {' or '.join(map(repr, ON_ERROR))}")
    collection = _Collection(parameters, units or {}, frozenset(lists), skips=on_error == "skip")
    for index, values, record in rows:
        collection.add(index, values, record)
    return collection.table()


class _Collection:
    """Columns that grow; a figure's column begins with the first run that returns it."""

    def __init__(
        self, parameters: Mapping[str, tuple[str, str]], units: Mapping[str, str], lists: frozenset[str], skips: bool
    ) -> None:
        self._parameters, self._units, self._lists, self._skips = parameters, units, lists, skips
        self._points = {name: GrowingColumn() for name in parameters}
        self._figures: dict[str, GrowingColumn] = {}
        self._index, self._finished, self._seconds = array("q"), array("b"), array("d")
        self._keys: list[npt.NDArray[np.bytes_]] = []
        self._new_keys: list[str] = []
        self._failures, self._warnings = ReasonCounter(), ReasonCounter()
        self._failed = self._not_run = 0
        self._left_out: dict[str, None] = {}

    def add(self, index: int, values: Mapping[str, object], record: RunRecord | None) -> None:
        if record is None:
            self._not_run += 1
            return
        for text in dict.fromkeys(record.warnings):
            self._warnings.add("", text, index, record.key)
        finished = record.status == FINISHED
        if not finished:
            self._failed += 1
            failure = record.failure
            kind, message = (failure.kind, failure.message) if failure else ("unknown", "")
            self._failures.add(kind, message, index, record.key)
            if self._skips:
                return
        for name, column in self._points.items():
            column.append(_value_of(values, name))
        validity = {name: record.stats[name] for name in VALIDITY if name in record.stats}
        self._add_figures({**validity, **record.figures} if finished else {})
        self._index.append(index)
        self._finished.append(finished)
        self._seconds.append(record.seconds)
        self._add_key(record.key)

    def _add_figures(self, figures: Mapping[str, object]) -> None:
        flat: Mapping[str, object] = figures
        if not all(type(value) in PLAIN for value in figures.values()):
            flat = self._without_lists(figures)
        if flat.keys() - self._figures.keys():
            for name in flat:
                self._figures.setdefault(name, GrowingColumn(len(self._index)))
        for name, column in self._figures.items():
            column.append(flat.get(name))

    def _without_lists(self, figures: Mapping[str, object]) -> dict[str, object]:
        flat: dict[str, object] = {}
        for name, value in figures.items():
            if isinstance(value, Mapping) or (isinstance(value, list | tuple | np.ndarray) and name not in self._lists):
                self._left_out[name] = None
            elif isinstance(value, list | tuple | np.ndarray):
                numbers = np.asarray(value).ravel()[:LONGEST_LIST].tolist()
                flat.update({f"{name}[{place}]": number for place, number in enumerate(numbers)})
            else:
                flat[name] = value
        return flat

    def _add_key(self, key: str) -> None:
        self._new_keys.append(key)
        if len(self._new_keys) >= KEYS_AT_A_TIME:
            self._keys.append(np.array(self._new_keys, dtype=np.bytes_))
            self._new_keys = []

    def table(self) -> StudyTable:
        columns = {
            name: Column(name, *self._parameters[name], PARAMETER, column.values(), column.whole)
            for name, column in self._points.items()
        }
        for name, column in self._figures.items():
            shown = f"figures.{name}" if name in columns else name
            columns[shown] = Column(shown, self._unit(name), "", FIGURE, column.values(), column.whole)
        self._check_lists(columns)
        keys = [*self._keys, np.array(self._new_keys, dtype=np.bytes_)]
        return StudyTable(
            columns=columns,
            index=np.array(self._index, dtype=np.int64),
            keys=np.concatenate(keys),
            finished=np.array(self._finished, dtype=bool),
            seconds=np.array(self._seconds, dtype=float),
            failed=self._failed,
            not_run=self._not_run,
            failures=self._failures.reasons(),
            warnings=self._warnings.reasons(),
            left_out=tuple(self._left_out),
        )

    def _unit(self, figure: str) -> str:
        found = COMPONENT.match(figure)
        return self._units.get(figure) or (self._units.get(found[1], "") if found else "")

    def _check_lists(self, columns: Mapping[str, Column]) -> None:
        """Names that were asked for and units that were stated, but that no run has returned."""
        if not any(self._finished):
            return
        bases = {found[1] for name in self._figures if (found := COMPONENT.match(name))}
        for name in self._lists - bases - self._figures.keys():
            raise StudyError(f"no run has returned a list {name!r}. {near_names(name, self._left_out or columns)}")
        unknown = [name for name in self._units if name not in {*self._figures, *bases, *self._left_out}]
        if unknown:
            warn(f"UNITS of the case names figures that no run has returned: {few(unknown)}", StudyWarning)


def _value_of(values: Mapping[str, object], name: str) -> object:
    """Value of a parameter or of a component of one; a list as a whole as text."""
    if name in values:
        value = values[name]
        return " ".join(map(str, value)) if isinstance(value, list | tuple) else value
    found = COMPONENT.match(name)
    if found and found[1] in values:
        whole = values[found[1]]
        return whole[int(found[2])] if isinstance(whole, list | tuple) else whole
    return None
