"""Joining chunk files to one result.h5, with one chunk in memory at a time, and reading both."""

from __future__ import annotations

import json
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from flexmbs.common.errors import ResultFolderError
from flexmbs.common.hdf5_files import writing_hdf5
from flexmbs.common.stored_arrays import is_elsewhere
from flexmbs.result.chunks import (
    REMEDY,
    checked_note,
    chunk_files,
    damaged,
    plain_number,
    read_chunk,
    read_note,
    reading,
    row_count,
)
from flexmbs.result.event_records import EventRecord, columns_of, events_from
from flexmbs.result.run_summary import MODEL, RESULT, STATE
from flexmbs.result.saved_state import state_note
from flexmbs.result.stored_histories import StoredTrajectory
from flexmbs.result.structure_store import opened
from flexmbs.result.trajectory import ContactRecord, Trajectory, check_chunk

SLICE = 8192  # rows of an earlier part that are copied at once
COMPRESSED = 2**14  # bytes of an array from which on it is compressed
PORTION = 2**18  # bytes that are compressed together
LEVEL = 1  # of zlib: higher ones gain a hundredth and take half as long again
_IN_NOTES = ("run", "rows", "stats", "status", "last_chunk", "contacts", "events", "identity")
NOTHING_JOINED: dict = {"rows": 0, "last_chunk": 0, "contacts": (), "events": {}}


@dataclass(frozen=True)
class Parts:
    """The stored parts of a run: rows of an earlier result.h5 (0: none), then chunks in order.

    ``run`` is the identity of the run, ``base_note`` the note of that result.h5, whose last rows may be superseded by
    chunks.
    """

    folder: Path
    run: str
    base_rows: int
    base_note: Mapping[str, object]
    chunks: tuple[Path, ...]

    @property
    def contacts(self) -> list[ContactRecord]:
        """Contacts that have ended (one still open at the end of an earlier part is reported by a later part)."""
        ended = [contact for contact in self.base_note["contacts"] if np.isfinite(contact["end"])]
        return [ContactRecord(**contact) for contact in ended] + [
            ContactRecord(**contact) for path in self.chunks for contact in read_note(path)["contacts"]
        ]

    @property
    def events(self) -> list[EventRecord]:
        """What has happened so far, in order."""
        notes = [self.base_note, *(read_note(path) for path in self.chunks)]
        return [event for note in notes for event in events_from(note["events"])]


def parts_of(folder: Path, run: str) -> Parts:
    """The parts of the run ``run`` in ``folder``, without chunks that are already in result.h5.

    Raises ResultFolderError if a part is damaged, missing, or belongs to another run.
    """
    state = state_note(folder)  # read first: a run in progress only adds parts after the state
    joined = (folder / RESULT).exists()
    note = _checked_note(folder / RESULT, run) if joined else NOTHING_JOINED
    last = int(note["last_chunk"])
    numbered = {number: path for number, path in chunk_files(folder, run).items() if number > last}
    rows = int(note["rows"])
    if numbered:  # chunks record the row of result.h5 after which they continue
        rows = min(rows, int(read_note(next(iter(numbered.values())))["base_rows"]))
    total = _check_chunks(run, numbered, rows)
    of_state = run if state is None else str(state.get("run", ""))
    if of_state != run and not joined:
        raise damaged(folder / STATE, f"belongs to a different run than {MODEL}")
    wanted = 0 if state is None else state.get("rows")
    if not isinstance(wanted, int):
        raise damaged(folder / STATE, f"states {wanted!r} as its number of steps")
    if of_state == run and total < wanted:
        raise ResultFolderError(
            f"{folder}: {wanted - total} of the {wanted} steps up to {STATE} are missing: {RESULT} "
            f"or the last chunks have been deleted; {REMEDY}"
        )
    return Parts(folder, run, rows, note, tuple(numbered.values()))


