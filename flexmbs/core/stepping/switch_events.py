"""Events that end a step because a margin vanishes: of rigid contacts, joints that stick, events of the user.

Margins depend on accelerations and multipliers, which no interpolant has to the accuracy of the step. So the step is
repeated up to the event: from both sides, by the method of Illinois (Dowell and Jarratt, BIT 11 (1971) 168).
"""

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.equations.finish_constraints import finish_constraints
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.layout.switch_tables import NEVER
from flexmbs.core.methods.method_interface import attempt_step
from flexmbs.core.stepping.rigid.joint_margins import joint_margins
from flexmbs.core.stepping.rigid.margins import SLIP, contact_margins
from flexmbs.core.stepping.user_events import event_margins
from flexmbs.machine_code.kernel import kernel

MAX_REPETITIONS = 40
EXACT = 1e-13  # of the change of a margin in the step: it has vanished
STUCK = 8  # steps from one side, after which intervals are halved: the margin has a bend
POINT = 1e-14  # of the step: accuracy of an event
NOISE = 1e-12  # of the larger of its values at the ends of the step: a margin below it is zero
NO_MARGIN = -1


@kernel
def watches_margins(tables):
    """Whether there is anything whose margins can vanish."""
    return len(tables.switches) + len(tables.events) > 0


@kernel
def fill_margins(tables, state, q, v, a, time, scratch, work, rigid, out, starts):
    """out (margins,): three of each switch, then one of each event of the user; ``starts``: at the start of a step."""
    switches = len(tables.switches)
    out[: 3 * switches] = NEVER
    if len(tables.joint_frictions) > 0:
        joint_margins(tables, state, q, v, a, time, scratch, work, rigid, out)
    if switches > 0:
        contact_margins(tables, state, q, v, a, work, rigid, out)
    if len(tables.events) > 0:
        event_margins(tables, state, q, v, a, time, work, rigid, out[3 * switches :], starts)


@kernel
def end_margins(tables, state, settings, scratch, work, rigid, h, row):
    """Margins at the end of a step of ``h``, whose multipliers are brought to the accuracy of its motion."""
    if any_rows(tables):
        finish_constraints(tables, state, settings, scratch, work)
    q, v, a = scratch.end_q, scratch.end_v, scratch.end_a
    fill_margins(tables, state, q, v, a, state.time + h, scratch, work, rigid, rigid.margin[row], False)


@kernel
def first_vanished(rigid, row, switches):
    """The margin that vanishes first by straight lines from the start to row ``row``, and where; -1: none does.

    The first ``switches`` margins are those of switches.
    """
    which, where = NO_MARGIN, 2.0
    for j in range(rigid.margin.shape[1]):
        start, end = rigid.margin[0, j], rigid.margin[row, j]
        if start >= NEVER or end >= NEVER or not end < -NOISE * max(abs(start), abs(end)):
            continue
        if j < switches and j % 3 == SLIP and start <= 0.0:  # it has just begun to slide
            continue
        x = start / (start - end) if start > 0.0 else 0.0
        if x < where:
            which, where = j, x
    return which, where


@kernel
def repeat_step(tables, state, settings, scratch, work, h):
    """Attempt the step with another length; False: Newton failed, with a smaller step prepared."""
    iterations, _error, _order = attempt_step(scratch.attempt_step, tables, state, settings, scratch, work, h)
    if iterations > 0:
        return True
    state.step_size = 0.5 * h
    state.factored_step_size = 0.0
    state.tangent_status = ALL_STALE
    return False


@kernel
def row_beyond(tables, state, scratch, work, rigid, h, rows):
    """The first of the ``rows`` inside a step at which an event of the user has happened; -1: none."""
    first = 3 * len(tables.switches)
    for row in range(rows):
        q, v, a = scratch.intermediate_q[row], scratch.intermediate_v[row], scratch.intermediate_a[row]
        time = state.time + h * (row + 1.0) / (rows + 1.0)
        event_margins(tables, state, q, v, a, time, work, rigid, rigid.margin[1, first:], False)
        for j in range(first, rigid.margin.shape[1]):
            start, there = rigid.margin[0, j], rigid.margin[1, j]
            if start < NEVER and there < -NOISE * max(abs(start), abs(there)):
                return row
    return -1


@kernel
def find_margin(tables, state, settings, scratch, work, rigid, h, rows):
    """Whether a margin vanishes in the step just attempted; then it is repeated up to there: (length, margin).

    Length -1: Newton failed, with a smaller step prepared. Events of the user are also looked for in the ``rows``
    inside the step; it then ends at the row at the latest.
    """
    if len(tables.events) > 0:
        row = row_beyond(tables, state, scratch, work, rigid, h, rows)
        if row >= 0:
            h *= (row + 1.0) / (rows + 1.0)
            if not repeat_step(tables, state, settings, scratch, work, h):
                return -1.0, NO_MARGIN
    end_margins(tables, state, settings, scratch, work, rigid, h, 1)
    which, x = first_vanished(rigid, 1, 3 * len(tables.switches))
    if which == NO_MARGIN:
        return h, which
    low, high = 0.0, h
    start, at_low, at_high = rigid.margin[0, which], rigid.margin[0, which], rigid.margin[1, which]
    size = abs(at_low) + abs(at_high)
    if at_low <= NOISE * size:
        at_low = max(at_low, 0.0)
    side = stuck = 0
    for _ in range(MAX_REPETITIONS):
        if at_low <= 0.0 or stuck >= STUCK:
            target = 0.5 * (low + high)
        else:
            target = low + (high - low) * at_low / (at_low - at_high)
        target = min(max(target, low + 1e-3 * (high - low) if at_low > 0.0 else low), high)
        if high - low <= POINT * h or target <= 1e-15 * max(1e-3, state.time):
            break
        if not repeat_step(tables, state, settings, scratch, work, target):
            return -1.0, which
        end_margins(tables, state, settings, scratch, work, rigid, target, 1)
        other, _x = first_vanished(rigid, 1, 3 * len(tables.switches))
        if other == NO_MARGIN:
            low, at_low = target, rigid.margin[1, which]
            if at_low <= EXACT * size:
                return target, which
            stuck += 1 if side == 1 or stuck >= STUCK else -stuck
            if side == 1:
                at_high *= 0.5
            side = 1
        else:
            if other != which:
                which = other
                start = rigid.margin[0, which]
                at_low, size = max(start, 0.0), abs(start) + abs(rigid.margin[1, which])
                low = 0.0
                side = 0
            high, at_high = target, rigid.margin[1, which]
            if -at_high <= EXACT * size:
                return target, which
            stuck += 1 if side == -1 or stuck >= STUCK else -stuck
            if side == -1:
                at_low *= 0.5
            side = -1
    if high <= 1e-15 * max(1e-3, state.time):
        return 0.0, which
    if not repeat_step(tables, state, settings, scratch, work, high):
        return -1.0, which
    return high, which
