"""Recording of a run: selects rows of the step loop's log, converts them, and passes them to the writer."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.recording.described_steps import described_steps
from flexmbs.analysis.run.energy_watch import EnergyWatch
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import State
from flexmbs.core.layout.tables import make_workspace
from flexmbs.model.compiled_model import Model
from flexmbs.result.saved_state import SavedState
from flexmbs.result.storage import RunWriter
from flexmbs.result.trajectory import ContactRecord

# Redundant constraints stay closed to about 1e-9. One that opens by more than this (m or rad) is not redundant: drivers
# that agree at the start contradict each other later.
OPEN = 1e-6
MAX_PENDING = 2**23  # bytes waiting to be written


class Recorder:
    """Holds data until it is written, and counts steps for ``store_every``.

    It stores every ``store_every``-th step, steps at which a contact starts or ends, samples of controllers, and the
    last step of a run.
    """

    def __init__(self, model: Model, writer: RunWriter, store_every: int = 1, watch: EnergyWatch | None = None) -> None:
        self.writer = writer
        self.watch = watch
        self.gained: tuple[float, str] | None = None  # time and message of an energy gain
        self.store_every = store_every
        self.logged = 0  # rows of the log so far
        self.opening, self.opened_at = 0.0, 0.0  # largest opening in the rows taken last, and its time if above OPEN
        self._work = make_workspace(model.tables)  # separate from the workspace of the step loop
        self._arrays: list[dict[str, np.ndarray]] = []
        self._contacts: list[ContactRecord] = []
        self._written = 0  # rows of the writer before the first pending one
        self._last: np.ndarray | None = None  # last row taken, and whether it is stored
        self._last_stored = True

    def describe(self, model: Model, rows: np.ndarray) -> dict[str, np.ndarray]:
        return described_steps(model, self._work, rows)

    def take(self, model: Model, rows: np.ndarray, contacts: np.ndarray) -> None:
        """Add rows of the log and contacts that ended (flexmbs.core.layout.state.Log).

        If constraints open, later rows are dropped and ``opening`` exceeds ``OPEN``.
        """
        checked = len(model.constraint_names) > 0
        self.opening = 0.0
        if len(rows):
            chosen = self._chosen(model, rows)
            described = rows if checked else rows[chosen]
            arrays = self.describe(model, described)
            if self.watch is not None and (checked or self.store_every == 1 or not self.watch.power.acts):
                self.gained = self.gained or self.watch.take(model, described, arrays)
            if checked:
                error = arrays["constraint_error"]
                self.opening = float(error.max())
                if self.opening > OPEN:
                    last = int(np.argmax(error > OPEN))
                    self.opening, self.opened_at = float(error[last]), float(rows[last, TIME])
                    rows, chosen = rows[: last + 1], chosen[: last + 1]
                    chosen[-1] = True
                    arrays = {name: array[: last + 1] for name, array in arrays.items()}
                arrays = {name: array[chosen] for name, array in arrays.items()}
            self._arrays.append(arrays)
            self.logged += len(rows)
            self._last, self._last_stored = rows[-1].copy(), bool(chosen[-1])
        self._contacts += [_contact(model, row) for row in contacts]

    def _chosen(self, model: Model, rows: np.ndarray) -> np.ndarray:
        """(rows,) bool: rows to store."""
        before = rows[:1] if self._last is None else self._last[None]
        previous = np.concatenate([before, rows[:-1]])
        flags = rows.shape[1] - len(model.contact_names)
        chosen = (self.logged + np.arange(len(rows))) % self.store_every == 0
        chosen |= np.any(rows[:, flags:] != previous[:, flags:], axis=1)
        return chosen | (rows[:, TIME] == previous[:, TIME])

    @property
    def place(self) -> tuple:
        """Position in the record, for :meth:`return_to`."""
        return len(self._arrays), len(self._contacts), self.logged, self._last, self._last_stored

    def return_to(self, place: tuple) -> None:
        """Discard everything added after ``place``."""
        arrays, contacts, self.logged, self._last, self._last_stored = place
        del self._arrays[arrays:], self._contacts[contacts:]

    def is_full(self) -> bool:
        return sum(array.nbytes for part in self._arrays for array in part.values()) > MAX_PENDING

    def write(self, stats, place: tuple | None = None) -> None:
        """Write the pending data, or only those before ``place``."""
        arrays, contacts = (len(self._arrays), len(self._contacts)) if place is None else place[:2]
        parts = [part for part in self._arrays[:arrays] if len(part["t"])]
        if self.writer.rows == self._written:  # otherwise an exception interrupted the previous call after writing
            if not parts:
                return  # contacts wait for the next step
            joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            self.writer.append(joined, self._contacts[:contacts], stats)
        del self._arrays[:arrays], self._contacts[:contacts]
        self._written = self.writer.rows

    def add_last(self, model: Model) -> None:
        """Store the last step of a run."""
        if not self._last_stored:
            self._arrays.append(self.describe(model, self._last[None]))
            self._last_stored = True

    def go_on(self, saved: SavedState) -> None:
        """Continue from a saved state."""
        self.logged = int(saved.note["logged"])
        self._last, self._last_stored = saved.arrays["recorder.last"], bool(saved.note["last_stored"])
        self._written = self.writer.rows

    def note(self) -> dict[str, object]:
        return {"logged": self.logged, "last_stored": self._last_stored}

    @property
    def last(self) -> np.ndarray:
        """The last row of the log."""
        return self._last.copy()

    @property
    def contacts(self) -> list[ContactRecord]:
        """Contacts that have ended and are waiting to be written."""
        return list(self._contacts)


def _contact(model: Model, row) -> ContactRecord:
    return _contact_record(model.contact_names[row["contact"]], float(row["end"]), row)


def _contact_record(name: str, end: float, episode) -> ContactRecord:
    """``episode``: a record with the fields of flexmbs.core.layout.state.EPISODE."""
    start, peak, peak_time, impulse = (float(episode[x]) for x in ("start", "peak_force", "peak_time", "impulse"))
    return ContactRecord(name, start, end, peak, peak_time, impulse)


def open_contacts(model: Model, state: State) -> list[ContactRecord]:
    """Contacts still closed at the end of the run (``end`` is NaN)."""
    return [_contact_record(model.contact_names[c], np.nan, state.episode[c]) for c in np.flatnonzero(state.active)]