def _check_chunks(run: str, numbered: Mapping[int, Path], rows: int) -> int:
    """Number of rows up to the end of the chunks, of which ``rows`` stand before them.

    ResultFolderError unless they follow each other without a gap, each under its own name.
    """
    before, total = None, rows
    for number, path in numbered.items():
        note = read_note(path)
        if str(note["run"]) != run or int(note["number"]) != number:
            raise damaged(path, f"does not match its name: it contains chunk number {note['number']} of a run")
        if before is not None and number != before + 1:
            raise damaged(path, f"comes after chunk {before}: {number - before - 1} chunks in between are missing")
        if int(note["row"]) != total:
            raise damaged(path, f"starts at row {note['row']}, but {total} rows precede it: chunks are missing")
        before, total = number, total + row_count(path)
    return total


def join(
    parts: Parts,
    contacts: Sequence[ContactRecord],
    events: Sequence[EventRecord],
    stats: Mapping[str, float],
    status: str,
    last_chunk: int,
    settle: Callable[[Trajectory], Trajectory] | None,
) -> None:
    """Write result.h5 atomically from ``parts``, with one chunk in memory at a time.

    ``settle`` completes the arrays of chunks; ``contacts``, ``events``: all of the run; ``last_chunk``: number of the
    last chunk included.
    """
    total = parts.base_rows + sum(row_count(path) for path in parts.chunks)
    note = _note(contacts, events, run=parts.run, rows=total, stats=dict(stats), status=status, last_chunk=last_chunk)
    _write(parts.folder / RESULT, parts.run, total, _pieces(parts, settle), note)


def write_at_once(folder: Path, run: str, whole: Trajectory, *, state_follows: bool) -> StoredTrajectory:
    """Write result.h5 atomically from all steps of a run; its histories, which are still in memory.

    ``state_follows``: state.npz is written next; without it the run was killed in between, and can start again.
    """
    arrays = whole.arrays()
    more = {"stats": dict(whole.stats), "status": whole.status, "last_chunk": 0, "state_follows": state_follows}
    note = _note(whole.contacts, whole.events, run=run, rows=len(whole.t), **more)
    _write(folder / RESULT, run, len(whole.t), [arrays], note)
    read = partial(_read_joined, folder.absolute() / RESULT, note["identity"])
    return StoredTrajectory(arrays, read, whole.contacts, whole.stats, whole.status, arrays, whole.events)


def lacks_its_state(folder: Path, run: str) -> bool:
    """Whether the process that wrote result.h5 at once was killed before it wrote the state."""
    note = _note_of(folder / RESULT)
    return bool(note.get("state_follows")) and note.get("run") == run and not (folder / STATE).exists()


def _note(contacts: Iterable[ContactRecord], events: Sequence[EventRecord], **more: object) -> dict[str, object]:
    return {
        **more,
        "contacts": [asdict(contact) for contact in sorted(contacts, key=lambda contact: contact.start)],
        "events": columns_of(events),
        "identity": uuid.uuid4().hex,
    }


def _write(path: Path, run: str, total: int, pieces: Iterable[Mapping[str, np.ndarray]], note: dict) -> None:
    with writing_hdf5(path, ResultFolderError, owner=run) as file:
        begin = 0
        for arrays in pieces:
            count = len(arrays["t"])
            for name, array in arrays.items():
                if name not in file:
                    _create(file, name, (total, *array.shape[1:]), array.dtype)
                if array.size:
                    file[name][begin : begin + count] = array
            begin += count
        file.create_dataset("note", data=json.dumps(note, default=plain_number))


