"""Contact events: onset and end found on the step's interpolant, then hit exactly by repeating the step up to them.

A contact starts where its gap closes, and ends where it opens. One that separates at zero force (a law that would pull)
ends as soon as its force vanishes inside; it starts again where its force would push, or else after its gap was open.
A law that is renewed at the ends of steps has a third event, where the bodies stop approaching.
"""

from __future__ import annotations

from flexmbs.core.contact.gap import gap_at, normal_force
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.layout.tables import AT_ZERO_FORCE, SURFACES
from flexmbs.core.methods.method_interface import attempt_step
from flexmbs.core.stepping.gap_bounds import (
    decreases,
    halvings_to,
    is_far,
    itp_point,
    largest_acceleration,
    stays_positive,
)
from flexmbs.core.stepping.gap_motion import INSIDE, LEFT, RIGHT, all_gaps, copy_motion, find_path, one_gap
from flexmbs.machine_code.kernel import kernel

AT_GAP, AT_FORCE, AT_REST = 0, 1, 2  # what vanishes at an event: the gap, the force, the rate of the gap
SAMPLES = 4  # points of half a step at which the force of a law that must not pull is looked at
NOT_YET = 1e-6  # part of a step: an event before it was that of the step before
ON_SURFACE = 1e-9  # gap, relative to what the bodies move in the step
BACK = 1e-4  # part of a step over which the slope of a force is taken
POINT = 1e-15  # part of a step: accuracy of an event on the interpolant
NONE = 2.0  # a point beyond the step: there is no event
# Intervals of this part of a step are not divided where the gap is open at both ends: what may be left out there is a
# dip by B h^2 / 2^42 with the acceleration B. Beyond MANY evaluations (a gap that is zero to rounding) longer ones.
SHORTEST, SHORT, MANY = 2.0**-20, 2.0**-6, 400
ON_THE_WAY = 0.25  # of the way in half a step: what a located event may miss
COARSE = 0.125  # part of a step: the longest interval that is believed of surfaces, which need not be convex
AT_ONCE = 2.0**-46  # part of a step in which a gap must leave zero, else the event is now


@kernel
def first_event(tables, state, scratch, work, h, rows):
    """Earliest point x of the step with an event, its contact, what vanishes there; (2, -1, 0) when there is none.

    The step has ``rows`` inside that its method has filled. It is gone through in time, by halves of the pieces between
    rows: all contacts at both ends of a half, then inside it only those that may change (core.stepping.gap_bounds).
    """
    best, which, kind = NONE, -1, AT_GAP
    if len(tables.contacts) == 0:
        return best, which, kind
    parts = 2 * (rows + 1)
    left, right = LEFT, RIGHT
    all_gaps(tables, state, scratch, work, h, rows, 0.0, left)
    for part in range(parts):
        x0, x1 = part / parts, (part + 1.0) / parts
        all_gaps(tables, state, scratch, work, h, rows, x1, right)
        for c in range(len(tables.contacts)):
            start, end = work.gap_motion[left, c], work.gap_motion[right, c]
            x, found = event_of(tables, c, state, scratch, work, h, rows, x0, min(x1, best), start, end)
            if x < best:
                best, which, kind = x, c, found
        if which >= 0:
            break
        left, right = right, left
    return best, which, kind


@kernel
def event_of(tables, c, state, scratch, work, h, rows, x0, x1, start, end):
    """First event of contact ``c`` between two points of the step, and its kind; ``start``, ``end``: its motion there.

    ``x1`` may be before the point of ``end``: nothing behind it is of interest.
    """
    contact = tables.contacts[c]
    best, kind = NONE, AT_GAP
    if contact.update != 0 and state.active[c] != 0 and start.rate < 0.0 <= end.rate:
        x = turning_point(tables, c, state, scratch, work, h, rows, x0, x1)
        if x > NOT_YET:
            best, kind = x, AT_REST
    if contact.separation == AT_ZERO_FORCE:
        x, found = push_change(tables, c, state, scratch, work, h, rows, x0, x1, start, end)
    else:
        found = AT_GAP
        x = crossing(tables, c, state, scratch, work, h, rows, x0, x1, start, end)
    if x < best:
        best, kind = x, found
    return best, kind


