"""One contact between two points of a step: where its gap opens or closes, its law ceases to push, its bodies rest.

Intervals in which nothing can happen are left out by bounds (core.stepping.gap_bounds), all others are divided.
"""

from flexmbs.core.contact.gap import normal_force
from flexmbs.core.layout.switch_tables import HELD_GAP
from flexmbs.core.layout.tables import AT_ZERO_FORCE, SHAPE_PAIR
from flexmbs.core.stepping.gap_bounds import decreases, halvings_to, is_far, itp_point, largest_acceleration, stays_positive
from flexmbs.core.stepping.gap_motion import INSIDE, LEFT, RIGHT, copy_motion, find_path, one_gap
from flexmbs.machine_code.kernel import kernel

AT_GAP, AT_FORCE, AT_REST = 0, 1, 2  # what vanishes at an event: the gap, the force, the rate of the gap
SAMPLES = 4  # points of half a step at which the force of a law that must not pull is looked at
NOT_YET = 1e-6  # part of a step: an event before it was that of the step before
ON_SURFACE = 1e-9  # gap, relative to what the bodies move in the step
POINT = 1e-15  # part of a step: accuracy of an event on the interpolant
NONE = 2.0  # a point beyond the step: there is no event
# Intervals of this part of a step are not divided where the gap is open at both ends: what may be left out there is a
# dip by B h^2 / 2^42 with the acceleration B. Beyond MANY evaluations (a gap that is zero to rounding) longer ones.
SHORTEST, SHORT, MANY = 2.0**-20, 2.0**-6, 400
ON_THE_WAY = 0.25  # of the way in half a step: what a located event may miss
COARSE = 0.125  # part of a step: the longest interval that is believed of shapes that need not be convex
# m: a gap that is no larger at both ends of an interval is zero but for rounding, as of bodies at rest that just touch
DUST = 1e-14
# m: a rigid contact with a smaller gap has just parted; it closes again only below its gap less the level, or below the
# depth with which it was closed, so that one that rises from there is not caught half way. Such a depth tilts bodies on
# several contacts, and one of these sinks by tilt times slip where the others hold: by LEVEL_BELOW, as without a load.
JUST_PARTED, LEVEL, LEVEL_BELOW = 1e-12, 1e-13, 1e-9
AT_ONCE = 2.0**-46  # part of a step in which a gap must leave zero, else the event is now
RESOLVED = 1e-15  # of the time: how far apart events can be told by the clock


@kernel
def event_of(tables, c, state, scratch, work, h, rows, x0, x1, start, end):
    """First event of contact ``c`` between two points of the step, and its kind; ``start``, ``end``: its motion there.

    ``x1`` may be before the point of ``end``: nothing behind it is of interest.
    """
    contact = tables.contacts[c]
    best, kind = NONE, AT_GAP
    if contact.update != 0 and state.active[c] != 0 and start.rate < 0.0 <= end.rate:
        x = turning_point(tables, c, state, scratch, work, h, rows, x0, x1)
        if x > NOT_YET and not is_now(state, x * h):  # pass_rest leaves the rate as it is
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
def is_now(state, duration):
    """Whether a time from now on (s) is too short for the clock to resolve."""
    return duration <= RESOLVED * max(1e-3, state.time)


@kernel
def sign_of(state, c):
    """The gap of contact ``c`` times this is positive before it closes or opens."""
    return -1.0 if state.active[c] != 0 else 1.0


@kernel
def is_convex(tables, c, sign, work):
    """Whether the bounds hold: not for shapes that need not be convex, nor for patches, which move on their own."""
    return len(tables.massless) == 0 and (work.contact[c].kind < SHAPE_PAIR or sign < 0.0)


@kernel
def is_dust(gap0, gap1):
    """Whether a gap is zero but for rounding at both ends of an interval."""
    return abs(gap0) <= DUST and abs(gap1) <= DUST


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
    if tables.contacts[c].rigid != 0 and sign > 0.0 and start.gap <= JUST_PARTED:
        held = state.contact_history[tables.contacts[c].history_at + HELD_GAP]
        missed = (LEVEL if held == 0.0 else LEVEL_BELOW) - min(start.gap, held)
    if sign > 0.0 and is_far(start, end, duration):
        return NONE
    bends = 1.0 if sign < 0.0 else 0.0
    bound = largest_acceleration(start, end, duration, bends)
    gap0, gap1 = sign * start.gap + missed, sign * end.gap + missed
    if is_dust(gap0, gap1):
        return NONE
    convex = is_convex(tables, c, sign, work)
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
    convex = is_convex(tables, c, sign, work)
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
        free = free or is_dust(gap0, gap1)
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
        elif not gap1 > 0.0 and width <= AT_ONCE:  # also one that is not a number
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