def _create(file, name: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """An empty data set of a result; large ones are compressed, as every HDF5 reader understands it."""
    row_bytes = int(np.prod(shape[1:])) * dtype.itemsize
    if row_bytes * shape[0] < COMPRESSED:
        file.create_dataset(name, shape=shape, dtype=dtype)
        return
    rows = min(max(PORTION // row_bytes, 1), shape[0])
    options = {"chunks": (rows, *shape[1:]), "shuffle": True, "compression": "gzip", "compression_opts": LEVEL}
    file.create_dataset(name, shape=shape, dtype=dtype, **options)


def compressed_size(arrays: Mapping[str, np.ndarray]) -> int:
    """Bytes that rows of a result take in a compressed file, in portions as small as these rows."""
    size = 0
    for array in arrays.values():
        shuffled = np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize).T
        size += len(zlib.compress(shuffled.tobytes(), LEVEL)) if array.size else 0
    return size


def _pieces(parts: Parts, settle) -> Iterator[dict[str, np.ndarray]]:
    """Arrays of the parts in order, few rows at a time."""
    if parts.base_rows:
        with opened(parts.folder / RESULT) as file:
            for begin in range(0, parts.base_rows, SLICE):
                rows = slice(begin, min(begin + SLICE, parts.base_rows))
                yield {name: item[rows] for name, item in file.items() if name != "note"}
    for path in parts.chunks:
        arrays = read_chunk(path)
        yield arrays if settle is None else settle(Trajectory(**arrays)).arrays()


def stored(folder: Path, run: str) -> StoredTrajectory | None:
    """The histories of a run in ``folder``, joined or not; None if no step has been stored."""
    folder = folder.absolute()  # arrays are read later, when the current folder may have changed
    parts = parts_of(folder, run)
    if not parts.chunks:
        return _joined(folder / RESULT, parts) if parts.base_rows else None
    last, arrays = read_note(parts.chunks[-1]), read_chunk(parts.chunks[-1])
    status = f"interrupted at t = {arrays['t'][-1]:.6g} s"
    with reading(parts.chunks[-1]):
        read = partial(_read_parts, parts)
        return StoredTrajectory(arrays, read, parts.contacts, last["stats"], status, None, parts.events)


def _joined(path: Path, parts: Parts) -> StoredTrajectory:
    import h5py

    note = parts.base_note
    with reading(path):
        with h5py.File(path, "r") as file:
            names = [name for name in file if name != "note"]
            check_chunk({name: file[name] for name in names})
        contacts = [ContactRecord(**contact) for contact in note["contacts"]]
        read = partial(_read_joined, path, note["identity"])
        events = events_from(note["events"])
        return StoredTrajectory(names, read, contacts, note["stats"], note["status"], None, events)


def _read_joined(path: Path, identity: str | None, name: str) -> np.ndarray:
    import h5py

    if not path.is_file() or _note_of(path)["identity"] != identity:
        raise ResultFolderError(f"{path}: the result was deleted, or replaced by another run, after it was opened")
    with reading(path), h5py.File(path, "r") as file:
        return file[name][()]


def _read_parts(parts: Parts, name: str) -> np.ndarray:
    import h5py

    found = []
    if parts.base_rows:
        with reading(parts.folder / RESULT), h5py.File(parts.folder / RESULT, "r") as file:
            found.append(file[name][: parts.base_rows])
    for path in parts.chunks:
        if not path.is_file():
            raise ResultFolderError(f"{path}: this part of the run was deleted, or replaced by another run")
        found.append(read_chunk(path, (name,))[name])
    with reading(parts.folder / MODEL):
        return np.concatenate(found)


def _checked_note(path: Path, run: str) -> dict:
    """The note of a result.h5 with verified checksum that belongs to ``run``."""
    with opened(path) as file:
        for name in filter(lambda name: is_elsewhere(file[name]), file):
            raise ValueError(f"{name}: the data is in another file")
        note = _note_of(path)
    if str(note["run"]) != run:
        raise damaged(path, f"belongs to a different run than {MODEL}")
    return note


def _note_of(path: Path) -> dict:
    import h5py

    with reading(path), h5py.File(path, "r") as file:
        note = json.loads(file["note"][()].decode())
        return checked_note(note, _IN_NOTES)
