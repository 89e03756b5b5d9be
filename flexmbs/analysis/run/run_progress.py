"""Telling the progress of a run: numbers to a callback, the newest state to a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmbs.analysis.run.recorder import Recorder
from flexmbs.analysis.run.result_size import ResultSize
from flexmbs.analysis.run.run_clock import RunClock
from flexmbs.analysis.run.step_statistics import vibrations_that_decide
from flexmbs.common.progress import Progress
from flexmbs.core.layout.state import State
from flexmbs.model.compiled_model import Model
from flexmbs.result.result import Result
from flexmbs.result.structure import Structure
from flexmbs.result.trajectory import Trajectory
from flexmbs.view.live_window import LiveWindow

RATES = ("v", "a", "body_velocity", "body_angular_velocity")  # of a trajectory


class RunProgress:
    """What a run tells between its chunks of steps.

    Parameters
    ----------
    callback : called with a :class:`Progress`; None: nobody listens
    live : options of the window that shows the run; None: there is none
    """

    def __init__(self, callback: Callable[[Progress], object] | None, live: dict[str, Any] | None) -> None:
        self._callback, self._live = callback, live
        self._window: LiveWindow | None = None
        self._clock = RunClock()

    def begin(self, structure: Structure, recorder: Recorder, model: Model, t_end: float) -> None:
        """Open the window on the first state of the run."""
        self._structure = structure
        if self._live is not None:
            self._window = LiveWindow(Result(structure, _held(recorder.newest(model), t_end)), self._live)

    def tell(self, model: Model, state: State, t_end: float, size: ResultSize, recorder: Recorder) -> None:
        """Progress up to ``state``."""
        if self._callback is not None:
            now = float(state.time)
            self._callback(
                Progress(
                    time=now,
                    t_end=t_end,
                    step=float(state.step_size),
                    steps=int(state.steps_accepted),
                    result_bytes=size.thinner.expected_bytes(now),
                    note=vibrations_that_decide(model, state),
                    seconds_left=self._clock.seconds_left(now, t_end),
                )
            )
        if self._window is not None and (self._window.is_due or state.time >= t_end):
            self._window.show(Result(self._structure, Trajectory(**recorder.newest(model))))

    def end(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()
            self._window = None


def _held(state: dict[str, np.ndarray], t_end: float) -> Trajectory:
    """A state that stays as it is up to ``t_end``: the scene then knows how long the run is."""
    both = {name: np.concatenate([array, array]) for name, array in state.items()}
    both["t"][-1] = t_end
    return Trajectory(**{**both, **{name: 0.0 * both[name] for name in RATES}})
