"""How long steps may be so that they resolve functions of time (core.stepping.driver_steps): drivers, loads of what rests."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.layout import tables as t
from flexmbs.core.mechanics.signals import COUNT, TIMES
from flexmbs.core.stepping.driver_steps import OVER_RUN, largest_signals
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
MOST_KNOTS = 2000  # between which the largest acceleration is looked for; there are INSIDE samples between two
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
        ends = tables.pool[at + TIMES :][: min(int(tables.pool[at + COUNT]), MOST_KNOTS) + 1]
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
