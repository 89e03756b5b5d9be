"""Results on disk: small numbered chunks while a run grows, one HDF5 file once it has ended.

A chunk is written under a temporary name and then renamed, so that a killed run leaves only complete chunks (an HDF5
file that is open when its process is killed cannot be read). The state from which the run can continue is written after
its chunk; chunks newer than the state are computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import path_problem, remove_leftovers
from flexmbs.common.errors import ResultFolderError, SimulationError
from flexmbs.result.chunks import chunk_files, chunk_number, chunk_path, damaged, read_chunk, row_count, write_chunk
from flexmbs.result.event_records import EventRecord, columns_of
from flexmbs.result.joined_file import NOTHING_JOINED, Parts, join, parts_of, stored, write_at_once
from flexmbs.result.result_folder import LOCK, ResultFolder, folder_path
from flexmbs.result.run_summary import MODEL, RESULT, STATE
from flexmbs.result.saved_state import SavedState
from flexmbs.result.stored_histories import StoredTrajectory
from flexmbs.result.structure import Structure
from flexmbs.result.structure_store import load_structure, run_of, save_structure
from flexmbs.result.trajectory import ContactRecord, Trajectory, check_chunk, join_chunks


class RunWriter:
    """Receives the steps of a run and writes them to ``folder``, or keeps them in memory (None).

    ``folder`` is locked by the caller; a previous result in it is removed, other files stay. With ``resumed`` (the
    state in the folder) the run in it is continued. A run that ends before its first chunk is due writes none
    (:meth:`ends`): its steps go into result.h5 at once, or stay in memory where the folder keeps no short runs.
    """

    def __init__(self, folder: ResultFolder | None, structure: Structure, resumed: SavedState | None = None) -> None:
        self.folder = None if folder is None else folder.path
        self.structure = structure
        self.rows = 0  # so far
        self._out = folder
        self._holding = folder is None  # what is appended is held in memory
        self._chunks: list[dict[str, np.ndarray]] = []  # held
        self._contacts: list[ContactRecord] = []
        self._events: list[EventRecord] = []
        self._state: SavedState | None = None  # to be written behind the steps that are held
        self._number = 0  # of the last chunk file
        self._system_saved = resumed is not None
        if folder is None:
            return
        self._parts = Parts(self.folder, folder.run, 0, NOTHING_JOINED, ())
        if resumed is not None:
            folder.holds_result = True
            self._go_on(resumed)
        elif folder.keep_short:
            self._write_model()  # first, so that a failure to write loses nothing

    @property
    def keeps_short_runs(self) -> bool:
        """Whether a run that ends before its first chunk is due leaves its result in the folder."""
        return self._out is not None and self._out.keep_short

    def _write_model(self) -> None:
        """Write what does not change during the run, and remove the result that this run replaces."""
        save_structure(self.structure, self.folder / MODEL, self._out.run)
        self._out.holds_result = True
        self._out.clear()

    def ends(self) -> None:
        """What is appended from now on is the end of the run: held until ``finish`` if nothing has been stored yet."""
        self._holding = self._holding or self.rows == 0

    def _go_on(self, resumed: SavedState) -> None:
        """Keep the steps up to the state; later ones are computed again."""
        found = parts_of(self.folder, self._parts.run)
        last = int(resumed.note["chunk"])
        kept = tuple(path for path in found.chunks if chunk_number(path) <= last)
        for path in kept:
            read_chunk(path)  # report damage now rather than at the end
        self.rows = int(resumed.note["rows"])
        base_rows = self.rows - sum(row_count(path) for path in kept)
        whole = int(found.base_note["rows"])
        if not 0 <= base_rows <= whole or (kept and base_rows != found.base_rows):
            raise damaged(
                self.folder / STATE,
                f"does not belong to the stored steps ({whole} in {RESULT}, {self.rows - base_rows} in chunks, "
                f"{self.rows} expected)",
            )
        for path in set(chunk_files(self.folder, found.run).values()) - set(kept):
            path.unlink()
        remove_leftovers(self.folder, found.run)
        self._parts = replace(found, base_rows=base_rows, chunks=kept)
        self._number = max(last, int(found.base_note["last_chunk"]))

    def append(
        self,
        arrays: Mapping[str, np.ndarray],
        contacts: Sequence[ContactRecord] = (),
        stats: Mapping[str, float] | None = None,
        events: Sequence[EventRecord] = (),
    ) -> None:
        """Add the steps since the last call.

        Parameters
        ----------
        arrays : name -> array with the step first, named and shaped as in :class:`Trajectory`; they are kept, not
            copied: do not change them afterwards
        contacts : contacts that ended since the last call
        stats : counters so far (what a killed run will show)
        events : what has happened since the last call
        """
        check_chunk(arrays)
        if self._holding:
            self._chunks.append(dict(arrays))
            self._contacts.extend(contacts)
            self._events.extend(events)
        else:
            if not self._out.holds_result:
                self._write_model()
            note = {
                "contacts": [asdict(contact) for contact in contacts],
                "events": columns_of(events),
                "stats": dict(stats or {}),
                "base_rows": self._parts.base_rows,
                "row": self.rows,
            }
            path = chunk_path(self.folder, self._parts.run, self._number + 1)
            with self._telling():
                write_chunk(path, self._parts.run, arrays, note)
            self._number += 1
            self._parts = replace(self._parts, chunks=(*self._parts.chunks, path))
        self.rows += len(arrays["t"])

    def forget_system(self) -> None:
        """The system of the run has changed: the next state is saved with it."""
        self._system_saved = False

    @property
    def position(self) -> dict[str, int | str]:
        """Position in the files, stored in a state so that a later run can continue after the steps written so far."""
        run = {} if self.folder is None else {"run": self._parts.run}
        return {"chunk": self._number, "rows": self.rows, **run}

    def save_state(self, state: SavedState) -> None:
        """Keep the state after the last step (in the folder, if there is one)."""
        if self._holding:
            self._state = state
            return
        with self._telling():
            state.save_beside(self.folder, with_system=not self._system_saved)
        self._system_saved = True

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Add to a write error that the chunks written so far remain readable."""
        try:
            yield
        except ResultFolderError as error:
            if not self._parts.chunks and not self._parts.base_rows:
                raise
            raise ResultFolderError(
                f"{error}. The {self.rows} steps stored so far remain readable, and resume=True (--resume) continues "
                "from the last saved state"
            ) from error

    def finish(
        self,
        status: str = "finished",
        stats: Mapping[str, float] | None = None,
        contacts: Sequence[ContactRecord] = (),
        settle: Callable[[Trajectory], Trajectory] | None = None,
        events: Sequence[EventRecord] = (),
    ) -> Trajectory | StoredTrajectory:
        """Join everything (``status`` "finished" or "stopped: reason"), replace the chunks by result.h5, and return it.

        ``contacts`` and ``events`` are further ones, such as a contact that was still open at the end; ``settle``
        completes what is saved.  Memory for one chunk is enough; what is returned reads arrays from result.h5 when they
        are used.  Raises SimulationError when nothing was appended.
        """
        if self.rows == 0:
            raise SimulationError("the run ended before its first step was stored")
        if self._holding:
            whole = join_chunks(self._chunks, [*self._contacts, *contacts], stats, status, [*self._events, *events])
            return whole if self.folder is None else self._write_held(whole, settle)
        with self._telling():
            records = [*self._parts.contacts, *contacts], [*self._parts.events, *events]
            join(self._parts, *records, stats or {}, status, self._number, settle)
        for path in chunk_files(self.folder, self._parts.run).values():
            path.unlink()
        return stored(self.folder, self._parts.run)

    def _write_held(self, whole: Trajectory, settle) -> Trajectory | StoredTrajectory:
        """Write a run that has ended before anything was stored, unless it has finished and need not be kept."""
        if not self._out.keep_short and whole.status.startswith("finished"):
            self._out.leave_nothing()
            return whole
        if not self._out.holds_result:
            self._write_model()
        whole = whole if settle is None else settle(whole)
        found = write_at_once(self.folder, self._parts.run, whole, state_follows=self._state is not None)
        if self._state is not None:
            self._state.save_beside(self.folder, with_system=True)
        return found


def load_folder(folder: str | Path) -> tuple[Structure, StoredTrajectory]:
    """Read the result of a run, finished or killed; arrays are read when they are used.

    Raises ResultFolderError (a SimulationError) if the folder holds none, or a file in it is damaged, missing or from
    another run; the message names folder, file and remedy.
    """
    folder = folder_path(folder, "folder")
    missing = path_problem(folder / MODEL)
    if missing in ("does not exist", "is a broken symbolic link"):
        text = f"{folder}: no result here ({MODEL} is missing); give the folder named by --out"
        raise ResultFolderError(text) from FileNotFoundError(str(folder / MODEL))
    try:
        structure, found = load_structure(folder / MODEL), stored(folder, run_of(folder / MODEL))
    except ResultFolderError:
        if not (folder / LOCK).exists():
            raise
        # a run that is just ending removes its chunks: the second attempt finds the result
        structure, found = load_structure(folder / MODEL), stored(folder, run_of(folder / MODEL))
    if found is None:
        raise ResultFolderError(f"{folder}: the run ended before its first step was stored")
    return structure, found
