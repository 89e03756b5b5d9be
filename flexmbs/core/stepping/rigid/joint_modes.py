"""Which joints with friction slide and which stick behind an event.

All that are at rest stick first. Then, one after the other, the one that needs more friction than it has slides
against it, and one that would slide backwards sticks again: principal pivoting (Murty, Opsearch 5 (1968) 93) on the
whole equations of motion, whose accelerations and multipliers are solved anew each time, since normal forces depend on
both. Where that leads to no end a joint is jammed (Painleve).
"""

from __future__ import annotations

import math

from flexmbs.core.equations.iteration_matrix import unit_row
from flexmbs.core.equations.projection import fill_equilibrated
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.singular_positions import row_times
from flexmbs.core.equations.tangent import renew_accelerations
from flexmbs.core.laws.force.joint_slip import joint_slip, pressing_force, slip_acceleration
from flexmbs.core.laws.force.sliding_joints import held_components
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.friction_tables import ANCHOR, GIVEN, SLIDES_ALONG, SOFT
from flexmbs.core.layout.state import CHUNK_FULL, JAMMED, SINGULAR
from flexmbs.core.layout.switch_tables import FREED, HOLD, SLIDING, STICKING, TRANSITION
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.linalg.matrix import factorise_any
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.mechanics.vectors import relative_rotation
from flexmbs.core.stepping.occurrences import new_occurrence
from flexmbs.core.stepping.restart import restart
from flexmbs.core.stepping.rigid.delassus import TINY, place_unknowns, unit_response
from flexmbs.core.stepping.rigid.joint_margins import set_direction
from flexmbs.core.stepping.rigid.margins import CONE, SLIP
from flexmbs.machine_code.kernel import kernel

AT_REST = 1e-10  # m/s
MOST_TURNS = 6  # of one joint in an event
MAX_NEWTON = 12  # accelerations whose normal forces belong to them
SETTLED = 1e-10  # of the largest acceleration or multiplier: change of an iteration
OVER = 1e-9  # of the friction that a joint can have: what it may need beyond that
BACKWARDS = 1e-7  # of the acceleration by that friction: what is none
POWERLESS = 1e6  # times the acceleration by its friction: an acceleration at rest that no friction can hold
SHARED = 1e-10  # compliance of joints that may share a load in no definite way, of that of their motions
BISECTIONS = 60
NONE = -1


@kernel
def settle_joints(tables, state, settings, scratch, work, log, rigid, cause, margin):
    """Modes of all joint frictions from the present velocities, and accelerations with them; an outcome.

    ``cause``: the joint friction whose ``margin`` (core.stepping.rigid.margins) has vanished, -1: none.
    """
    rigid.jammed[0] = NONE
    evaluate_signals(tables, state.time, work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)
    resting = list_resting(tables, state, scratch, work, rigid, cause, margin)
    if resting > 0:
        leads = turns_to_slide(tables, state, rigid, cause, margin)
        set_compliances(tables, state, scratch, work, rigid)
        if leads:
            slide(tables, state, cause)
        let_powerless_slide(tables, state, scratch, work, rigid)
    while True:
        if not solve_accelerations_exactly(tables, state, scratch, work, rigid):
            return jam(tables, state, rigid)
        evaluate_joints(tables, state, scratch, work, rigid)
        worst = find_worst(tables, state, rigid)
        if worst == NONE:
            break
        if rigid.joint_turns[worst] >= MOST_TURNS:
            rigid.jammed[0] = worst
            return JAMMED
        rigid.joint_turns[worst] += 1
        turn_over(tables, state, rigid, worst)
    log_joints(tables, state, log, rigid)
    return CHUNK_FULL if restart(tables, state, scratch, work) else SINGULAR


