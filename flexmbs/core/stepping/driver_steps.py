"""Steps that resolve what drivers prescribe: they end on knots, and driven accelerations are straight between their ends.

A method estimates errors of what it integrates; a motion that is prescribed has none, however long the step.  Results
interpolate reactions, and so the forces of drivers, linearly between rows: over a step h they miss h^2 / 8 times the second
derivative of the acceleration (de Boor, A Practical Guide to Splines, 1978, ch. III), which is measured at points inside
the step.  The quintic of positions and rates then misses far less.  In trees that drivers alone move their forces are
looked at, too: those of weights and centrifugal forces change where the speed is constant.
"""

from __future__ import annotations

import math

from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.tables import ACCEL, ACCELERATION_LEVEL, CONTINUE, POSITION_LEVEL, REPEAT, Tables
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.signals import BEYOND, COUNT, TIMES, evaluate_signal, impose_drivers
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Integers

SLACK = 1e-12  # of a time, or of a table's: a knot so near has been reached
# Points inside a step, and over the whole run: a shorter motion of a Python function may be missed.
INSIDE, OVER_RUN = 4, 1000
SAFETY, MIN_FACTOR = 0.9, 0.1
SHORTEST = 1e-9  # of the run: a step over a jump of a prescribed acceleration
BEHIND = 20.0  # in such steps, where the jump is over: what is not straight there either is rounding
DRIVER_SIGNAL, DRIVER_COLUMN, DRIVER_TOLERANCE = range(3)  # columns of Settings.drivers
# Columns of Settings.driven_forces. COORDINATE; SHARE: what steps may miss of its largest force; MISSED: of its acceleration
COORDINATE, SHARE, MISSED = range(3)
BEGIN, END, POINT, TOLERANCE = range(4)  # rows of Scratch.driven


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
    if settings.drivers.shape[0] + settings.driven_forces.shape[0] == 0:
        return h
    while h > SHORTEST * settings.t_end:
        part = resolved_part(tables, state, settings, scratch, work, 0.0, h)
        if part >= 1.0:
            break
        h *= max(part, MIN_FACTOR)
        if h <= SHORTEST * settings.t_end and resolved_part(tables, state, settings, scratch, work, BEHIND * h, h) < 1.0:
            take_as_rounding(state, settings, scratch.driven)
    evaluate_drivers(tables, settings.driver_signals, state.time, work.signal)
    return h


@kernel
def resolved_part(tables, state, settings, scratch, work, begin, h):
    """1 where a step that begins ``begin`` behind ``state`` resolves the drivers, or the part of it that is likely to."""
    points = min(OVER_RUN, max(INSIDE, int(OVER_RUN * h / settings.t_end) + 1))
    driven, m = scratch.driven, settings.drivers.shape[0]
    evaluate_driven(tables, state, settings, scratch, work, begin, 0.0, driven[BEGIN])
    if settings.driven_forces.shape[0] > 0:
        evaluate_driven(tables, state, settings, scratch, work, begin, 1.0, driven[TOLERANCE])
    for i in range(m):
        driven[TOLERANCE, i] = settings.drivers[i, DRIVER_TOLERANCE]
    for i in range(m, m + settings.driven_forces.shape[0]):  # what accelerations may miss, times inertia, and more
        driven[TOLERANCE, i] = abs(driven[TOLERANCE, i] - driven[BEGIN, i])
    evaluate_driven(tables, state, settings, scratch, work, begin + h, 0.0, driven[END])
    for j in range(1, points):
        x, missed = j / points, 0.0
        evaluate_driven(tables, state, settings, scratch, work, begin + x * h, 0.0, driven[POINT])
        raise_tolerances(state, settings, driven)
        for i in range(m + settings.driven_forces.shape[0]):
            off = abs(driven[POINT, i] - (1.0 - x) * driven[BEGIN, i] - x * driven[END, i])
            if off > driven[TOLERANCE, i]:
                missed = max(missed, off / max(driven[TOLERANCE, i], 1e-300))
        if missed > 1.0:
            return SAFETY * math.sqrt(4.0 * x * (1.0 - x) / missed)  # a parabola misses most in the middle
    return 1.0


@kernel
def take_as_rounding(state, settings, driven):
    """Raise the tolerances of forces above what the last points miss: rounding of loads that cancel, which no step resolves."""
    for i in range(settings.driven_forces.shape[0]):
        m, k = settings.drivers.shape[0] + i, int(settings.driven_forces[i, COORDINATE])
        off = max(abs(driven[POINT, m] - driven[BEGIN, m]), abs(driven[POINT, m] - driven[END, m]))
        if off > driven[TOLERANCE, m]:
            state.largest_effort[k] = max(state.largest_effort[k], 10.0 * off / settings.driven_forces[i, SHARE])


@kernel
def evaluate_driven(tables, state, settings, scratch, work, h, change, out):
    """out = accelerations that drivers prescribe at ``h`` behind ``state``; in trees that they alone move, forces behind them.

    ``change`` of the accelerations of which these are the forces, in parts of what steps may miss of them.
    """
    evaluate_drivers(tables, settings.driver_signals, state.time + h, work.signal)
    forces, m = settings.driven_forces, settings.drivers.shape[0]
    for i in range(m):
        out[i] = work.signal[int(settings.drivers[i, DRIVER_SIGNAL]), int(settings.drivers[i, DRIVER_COLUMN])]
    if forces.shape[0] == 0:
        return
    q, v, a = scratch.point_q, scratch.point_v, scratch.point_a
    copy_vector(state.q, q)
    copy_vector(state.v, v)
    copy_vector(state.a, a)
    impose_drivers(tables, work.signal, q, v, a)
    for i in range(forces.shape[0]):
        k = int(forces[i, COORDINATE])
        if tables.coordinates[k].level == ACCELERATION_LEVEL:
            v[k] += 0.5 * h * (state.a[k] + a[k])
        if tables.coordinates[k].level != POSITION_LEVEL:  # trapezoidal rule with the correction by its ends
            q[k] += h * (0.5 * (state.v[k] + v[k]) - h / 12.0 * (a[k] - state.a[k]))
        a[k] += change * forces[i, MISSED]
    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
    for i in range(forces.shape[0]):
        out[m + i] = scratch.residual[int(forces[i, COORDINATE])]


@kernel
def raise_tolerances(state, settings, driven):
    """Tolerances of forces: at least their share of the largest so far."""
    for i in range(settings.driven_forces.shape[0]):
        m, k = settings.drivers.shape[0] + i, int(settings.driven_forces[i, COORDINATE])
        for row in range(TOLERANCE):
            state.largest_effort[k] = max(state.largest_effort[k], abs(driven[row, m]))
        driven[TOLERANCE, m] = max(driven[TOLERANCE, m], settings.driven_forces[i, SHARE] * state.largest_effort[k])


@kernel
def evaluate_drivers(tables, signals, t, out):
    """``signals`` at time ``t``; those that some are sums and products of stand before them."""
    for i in range(signals.shape[0]):
        evaluate_signal(tables, signals[i], t, out)


@entry
def largest_signals(tables: Tables, signals: Integers, times: Floats, work: Floats2, out: Floats2) -> None:
    """out[s] = largest size of value, rate and acceleration of each s of ``signals`` at ``times`` (s)."""
    for j in range(times.shape[0]):
        evaluate_drivers(tables, signals, times[j], work)
        for i in range(signals.shape[0]):
            for k in range(ACCEL + 1):
                out[signals[i], k] = max(out[signals[i], k], abs(work[signals[i], k]))