@kernel
def sign_of(state, c):
    """The gap of contact ``c`` times this is positive before it closes or opens."""
    return -1.0 if state.active[c] != 0 else 1.0


@kernel
def missed_before(start, sign, duration):
    """By how much the event that ended the step before missed zero gap, m, where the gap leaves zero from there."""
    missed, leaves = -sign * start.gap, sign * start.rate * duration
    return missed if 0.0 < missed <= ON_THE_WAY * leaves else 0.0


@kernel
def crossing(tables, c, state, scratch, work, h, rows, x0, x1, start, end):
    """First root of the gap between two points of the step; 2 when there is none."""
    sign = sign_of(state, c)
    duration = h / (2.0 * (rows + 1.0))
    missed = missed_before(start, sign, duration) if x0 == 0.0 else 0.0
    if sign > 0.0 and is_far(start, end, duration):
        return NONE
    bends = 1.0 if sign < 0.0 else 0.0
    bound = largest_acceleration(start, end, duration, bends)
    gap0, gap1 = sign * start.gap + missed, sign * end.gap + missed
    convex = tables.contacts[c].kind != SURFACES or sign < 0.0
    if convex and stays_positive(gap0, sign * start.rate, gap1, sign * end.rate, duration, bound):
        return NONE
    copy_motion(start, work.one_gap[LEFT])
    copy_motion(end, work.one_gap[RIGHT])
    return search(tables, c, state, scratch, work, h, rows, x0, x1, sign, missed)


@kernel
def search(tables, c, state, scratch, work, h, rows, x0, x1, sign, missed):
    """:func:`crossing` by division of the interval until each part is decided; ``work.one_gap`` holds both ends."""
    left, right, inside = work.one_gap[LEFT], work.one_gap[RIGHT], work.one_gap[INSIDE]
    bodies = find_path(tables, c, work)
    rises, falls = (0.0, 1.0) if sign > 0.0 else (1.0, 0.0)  # whether curvature adds to what raises or lowers the gap
    convex = tables.contacts[c].kind != SURFACES or sign < 0.0
    begin, x, evaluations = x0, x1, 1
    one_gap(tables, state, scratch, work, c, bodies, h, rows, x1)
    copy_motion(inside, right)
    while True:
        width = x - begin
        gap0, gap1 = sign * left.gap + missed, sign * right.gap + missed
        rate0, rate1 = sign * left.rate, sign * right.rate
        bound = largest_acceleration(left, right, width * h, rises)
        shortest = SHORTEST if evaluations < MANY else SHORT
        free = (convex or width <= COARSE) and stays_positive(gap0, rate0, gap1, rate1, width * h, bound)
        if free or (gap1 > 0.0 and width <= shortest):
            if x >= x1:
                return NONE
            copy_motion(right, left)
            begin, x = x, min(x + 2.0 * width, x1)
        elif gap1 <= 0.0 and gap0 > 0.0:
            bound = largest_acceleration(left, right, width * h, falls)
            if width <= shortest or decreases(rate0, rate1, width * h, bound):
                return root(tables, c, state, scratch, work, h, rows, bodies, sign, missed, begin, x, gap0, gap1)
            x = begin + 0.5 * width
        elif gap1 <= 0.0 and width <= AT_ONCE:
            return begin
        else:
            x = begin + 0.5 * width
        one_gap(tables, state, scratch, work, c, bodies, h, rows, x)
        copy_motion(inside, right)
        evaluations += 1


@kernel
def root(tables, c, state, scratch, work, h, rows, bodies, sign, missed, left, right, gap0, gap1):
    """Where the gap of a contact reaches zero between two points with different signs; the later end of the bracket."""
    width, halvings, iteration = right - left, halvings_to(right - left, POINT), 0
    while right - left > 2.0 * POINT and iteration <= halvings + 1:
        x = itp_point(left, right, gap0, gap1, width, iteration, halvings, POINT)
        if x <= left or x >= right:
            break
        gap, _rate = one_gap(tables, state, scratch, work, c, bodies, h, rows, x)
        gap = sign * gap + missed
        if gap > 0.0:
            left, gap0 = x, gap
        else:
            right, gap1 = x, gap
        if gap == 0.0:
            return x
        iteration += 1
    return right


