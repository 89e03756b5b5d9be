"""Results on disk: small numbered chunks while a run grows, one HDF5 file once it has ended.

A chunk is written under a temporary name and then renamed, so a run killed at any moment leaves only complete
chunks (an HDF5 file that is open when its process is killed cannot be read).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from flexmbs.errors import SimulationError
from flexmbs.result.structure import Structure
from flexmbs.result.structure_store import load_structure, save_structure
from flexmbs.result.trajectory import ContactRecord, Trajectory, check_chunk, join_chunks

MODEL, RESULT, CHUNKS = "model.h5", "result.h5", "chunk_*.npz"


class RunWriter:
    """Receives the steps of a run, keeps them, and writes them to ``folder`` (None: memory only).

    Earlier results in ``folder`` are removed; other files there stay.
    """

    def __init__(self, folder: str | Path | None, structure: Structure) -> None:
        self.folder = None if folder is None else Path(folder)
        self.structure = structure
        self._chunks: list[dict[str, np.ndarray]] = []
        self._contacts: list[ContactRecord] = []
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            _remove_chunks(self.folder)
            (self.folder / RESULT).unlink(missing_ok=True)
            save_structure(structure, self.folder / MODEL)

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
        self._chunks.append(dict(arrays))
        self._contacts.extend(contacts)
        if self.folder is not None:
            note = {"contacts": [asdict(contact) for contact in contacts], "stats": dict(stats or {})}
            _write_chunk(self.folder / f"chunk_{len(self._chunks):06d}.npz", arrays, note)

    def finish(
        self,
        status: str = "finished",
        stats: Mapping[str, float] | None = None,
        contacts: Sequence[ContactRecord] = (),
        settle: Callable[[Trajectory], Trajectory] | None = None,
    ) -> Trajectory:
        """Join everything (``status`` "finished" or "stopped: reason"), replace the chunks by result.h5, and return it.

        ``contacts`` are further ones, such as a contact that was still open at the end; ``settle`` completes what
        is saved.
        Raises SimulationError when nothing was appended.
        """
        if not self._chunks:
            raise SimulationError("the run ended before its first step was stored")
        trajectory = join_chunks(self._chunks, [*self._contacts, *contacts], stats, status)
        if self.folder is not None:
            trajectory = settle(trajectory) if settle is not None else trajectory
            save_trajectory(trajectory, self.folder / RESULT)
            _remove_chunks(self.folder)
        return trajectory


def save_trajectory(trajectory: Trajectory, path: Path) -> None:
    """Write a trajectory to one HDF5 file (complete or not at all)."""
    import h5py

    temporary = path.with_suffix(".part")
    with h5py.File(temporary, "w") as file:
        for name, array in trajectory.arrays().items():
            file.create_dataset(name, data=array)
        note = {
            "contacts": [asdict(contact) for contact in trajectory.contacts],
            "stats": dict(trajectory.stats),
            "status": trajectory.status,
        }
        file.create_dataset("note", data=json.dumps(note, default=_plain_number))
    os.replace(temporary, path)


def load_folder(folder: str | Path) -> tuple[Structure, Trajectory]:
    """Read the result of a run, finished or killed.

    Raises SimulationError when the folder holds none, naming what is missing.
    """
    folder = Path(folder)
    if not (folder / MODEL).is_file():
        raise SimulationError(f"{folder}: no result here ({MODEL} is missing); give the folder named by --out")
    structure = load_structure(folder / MODEL)
    if (folder / RESULT).is_file():
        return structure, _load_trajectory(folder / RESULT)
    chunks, notes = _read_chunks(folder)
    if not chunks:
        raise SimulationError(f"{folder}: the run ended before its first step was stored")
    contacts = [ContactRecord(**contact) for note in notes for contact in note["contacts"]]
    status = f"interrupted at t = {chunks[-1]['t'][-1]:.6g} s"
    return structure, join_chunks(chunks, contacts, notes[-1]["stats"], status)


def _load_trajectory(path: Path) -> Trajectory:
    import h5py

    with h5py.File(path, "r") as file:
        note = json.loads(file["note"][()].decode())
        arrays = {name: item[()] for name, item in file.items() if name != "note"}
    contacts = tuple(ContactRecord(**contact) for contact in note["contacts"])
    return Trajectory(**arrays, contacts=contacts, stats=note["stats"], status=note["status"])


def _write_chunk(path: Path, arrays: Mapping[str, np.ndarray], note: Mapping[str, object]) -> None:
    temporary = path.with_suffix(".part")
    with open(temporary, "wb") as file:
        np.savez(file, note=np.array(json.dumps(note, default=_plain_number)), **arrays)
    os.replace(temporary, path)


def _read_chunks(folder: Path) -> tuple[list[dict[str, np.ndarray]], list[dict]]:
    chunks, notes = [], []
    for path in sorted(folder.glob(CHUNKS)):
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        notes.append(json.loads(str(arrays.pop("note"))))
        chunks.append(arrays)
    return chunks, notes


def _remove_chunks(folder: Path) -> None:
    for path in [*folder.glob(CHUNKS), *folder.glob("*.part")]:
        path.unlink(missing_ok=True)


def _plain_number(value: object) -> float:
    """NumPy scalars for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored in a result's statistics")
