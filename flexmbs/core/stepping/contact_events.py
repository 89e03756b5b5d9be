"""Contact events: onset and end found on the step's interpolant, then hit exactly by repeating the step up to them."""

from __future__ import annotations

from flexmbs.core.contact.gap import gap_at
from flexmbs.core.equations.quintic_interpolation import interpolate
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.method_interface import attempt_step
from flexmbs.machine_code.kernel import kernel

SAMPLES = 8  # points of a step at which gaps are looked at


@kernel
def gap_inside(tables, c, state, scratch, work, h, x):
    """Gap of contact ``c`` and its rate at point ``x`` of the step."""
    interpolate(tables, state, scratch, h, x)
    evaluate_signals(tables, state.time + x * h, work.signal)
    impose_drivers(tables, work.signal, scratch.point_q, scratch.point_v, scratch.point_a)
    return gap_at(tables, c, scratch.point_q, scratch.point_v, scratch.point_a, state.reference, work)


@kernel
def first_event(tables, state, scratch, work, h):
    """Earliest point x of the step where a contact starts or ends, and the contact; (2, -1) when none does."""
    best, which = 2.0, -1
    for c in range(len(tables.contacts)):
        sign = -1.0 if state.active[c] != 0 else 1.0  # sign * gap is positive before the event
        gap0, rate0 = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        gap1, rate1 = gap_at(tables, c, scratch.end_q, scratch.end_v, scratch.end_a, state.reference, work)
        reach = h * (abs(rate0) + abs(rate1))
        if sign * gap0 > 2.0 * reach and sign * gap1 > 2.0 * reach:
            continue
        x = crossing(tables, c, state, scratch, work, h, sign, gap0, rate0)
        if x < best:
            best, which = x, c
    return best, which


@kernel
def crossing(tables, c, state, scratch, work, h, sign, gap0, rate0):
    """First root of the gap in the step; 2 when there is none.  Dips between samples are found by the rate's sign."""
    left, left_gap, left_rate = 0.0, max(sign * gap0, 0.0), sign * rate0
    for i in range(1, SAMPLES + 1):
        x = i / SAMPLES
        gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
        gap, rate = sign * gap, sign * rate
        if gap > 0.0 and left_rate < 0.0 and rate > 0.0:
            x_low, gap_low = lowest(tables, c, state, scratch, work, h, sign, left, x)
            if gap_low < 0.0:
                x, gap = x_low, gap_low
        if gap <= 0.0:
            if left_gap <= 0.0:
                left, left_gap = leave(tables, c, state, scratch, work, h, sign, left, x)
                if left_gap <= 0.0:
                    return left
            return root(tables, c, state, scratch, work, h, sign, left, x)
        left, left_gap, left_rate = x, gap, rate
    return 2.0


@kernel
def lowest(tables, c, state, scratch, work, h, sign, left, right):
    """Point of the smallest gap between two points where the rate changes sign, by bisection on the rate."""
    gap = 0.0
    x = right
    for _ in range(40):
        x = 0.5 * (left + right)
        gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
        gap *= sign
        if gap < 0.0:
            break
        if sign * rate < 0.0:
            left = x
        else:
            right = x
    return x, gap


@kernel
def leave(tables, c, state, scratch, work, h, sign, left, right):
    """A point just after ``left`` (where an event has just happened) at which the gap has left zero."""
    x, gap = right, 0.0
    for _ in range(40):
        x = left + 0.5 * (x - left)
        gap, _rate = gap_inside(tables, c, state, scratch, work, h, x)
        gap *= sign
        if gap > 0.0:
            break
    return x, gap


@kernel
def root(tables, c, state, scratch, work, h, sign, left, right):
    """Bisection, then the secant's accuracy by 60 halvings: robust on any interpolant."""
    for _ in range(60):
        x = 0.5 * (left + right)
        if x <= left or x >= right:
            break
        gap, _rate = gap_inside(tables, c, state, scratch, work, h, x)
        if sign * gap > 0.0:
            left = x
        else:
            right = x
    return right


@kernel
def step_to_event(tables, c, state, settings, scratch, work, h, x):
    """Repeat the step so that it ends on the event of contact ``c``.

    Returns its length; 0 when the event is now; -1 when Newton failed, with a smaller step prepared.
    """
    tolerance = 1e300
    for k in range(state.q.shape[0]):
        tolerance = min(tolerance, 1e-3 * (settings.atol_q[k] + 1e-13))
    target = reached = x * h
    for _ in range(6):
        if target <= 1e-15 * max(1e-3, state.time):
            return 0.0
        iterations, _error, _order = attempt_step(scratch.attempt_step, tables, state, settings, scratch, work, target)
        if iterations == 0:
            state.step_size = 0.5 * target
            state.factored_step_size = 0.0
            state.tangent_status = ALL_STALE
            return -1.0
        reached = target
        gap, rate = gap_at(tables, c, scratch.end_q, scratch.end_v, scratch.end_a, state.reference, work)
        if abs(gap) <= tolerance or rate == 0.0:
            break
        change = -gap / rate
        if abs(change) < 1e-14 * max(target, 1e-3) or target + change > 1.01 * h:
            break
        target = max(target + change, 0.5 * target)
    return reached
