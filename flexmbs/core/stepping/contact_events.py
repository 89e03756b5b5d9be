"""Contact events: onset and end found on the step's interpolant, then hit exactly by repeating the step up to them.

A contact starts where its gap closes, and ends where it opens. One that separates at zero force (a law that would pull)
ends as soon as its force vanishes inside; it starts again where its force would push, or else after its gap was open.
A law that is renewed at the ends of steps has a third event, where the bodies stop approaching.
"""

from __future__ import annotations

from flexmbs.core.contact.gap import gap_at, normal_force
from flexmbs.core.equations.massless_patches import balance_patches
from flexmbs.core.equations.quintic_interpolation import interpolate
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.layout.tables import AT_ZERO_FORCE
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.method_interface import attempt_step
from flexmbs.machine_code.kernel import kernel

SAMPLES = 8  # points of a step at which gaps are looked at
AT_GAP, AT_FORCE, AT_REST = 0, 1, 2  # what vanishes at an event: the gap, the force, the rate of the gap
NOT_YET = 1e-6  # part of a step: an event before it was that of the step before
ON_SURFACE = 1e-9  # gap, relative to what the bodies move in the step
BACK = 1e-4  # part of a step over which the slope of a force is taken


@kernel
def gap_inside(tables, c, state, scratch, work, h, x):
    """Gap of contact ``c`` and its rate at point ``x`` of the step."""
    interpolate(tables, state, scratch, h, x)
    evaluate_signals(tables, state.time + x * h, work.signal)
    impose_drivers(tables, work.signal, scratch.point_q, scratch.point_v, scratch.point_a)
    balance_patches(tables, state, scratch, work)
    return gap_at(tables, c, scratch.point_q, scratch.point_v, scratch.point_a, state.reference, work)


@kernel
def first_event(tables, state, scratch, work, h):
    """Earliest point x of the step with an event, its contact, what vanishes there; (2, -1, 0) when there is none."""
    best, which, kind = 2.0, -1, AT_GAP
    for c in range(len(tables.contacts)):
        contact = tables.contacts[c]
        sign = -1.0 if state.active[c] != 0 else 1.0  # sign * gap is positive before the event
        gap0, rate0 = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        gap1, rate1 = gap_at(tables, c, scratch.end_q, scratch.end_v, scratch.end_a, state.reference, work)
        reach = h * (abs(rate0) + abs(rate1))
        if contact.update != 0 and state.active[c] != 0 and rate0 < 0.0 and rate1 > 0.0:
            x = turning_point(tables, c, state, scratch, work, h)
            if NOT_YET < x < best:
                best, which, kind = x, c, AT_REST
        if contact.separation == AT_ZERO_FORCE:
            if gap0 > 2.0 * reach and gap1 > 2.0 * reach:
                continue
            x = push_change(tables, c, state, scratch, work, h, gap0, rate0)
            if x < best:
                gap, _rate = gap_inside(tables, c, state, scratch, work, h, x)
                best, which = x, c
                kind = AT_GAP if abs(gap) <= ON_SURFACE * reach or gap > 0.0 else AT_FORCE
            continue
        if sign * gap0 > 2.0 * reach and sign * gap1 > 2.0 * reach:
            continue
        x = crossing(tables, c, state, scratch, work, h, sign, gap0, rate0)
        if x < best:
            best, which, kind = x, c, AT_GAP
    return best, which, kind


@kernel
def turning_point(tables, c, state, scratch, work, h):
    """Where the bodies of a contact stop approaching in the step, by bisection on the rate of the gap."""
    left, right = 0.0, 1.0
    for _ in range(60):
        x = 0.5 * (left + right)
        if x <= left or x >= right:
            break
        _gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
        if rate < 0.0:
            left = x
        else:
            right = x
    return right


@kernel
def pushes(tables, c, state, gap, rate, work):
    """Whether the law of a contact pushes its bodies apart."""
    return gap <= 0.0 and normal_force(tables, c, state.contact_history, gap, rate, work) > 0.0


@kernel
def push_change(tables, c, state, scratch, work, h, gap0, rate0):
    """First point of the step where a contact that never pulls begins or ceases to push; 2 when there is none."""
    pushing = state.active[c] != 0
    left, left_gap, left_rate = 0.0, gap0, rate0
    for i in range(1, SAMPLES + 1):
        x = i / SAMPLES
        gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
        now = pushes(tables, c, state, gap, rate, work)
        if left_gap > 0.0 and gap > 0.0 and left_rate < 0.0 and rate > 0.0:
            x_low, gap_low = lowest(tables, c, state, scratch, work, h, 1.0, left, x)
            if gap_low < 0.0:
                x = x_low
                gap, rate = gap_inside(tables, c, state, scratch, work, h, x)
                now = pushes(tables, c, state, gap, rate, work)
        if now != pushing:
            for _ in range(60):
                middle = 0.5 * (left + x)
                if middle <= left or middle >= x:
                    break
                gap, rate = gap_inside(tables, c, state, scratch, work, h, middle)
                if pushes(tables, c, state, gap, rate, work) == pushing:
                    left = middle
                else:
                    x = middle
            return x
        left, left_gap, left_rate = x, gap, rate
    return 2.0


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
def step_to_event(tables, c, kind, state, settings, scratch, work, h, x):
    """Repeat the step so that it ends on the event of contact ``c``, where the gap, force or rate (``kind``) vanishes.

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
        if kind == AT_GAP:
            if abs(gap) <= tolerance or rate == 0.0:
                break
            change = -gap / slope_at_end(tables, c, state, scratch, work, target, gap, rate)
        else:
            change = time_to_zero(tables, c, kind, state, scratch, work, target, gap, rate)
            if abs(change * rate) <= tolerance:
                break
        if abs(change) < 1e-14 * max(target, 1e-3) or target + change > 1.01 * h:
            break
        target = max(target + change, 0.5 * target)
    return reached


@kernel
def slope_at_end(tables, c, state, scratch, work, h, gap, rate):
    """Derivative of the gap at the end of a step, m/s: its rate leaves out what massless patches yield."""
    if len(tables.massless) == 0:
        return rate
    early, _rate = gap_inside(tables, c, state, scratch, work, h, 1.0 - BACK)
    slope = (gap - early) / (BACK * h)
    return slope if slope * rate > 0.0 else rate


@kernel
def time_to_zero(tables, c, kind, state, scratch, work, h, gap, rate):
    """By how much a step of ``h`` misses the zero of a force or gap rate, s; from its slope before the end."""
    value = rate
    if kind == AT_FORCE:
        value = normal_force(tables, c, state.contact_history, gap, rate, work)
    early_gap, early_rate = gap_inside(tables, c, state, scratch, work, h, 1.0 - BACK)
    early = early_rate
    if kind == AT_FORCE:
        early = normal_force(tables, c, state.contact_history, early_gap, early_rate, work)
    if value == 0.0 or early == 0.0 or value == early:  # a force that is zero beyond: the interpolant is all there is
        return 0.0
    return -value * BACK * h / (value - early)
