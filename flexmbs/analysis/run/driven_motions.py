"""Whether the steps of a run resolve the motions that drivers prescribe."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import POSITION_LEVEL
from flexmbs.mechanism.python_functions import DIFFERENCE_REACH
from flexmbs.model.compiled_model import Model

UNEXPLAINED = 0.1  # change over a step that the rates at its ends may leave unexplained, relative to the motion
SMEARED = 1e-3  # ... of rates by differences over a step within their reach, where they may disagree with the motion
SKIPPED = 0.5  # ... above which the step skips the motion, provided it is NOTABLE relative to the largest value or rate
NOTABLE = 0.01
SHORTEST = 1e-6  # of the time since the start: a step over a jump of an acceleration skips no motion
TURN = 0.5  # rad in a step; for smaller rotations the ends of the step represent the power of weights and forces
RATE_ROUNDING = 1e-8  # of rates by finite differences over milliseconds, 1/s, relative to the value


class DrivenMotions:
    """Motions that drivers and constraints prescribe."""

    def __init__(self, system, model: Model):
        self.driving = [one for one in system.constraints.values() if one.signal is not None]
        self.driving = [one for one in self.driving if one.signal.value is not None or one.level != POSITION_LEVEL]
        units = {f"{j.name}.{name}": unit for j in system.joints.values() for name, unit in j.type.coordinates.items()}
        self.names = [model.coordinate_names[k] for k in model.driven_coordinates]
        self.turning = np.flatnonzero([units.get(name) == "rad" for name in self.names])
        signals = {f"{j.name}.{name}": signal for j in system.joints.values() for name, signal in j.drivers.items()}
        found = [signals.get(name) for name in self.names] + [one.signal for one in self.driving]
        self.levels = np.array([0] * len(self.names) + [one.level for one in self.driving])  # below which nothing is known
        self.names += [one.name for one in self.driving]
        # s: differences see the whole motion over such a time, and rates that they smear are no motion skipped
        self.smeared = np.array([2.0 * DIFFERENCE_REACH * (one is not None and one.by_differences) for one in found])
        self.skipped = ""  # the first step that skips most of a motion of a driver

    def driven(self, model: Model, rows: np.ndarray) -> np.ndarray:
        """(rows, 3, drivers): value, rate and acceleration of each driver; of constraints, zero below what they prescribe."""
        columns, k = model.log_row, model.driven_coordinates
        found = [rows[:, columns.q][:, k], rows[:, columns.v][:, k], rows[:, columns.a][:, k]]
        for constraint in self.driving:
            signal, t = constraint.signal, rows[:, TIME]
            functions = (signal.value or (lambda _t, constant=signal.constant: constant), signal.rate, signal.acceleration)
            values = [np.zeros(len(t)) if f is None else np.array([float(f(x)) for x in t]) for f in functions]
            values = [*[np.zeros(len(t))] * constraint.level, *values][:3]
            found = [np.column_stack([old, new]) for old, new in zip(found, values, strict=True)]
        return np.stack(found, axis=1)

    def is_seen(self, times: np.ndarray, driven: np.ndarray) -> np.ndarray:
        """(steps,) bool: whether the values at the ends of a step represent the drivers in between.

        ``times`` (steps + 1,) s; ``driven`` (steps + 1, 3, drivers), see :meth:`driven`. Notes the first step that skips
        most of a motion: one of a Python function that no sample has shown (core.stepping.driver_steps).
        """
        h, change = np.diff(times)[:, None, None], np.diff(driven, axis=0)
        # trapezoidal rule, for values with the end correction by the derivatives of the rates
        explained = 0.5 * h * (driven[1:, 1:] + driven[:-1, 1:])
        moved = 0.5 * h * (np.abs(driven[1:, 1:]) + np.abs(driven[:-1, 1:]))
        explained[:, 0] -= h[:, 0] ** 2 / 12.0 * change[:, 2]
        left = np.abs(change[:, :2] - explained) * (np.arange(2)[:, None] >= self.levels)
        size = np.maximum(np.abs(change[:, :2]), moved)
        largest = np.abs(driven[:, :2]).max(axis=0, initial=0.0)
        rounding = RATE_ROUNDING * largest[0] * np.array([[0.0], [1.0]])
        skips = ((left > SKIPPED * size) & (left > np.maximum(NOTABLE * largest, rounding))).any(axis=1)
        for i, k in np.argwhere(skips & (h[:, 0] > np.maximum(self.smeared, SHORTEST * times[-1])))[:1]:
            step = f"the step from t = {times[i]:.6g} to {times[i + 1]:.6g} s"
            self.skipped = self.skipped or f"{step} skips a shorter motion of the driver of '{self.names[k]}'"
        part = np.where(h < self.smeared, SMEARED, UNEXPLAINED)
        turned = np.abs(change[:, 0, self.turning])
        return ~((left > part * size + np.maximum(1e-9 * largest, rounding)).any(axis=(1, 2)) | (turned > TURN).any(axis=1))
