"""A trajectory at other times, of which only what is asked for is interpolated."""

from __future__ import annotations

from functools import cached_property

import numpy as np

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
from flexmbs.result.structure import Structure
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
