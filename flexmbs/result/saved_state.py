"""A saved state, from which a run can continue: everything that the next steps depend on, and its system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import path_problem, write_arrays
from flexmbs.common.errors import ResultFolderError, SimulationError, UnknownHistoryError
from flexmbs.common.stored_arrays import read_npz_arrays
from flexmbs.result.chunks import damaged, reading
from flexmbs.result.run_summary import MODEL, STATE, SYSTEM
from flexmbs.result.saved_state_checks import check_state
from flexmbs.result.structure_store import run_of

OF_SYSTEM = "system."  # prefix of what stays the same during a run


@dataclass(frozen=True, repr=False)
class SavedState:
    """A state for ``System.simulate(..., start=state)``; ``state["hinge.angle"]`` is the value of a coordinate.

    Attributes
    ----------
    t : s
    arrays : blocks of the run by field: "state.q", "scratch.real", "settings.rtol", "tables.free" ...
    system : tables of the system, and its start values, by name
    note : names of coordinates, contacts and samplers; requested tolerances and integrator, status of the run, counters
    """

    t: float
    arrays: Mapping[str, np.ndarray]
    system: Mapping[str, np.ndarray]
    note: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<SavedState at t = {self.t:.9g} s, run {self.note['status']}, {len(self.names)} values>"

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates (three zeros of a ball: its rotation is in ``arrays["state.reference"]``) and their rates."""
        count = self.note["coordinate_count"]
        return (*self.note["coordinate_names"][:count], *self.note["rate_names"])

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise UnknownHistoryError(f"no coordinate or rate named {name!r}; names: {', '.join(self.names)}")
        count = self.note["coordinate_count"]
        index = self.names.index(name)
        return float(self.arrays["state.q"][index] if index < count else self.arrays["state.v"][index - count])

    def at(self, position: Mapping[str, int]) -> SavedState:
        """The same state at another position in the files of a run (``RunWriter.position``)."""
        return replace(self, note={**self.note, **position})

    def save(self, path: str | Path) -> Path:
        """Write the state to one .npz file; :func:`load_state` reads it."""
        path = Path(path).with_suffix(".npz")
        system = {OF_SYSTEM + name: array for name, array in self.system.items()}
        write_arrays(path, {**self.arrays, **system, "note": self._text()}, ResultFolderError)
        return path

    def save_beside(self, folder: Path, with_system: bool) -> None:
        """Write state.npz to the folder of a run, and system.npz ``with_system``."""
        run = str(self.note["run"])
        if with_system:
            system = {OF_SYSTEM + name: array for name, array in self.system.items()}
            write_arrays(folder / SYSTEM, {**system, "run": np.array(run)}, ResultFolderError, owner=run)
        write_arrays(folder / STATE, {**self.arrays, "note": self._text()}, ResultFolderError, owner=run)

    def _text(self) -> np.ndarray:
        return np.array(json.dumps({**self.note, "t": self.t}, default=np.ndarray.tolist))


def has_state(folder: Path) -> bool:
    """Whether ``folder`` contains a saved state."""
    return (folder / STATE).is_file() and (folder / SYSTEM).is_file()


def load_state(path: str | Path) -> SavedState:
    """The last state of a run from its folder (finished, stopped, interrupted or killed), or one saved to a file.

    Raises SimulationError if there is none, ResultFolderError if it is damaged or belongs to a different run.
    """
    path = Path(path)
    files = (path / SYSTEM, path / STATE) if path.is_dir() else (path,)
    missing = [f"{file} {path_problem(file)}" for file in files if path_problem(file)]
    if missing:
        raise SimulationError(f"{path}: no saved state here ({', '.join(missing)})")
    found: dict[str, np.ndarray] = {}
    for file in files:
        with reading(file):
            found.update(read_npz_arrays(file))
    if "note" not in found or not any(name.startswith(OF_SYSTEM) for name in found):
        raise SimulationError(f"{path}: this file does not contain a saved state")
    with reading(files[-1]):
        note = json.loads(str(found.pop("note")))
    of_system = str(found.pop("run", note.get("run", "")))
    if len(files) == 2:
        _check_runs(path, of_system, str(note.get("run", "")))
    system = {name.removeprefix(OF_SYSTEM): found[name] for name in found if name.startswith(OF_SYSTEM)}
    arrays = {name: array for name, array in found.items() if not name.startswith(OF_SYSTEM)}
    with reading(files[-1]):
        check_state(str(path), arrays, system, note)
    return SavedState(float(note.pop("t")), arrays, system, note)


def state_note(folder: Path) -> dict[str, Any] | None:
    """What the state in a folder says about itself; None when there is none."""
    if not (folder / STATE).exists():
        return None
    with reading(folder / STATE):
        return json.loads(str(read_npz_arrays(folder / STATE, names=("note",))["note"]))


def _check_runs(folder: Path, of_system: str, of_state: str) -> None:
    """ResultFolderError when a file of the folder is that of another run."""
    run = run_of(folder / MODEL) if (folder / MODEL).is_file() else of_state
    for name, found in ((SYSTEM, of_system), (STATE, of_state)):
        if found != run:
            raise damaged(folder / name, f"belongs to a different run than {MODEL}")
