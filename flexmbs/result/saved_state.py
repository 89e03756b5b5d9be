"""A state from which a run goes on: everything that steps depend on, and the system that it belongs to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from flexmbs.errors import SimulationError
from flexmbs.result.joining import write_arrays
from flexmbs.result.saved_checks import check_state
from flexmbs.stored_arrays import read_npz_arrays

STATE, SYSTEM = "state.npz", "system.npz"
OF_SYSTEM = "system."  # prefix of what stays the same during a run


@dataclass(frozen=True, repr=False)
class SavedState:
    """What ``System.simulate(..., start=state)`` goes on from; ``state["hinge.angle"]`` looks a coordinate up.

    Attributes
    ----------
    t : s
    arrays : blocks of the run by field: "state.q", "scratch.real", "settings.rtol", "tables.free" ...
    system : tables of the system, and its start values, by name
    note : names of coordinates, contacts and samplers; tolerances and integrator as asked, how the run stands, counters
    """

    t: float
    arrays: Mapping[str, np.ndarray]
    system: Mapping[str, np.ndarray]
    note: Mapping[str, object]

    def __repr__(self) -> str:
        return f"<SavedState at t = {self.t:.9g} s, run {self.note['status']}, {len(self.names)} values>"

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates (three zeros of a ball: its rotation is in ``arrays["state.reference"]``) and their rates."""
        count = self.note["coordinate_count"]
        return (*self.note["coordinate_names"][:count], *self.note["rate_names"])

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise KeyError(f"no coordinate or rate named {name!r}; names: {', '.join(self.names)}")
        count = self.note["coordinate_count"]
        index = self.names.index(name)
        return float(self.arrays["state.q"][index] if index < count else self.arrays["state.v"][index - count])

    def at(self, position: Mapping[str, int]) -> SavedState:
        """The same state behind another place in the files of a run (``RunWriter.position``)."""
        return replace(self, note={**self.note, **position})

    def save(self, path: str | Path) -> Path:
        """Write everything to one .npz file; :func:`load_state` reads it."""
        path = Path(path).with_suffix(".npz")
        system = {OF_SYSTEM + name: array for name, array in self.system.items()}
        write_arrays(path, {**self.arrays, **system, "note": self._text()})
        return path

    def save_beside(self, folder: Path, with_system: bool) -> None:
        """Write state.npz to the folder of a run; what stays the same only ``with_system``."""
        if with_system:
            write_arrays(folder / SYSTEM, {OF_SYSTEM + name: array for name, array in self.system.items()})
        write_arrays(folder / STATE, {**self.arrays, "note": self._text()})

    def _text(self) -> np.ndarray:
        return np.array(json.dumps({**self.note, "t": self.t}))


def has_state(folder: Path) -> bool:
    """Whether a run has left a state in ``folder``."""
    return (folder / STATE).is_file() and (folder / SYSTEM).is_file()


def load_state(path: str | Path) -> SavedState:
    """The last state of a run from its folder (finished, stopped, interrupted or killed), or one saved to a file.

    Raises SimulationError when there is none, or one that is damaged.
    """
    path = Path(path)
    files = (path / SYSTEM, path / STATE) if path.is_dir() else (path,)
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise SimulationError(f"{path}: no saved state here ({', '.join(missing)} not found)")
    found: dict[str, np.ndarray] = {}
    for file in files:
        try:
            found.update(read_npz_arrays(file))
        except ValueError as error:
            raise SimulationError(f"{file}: the saved state is damaged ({error})") from error
    if "note" not in found or not any(name.startswith(OF_SYSTEM) for name in found):
        raise SimulationError(f"{path}: this file holds no saved state")
    try:
        note = json.loads(str(found.pop("note")))
    except (ValueError, RecursionError) as error:
        raise SimulationError(f"{path}: the saved state is damaged: its note is no JSON text ({error})") from error
    system = {name.removeprefix(OF_SYSTEM): found[name] for name in found if name.startswith(OF_SYSTEM)}
    arrays = {name: array for name, array in found.items() if not name.startswith(OF_SYSTEM)}
    check_state(str(path), arrays, system, note)
    return SavedState(float(note.pop("t")), arrays, system, note)