@kernel
def jam(tables, state, rigid):
    """No accelerations belong to these modes: a joint whose normal force depends on its friction is jammed."""
    for j in range(len(tables.joint_frictions)):
        if tables.joint_frictions[j].load != GIVEN and rigid.jammed[0] == NONE:
            rigid.jammed[0] = j
    return SINGULAR if rigid.jammed[0] == NONE else JAMMED


@kernel
def mode_at(tables, j):
    """Where the mode of joint friction ``j`` stands in ``active``."""
    return len(tables.contacts) + tables.joint_frictions[j].switch


@kernel
def evaluate_joints(tables, state, scratch, work, rigid):
    """Slip, its acceleration, friction and normal force of all joints at the present state."""
    q, v, a = state.q, state.v, state.a
    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
    hide_condensed(tables, q, v, a, work)
    for j in range(len(tables.joint_frictions)):
        friction = tables.joint_frictions[j]
        rigid.joint_load[j] = pressing_force(tables, friction, q, v, a, work)
        x, y, z = joint_slip(tables, friction, q, v, a, work)
        rigid.joint_slip[j, 0], rigid.joint_slip[j, 1], rigid.joint_slip[j, 2] = x, y, z
        x, y, z = slip_acceleration(tables, friction, q, v, a, work)
        rigid.joint_acceleration[j, 0], rigid.joint_acceleration[j, 1], rigid.joint_acceleration[j, 2] = x, y, z
        x, y, z = held_components(tables, friction, a)
        rigid.joint_force[j, 0], rigid.joint_force[j, 1], rigid.joint_force[j, 2] = x, y, z
    show_condensed(tables, a, work)


@kernel
def size_of(vectors, j):
    """Length of row ``j``."""
    return math.sqrt(vectors[j, 0] ** 2 + vectors[j, 1] ** 2 + vectors[j, 2] ** 2)


@kernel
def is_driven(tables, friction):
    """Whether a driver moves it: then it slips as that says, and nothing is to be decided."""
    for i in range(friction.motions):
        k = friction.first if i == 0 else friction.second
        if tables.coordinates[k].signal >= 0:
            return True
    return False


@kernel
def list_resting(tables, state, scratch, work, rigid, cause, margin):
    """Joints at rest stick for now, others slide along their slip; how many are at rest."""
    evaluate_joints(tables, state, scratch, work, rigid)
    count = 0
    for j in range(len(tables.joint_frictions)):
        friction, at = tables.joint_frictions[j], mode_at(tables, j)
        before = rigid.joint_mode_before[j] if state.active[at] == FREED else state.active[at]
        rigid.joint_mode_before[j], rigid.joint_turns[j], rigid.joint_rests[j] = before, 0, 0
        turned = j == cause and margin == SLIP and friction.motions == 1
        rests = size_of(rigid.joint_slip, j) <= AT_REST or turned
        if is_driven(tables, friction):
            state.active[at] = SLIDING
            if not rests:
                face(friction, state, rigid.joint_slip, j, 1.0)
            elif size_of(rigid.joint_acceleration, j) > 0.0:
                face(friction, state, rigid.joint_acceleration, j, 1.0)
            continue
        if rests:
            rigid.joint_rests[j] = 1
            count += 1
            if state.active[at] != STICKING:
                drop_anchor(tables, friction, state, work)
            state.active[at] = STICKING
        else:
            state.active[at] = SLIDING
            face(friction, state, rigid.joint_slip, j, 1.0)
    return count


@kernel
def face(friction, state, vectors, j, sign):
    """Slide along row ``j`` of ``vectors``, or against it (``sign`` -1)."""
    set_direction(friction, state.contact_history, sign * vectors[j, 0], sign * vectors[j, 1], sign * vectors[j, 2])


