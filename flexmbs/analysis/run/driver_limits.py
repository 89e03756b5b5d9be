"""Steps and the motions of drivers: how long steps may be to resolve functions of time, and whether they have.

The former are drivers, and loads of what rests (core.stepping.driver_steps).
"""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.layout import tables as t
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import POSITION_LEVEL
from flexmbs.core.mechanics.signals import COUNT, TIMES
from flexmbs.core.stepping.driver_steps import OVER_RUN, largest_signals
from flexmbs.mechanism.python_functions import DIFFERENCE_REACH
from flexmbs.model.compiled_model import Model

# What straight lines between steps may miss of a driven acceleration, relative to the largest one: rtol, but no less than
# FINEST, in mechanisms that the drivers move alone.  Where something else moves the method sees the driver through it, if it
# is connected: LOOSE, which limits no step of such runs, resolves drivers of what is not.
FINEST, LOOSE = 1e-8, 0.01
# ... of another function of time, such as a force, where contacts or joints can stick: what is at rest has no errors that
# would keep the steps short, and slips where a load is largest.
LOAD = 1e-3
# Rounding of the acceleration by the level of the driver, relative to its largest signal: differences of functions over
# milliseconds (mechanism.python_functions), and functions with derivatives of their own.
ROUNDING = 2e-9, 1e-12, 1e-15
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
MAX_KNOTS = 2000  # between which the largest acceleration is looked for; there are INSIDE samples between two
INSIDE = np.array([0.0, 0.21, 0.5, 0.79])


def driver_limits(model: Model, t_end: float, rtol: float) -> dict[str, np.ndarray]:
    """``drivers``, ``driven_forces``, ``driver_signals`` and ``knots`` of Settings.

    Drivers without acceleration (constant, or of constant speed) limit no step but by the forces of a tree that drivers
    alone move, provided that no function of the user, which may have memory, takes part in these.
    """
    tables = model.tables
    driving = sorted({(int(one["signal"]), int(one["level"])) for one in [*tables.coordinates, *tables.constraints]})
    driving = [one for one in driving if one[0] >= 0]
    loads = set(range(len(tables.signals))) - {s for s, _level in driving} if len(tables.switches) else set()
    parts = _with_parts(tables.signals, {s for s, _level in driving} | loads)
    knots = [int(at) for at in tables.signals["at"][parts[tables.signals["kind"][parts] == t.PIECES]]]
    sizes = _largest(model, t_end, parts, knots)
    share = max(rtol, FINEST) if _moves_by_drivers_alone(model) else LOOSE
    rows, forces, missed = [], [], {}
    for signal, level in driving:
        size = sizes[signal, t.ACCEL - level]
        tolerance = max(share * size, ROUNDING[level] * (sizes[signal, t.VALUE] + t_end * sizes[signal, t.RATE]))
        missed[signal, level] = tolerance
        if size > tolerance:
            rows.append((signal, t.ACCEL - level, tolerance))
    rows += [(s, t.VALUE, LOAD * sizes[s, t.VALUE]) for s in loads if sizes[s, t.RATE] > 0.0]
    if not (len(tables.free) or len(tables.functions)):
        driven = [(k, int(tables.coordinates["signal"][k]), int(tables.coordinates["level"][k])) for k in model.driven_coordinates]
        forces = [(k, share, missed[signal, level]) for k, signal, level in driven]
    return {
        "drivers": np.array(rows, dtype=float).reshape(-1, 3),
        "driven_forces": np.array(forces, dtype=float).reshape(-1, 3),
        # all where forces are looked at, which are made of them
        "driver_signals": np.arange(len(tables.signals)) if forces else _with_parts(tables.signals, {row[0] for row in rows}),
        "knots": np.array(knots, dtype=np.int64),
    }


def _with_parts(signals: np.ndarray, wanted: set[int]) -> np.ndarray:
    """``wanted`` signals with those that they are sums and products of, which stand before them."""
    for s in range(len(signals) - 1, -1, -1):
        if s in wanted and signals["kind"][s] in (t.SUM, t.PRODUCT):
            wanted |= {int(signals["first"][s]), int(signals["second"][s])}
    return np.array(sorted(wanted), dtype=np.int64)


def _largest(model: Model, t_end: float, parts: np.ndarray, knots: list[int]) -> np.ndarray:
    """(signals, 3) largest value, rate and acceleration of drivers and their ``parts`` found in the run."""
    # spread evenly, but without a period that could be that of a driver (multiples of the golden ratio modulo 1)
    tables, times = model.tables, [np.append(0.0, t_end * (np.arange(1, OVER_RUN + 1) * GOLDEN % 1.0))]
    for at in knots:
        ends = tables.pool[at + TIMES :][: min(int(tables.pool[at + COUNT]), MAX_KNOTS) + 1]
        inside = (ends[:-1, None] + INSIDE * np.diff(ends)[:, None]).ravel()
        times.append(inside[(inside >= 0.0) & (inside <= t_end)])
    signals = np.zeros((len(tables.signals), 3))
    sizes = np.zeros_like(signals)
    failed = model.signals.error
    if len(parts):
        largest_signals(tables, parts, np.concatenate(times), signals, sizes)
    if not model.signals.interrupted:
        model.signals.error = failed  # a function that fails is told of when the run comes there
    return sizes


def _moves_by_drivers_alone(model: Model) -> bool:
    """Whether drivers and constraints leave nothing to move by itself: as many unknowns are multipliers as are not."""
    kinds = model.tables.coordinates[model.tables.free]
    multipliers = np.count_nonzero(kinds["multiplier"] == t.PERMANENT)
    return bool(np.count_nonzero((kinds["multiplier"] == 0) & (kinds["unit"] == 0.0)) <= multipliers)


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
