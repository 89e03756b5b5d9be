"""Steps that resolve what drivers prescribe: they end on knots, and driven accelerations are straight between their ends.

A method estimates errors of what it integrates; a motion that is prescribed has none, however long the step.  Results
interpolate reactions, and so the forces of drivers, linearly between rows: over a step h they miss h^2 / 8 times the second
derivative of the acceleration (de Boor, A Practical Guide to Splines, 1978, ch. III), which is measured at points inside
the step.  The quintic of positions and rates then misses far less.
"""

from __future__ import annotations

import math

from flexmbs.core.layout.tables import ACCEL, CONTINUE, REPEAT, Tables
from flexmbs.core.mechanics.signals import BEYOND, COUNT, TIMES, evaluate_signal
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Integers

SLACK = 1e-12  # of a time, or of a table's: a knot so near has been reached
# Points inside a step, and over the whole run: a shorter motion of a Python function may be missed.
INSIDE, OVER_RUN = 4, 1000
SAFETY, MIN_FACTOR = 0.9, 0.1
SHORTEST = 1e-9  # of the run: a step over a jump of a prescribed acceleration
DRIVER_SIGNAL, DRIVER_COLUMN, DRIVER_TOLERANCE = range(3)  # columns of Settings.drivers


@kernel
def next_knot(tables, settings, t):
    """Time of the first knot behind ``t`` of the piecewise functions of drivers (infinite: none)."""
    nearest = math.inf
    for i in range(settings.knots.shape[0]):
        nearest = min(nearest, knot_after(tables.pool, settings.knots[i], t))
    return nearest


@kernel
def knot_after(pool, at, t):
    """Time of the first knot behind ``t`` of the piecewise polynomial at ``at`` in the pool."""
    count, beyond, times = int(pool[at + COUNT]), int(pool[at + BEYOND]), at + TIMES
    first, last = pool[times], pool[times + count]
    t += SLACK * max(abs(t), last - first)
    base = (last - first) * math.floor((t - first) / (last - first)) if beyond == REPEAT else 0.0
    t -= base
    low, high = 0, count
    if beyond == CONTINUE:  # the first and last polynomial go on: nothing happens at the ends
        low, high = 1, count - 1
    if low > high or t >= pool[times + high]:
        return math.inf
    while low < high:
        middle = (low + high) // 2
        if pool[times + middle] > t:
            high = middle
        else:
            low = middle + 1
    return base + pool[times + low]


@kernel
def resolved_step(tables, state, settings, scratch, work, h):
    """The longest step up to ``h`` over which all driven accelerations are straight within their tolerances."""
    if settings.drivers.shape[0] == 0:
        return h
    while h > SHORTEST * settings.t_end:
        part = resolved_part(tables, state, settings, scratch, work, h)
        if part >= 1.0:
            break
        h *= max(part, MIN_FACTOR)
    evaluate_drivers(tables, settings.driver_signals, state.time, work.signal)
    return h


@kernel
def resolved_part(tables, state, settings, scratch, work, h):
    """1 where the step resolves the drivers, or the part of it that is likely to."""
    points = min(OVER_RUN, max(INSIDE, int(OVER_RUN * h / settings.t_end) + 1))
    for end in range(2):
        evaluate_drivers(tables, settings.driver_signals, state.time + end * h, work.signal)
        for i in range(settings.drivers.shape[0]):
            scratch.driven[end, i] = driven_acceleration(settings, work, i)
    for j in range(1, points):
        x, missed = j / points, 0.0
        evaluate_drivers(tables, settings.driver_signals, state.time + x * h, work.signal)
        for i in range(settings.drivers.shape[0]):
            straight = (1.0 - x) * scratch.driven[0, i] + x * scratch.driven[1, i]
            off = abs(driven_acceleration(settings, work, i) - straight)
            missed = max(missed, off / settings.drivers[i, DRIVER_TOLERANCE])
        if missed > 1.0:
            return SAFETY * math.sqrt(4.0 * x * (1.0 - x) / missed)  # a parabola misses most in the middle
    return 1.0


@kernel
def evaluate_drivers(tables, signals, t, out):
    """``signals`` at time ``t``; those that some are sums and products of stand before them."""
    for i in range(signals.shape[0]):
        evaluate_signal(tables, signals[i], t, out)


@kernel
def driven_acceleration(settings, work, i):
    """Acceleration that driver ``i`` prescribes at the time for which the signals have been evaluated."""
    return work.signal[int(settings.drivers[i, DRIVER_SIGNAL]), int(settings.drivers[i, DRIVER_COLUMN])]


@entry
def largest_signals(tables: Tables, signals: Integers, times: Floats, work: Floats2, out: Floats2) -> None:
    """out[s] = largest size of value, rate and acceleration of each s of ``signals`` at ``times`` (s)."""
    for j in range(times.shape[0]):
        evaluate_drivers(tables, signals, times[j], work)
        for i in range(signals.shape[0]):
            for k in range(ACCEL + 1):
                if abs(work[signals[i], k]) > out[signals[i], k]:
                    out[signals[i], k] = abs(work[signals[i], k])
