"""Contact events: onset and end found on the step's interpolant, then hit exactly by repeating the step up to them.

A contact starts where its gap closes, and ends where it opens. One that separates at zero force (a law that would pull)
ends as soon as its force vanishes inside; it starts again where its force would push, or else after its gap was open.
A law that is renewed at the ends of steps has a third event, where the bodies stop approaching.
"""

from flexmbs.core.contact.gap import gap_at, normal_force
from flexmbs.core.contact.groups import free_contact, occupy, pairs_for_ever
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.methods.method_interface import attempt_step
from flexmbs.core.stepping.contact_search import AT_FORCE, AT_GAP, NONE, event_of, is_now
from flexmbs.core.stepping.gap_motion import LEFT, RIGHT, all_gaps, find_path, one_gap
from flexmbs.core.stepping.group_events import first_touch
from flexmbs.machine_code.kernel import kernel

EXACT_GAP = 1e-16  # m: what a gap may miss where an impact follows
ON_INTERPOLANT = 1e-2  # part of a step that an event may be later than on the interpolant; a contact with a depth is never at zero
BACK = 1e-4  # part of a step over which the slope of a force is taken
NO_ROOM = -2  # in place of a contact: more pairs of a group touch than it has contacts


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
    left, right, single = LEFT, RIGHT, pairs_for_ever(tables)
    for c in range(len(tables.contacts)):
        if state.active[c] != 0:
            occupy(tables, c, state.active[c], work)
    all_gaps(tables, state, scratch, work, h, rows, 0.0, left)
    for part in range(parts):
        x0, x1 = part / parts, (part + 1.0) / parts
        all_gaps(tables, state, scratch, work, h, rows, x1, right)
        for c in range(len(tables.contacts)):
            idle = c >= single and state.active[c] == 0
            closed = tables.contacts[c].rigid != 0 and state.active[c] != 0
            if tables.contacts[c].always != 0 or idle or closed:
                continue
            start, end = work.gap_motion[left, c], work.gap_motion[right, c]
            x, found = event_of(tables, c, state, scratch, work, h, rows, x0, min(x1, best), start, end)
            if x < best:
                best, which, kind = x, c, found
        for g in range(len(tables.groups)):
            x, number, found = first_touch(tables, state, scratch, work, g, h, rows, x0, min(x1, best), left, right, best)
            if x < best:
                best, which, kind = x, free_contact(tables, g, state.active), found
                if which < 0:
                    return best, NO_ROOM, kind
                occupy(tables, which, number, work)
        if which >= 0:
            break
        left, right = right, left
    return best, which, kind


@kernel
def step_to_event(tables, c, kind, state, settings, scratch, work, h, x):
    """Repeat the step so that it ends on the event of contact ``c``, where the gap, force or rate (``kind``) vanishes.

    Returns its length; 0 when the event is now; -1 when Newton failed, with a smaller step prepared.
    """
    tolerance = 1e300
    for k in range(state.q.shape[0]):
        tolerance = min(tolerance, 1e-3 * (settings.atol_q[k] + 1e-13))
    if tables.contacts[c].rigid != 0:
        tolerance = EXACT_GAP
    target = reached = x * h
    for _ in range(6):
        if is_now(state, target):
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
        if abs(change) < 1e-14 * max(target, 1e-3) or target + change > (x + ON_INTERPOLANT) * h:
            break
        target = max(target + change, 0.5 * target)
    return reached


@kernel
def slope_at_end(tables, c, state, scratch, work, h, gap, rate):
    """Derivative of the gap at the end of a step, m/s.

    Its rate leaves out what massless patches yield, and is none where the point begins or ceases to stand back.
    """
    stands_back = work.touch[0].clear == gap
    if len(tables.massless) == 0 and not stands_back:
        return rate
    early, _rate = one_gap(tables, state, scratch, work, c, find_path(tables, c, work), h, 0, 1.0 - BACK)
    slope = (gap - early) / (BACK * h)
    return slope if slope * rate > 0.0 or stands_back and slope != 0.0 else rate


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
