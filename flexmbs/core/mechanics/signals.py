"""Functions of time: called through their address, so that a user's function never recompiles a kernel.

Piecewise polynomials and harmonics are numbers in ``pool``; sums and products name two signals that stand before them.
Pieces, from ``at`` on: COUNT, number of pieces n; TERMS, coefficients of each, m; BEYOND, what holds beyond the ends
(HOLD, STOP, REPEAT, CONTINUE); from TIMES on n + 1 times where pieces begin and end; m coefficients of each piece, of
ascending powers of (t - its begin).  A harmonic: AMPLITUDE, FREQUENCY (rad/s), PHASE (rad), OFFSET.
"""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.layout.tables import (
    ACCEL,
    CONTINUE,
    FUNCTION,
    HARMONIC,
    HOLD,
    PIECES,
    POSITION_LEVEL,
    RATE,
    REPEAT,
    STOP,
    SUM,
    VALUE,
    VELOCITY_LEVEL,
    Tables,
)
from flexmbs.core.mechanics.condensed_modes import place_condensed
from flexmbs.machine_code.entry import entry, interface
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2

COUNT, TERMS, BEYOND, TIMES = range(4)
AMPLITUDE, FREQUENCY, PHASE, OFFSET, HARMONIC_SIZE = range(5)
END_SLACK = 1e-9  # of the whole time: rounding at the end of a table is no reason to stop


@interface
def time_function(t: float) -> float:
    """A function of time (s) that the user gives, or a derivative of it."""


@entry
def evaluate_signals(tables: Tables, t: float, out: Floats2) -> None:
    """out[i] = value, first and second derivative of signal i at time t."""
    for i in range(len(tables.signals)):
        evaluate_signal(tables, i, t, out)


@kernel
def evaluate_signal(tables, i, t, out):
    """:func:`evaluate_signals` of signal ``i`` alone, whose parts are evaluated already."""
    signal = tables.signals[i]
    if signal.kind == FUNCTION:
        out[i, VALUE] = signal.constant
        out[i, RATE] = out[i, ACCEL] = 0.0
        if signal.value != 0:
            out[i, VALUE] = time_function(signal.value, t)
        if signal.rate != 0:
            out[i, RATE] = time_function(signal.rate, t)
        if signal.acceleration != 0:
            out[i, ACCEL] = time_function(signal.acceleration, t)
    elif signal.kind == PIECES:
        pieces_at(tables.pool, signal.at, t, out[i])
    elif signal.kind == HARMONIC:
        harmonic_at(tables.pool, signal.at, t, out[i])
    else:
        combine(signal.kind, out[signal.first], out[signal.second], out[i])


@kernel
def pieces_at(pool, at, t, out):
    """Value and two derivatives of a piecewise polynomial at time ``t``."""
    count, terms, beyond = int(pool[at + COUNT]), int(pool[at + TERMS]), int(pool[at + BEYOND])
    times = at + TIMES
    first, last = pool[times], pool[times + count]
    if beyond == REPEAT:
        t -= (last - first) * np.floor((t - first) / (last - first))
    inside = min(max(t, first), last)
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if inside < pool[times + middle]:
            high = middle
        else:
            low = middle
    x = (t if beyond == CONTINUE else inside) - pool[times + low]
    base = times + count + 1 + terms * low
    value = rate = half = 0.0
    for k in range(terms - 1, -1, -1):
        half = half * x + rate
        rate = rate * x + value
        value = value * x + pool[base + k]
    out[VALUE], out[RATE], out[ACCEL] = value, rate, 2.0 * half
    if inside != t and beyond == HOLD:
        out[RATE] = out[ACCEL] = 0.0
    elif abs(inside - t) > END_SLACK * (last - first) and beyond == STOP:
        out[VALUE] = out[RATE] = out[ACCEL] = math.nan


@kernel
def harmonic_at(pool, at, t, out):
    """Value and two derivatives of offset + amplitude sin(w t + phase)."""
    amplitude, w = pool[at + AMPLITUDE], pool[at + FREQUENCY]
    angle = w * t + pool[at + PHASE]
    out[VALUE] = pool[at + OFFSET] + amplitude * math.sin(angle)
    out[RATE] = amplitude * w * math.cos(angle)
    out[ACCEL] = -amplitude * w * w * math.sin(angle)


@kernel
def combine(kind, f, g, out):
    """Sum or product of two signals with its derivatives."""
    if kind == SUM:
        for k in range(ACCEL + 1):
            out[k] = f[k] + g[k]
        return
    f0, f1, f2 = f[VALUE], f[RATE], f[ACCEL]
    g0, g1, g2 = g[VALUE], g[RATE], g[ACCEL]
    out[VALUE], out[RATE], out[ACCEL] = f0 * g0, f1 * g0 + f0 * g1, f2 * g0 + 2.0 * f1 * g1 + f0 * g2


@entry
def impose_drivers(tables: Tables, signal: Floats2, q: Floats, v: Floats, a: Floats) -> None:
    """Overwrite the driven coordinates by their signals (already evaluated), and by their rates what is driven by rate.

    What the signal does not say (position where the velocity is prescribed) is integrated from the acceleration.
    Condensed modes are put where their values say (core.mechanics.condensed_modes).
    """
    place_condensed(tables, q, v, a)
    for i in range(len(tables.coordinates)):
        impose_driver(tables, signal, i, q, v, a)


@kernel
def impose_driver(tables, signal, k, q, v, a):
    """:func:`impose_drivers` of coordinate ``k`` alone."""
    s = tables.coordinates[k].signal
    if s < 0:
        return
    if tables.coordinates[k].level == POSITION_LEVEL:
        q[k], v[k], a[k] = signal[s, VALUE], signal[s, RATE], signal[s, ACCEL]
    elif tables.coordinates[k].level == VELOCITY_LEVEL:
        v[k], a[k] = signal[s, VALUE], signal[s, RATE]
    else:
        a[k] = signal[s, VALUE]