@kernel
def turning_point(tables, c, state, scratch, work, h, rows, left, right):
    """Where the bodies of a contact stop approaching between two points; 2 when they still do at the later one."""
    bodies = find_path(tables, c, work)
    _gap, rate0 = one_gap(tables, state, scratch, work, c, bodies, h, rows, left)
    _gap, rate1 = one_gap(tables, state, scratch, work, c, bodies, h, rows, right)
    if rate0 >= 0.0 or rate1 < 0.0:
        return NONE
    width, halvings, iteration = right - left, halvings_to(right - left, POINT), 0
    while right - left > 2.0 * POINT and iteration <= halvings + 1:
        x = itp_point(left, right, -rate0, -rate1, width, iteration, halvings, POINT)
        if x <= left or x >= right:
            break
        _gap, rate = one_gap(tables, state, scratch, work, c, bodies, h, rows, x)
        if rate < 0.0:
            left, rate0 = x, rate
        else:
            right, rate1 = x, rate
        iteration += 1
    return right


@kernel
def pushes(tables, c, state, gap, rate, work):
    """Whether the law of a contact pushes its bodies apart."""
    return gap <= 0.0 and normal_force(tables, c, state.contact_history, gap, rate, work) > 0.0


@kernel
def push_change(tables, c, state, scratch, work, h, rows, x0, x1, start, end):
    """First point between two where a contact that never pulls begins or ceases to push, and what vanishes there."""
    pushing = state.active[c] != 0
    if not pushing and start.gap > 0.0:
        touch = crossing(tables, c, state, scratch, work, h, rows, x0, x1, start, end)
        if touch == NONE:
            return NONE, AT_GAP
        gap, rate = one_gap(tables, state, scratch, work, c, find_path(tables, c, work), h, rows, touch)
        if pushes(tables, c, state, gap, rate, work):
            return touch, AT_GAP
    bodies = find_path(tables, c, work)
    left = x0
    for i in range(1, SAMPLES + 1):
        x = x0 + i * (x1 - x0) / SAMPLES
        gap, rate = one_gap(tables, state, scratch, work, c, bodies, h, rows, x)
        if pushes(tables, c, state, gap, rate, work) != pushing:
            x = halve_push(tables, c, state, scratch, work, h, rows, bodies, left, x)
            gap, rate = one_gap(tables, state, scratch, work, c, bodies, h, rows, x)
            reach = h * (abs(start.rate) + abs(end.rate))
            return x, AT_GAP if abs(gap) <= ON_SURFACE * reach or gap > 0.0 else AT_FORCE
        left = x
    return NONE, AT_GAP


@kernel
def halve_push(tables, c, state, scratch, work, h, rows, bodies, left, right):
    """Where between two points a contact begins or ceases to push, by bisection."""
    pushing = state.active[c] != 0
    for _ in range(60):
        middle = 0.5 * (left + right)
        if middle <= left or middle >= right:
            break
        gap, rate = one_gap(tables, state, scratch, work, c, bodies, h, rows, middle)
        if pushes(tables, c, state, gap, rate, work) == pushing:
            left = middle
        else:
            right = middle
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
            change = -gap / rate
        else:
            change = time_to_zero(tables, c, kind, state, scratch, work, target, gap, rate)
            if abs(change * rate) <= tolerance:
                break
        if abs(change) < 1e-14 * max(target, 1e-3) or target + change > 1.01 * h:
            break
        target = max(target + change, 0.5 * target)
    return reached


@kernel
def time_to_zero(tables, c, kind, state, scratch, work, h, gap, rate):
    """By how much a step of ``h`` misses the zero of a force or gap rate, s; from its slope before the end."""
    value = rate
    if kind == AT_FORCE:
        value = normal_force(tables, c, state.contact_history, gap, rate, work)
    early_gap, early_rate = one_gap(tables, state, scratch, work, c, find_path(tables, c, work), h, 0, 1.0 - BACK)
    early = early_rate
    if kind == AT_FORCE:
        early = normal_force(tables, c, state.contact_history, early_gap, early_rate, work)
    if value == 0.0 or early == 0.0 or value == early:  # a force that is zero beyond: the interpolant is all there is
        return 0.0
    return -value * BACK * h / (value - early)
