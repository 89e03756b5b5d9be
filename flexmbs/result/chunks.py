"""Chunk files of a run in progress: written atomically, verified when read, and tied to their run by its identity."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import path_problem, write_arrays
from flexmbs.common.errors import FlexmbsError, ResultFolderError
from flexmbs.common.stored_arrays import read_npz_arrays
from flexmbs.result.trajectory import OTHER_VERSION, check_chunk

_IN_NOTES = ("run", "number", "base_rows", "row", "rows", "arrays", "contacts", "events", "stats")
REMEDY = "restore it from a backup, or run again (force=True, --force)"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Convert any error in reading a file of a result to a ResultFolderError with folder, file and remedy.

    Also if ``path`` is no file, before anything opens it: pipes and devices may never end.
    """
    try:
        if path_problem(path):
            raise ValueError
        yield
    except ResultFolderError:
        raise
    except (Exception, MemoryError) as error:  # damaged files cause errors of any type
        problem = path_problem(path)
        if not problem:
            text = str(error) if isinstance(error, FlexmbsError) else f"{type(error).__name__}: {error}"
            problem = f"is damaged ({' '.join(text.split())[:300]})"
        raise ResultFolderError(f"{path.parent}: {path.name} {problem}; {REMEDY}") from error


def damaged(path: Path, problem: str) -> ResultFolderError:
    """The error for a file with wrong content; ``problem`` follows the name of the file."""
    return ResultFolderError(f"{path.parent}: {path.name} {problem}; {REMEDY}")


def chunk_path(folder: Path, run: str, number: int) -> Path:
    """``run``: identity of the run."""
    return folder / f"chunk_{run}_{number:06d}.npz"


def chunk_number(path: Path) -> int:
    """The number in the name of a chunk file."""
    return int(path.stem.rpartition("_")[2])


def chunk_files(folder: Path, run: str) -> dict[int, Path]:
    """The chunks of a run by number, in order; other files are ignored."""
    pattern = re.compile(rf"chunk_{run}_[0-9]{{6,}}\.npz")
    found = (path for path in folder.iterdir() if pattern.fullmatch(path.name))
    return dict(sorted((chunk_number(path), path) for path in found))


def write_chunk(path: Path, run: str, arrays: Mapping[str, np.ndarray], note: Mapping[str, object]) -> None:
    """Write a chunk atomically.

    ``note`` : contacts, stats, base_rows, and ``row``, the number of rows before it
    """
    full = {**note, "run": run, "number": chunk_number(path), "rows": len(arrays["t"]), "arrays": sorted(arrays)}
    text = np.array(json.dumps(full, default=plain_number))
    write_arrays(path, {**arrays, "note": text}, ResultFolderError, owner=run)


def read_note(path: Path) -> dict:
    """The note of a chunk: run, number, rows, contacts, statistics."""
    with reading(path):
        return checked_note(json.loads(str(read_npz_arrays(path, names=("note",))["note"])), _IN_NOTES)


def read_chunk(path: Path, names: tuple[str, ...] | None = None) -> dict[str, np.ndarray]:
    """Arrays of a chunk (all, or those in ``names``), with verified checksums."""
    with reading(path):
        arrays = read_npz_arrays(path, names=names)
        note = arrays.pop("note", None)
        if note is not None:
            check_chunk(arrays)
            if json.loads(str(note))["arrays"] != sorted(arrays):
                raise ValueError("arrays are missing")
        return arrays


def row_count(path: Path) -> int:
    """Rows of a chunk."""
    return int(read_note(path)["rows"])


def checked_note(note: dict, names: Sequence[str]) -> dict:
    """The note of a part of a result; ValueError if something in it is missing."""
    missing = [name for name in names if name not in note]
    if missing:
        raise ValueError(f"its note lacks {', '.join(missing)}: {OTHER_VERSION}")
    return note


def plain_number(value: object) -> float:
    """NumPy scalars for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored in a result's statistics")
