"""A trajectory at other times, of which only what is asked for is interpolated; and orientations over time."""

from __future__ import annotations

import difflib
from functools import cached_property

import numpy as np

from flexmbs.common.errors import UnknownHistoryError
from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, quaternions
from flexmbs.reduction.recovery import superpose
from flexmbs.result.histories import all_markers
from flexmbs.result.interpolation import (
    accelerations_at,
    coordinates_at,
    frame_velocities_at,
    frames_at,
    locate,
    monotone,
    velocities_at,
)
from flexmbs.result.motion_values import energies_between, gaps_between
from flexmbs.result.stored_histories import StoredTrajectory
from flexmbs.result.structure import MarkerRecord, Structure
from flexmbs.result.trajectory import OPTIONAL, REQUIRED, Trajectory

_FRAMES = ("body_position", "body_rotation")
_FRAME_RATES = ("body_velocity", "body_angular_velocity")
_BY_MOTION = {"energy": energies_between, "contact_gap": gaps_between}


class ResampledTrajectory(StoredTrajectory):
    """``run`` at ``times`` (k,): each array is interpolated when it is first used."""

    def __init__(self, run: Trajectory | StoredTrajectory, structure: Structure, times: np.ndarray) -> None:
        """ValueError when one of ``times`` is outside the run."""
        locate(run.t, times)
        names = [name for name in REQUIRED + OPTIONAL if run.has(name)]
        super().__init__(names, self._interpolated, run.contacts, run.stats, run.status, {"t": times}, run.events)
        self._run, self._structure, self._times = run, structure, times

    def __reduce__(self):
        """For pickle: the arrays, without the run that they were interpolated from."""
        records = {"contacts": self.contacts, "events": self.events}
        plain = Trajectory(**self.arrays(), **records, stats=self.stats, status=self.status)
        return Trajectory.replaced, (plain,)

    def replaced(self, **changed) -> ResampledTrajectory:
        """The same with some of the arrays replaced; others are interpolated as they were, when they are first used."""
        other = ResampledTrajectory(self._run, self._structure, self._times)
        other._names, other._read = self._names | changed.keys(), lambda name: getattr(self, name)
        other.__dict__.update(changed)
        return other

    def _interpolated(self, name: str) -> np.ndarray:
        run, times = self._run, self._times
        if name in _FRAMES:
            return self._frames[_FRAMES.index(name)]
        if name in _FRAME_RATES:
            return self._frame_rates[_FRAME_RATES.index(name)]
        if name == "q":
            return coordinates_at(run, self._structure, times)
        if name == "v":
            return velocities_at(run, self._structure, times)
        if name == "a":
            return accelerations_at(run, times)
        law = _BY_MOTION.get(name)
        if law is not None and len(run.t) > 1:
            return law(run, self, self._structure)
        return monotone(run.t, getattr(run, name), times)

    @cached_property
    def _frames(self) -> tuple[np.ndarray, np.ndarray]:
        return frames_at(self._run, self._times)

    @cached_property
    def _frame_rates(self) -> tuple[np.ndarray, np.ndarray]:
        return frame_velocities_at(self._run, self._times)


def orientation(structure: Structure, run: Trajectory, name: str, relative_to: str | None = None) -> np.ndarray:
    """(nt, 3, 3) rotation from the axes of ``name`` to those of ``relative_to`` (None: the world).

    Parameters
    ----------
    name : a body, a marker ("body.marker"), or a joint: then of its second marker relative to its first
    relative_to : a body or marker; a joint has its own

    UnknownHistoryError for an unknown name (with near ones) or a marker without rotation.
    """
    joints = {joint.name: joint for joint in structure.joints}
    if name in joints:
        if relative_to is not None:
            raise UnknownHistoryError(
                f"joint {name!r}: relative_to is not allowed; a joint's orientation is relative to its first marker"
            )
        first, second = (structure.markers[index] for index in (joints[name].marker_a, joints[name].marker_b))
        return _relative(_marker_axes(structure, run, first), _marker_axes(structure, run, second))
    axes = _axes(structure, run, name)
    return axes if relative_to is None else _relative(_axes(structure, run, relative_to), axes)


def quaternion_history(matrices: np.ndarray) -> np.ndarray:
    """(nt, 4) w, x, y, z of matrices (nt, 3, 3): w >= 0 at the start, then without changes of sign between steps."""
    found = quaternions(matrices)
    turns = np.einsum("ti,ti->t", found[1:], found[:-1]) < 0.0
    signs = np.cumprod(np.where(np.concatenate([[False], turns]), -1.0, 1.0)) if len(found) else np.ones(0)
    return signs[:, None] * found


def _relative(frame: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return np.einsum("tji,tjk->tik", frame, axes)


def _axes(structure: Structure, run: Trajectory, name: str) -> np.ndarray:
    """(nt, 3, 3) axes of a body or marker in the world."""
    for index, body in enumerate(structure.bodies):
        if body.name == name:
            return run.body_rotation[:, index]
    markers = {f"{marker.body}.{marker.name}": marker for marker in all_markers(structure)}
    if name in markers:
        return _marker_axes(structure, run, markers[name])
    known = [*(body.name for body in structure.bodies), *markers, *(joint.name for joint in structure.joints)]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or known
    raise UnknownHistoryError(f"no body, marker or joint named {name!r}; near names: {', '.join(near)}")


def _marker_axes(structure: Structure, run: Trajectory, marker: MarkerRecord) -> np.ndarray:
    index = structure.body_index(marker.body)
    body, turn = structure.bodies[index], run.body_rotation[:, index]
    if body.flexible is None or marker.fields is None:
        return turn @ marker.rotation
    if not marker.fields.has_rotation:
        raise UnknownHistoryError(f"marker '{marker.body}.{marker.name}' is a single node of a solid and has no rotation")
    bent = superpose(body.flexible, marker.fields.Psi, marker.fields.Zr, run.q[:, body.coordinates])
    return turn @ matrices_of_vectors(bent) @ marker.rotation
