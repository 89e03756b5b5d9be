"""Chunk files of a growing run: written whole, checked when they are read, and known by the run that they belong to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import what_is, write_arrays
from flexmbs.common.errors import FlexmbsError, ResultFolderError
from flexmbs.common.stored_arrays import read_npz_arrays
from flexmbs.result.trajectory import check_chunk

REMEDY = "restore it from a copy, or run again (force=True, --force)"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever goes wrong in reading a file of a result becomes one error that names folder, file and remedy."""
    try:
        yield
    except ResultFolderError:
        raise
    except (Exception, MemoryError) as error:  # damaged files lead to errors of any kind
        words = what_is(path)
        if not words:
            text = str(error) if isinstance(error, FlexmbsError) else f"{type(error).__name__}: {error}"
            words = f"is damaged ({' '.join(text.split())[:300]})"
        raise ResultFolderError(f"{path.parent}: {path.name} {words}; {REMEDY}") from error


def damaged(path: Path, words: str) -> ResultFolderError:
    """The error for a file whose content is not what belongs there."""
    return ResultFolderError(f"{path.parent}: {path.name} {words}; {REMEDY}")


def chunk_path(folder: Path, run: str, number: int) -> Path:
    """``run``: identity of the run; empty for those of flexmbs 0.1.0."""
    return folder / (f"chunk_{run}_{number:06d}.npz" if run else f"chunk_{number:06d}.npz")


def chunk_number(path: Path) -> int:
    """The number in the name of a chunk file."""
    return int(path.stem.rpartition("_")[2])


def chunk_files(folder: Path, run: str) -> dict[int, Path]:
    """The chunks of a run by number, in order; files of other names are not looked at."""
    pattern = re.compile(rf"chunk_{run}_[0-9]{{6,}}\.npz" if run else r"chunk_[0-9]{6,}\.npz")
    found = (path for path in folder.iterdir() if pattern.fullmatch(path.name))
    return dict(sorted((chunk_number(path), path) for path in found))


def write_chunk(path: Path, run: str, arrays: Mapping[str, np.ndarray], note: Mapping[str, object]) -> None:
    """A chunk, complete or not at all.

    ``note`` : contacts, stats, base_rows, and ``row``, the number of rows before it
    """
    full = {**note, "run": run, "number": chunk_number(path), "rows": len(arrays["t"]), "arrays": sorted(arrays)}
    text = np.array(json.dumps(full, default=plain_number))
    write_arrays(path, {**arrays, "note": text}, ResultFolderError, owner=run or "old")


def read_note(path: Path) -> dict:
    """What a chunk says about itself."""
    with reading(path):
        return json.loads(str(read_npz_arrays(path, names=("note",))["note"]))


def read_chunk(path: Path, names: tuple[str, ...] | None = None) -> dict[str, np.ndarray]:
    """Arrays of a chunk, all or some, with their checksums."""
    with reading(path):
        arrays = read_npz_arrays(path, names=names)
        note = arrays.pop("note", None)
        if note is not None:
            check_chunk(arrays)
            listed = json.loads(str(note)).get("arrays")
            if listed is not None and listed != sorted(arrays):
                raise ValueError("arrays are missing")
        return arrays


def row_count(path: Path) -> int:
    """Rows of a chunk."""
    rows = read_note(path).get("rows")
    return len(read_chunk(path, ("t",))["t"]) if rows is None else int(rows)


def plain_number(value: object) -> float:
    """NumPy scalars for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored in a result's statistics")
