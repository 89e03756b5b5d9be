"""The result of a run: histories by name, and fields of its flexible bodies at any time."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import FlexmbsError, ResultWarning, SimulationError, UnknownHistoryError
from flexmbs.common.names_in_messages import counted, names_arguments
from flexmbs.common.user_warnings import warn
from flexmbs.mechanism.clearance.bore_profile import BoreProfile
from flexmbs.mechanism.geometry.euler_angles import euler_angles, rotation_vectors
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.recovery import superpose
from flexmbs.result import event_records
from flexmbs.result.clearance_histories import bore_wear
from flexmbs.result.energy_ledger import EnergyLedger, ledger_of
from flexmbs.result.event_records import EventRecord
from flexmbs.result.export import ExportMethods
from flexmbs.result.histories import History, catalogue, unit_of
from flexmbs.result.interpolation import as_times, coordinates_at, frames_at, monotone
from flexmbs.result.picture_methods import PictureMethods
from flexmbs.result.report.notebook import result_card
from flexmbs.result.resampling import ResampledTrajectory, orientation, quaternion_history
from flexmbs.result.result_folder import locked_result_folder
from flexmbs.result.run_summary import RunSummary
from flexmbs.result.saved_state import SavedState, has_state, load_state
from flexmbs.result.storage import RunWriter, load_folder
from flexmbs.result.stored_histories import StoredTrajectory
from flexmbs.result.stress_methods import StressMethods
from flexmbs.result.structure import Structure
from flexmbs.result.trajectory import ContactRecord, Trajectory


def load(folder: str | Path) -> Result:
    """Read the result of a run from its folder; ResultWarning if the run did not reach its end.

    Raises ResultFolderError (a SimulationError) if there is none, or a file is damaged, missing or from another run.
    """
    structure, trajectory = load_folder(folder)
    state = Path(folder).absolute() if has_state(Path(folder)) else None
    result = Result(structure, trajectory, final_state=state)
    result.about = Path(folder).absolute()
    if not result.status.startswith("finished"):
        warn(f"{folder}: this run did not reach its end: {result.status}", ResultWarning)
    return result


@names_arguments(FlexmbsError)
class Result(StressMethods, PictureMethods, ExportMethods):
    """Time histories, contacts and fields of one run; FlexmbsError for arguments that a method does not have, or lacks.

    ``result["hinge.angle"]`` is the history of that name (``result.names`` lists all), one value per accepted step
    ``result.t``; fields (:meth:`displacement`, :meth:`stress`) are available at any time between.
    """

    def __init__(
        self,
        structure: Structure,
        trajectory: Trajectory | StoredTrajectory,
        settle: Callable[[Trajectory], Trajectory] | None = None,
        final_state: SavedState | Path | None = None,
    ) -> None:
        """``settle`` completes reactions and driving forces when they are first used (redundant mechanisms).

        ``final_state``: the state at the end, or the folder that contains it.
        """
        self._settle = settle
        self._final_state = final_state
        self.structure = structure
        self.trajectory = trajectory
        #: What a case states of this run (parameters, figures, plots, view), or the run folder whose summary.json says it.
        self.about: RunSummary | Path = RunSummary()

    @cached_property
    def _histories(self) -> dict[str, History]:
        return catalogue(self.structure, ledger=self.trajectory.has("ledger"))

    def __getstate__(self) -> dict[str, object]:
        """For pickle: reactions are completed; data on disk is pickled as the path of its folder, without arrays."""
        self._complete()
        return {"structure": self.structure, "trajectory": self.trajectory, "final_state": self._final_state}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} to {self.t[-1]:g} s in {counted(len(self.t) - 1, 'step')}" if len(self.t) else "empty"
        bodies = ", ".join(body.name for body in self.structure.bodies[1:]) or "none"
        contacts, histories = counted(len(self.contacts), "contact"), counted(len(self.names), "history", "histories")
        return f"<Result {self.status}: {span}; bodies: {bodies}; {contacts}; {histories}>"

    def _repr_html_(self) -> str:
        """For notebooks: a table of the run, plots, the interactive scene of small models, warnings."""
        return result_card(self)

    def __getitem__(self, name: str) -> np.ndarray:
        """History (nt,) of that name; UnknownHistoryError (a KeyError) suggests the nearest names."""
        if not isinstance(name, str):
            raise UnknownHistoryError(f"a history is found by its name, a text, not {name!r}; result.names lists them")
        if name not in self._histories:
            near = [known for known in self._histories if known.startswith(f"{name}.")][:6]
            near = near or difflib.get_close_matches(name, self._histories, n=3, cutoff=0.4)
            hint = f"; near names: {', '.join(near)}" if near else "; result.names lists them"
            raise UnknownHistoryError(f"no history named {name!r}{hint}")
        if _SETTLED.search(name) or name in self.structure.record_names:
            self._complete()
        return self._histories[name](self.trajectory)

    def _complete(self) -> None:
        if self._settle is not None:
            self.trajectory, self._settle = self._settle(self.trajectory), None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all histories."""
        return tuple(self._histories)

    @property
    def t(self) -> np.ndarray:
        """(nt,) s, every accepted step."""
        return self.trajectory.t

    @property
    def contacts(self) -> tuple[ContactRecord, ...]:
        """Contacts in order of time."""
        return self.trajectory.contacts

    @property
    def events(self) -> tuple[EventRecord, ...]:
        """Impacts, changes of mode of rigid contacts, events, locks and releases, in order of time."""
        return self.trajectory.events

    def impacts(self, name: str | None = None) -> tuple[EventRecord, ...]:
        """Impacts in order of time, all or those of one contact; UnknownHistoryError with near names."""
        found = event_records.of_name(self.events, name, self.structure.contact_names)
        return tuple(event for event in found if event.kind == event_records.IMPACT)

    def transitions(self, name: str | None = None) -> tuple[EventRecord, ...]:
        """Changes of mode of rigid contacts, as :meth:`impacts`."""
        found = event_records.of_name(self.events, name, self.structure.contact_names)
        return tuple(event for event in found if event.kind == event_records.TRANSITION)

    @property
    def stats(self) -> dict[str, float]:
        """Statistics of the run by name: steps, evaluations, seconds."""
        return dict(self.trajectory.stats)

    @property
    def status(self) -> str:
        """ "finished", "stopped: reason" or "interrupted at t = ..."."""
        return self.trajectory.status

    @property
    def leaves_out_steps(self) -> bool:
        """Whether fewer steps are stored than the run took (storage within a limit, ``store_every``, ...)."""
        return len(self.t) <= self.trajectory.stats.get("steps_accepted", 0)

    @property
    def final_state(self) -> SavedState:
        """State at the end, or where the run stopped: ``System.simulate(t_end, start=result)`` continues from it.

        SimulationError if the result has none (kinematics, statics, resampled results).
        """
        if isinstance(self._final_state, Path):
            self._final_state = load_state(self._final_state)
        if self._final_state is None:
            raise SimulationError("this result has no state to continue from: it was not made by System.simulate")
        return self._final_state

    def unit(self, name: str) -> str:
        """Unit of a history ("" for quaternions)."""
        return unit_of(self.structure, name)

    def flexible(self, body: str) -> FlexibleBody:
        """The flexible body of that name; UnknownHistoryError if there is none or it is rigid."""
        record = self.structure.bodies[self.structure.body_index(body)]
        if record.flexible is None:
            raise UnknownHistoryError(f"body {body!r} is rigid: it has no modes, displacements or stresses")
        return record.flexible

    def at(self, time: float) -> State:
        """All values at one time (s) within the run; ValueError outside."""
        return State(self.resampled([time]))

    def resampled(self, times: ArrayLike) -> Result:
        """This result at other times (k,) s, in any order.

        Coordinates to fifth order, velocities to fourth, frames and accelerations to third; forces and reactions, of
        which no derivatives are stored, by cubics that do not overshoot.  Velocities of bodies are the rates of their
        interpolated frames; energies, and gaps of spheres and planes, follow from this motion as far as it tells them.
        """
        times = as_times(times)
        sampled = ResampledTrajectory(self.trajectory, self.structure, times)
        if self._settle is None:
            return Result(self.structure, sampled)
        return Result(self.structure, sampled, lambda part: self._completed(part, times))

    def with_body_frames(self, position: np.ndarray, rotation: np.ndarray) -> Result:
        """This result with other frames of its bodies, (nt, nb, 3) m and (nt, nb, 3, 3); all else stays."""
        return Result(self.structure, self.trajectory.replaced(body_position=position, body_rotation=rotation))

    def _completed(self, part: Trajectory, times: np.ndarray) -> Trajectory:
        """Reactions of a resampled part, from those of the whole."""
        self._complete()
        whole = self.trajectory
        return part.replaced(
            reaction=monotone(whole.t, whole.reaction, times),
            driving_force=monotone(whole.t, whole.driving_force, times),
            record=monotone(whole.t, whole.record, times),
        )

    def modal(self, body: str, time: float | np.ndarray) -> np.ndarray:
        """(n,) modal coordinates of a flexible body at ``time``; (k, n) at times (k,)."""
        self.flexible(body)
        record = self.structure.bodies[self.structure.body_index(body)]
        found = coordinates_at(self.trajectory, self.structure, time)[:, record.coordinates]
        return found if np.ndim(time) else found[0]

    def displacement(self, body: str, time: float) -> np.ndarray:
        """(nn, 3) m: displacement of every node of a flexible body, in the axes of the body."""
        flexible = self.flexible(body)
        return superpose(flexible, flexible.modes, flexible.quadratic, self.modal(body, time))

    def points(self, body: str, time: float) -> np.ndarray:
        """(nn, 3) m: position of every node of a flexible body, in world axes."""
        positions, rotations = frames_at(self.trajectory, time, [self.structure.body_index(body)])
        return positions[0, 0] + (self.flexible(body).points + self.displacement(body, time)) @ rotations[0, 0].T

    def wear(self, joint: str, *, coefficient: float, hardness: float, width: float | None = None, bins: int = 72) -> BoreProfile:
        """Depth that this run wears off the bore of a joint with clearance, over the angle (Archard's law).

        Depth = coefficient / hardness * integral of normal force times sliding speed / area, of each bin. Add profiles
        of several runs, multiply by a number of cycles, and run again with ``fm.Clearance(profile=...)``.

        Parameters
        ----------
        coefficient : Archard's, without dimension; hardness : Pa, of the softer surface
        width : m, of the bearing; None: ``length`` of the clearance
        """
        return bore_wear(self.structure, self.trajectory, joint, coefficient, hardness, width, bins)

    def rotation(self, name: str, relative_to: str | None = None) -> np.ndarray:
        """(nt, 3, 3) rotation (direction cosines) from the axes of a body or marker to those of the world.

        Parameters
        ----------
        name : a body, a marker ("body.marker"), or a joint: then of its second marker relative to its first
        relative_to : a body or marker whose axes take the place of the world's
        """
        return orientation(self.structure, self.trajectory, name, relative_to)

    def euler(
        self,
        name: str,
        sequence: str,
        relative_to: str | None = None,
        *,
        extrinsic: bool = False,
        degrees: bool = False,
        unwrap: bool = False,
    ) -> np.ndarray:
        """(nt, 3) Euler angles of :meth:`rotation` in any of the 12 sequences ("zxz" or "313"), rad or degrees.

        Ranges and gimbal lock (third angle zero) as in :func:`flexmbs.mechanism.geometry.euler_angles.euler_angles`;
        ``unwrap`` takes out jumps of a full turn between steps.
        """
        angles = euler_angles(self.rotation(name, relative_to), sequence, extrinsic=extrinsic, degrees=degrees)
        return np.unwrap(angles, axis=0, period=360.0 if degrees else 2.0 * np.pi) if unwrap else angles

    def quaternion(self, name: str, relative_to: str | None = None) -> np.ndarray:
        """(nt, 4) unit quaternion w, x, y, z of :meth:`rotation`: w >= 0 at the start, then without jumps of sign."""
        return quaternion_history(self.rotation(name, relative_to))

    def rotation_vector(self, name: str, relative_to: str | None = None) -> np.ndarray:
        """(nt, 3) rotation vector of :meth:`rotation`, rad, of length at most pi."""
        return rotation_vectors(self.rotation(name, relative_to))

    def extreme(self, name: str) -> tuple[float, float]:
        """Time and value where the history is largest in magnitude, found between steps too.

        Of a result that leaves out steps, only where the stored ones resolve the history: the interpolation exceeds
        them by no more than a quarter of their range there.
        """
        history = self[name]
        sizes = np.abs(history)
        index = largest = int(np.argmax(sizes))
        if name in ("energy.total", "energy.balance"):  # a sum of interpolated parts is not constant where the sum is
            return float(self.t[index]), float(self[name][index])
        if self.leaves_out_steps and len(self.t) > 1:  # then it may be between steps that are smaller than others
            steps = np.argsort(-np.maximum(sizes[1:], sizes[:-1]), kind="stable")[:LARGEST_STEPS]
            quarters = np.array([0.25, 0.5, 0.75])
            inside = self.t[steps, None] + quarters * (self.t[steps + 1] - self.t[steps])[:, None]
            around = np.clip(steps[:, None] + np.arange(-1, 3), 0, len(history) - 1)
            resolved = np.maximum(sizes[steps], sizes[steps + 1]) + RESOLVED * np.ptp(history[around], axis=1)
            found = np.abs(self.resampled(inside.ravel())[name]).reshape(inside.shape)
            found = np.where(found <= resolved[:, None], found, 0.0).ravel()
            if found.max() > sizes[index]:
                index = int(steps[int(np.argmax(found)) // len(quarters)])
        low, high = self.t[max(index - 1, 0)], self.t[min(index + 1, len(self.t) - 1)]
        times = np.append(np.linspace(low, high, 201), self.t[index])
        values = self.resampled(times)[name]
        best = int(np.argmax(np.abs(values)))
        near = history[max(index - 2, 0) : index + 3]
        if self.leaves_out_steps and abs(values[best]) > sizes[index] + RESOLVED * np.ptp(near):
            return float(self.t[largest]), float(history[largest])
        return float(times[best]), float(values[best])

    def energy_ledger(self, time: float | None = None) -> EnergyLedger:
        """Stored energies, work and losses by element and their balance (docs/energy.md): ``print`` it for a table.

        Up to the stored step at or before ``time`` (s; None: the end). SimulationError if the result has no ledger.
        """
        return ledger_of(self.trajectory, self.structure, time)

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """Write model.h5 and result.h5 to ``folder``; :func:`flexmbs.load` reads them.

        ResultFolderError if the folder cannot be written, or already holds a result and ``force`` is not set.
        """
        self._complete()
        arrays, state = self.trajectory.arrays(), self._final_state and self.final_state
        with locked_result_folder(folder, force=force) as place:
            writer = RunWriter(place, self.structure)
            writer.append(arrays, events=self.events)
            if state is not None:
                writer.save_state(state.at(writer.position))
            writer.finish(self.trajectory.status, self.trajectory.stats, self.contacts)


class State:
    """A result at one time: ``state["hinge.angle"]`` is a number."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __getitem__(self, name: str) -> float:
        return float(self._result[name][0])

    @property
    def t(self) -> float:
        return float(self._result.t[0])

    @property
    def q(self) -> np.ndarray:
        return self._result.trajectory.q[0]

    @property
    def v(self) -> np.ndarray:
        return self._result.trajectory.v[0]


# where an extreme is looked for if steps were left out
LARGEST_STEPS = 4096
RESOLVED = 0.25  # of the range of four steps; a sine of six steps a period exceeds them by 0.15
# histories that ``settle`` completes
_SETTLED = re.compile(r"\.reaction\.|\.driving_force$")
