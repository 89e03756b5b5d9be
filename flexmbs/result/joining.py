"""From chunk files to one result.h5, one chunk in memory at a time; and reading of both."""

from __future__ import annotations

import json
import os
import uuid
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from flexmbs.errors import SimulationError
from flexmbs.result.stored import StoredTrajectory
from flexmbs.result.trajectory import ContactRecord, Trajectory

RESULT, CHUNKS = "result.h5", "chunk_*.npz"
SLICE = 8192  # rows of an earlier part that are copied at once


@dataclass(frozen=True)
class Parts:
    """What a folder holds of a run: rows of an earlier result.h5 (0: none), then chunks in order.

    ``base_note`` is the note of that result.h5; its last rows may be superseded by the chunks.
    """

    folder: Path
    base_rows: int
    base_note: Mapping[str, object]
    chunks: tuple[Path, ...]

    @property
    def contacts(self) -> list[ContactRecord]:
        """Contacts that have ended (one that was open where an earlier part stopped is told by what follows)."""
        ended = [contact for contact in self.base_note.get("contacts", ()) if np.isfinite(contact["end"])]
        return [ContactRecord(**contact) for contact in ended] + [
            ContactRecord(**contact) for path in self.chunks for contact in read_note(path)["contacts"]
        ]


def chunk_path(folder: Path, number: int) -> Path:
    return folder / f"chunk_{number:06d}.npz"


def chunk_number(path: Path) -> int:
    return int(path.stem.partition("_")[2])


def parts_of(folder: Path) -> Parts:
    """The parts in ``folder``; chunks that result.h5 already holds do not count."""
    note = _note_of(folder / RESULT) if (folder / RESULT).is_file() else {}
    last = int(note.get("last_chunk", 0))
    chunks = tuple(path for path in sorted(folder.glob(CHUNKS)) if chunk_number(path) > last)
    rows = int(note.get("rows", 0))
    if chunks:  # they say from which row of result.h5 on they go on
        rows = min(rows, int(read_note(chunks[0]).get("base_rows", rows)))
    return Parts(folder, rows, note, chunks)


def write_chunk(path: Path, arrays: Mapping[str, np.ndarray], note: Mapping[str, object]) -> None:
    """A chunk, complete or not at all."""
    write_arrays(path, {**arrays, "note": np.array(json.dumps(note, default=plain_number))})


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """An .npz that is complete under its name, or not there: also when the machine stops."""
    temporary = path.with_suffix(".part")
    with open(temporary, "wb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def read_note(path: Path) -> dict:
    with np.load(path, allow_pickle=False) as archive:
        return json.loads(str(archive["note"]))


def row_count(path: Path) -> int:
    """Rows of a chunk, from the header of its times."""
    with zipfile.ZipFile(path) as archive, archive.open("t.npy") as member:
        version = np.lib.format.read_magic(member)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        return int(reader(member)[0][0])


def join(
    parts: Parts, contacts: Sequence[ContactRecord], stats: Mapping[str, float], status: str, last_chunk: int,
    settle: Callable[[Trajectory], Trajectory] | None,
) -> None:  # fmt: skip
    """Write result.h5 (complete or not at all) from ``parts``: memory for one chunk is enough.

    ``settle`` completes the arrays of chunks; ``contacts`` are all of the run; ``last_chunk`` is the number of the last
    chunk in it.
    """
    import h5py

    target = parts.folder / RESULT
    temporary = target.with_suffix(".part")
    total = parts.base_rows + sum(row_count(path) for path in parts.chunks)
    with h5py.File(temporary, "w") as file:
        begin = 0
        for arrays in _pieces(parts, settle):
            count = len(arrays["t"])
            for name, array in arrays.items():
                if name not in file:
                    file.create_dataset(name, shape=(total, *array.shape[1:]), dtype=array.dtype)
                if array.size:
                    file[name][begin : begin + count] = array
            begin += count
        note = {
            "contacts": [asdict(contact) for contact in sorted(contacts, key=lambda contact: contact.start)],
            "stats": dict(stats),
            "status": status,
            "rows": total,
            "last_chunk": last_chunk,
            "identity": uuid.uuid4().hex,
        }
        file.create_dataset("note", data=json.dumps(note, default=plain_number))
    os.replace(temporary, target)


def _pieces(parts: Parts, settle) -> Iterator[dict[str, np.ndarray]]:
    """Arrays of the parts in order, few rows at a time."""
    import h5py

    if parts.base_rows:
        with h5py.File(parts.folder / RESULT, "r") as file:
            for begin in range(0, parts.base_rows, SLICE):
                rows = slice(begin, min(begin + SLICE, parts.base_rows))
                yield {name: item[rows] for name, item in file.items() if name != "note"}
    for path in parts.chunks:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files if name != "note"}
        yield arrays if settle is None else settle(Trajectory(**arrays)).arrays()


def stored(folder: Path) -> StoredTrajectory | None:
    """The histories in ``folder``, joined or not; None when no step has been stored."""
    parts = parts_of(folder)
    if not parts.chunks:
        return _joined(folder / RESULT) if parts.base_rows else None
    last = read_note(parts.chunks[-1])
    with np.load(parts.chunks[-1], allow_pickle=False) as archive:
        names = [name for name in archive.files if name != "note"]
        status = f"interrupted at t = {archive['t'][-1]:.6g} s"
    return StoredTrajectory(names, partial(_read_parts, parts), parts.contacts, last["stats"], status)


def _joined(path: Path) -> StoredTrajectory:
    import h5py

    with h5py.File(path, "r") as file:
        names = [name for name in file if name != "note"]
        note = json.loads(file["note"][()].decode())
    contacts = [ContactRecord(**contact) for contact in note["contacts"]]
    read = partial(_read_joined, path, note.get("identity"))
    return StoredTrajectory(names, read, contacts, note["stats"], note["status"])


def _read_joined(path: Path, identity: str | None, name: str) -> np.ndarray:
    import h5py

    if not path.is_file() or _note_of(path).get("identity") != identity:
        raise SimulationError(f"{path}: the result that was opened here is gone, or another run has taken its place")
    with h5py.File(path, "r") as file:
        return file[name][()]


def _read_parts(parts: Parts, name: str) -> np.ndarray:
    import h5py

    found = []
    if parts.base_rows:
        with h5py.File(parts.folder / RESULT, "r") as file:
            found.append(file[name][: parts.base_rows])
    for path in parts.chunks:
        if not path.is_file():
            raise SimulationError(f"{path}: this part of the run is gone, or another run has taken its place")
        with np.load(path, allow_pickle=False) as archive:
            found.append(archive[name])
    return np.concatenate(found)


def _note_of(path: Path) -> dict:
    import h5py

    with h5py.File(path, "r") as file:
        note = json.loads(file["note"][()].decode())
        return {"rows": len(file["t"]), **note}


def plain_number(value: object) -> float:
    """NumPy scalars for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored in a result's statistics")
