"""Recording of a run: selects rows of the step loop's log, converts them, and passes them to the writer."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.recording.energy_books import EnergyBooks
from flexmbs.analysis.recording.log_records import described_steps, records_of
from flexmbs.analysis.recording.stored_steps import RowThinner, Storage
from flexmbs.analysis.run.energy_watch import EnergyWatch
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import State
from flexmbs.core.layout.tables import make_workspace
from flexmbs.model.compiled_model import Model
from flexmbs.result.event_records import EventRecord
from flexmbs.result.saved_state import SavedState
from flexmbs.result.storage import RunWriter
from flexmbs.result.trajectory import ContactRecord

# Redundant constraints stay closed to about 1e-9. One that opens by more than this (m or rad) is not redundant: drivers
# that agree at the start contradict each other later.
OPEN = 1e-6
MAX_PENDING = 2**23  # bytes waiting to be written
WATCH_EVERY = 16  # where steps are left out, energy and constraints are checked at every so many


class Recorder:
    """Chooses the steps to store, describes them, and holds them until they are written.

    It stores the steps that ``storage`` asks for as far as ``thinner`` does not leave them out, steps at which a
    contact starts or ends, samples of controllers, and the last step of a run.
    """

    def __init__(
        self,
        model: Model,
        writer: RunWriter,
        storage: Storage,
        thinner: RowThinner,
        watch: EnergyWatch,
        books: EnergyBooks | None,
        event_names: tuple[str, ...],
    ):
        """``books``: the energy ledger, None: there is none; ``event_names`` of the events of the user."""
        self.event_names = event_names
        self.books, self.width = books, model.log_row.width
        self.writer, self.storage, self.thinner, self.watch = writer, storage, thinner, watch
        self.gained: tuple[float, str] | None = None  # time and message of energy gained or missing
        self.logged = 0  # rows of the log so far
        self.opening, self.opened_at = 0.0, 0.0  # largest opening in the rows taken last, and its time if above OPEN
        self._work = make_workspace(model.tables)  # separate from the workspace of the step loop
        self._arrays: list[dict[str, np.ndarray]] = []
        self._contacts: list[ContactRecord] = []
        self._events: list[EventRecord] = []
        self._written = 0  # rows of the writer before the first pending one
        self._last: np.ndarray | None = None  # last row taken, and whether it is stored
        self._last_stored = True

    def describe(self, model: Model, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Arrays of a trajectory from booked rows of the log."""
        arrays = described_steps(model, self._work, rows)
        if self.books is not None:
            arrays["ledger"] = self.books.columns(rows, arrays["energy"])
        return arrays

    def _booked(self, model: Model, rows: np.ndarray, occurrences: np.ndarray) -> np.ndarray:
        """Rows of the log with the energy ledger behind them."""
        if self.books is None:
            return rows
        if self._last is None:
            self.books.start = float(described_steps(model, self._work, rows[:1])["energy"].sum())
        return self.books.rows(model, self._last, rows, occurrences)

    def take(self, model: Model, rows: np.ndarray, contacts: np.ndarray, occurrences: np.ndarray) -> None:
        """Add rows of the log, contacts that ended, and what has happened (flexmbs.core.layout.state.Log).

        If constraints open, later rows are dropped and ``opening`` exceeds ``OPEN``.
        """
        self.opening = 0.0
        happened = records_of(model, self.event_names, occurrences)
        if len(rows):
            rows = self._booked(model, rows, occurrences)
            chosen, needed = self._chosen(model, rows)
            watched = self._watched(model, chosen)
            arrays = self.describe(model, rows[watched])
            gained = self.watch.take(model, rows, watched, arrays, happened)
            self.gained = self.gained or gained
            if len(model.constraint_names) and np.any(watched):
                error = arrays["constraint_error"]
                self.opening = float(error.max())
                if self.opening > OPEN:
                    first = int(np.argmax(error > OPEN))
                    last = int(np.flatnonzero(watched)[first])
                    self.opening, self.opened_at = float(error[first]), float(rows[last, TIME])
                    rows, watched, needed = rows[: last + 1], watched[: last + 1], needed[: last + 1]
                    chosen = chosen[: last + 1]
                    chosen[-1] = needed[-1] = True
            stored = self.thinner.take(rows, chosen, needed, self._last, self.logged)
            if not self.thinner.active and np.all(watched[chosen]):  # they have been described already
                there = np.flatnonzero(chosen[watched])
                stored_arrays = {name: array[there] for name, array in arrays.items()}
            else:
                stored_arrays = self.describe(model, stored)
            self._arrays.append(stored_arrays)
            self.logged += len(rows)
            self._last, self._last_stored = rows[-1].copy(), bool(chosen[-1]) and not self.thinner.waits
        names = [model.contact_name(row["contact"], row["pair"]) for row in contacts]
        self._contacts += [_contact_record(name, float(row["end"]), row) for name, row in zip(names, contacts, strict=True)]
        self._events += happened

    def widen(self, old: Model, new: Model, books: EnergyBooks | None) -> None:
        """Rows of ``new``, which has more slots than ``old``, will come, and have ``books``."""
        self.books, self.width, self._work = books, new.log_row.width, make_workspace(new.tables)
        self._last = None if self._last is None else wider_rows(self._last[None], old, new)[0]
        self.thinner.widen(new, lambda rows: wider_rows(rows, old, new))
        self.writer.forget_system()

    def _chosen(self, model: Model, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows,) bool: rows that the user wants, and among them those of events, which are stored in any case."""
        before = rows[:1] if self._last is None else self._last[None]
        previous = np.concatenate([before, rows[:-1]])
        flags = model.log_row.active
        needed = np.any(rows[:, flags] != previous[:, flags], axis=1) | (rows[:, TIME] == previous[:, TIME])
        if self.storage.step > 0.0:
            # the first row at or after each multiple; rounding of a time that is meant to be one does not matter
            passed, before = (np.floor(r[:, TIME] / self.storage.step + 1e-9) for r in (rows, previous))
            return needed | (passed > before), needed
        return needed | ((self.logged + np.arange(len(rows))) % self.storage.every == 0), needed

    def _watched(self, model: Model, chosen: np.ndarray) -> np.ndarray:
        """(rows,) bool: rows whose energy and constraints are checked; the books have integrated all of them."""
        if not (self.storage.is_selective or self.thinner.active):
            return np.ones(len(chosen), dtype=bool)
        if self.books is None and not model.constraint_names:
            return np.zeros(len(chosen), dtype=bool)
        return (self.logged + np.arange(len(chosen))) % WATCH_EVERY == 0

    @property
    def place(self) -> tuple:
        """Position in the record, for :meth:`return_to`."""
        pending = len(self._arrays), len(self._contacts), len(self._events)
        return *pending, self.logged, self._last, self._last_stored, self.thinner.saved()

    def return_to(self, place: tuple) -> None:
        """Discard everything added after ``place``."""
        arrays, contacts, events, self.logged, self._last, self._last_stored, thinning = place
        self.thinner.restore(thinning)
        del self._arrays[arrays:], self._contacts[contacts:], self._events[events:]

    def is_full(self) -> bool:
        return sum(array.nbytes for part in self._arrays for array in part.values()) > MAX_PENDING

    def write(self, stats, place: tuple | None = None) -> None:
        """Write the pending data, or only those before ``place``."""
        arrays, contacts, events = (self.place if place is None else place)[:3]
        parts = [part for part in self._arrays[:arrays] if len(part["t"])]
        if self.writer.rows == self._written:  # otherwise an exception interrupted the previous call after writing
            if not parts:
                return  # contacts and events wait for the next step
            joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            self.writer.append(joined, self._contacts[:contacts], stats, self._events[:events])
        del self._arrays[:arrays], self._contacts[:contacts], self._events[:events]
        self._written = self.writer.rows

    def add_last(self, model: Model) -> None:
        """Store the last step of a run."""
        if not self._last_stored:
            self._arrays.append(self.describe(model, self._last[None]))
            self._last_stored = True

    def go_on(self, saved: SavedState) -> None:
        """Continue from a saved state."""
        self.logged = int(saved.note["logged"])
        booked = saved.arrays["recorder.booked"]
        if self.books is not None and len(booked) == self.books.size:
            self.books.start = float(booked[-1])
        else:  # the run was begun without energy ledger
            self.books = None
            self.thinner.forget_rows(self.width)
        self._last = np.concatenate([saved.arrays["recorder.last"], booked])
        self._last_stored = bool(saved.note["last_stored"])
        self.thinner.restore(saved.arrays)
        self._written = self.writer.rows

    def note(self) -> dict[str, object]:
        return {"logged": self.logged, "last_stored": self._last_stored}

    def saved(self) -> dict[str, np.ndarray]:
        """Arrays for a saved state."""
        own = {"recorder.last": self.last, "recorder.booked": self._last[self.width :].copy()}
        return {**own, **self.thinner.saved()}

    @property
    def last(self) -> np.ndarray:
        """The last row of the log."""
        return self._last[: self.width].copy()

    @property
    def contacts(self) -> list[ContactRecord]:
        """Contacts that have ended and are waiting to be written."""
        return list(self._contacts)

    @property
    def events(self) -> list[EventRecord]:
        """What has happened and is waiting to be written."""
        return list(self._events)


def _contact_record(name: str, end: float, episode) -> ContactRecord:
    """``episode``: a record with the fields of flexmbs.core.layout.state.EPISODE."""
    names = ("start", "peak_force", "peak_time", "impulse", "approach_speed", "rebound_speed", "max_depth")
    start, peak, peak_time, impulse, approach, rebound, depth = (float(episode[x]) for x in names)
    parting = rebound if np.isfinite(end) else None
    return ContactRecord(name, start, end, peak, peak_time, impulse, approach, parting, depth)


def open_contacts(model: Model, state: State) -> list[ContactRecord]:
    """Contacts still closed at the end of the run (``end`` is NaN)."""
    return [
        _contact_record(model.contact_name(c, state.active[c] - 1), np.nan, state.episode[c])
        for c in np.flatnonzero(state.active[: len(model.contact_names)])
    ]


def wider_rows(rows: np.ndarray, old: Model, new: Model) -> np.ndarray:
    """(k, width of the new log) rows of the log (k, width of the old one); numbers behind them stay behind."""
    was, now = old.log_row, new.log_row
    found = np.zeros((len(rows), now.width + rows.shape[1] - was.width))
    found[:, 0] = rows[:, 0]
    for name in ("q", "reference", "v", "a", "flags", "contact_history"):
        there, here = getattr(was, name), getattr(now, name)
        found[:, here.start : here.start + there.stop - there.start] = rows[:, there]
    found[:, now.width :] = rows[:, was.width :]
    return found