@kernel
def drop_anchor(tables, friction, state, work):
    """Hold the joint where it is."""
    at, row = friction.history_at + ANCHOR, tables.switches[friction.switch].row
    for i in range(friction.motions):
        k = friction.first if i == 0 else friction.second
        state.contact_history[at + i] = state.q[k]
        state.v[k] = 0.0  # up to rounding it is
    for i in range(tables.switches[friction.switch].rows):
        state.a[row + i] = 0.0
    if friction.motions == 0:
        joint_slip(tables, friction, state.q, state.v, state.a, work)
        R = work.scratch[0].R
        relative_rotation(work.marker[A].R_WM, work.marker[B].R_WM, R)
        for i in range(9):
            state.contact_history[at + i] = R[i // 3, i % 3]


@kernel
def set_compliances(tables, state, scratch, work, rigid):
    """Accelerations of the rows that hold joints by unit forces, and their compliance where they could share a load.

    That is in proportion to what each can bear, as if all were equally soft against it.
    """
    resting, capacity = 0, 0.0
    for j in range(len(tables.joint_frictions)):
        friction = tables.joint_frictions[j]
        state.contact_history[friction.history_at + SOFT] = 0.0
        rigid.joint_compliance[j, 0] = rigid.joint_compliance[j, 1] = rigid.joint_compliance[j, 2] = 0.0
        resting += rigid.joint_rests[j]
        capacity = max(capacity, friction.static * rigid.joint_load[j])
    renew_accelerations(tables, state, scratch, work, 1)
    place_unknowns(tables, rigid)
    fill_equilibrated(tables, state, scratch)
    for s in range(len(tables.switches)):
        for row in range(tables.switches[s].row, tables.switches[s].row + tables.switches[s].rows):
            if is_held(tables, state, rigid, s):
                unit_row(tables, scratch.projection, rigid.place[row])
    if not factorise_any(scratch.projection, scratch.projection_pivots, tables.band, TINY):
        return
    for j in range(len(tables.joint_frictions)):
        if rigid.joint_rests[j] != 0:
            switch = tables.switches[tables.joint_frictions[j].switch]
            for i in range(switch.rows):
                rigid.joint_compliance[j, i] = response(tables, state, scratch, rigid.place[switch.row + i])
    evaluate_joints(tables, state, scratch, work, rigid)
    # constraints, contacts and locks: all that may hold a joint too
    others = len(tables.constraints) + len(tables.contacts) + len(tables.switches) - len(tables.joint_frictions)
    for j in range(len(tables.joint_frictions)):
        if rigid.joint_rests[j] != 0 and (resting > 1 or others > 0):
            soften(tables.joint_frictions[j], state, rigid, j)


@kernel
def is_held(tables, state, rigid, s):
    """Whether switch ``s`` is a lock, or belongs to a joint that is at rest."""
    if tables.switches[s].kind == HOLD:  # against what a lock holds friction would have no power at all
        return True
    for j in range(len(tables.joint_frictions)):
        if tables.joint_frictions[j].switch == s and rigid.joint_rests[j] != 0:
            return True
    return False


@kernel
def response(tables, state, scratch, row):
    """Acceleration of a row by a unit force on it, without those of locks and of other joints at rest."""
    unit_response(tables, state, scratch, row, scratch.real_x)
    return row_times(tables, state, row, scratch.real_x)


@kernel
def soften(friction, state, rigid, j):
    """Compliance of the rows of joint friction ``j``: the stronger it is, the less."""
    strongest = 0.0
    for k in range(len(rigid.joint_load)):
        if rigid.joint_rests[k] != 0:
            strongest = max(strongest, rigid.joint_load[k] * rigid.joint_compliance[k, 0])
    own = rigid.joint_load[j] * rigid.joint_compliance[j, 0]
    weaker = min(strongest / own, 1e3) if own > 0.0 else 1.0
    state.contact_history[friction.history_at + SOFT] = SHARED * weaker * rigid.joint_compliance[j, 0] * friction.first_radius**2


@kernel
def let_powerless_slide(tables, state, scratch, work, rigid):
    """Joints at rest whose friction can hardly change their motion, as that of a slider at a dead centre, slide.

    What they would need to stick, the acceleration without friction over next to nothing, is beyond all bounds.
    """
    for j in range(len(tables.joint_frictions)):
        if rigid.joint_rests[j] != 0 and state.active[mode_at(tables, j)] == STICKING:
            state.active[mode_at(tables, j)] = FREED
    # FREED rows are off, so that accelerations are those without friction
    renew_accelerations(tables, state, scratch, work, 1)
    evaluate_joints(tables, state, scratch, work, rigid)
    for j in range(len(tables.joint_frictions)):
        friction, at = tables.joint_frictions[j], mode_at(tables, j)
        if rigid.joint_rests[j] == 0 or state.active[at] != FREED:
            continue
        state.active[at] = STICKING
        if size_of(rigid.joint_acceleration, j) >= POWERLESS * reach(tables, rigid, j) and rigid.joint_load[j] > 0.0:
            state.active[at] = SLIDING
            rigid.joint_rests[j] = 0
            face(friction, state, rigid.joint_acceleration, j, 1.0)


@kernel
def turns_to_slide(tables, state, rigid, cause, margin):
    """Whether a joint has reached its cone: it will slide against the friction that it needed.

    It goes on so when contacts have been decided meanwhile: with those that slide now it could just stick again.
    """
    if cause < 0 or margin != CONE or rigid.joint_rests[cause] == 0:
        return False
    if rigid.joint_mode_before[cause] == SLIDING:
        return True
    if not size_of(rigid.joint_force, cause) > 0.0:
        return False
    face(tables.joint_frictions[cause], state, rigid.joint_force, cause, -1.0)
    return True


@kernel
def slide(tables, state, j):
    """From now on joint friction ``j`` slides."""
    switch = tables.switches[tables.joint_frictions[j].switch]
    state.active[mode_at(tables, j)] = SLIDING
    for row in range(switch.row, switch.row + switch.rows):
        state.a[row] = 0.0


@kernel
def turn_over(tables, state, rigid, j):
    """A joint at rest that sticks slides against its friction; one that slides sticks."""
    if state.active[mode_at(tables, j)] == STICKING:
        face(tables.joint_frictions[j], state, rigid.joint_force, j, -1.0)
        slide(tables, state, j)
    else:
        state.active[mode_at(tables, j)] = STICKING


@kernel
def solve_accelerations_exactly(tables, state, scratch, work, rigid):
    """Accelerations and multipliers whose normal forces belong to them, by Newton's method; False: there are none."""
    size, change = 1.0, 0.0
    for _ in range(MAX_NEWTON):
        copy_vector(state.a, rigid.kept)
        if not renew_accelerations(tables, state, scratch, work, 1):
            return False
        size, change = 1.0, 0.0  # where all is at rest, accelerations are rounding
        for i in range(len(tables.free)):
            k = tables.free[i]
            size = max(size, abs(state.a[k]))
            change = max(change, abs(state.a[k] - rigid.kept[k]))
        if not math.isfinite(change):
            return False
        if change <= SETTLED * size:
            return True
        align(tables, state, scratch, work, rigid)
    return change <= 1e-6 * size


@kernel
def align(tables, state, scratch, work, rigid):
    """Joints at rest that start to slide along several motions do so along their acceleration."""
    several = False
    for j in range(len(tables.joint_frictions)):
        slides = rigid.joint_rests[j] != 0 and state.active[mode_at(tables, j)] == SLIDING
        several = several or (slides and tables.joint_frictions[j].motions != 1)
    if not several:
        return
    evaluate_joints(tables, state, scratch, work, rigid)
    for j in range(len(tables.joint_frictions)):
        friction = tables.joint_frictions[j]
        if friction.motions == 1 or rigid.joint_rests[j] == 0 or state.active[mode_at(tables, j)] != SLIDING:
            continue
        find_direction(friction, state, rigid, j)


@kernel
def find_direction(friction, state, rigid, j):
    """Slide along the direction d of the acceleration that friction against d leaves: a = a_free - mu N W d = |a| d.

    With the diagonal of W, from the present a and d: d_i = a_free_i / (mu N W_i + |a|), where |a| follows from |d| = 1.
    """
    at, most = friction.history_at + SLIDES_ALONG, friction.dynamic * rigid.joint_load[j]
    free, brake = rigid.joint_slip[j], rigid.joint_force[j]  # which are evaluated anew afterwards
    for i in range(3):
        r = friction.second_radius if friction.motions == 2 and i == 1 else friction.first_radius
        brake[i] = most * r * r * rigid.joint_compliance[j, i]
        free[i] = rigid.joint_acceleration[j, i] + brake[i] * state.contact_history[at + i]
    low, high = 0.0, size_of(rigid.joint_slip, j)
    if not high > 0.0:
        return
    for _ in range(BISECTIONS):
        left, total = 0.5 * (low + high), 0.0
        for i in range(3):
            total += (free[i] / (brake[i] + left)) ** 2
        if total > 1.0:
            low = left
        else:
            high = left
    x, y, z = free[0] / (brake[0] + high), free[1] / (brake[1] + high), free[2] / (brake[2] + high)
    set_direction(friction, state.contact_history, x, y, z)


@kernel
def ahead(tables, state, rigid, j):
    """Acceleration of a joint along its direction of sliding, m/s^2."""
    at, total = tables.joint_frictions[j].history_at + SLIDES_ALONG, 0.0
    for i in range(3):
        total += state.contact_history[at + i] * rigid.joint_acceleration[j, i]
    return total


@kernel
def reach(tables, rigid, j):
    """Acceleration, m/s^2, that all the friction of a joint can give it."""
    friction = tables.joint_frictions[j]
    return friction.static * rigid.joint_load[j] * friction.first_radius**2 * rigid.joint_compliance[j, 0]


@kernel
def find_worst(tables, state, rigid):
    """The joint at rest whose mode does not fit most; -1: all fit."""
    worst, by = NONE, 0.0
    for j in range(len(tables.joint_frictions)):
        if rigid.joint_rests[j] == 0:
            continue
        mode, miss = state.active[mode_at(tables, j)], 0.0
        if mode == STICKING:
            limit = tables.joint_frictions[j].static * rigid.joint_load[j]
            needed = size_of(rigid.joint_force, j)
            if needed > limit * (1.0 + OVER):
                miss = needed / limit - 1.0 if limit > 0.0 else 1e300
        elif mode == SLIDING:
            back, all_of_it = -ahead(tables, state, rigid, j), reach(tables, rigid, j)
            if back > BACKWARDS * all_of_it:
                miss = 1.0 + back / all_of_it if all_of_it > 0.0 else 1e300
        if miss > by:
            worst, by = j, miss
    return worst


@kernel
def release_joints(tables, state, rigid):
    """Joints that stick do not resist an impact: their friction is finite."""
    for j in range(len(tables.joint_frictions)):
        at = mode_at(tables, j)
        rigid.joint_mode_before[j] = state.active[at]
        if state.active[at] == STICKING:
            state.active[at] = FREED
            row = tables.switches[tables.joint_frictions[j].switch].row
            for i in range(tables.switches[tables.joint_frictions[j].switch].rows):
                state.a[row + i] = 0.0


@kernel
def log_joints(tables, state, log, rigid):
    """Changes of mode in the log; ``source`` is the switch, behind the contacts."""
    for j in range(len(tables.joint_frictions)):
        mode, before = state.active[mode_at(tables, j)], rigid.joint_mode_before[j]
        if mode != before and mode != FREED and log.occurrence_count < log.occurrences.shape[0]:
            found = new_occurrence(state, log, TRANSITION, mode_at(tables, j))
            found.mode_before, found.mode = before, mode
            rigid.joint_mode_before[j] = mode
