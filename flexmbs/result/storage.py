"""Results on disk: small numbered chunks while a run grows, one HDF5 file once it has ended.

A chunk is written under a temporary name and then renamed, so a run killed at any moment leaves only complete
chunks (an HDF5 file that is open when its process is killed cannot be read).  The state from which the run can go on
is written after its chunk: chunks that are newer than the state are computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from flexmbs.errors import SimulationError
from flexmbs.result.joining import (
    CHUNKS,
    RESULT,
    Parts,
    chunk_number,
    chunk_path,
    join,
    parts_of,
    row_count,
    stored,
    write_chunk,
)
from flexmbs.result.saved_state import STATE, SYSTEM, SavedState
from flexmbs.result.stored import StoredTrajectory
from flexmbs.result.structure import Structure
from flexmbs.result.structure_store import load_structure, save_structure
from flexmbs.result.trajectory import ContactRecord, Trajectory, check_chunk, join_chunks

MODEL = "model.h5"


class RunWriter:
    """Receives the steps of a run and writes them to ``folder``, or keeps them in memory (None).

    Earlier results in ``folder`` are removed, other files there stay; with ``resumed`` (the state in the folder) they
    are gone on from.
    """

    def __init__(self, folder: str | Path | None, structure: Structure, resumed: SavedState | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.structure = structure
        self.rows = 0  # so far
        self._chunks: list[dict[str, np.ndarray]] = []
        self._contacts: list[ContactRecord] = []
        self._number = 0  # of the last chunk file
        self._parts = None if folder is None else Parts(self.folder, 0, {}, ())
        self._system_saved = resumed is not None
        if self.folder is None:
            return
        if resumed is not None:
            self._go_on(resumed)
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        _remove_chunks(self.folder)
        for name in (RESULT, STATE, SYSTEM):
            (self.folder / name).unlink(missing_ok=True)
        save_structure(structure, self.folder / MODEL)

    def _go_on(self, resumed: SavedState) -> None:
        """Keep the steps up to the state; what was stored behind it is computed again."""
        found = parts_of(self.folder)
        last = int(resumed.note["chunk"])
        kept = tuple(path for path in found.chunks if chunk_number(path) <= last)
        self.rows = int(resumed.note["rows"])
        base_rows = self.rows - sum(row_count(path) for path in kept)
        whole = int(found.base_note.get("rows", 0))
        if not 0 <= base_rows <= whole or (kept and base_rows != found.base_rows):
            raise SimulationError(
                f"{self.folder}: {STATE} does not belong to the stored steps ({whole} in {RESULT}, "
                f"{self.rows - base_rows} in chunks, {self.rows} expected)"
            )
        for path in set(self.folder.glob(CHUNKS)) - set(kept) | set(self.folder.glob("*.part")):
            path.unlink()
        self._parts = Parts(self.folder, base_rows, found.base_note, kept)
        self._number = max(last, int(found.base_note.get("last_chunk", 0)))

    def append(
        self,
        arrays: Mapping[str, np.ndarray],
        contacts: Sequence[ContactRecord] = (),
        stats: Mapping[str, float] | None = None,
    ) -> None:
        """Add the steps since the last call.

        Parameters
        ----------
        arrays : name -> array with the step first, named and shaped as in :class:`Trajectory`; they are kept, not
            copied: do not change them afterwards
        contacts : contacts that ended since the last call
        stats : counters so far (what a killed run will show)
        """
        check_chunk(arrays)
        if self.folder is None:
            self._chunks.append(dict(arrays))
            self._contacts.extend(contacts)
        else:
            note = {
                "contacts": [asdict(contact) for contact in contacts],
                "stats": dict(stats or {}),
                "base_rows": self._parts.base_rows,
            }
            path = chunk_path(self.folder, self._number + 1)
            write_chunk(path, arrays, note)
            self._number += 1
            self._parts = Parts(self.folder, self._parts.base_rows, self._parts.base_note, (*self._parts.chunks, path))
        self.rows += len(arrays["t"])

    @property
    def position(self) -> dict[str, int]:
        """What a state must say so that a later run can go on behind the steps that are written now."""
        return {"chunk": self._number, "rows": self.rows}

    def save_state(self, state: SavedState) -> None:
        """Keep the state after the last step (in the folder, if there is one)."""
        if self.folder is not None:
            state.save_beside(self.folder, with_system=not self._system_saved)
            self._system_saved = True

    def finish(
        self,
        status: str = "finished",
        stats: Mapping[str, float] | None = None,
        contacts: Sequence[ContactRecord] = (),
        settle: Callable[[Trajectory], Trajectory] | None = None,
    ) -> Trajectory | StoredTrajectory:
        """Join everything (``status`` "finished" or "stopped: reason"), replace the chunks by result.h5, and return it.

        ``contacts`` are further ones, such as a contact that was still open at the end; ``settle`` completes what
        is saved.  Memory for one chunk is enough; what is returned reads arrays from result.h5 when they are used.
        Raises SimulationError when nothing was appended.
        """
        if self.rows == 0:
            raise SimulationError("the run ended before its first step was stored")
        if self.folder is None:
            return join_chunks(self._chunks, [*self._contacts, *contacts], stats, status)
        join(self._parts, [*self._parts.contacts, *contacts], stats or {}, status, self._number, settle)
        _remove_chunks(self.folder)
        return stored(self.folder)


def load_folder(folder: str | Path) -> tuple[Structure, StoredTrajectory]:
    """Read the result of a run, finished or killed; arrays are read when they are used.

    Raises SimulationError when the folder holds none, naming what is missing.
    """
    folder = Path(folder)
    if not (folder / MODEL).is_file():
        text = f"{folder}: no result here ({MODEL} is missing); give the folder named by --out"
        raise SimulationError(text) from FileNotFoundError(str(folder / MODEL))
    structure = load_structure(folder / MODEL)
    found = stored(folder)
    if found is None:
        raise SimulationError(f"{folder}: the run ended before its first step was stored")
    return structure, found


def _remove_chunks(folder: Path) -> None:
    for path in [*folder.glob(CHUNKS), *folder.glob("*.part")]:
        path.unlink(missing_ok=True)
