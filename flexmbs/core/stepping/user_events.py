"""Events that the user states: a sensor that crosses a value, or a time, and what is done there.

An event whose sensor stands on its value, as behind its own happening, waits until the sensor is clearly off it; from
then on the distance from the value is its margin (core.stepping.switch_events).
"""

from __future__ import annotations

from flexmbs.core.contact.rigid.contact_work import ContactWork
from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.force_tables import COORDINATE
from flexmbs.core.layout.rigid_contacts import RigidContacts
from flexmbs.core.layout.state import (
    ALL_STALE,
    CHUNK_FULL,
    CONTRADICTORY_LOCK,
    EVENT_WITHOUT_END,
    SINGULAR,
    STOPPED_BY_EVENT,
    Log,
    Scratch,
    Settings,
    State,
)
from flexmbs.core.layout.switch_tables import (
    ABOVE,
    ARM,
    ARMED,
    BELOW,
    DISARM,
    DISARMED,
    FALLING,
    FREE,
    HOLD,
    LAST_TIME,
    LEAVE,
    LOCK,
    NEVER,
    REACH,
    REBOUND,
    RISING,
    SET,
    STOP,
    TIMES_AT_ONCE,
    USER_EVENT,
)
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.sensors.sensors import read_sensor
from flexmbs.core.stepping.locks import NOT_SOLVED, free, is_held, lock, locks_have_changed, rebound, remember_locks, settle_locks
from flexmbs.core.stepping.occurrences import new_occurrence
from flexmbs.core.stepping.restart import restart
from flexmbs.core.stepping.rigid.resolve import resolve
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats

# parts of the largest distance of a sensor from its value: it is off the value; on it
OFF_VALUE, ON_VALUE = 1e-9, 1e-12
AT_ONCE = 1e-13  # of the length of the run: happenings so near to each other are at one instant
MAX_AT_ONCE = 50
ROUNDING = 1e-14  # of a time
AT_STOP, LEAST_REACH = 1e-11, 1e-3  # m or rad, at the start
NONE = -1


@entry
def read_events(
    tables: Tables, state: State, q: Floats, v: Floats, a: Floats, time: float, work: Workspace, rigid: RigidContacts, out: Floats
) -> None:
    """out (events,): how far the sensor of each event is above its value; sensors of actions into ``work.record``."""
    active, history = state.active, state.contact_history
    if read_more_than_coordinates(tables):
        evaluate_signals(tables, time, work.signal)
        residual(tables, active, history, q, v, a, state.reference, work, rigid.event_residual)
    hide_condensed(tables, q, v, a, work)
    for e in range(len(tables.events)):
        event = tables.events[e]
        if event.sensor >= 0:
            out[e] = read_sensor(tables, event.sensor, active, history, q, v, a, work) - event.value
        else:
            out[e] = 0.0
    for i in range(len(tables.actions)):
        if tables.actions[i].sensor >= 0:
            read_sensor(tables, tables.actions[i].sensor, active, history, q, v, a, work)
    show_condensed(tables, a, work)


@kernel
def read_more_than_coordinates(tables):
    """Whether the sensors of events need more than coordinates and their rates: frames, reactions, functions."""
    for e in range(len(tables.events)):
        if tables.events[e].sensor >= 0 and tables.sensors[tables.events[e].sensor].kind != COORDINATE:
            return True
    return len(tables.actions) > 0


@kernel
def event_margins(tables, state, q, v, a, time, work, rigid, out, starts):
    """out (events,): how far each event of the user is from happening.

    Where a step ``starts``, events whose sensor has left its value can happen from now on.
    """
    read_events(tables, state, q, v, a, time, work, rigid, out)
    for e in range(len(tables.events)):
        if starts:
            arm_side(tables, state, e, out[e])
        side = state.armed[e]
        if tables.events[e].sensor < 0 or (side != BELOW and side != ABOVE):
            out[e] = NEVER
        elif side == BELOW:
            out[e] = -out[e]


@kernel
def arm_side(tables, state, e, distance):
    """Note on which side of its value the sensor of an armed event is."""
    event = tables.events[e]
    if event.sensor < 0 or state.armed[e] == DISARMED:
        return
    reach = max(state.contact_history[event.memory_at + REACH], abs(distance))
    state.contact_history[event.memory_at + REACH] = reach
    if state.armed[e] == ARMED and abs(distance) > OFF_VALUE * reach:
        if distance < 0.0 and event.direction != FALLING:
            state.armed[e] = BELOW
        elif distance > 0.0 and event.direction != RISING:
            state.armed[e] = ABOVE


@kernel
def next_time(tables, state, settings):
    """Time of the next event that has one, or the end of the run."""
    limit = settings.t_end
    for e in range(len(tables.events)):
        if tables.events[e].sensor < 0 and state.armed[e] != DISARMED:
            limit = min(limit, tables.events[e].value)
    return limit


@kernel
def time_has_come(tables, state, e):
    """Whether event ``e`` has a time, which is now."""
    event = tables.events[e]
    return event.sensor < 0 and state.armed[e] != DISARMED and event.value <= state.time * (1.0 + ROUNDING)


@kernel
def any_time_has_come(tables, state):
    """Whether an event happens now because of the time."""
    for e in range(len(tables.events)):
        if time_has_come(tables, state, e):
            return True
    return False


@entry
def happen(
    tables: Tables,
    state: State,
    settings: Settings,
    scratch: Scratch,
    work: Workspace,
    log: Log,
    rigid: RigidContacts,
    solver: ContactWork,
    e: int,
) -> int:
    """Event ``e`` of the user happens now (-1: those whose time has come), and whatever it causes; an outcome."""
    state.events += 1
    rigid.pending[:] = 0
    if e >= 0:
        rigid.pending[e] = 1
    mark_pending(tables, state, work, rigid)
    while any_pending(rigid):
        remember_locks(tables, state, rigid)
        stops = NONE
        for k in range(len(tables.events)):
            if rigid.pending[k] == 0:
                continue
            rigid.pending[k] = 0
            if not count_happening(tables, state, settings, k):
                state.worst_coordinate = k
                return EVENT_WITHOUT_END
            log_event(state, log, k)
            state.armed[k] = ARMED if tables.events[k].repeats != 0 else DISARMED
            if act(tables, state, work, rigid, k):
                stops = k
        outcome = carry_out(tables, state, settings, scratch, work, log, rigid, solver)
        if outcome != CHUNK_FULL:
            return outcome
        if stops >= 0:
            state.worst_coordinate = stops
            return STOPPED_BY_EVENT
        mark_pending(tables, state, work, rigid)
    return CHUNK_FULL


@kernel
def mark_pending(tables, state, work, rigid):
    """Events that happen at the present state, among them those that the actions of others have caused."""
    distance = rigid.margin[1, 3 * len(tables.switches) :]
    read_events(tables, state, state.q, state.v, state.a, state.time, work, rigid, distance)
    for e in range(len(tables.events)):
        if time_has_come(tables, state, e):
            rigid.pending[e] = 1
        if tables.events[e].sensor < 0:
            continue
        at = tables.events[e].memory_at
        near = ON_VALUE * state.contact_history[at + REACH]
        if state.contact_history[at + LAST_TIME] == state.time and state.contact_history[at + TIMES_AT_ONCE] > 0.0:
            near = -OFF_VALUE * state.contact_history[at + REACH]  # it has just happened
        if state.armed[e] == BELOW and distance[e] >= -near or state.armed[e] == ABOVE and distance[e] <= near:
            rigid.pending[e] = 1
        arm_side(tables, state, e, distance[e])


@kernel
def any_pending(rigid):
    """Whether an event happens now."""
    for e in range(len(rigid.pending)):
        if rigid.pending[e] != 0:
            return True
    return False


@kernel
def count_happening(tables, state, settings, e):
    """Count how often event ``e`` happens at this instant; False: it would for ever."""
    at = tables.events[e].memory_at
    again = state.time - state.contact_history[at + LAST_TIME] <= AT_ONCE * settings.t_end
    count = state.contact_history[at + TIMES_AT_ONCE] + 1.0 if again else 1.0
    state.contact_history[at + LAST_TIME], state.contact_history[at + TIMES_AT_ONCE] = state.time, count
    return count <= MAX_AT_ONCE


@kernel
def act(tables, state, work, rigid, e):
    """The actions of event ``e`` in their order; whether one of them stops the run."""
    stops = False
    for i in range(tables.events[e].action_start, tables.events[e].action_end):
        action = tables.actions[i]
        if action.kind == LOCK:
            lock(tables, state, action.target)
        elif action.kind == FREE:
            free(tables, state, action.target)
            if tables.switches[action.target].kind == HOLD:
                wait_at_stops_of(tables, state, held_coordinate(tables, action.target))
        elif action.kind == SET:
            given = action.sensor >= 0
            state.v[action.target] = work.record[tables.sensors[action.sensor].at] if given else action.value
        elif action.kind == ARM:
            state.armed[action.target] = ARMED
        elif action.kind == DISARM:
            state.armed[action.target] = DISARMED
        elif action.kind == STOP:
            stops = True
        elif action.kind == REBOUND and is_held(tables, state, held_coordinate(tables, action.target)):
            continue  # by a lock: it moves nowhere, and waits at its stop until it is let go
        elif action.kind == REBOUND:
            reach = state.contact_history[tables.events[e].memory_at + REACH]
            rebound(tables, state, rigid, action.target, action.value, reach)
            wait_at_stop(tables, state, e)
            if rigid.lock_restitution[action.target] == 0.0:
                state.armed[e], state.armed[e + 1] = DISARMED, side_of(tables, e + 1)
        elif action.kind == LEAVE:
            free(tables, state, action.target)
            state.armed[e] = DISARMED
            wait_at_stop(tables, state, e - 1)
    return stops


@kernel
def held_coordinate(tables, s):
    """Coordinate of a lock or stop."""
    return tables.terms[tables.switches[s].start].coordinate


@kernel
def stop_hit_by(tables, e):
    """Switch of the rigid stop that event ``e`` hits; -1: none."""
    for i in range(tables.events[e].action_start, tables.events[e].action_end):
        if tables.actions[i].kind == REBOUND:
            return tables.actions[i].target
    return NONE


@kernel
def wait_at_stops_of(tables, state, k):
    """Stops at which coordinate ``k`` stands, which a lock lets go, can be hit at once."""
    for e in range(len(tables.events)):
        s, near = stop_hit_by(tables, e), OFF_VALUE * state.contact_history[tables.events[e].memory_at + REACH]
        if s >= 0 and held_coordinate(tables, s) == k and abs(state.q[k] - tables.events[e].value) <= near:
            wait_at_stop(tables, state, e)


@kernel
def start_at_stops(tables, state):
    """Rigid stops at which a coordinate stands at the start can be hit at once."""
    for e in range(len(tables.events)):
        s, value = stop_hit_by(tables, e), tables.events[e].value
        if s < 0:
            continue
        # what starts on a stop, or next to it, has been nowhere else that its distance could be compared with
        state.contact_history[tables.events[e].memory_at + REACH] = max(abs(value), LEAST_REACH)
        if abs(state.q[held_coordinate(tables, s)] - value) <= AT_STOP:
            wait_at_stop(tables, state, e)


@kernel
def wait_at_stop(tables, state, e):
    """The coordinate leaves the stop of event ``e``, where it now stands: the next hit can follow at once."""
    state.armed[e] = side_of(tables, e)
    state.contact_history[tables.events[e].memory_at + LAST_TIME] = state.time


@kernel
def side_of(tables, e):
    """The side from which the sensor of an event of one direction gets to its value."""
    return BELOW if tables.events[e].direction == RISING else ABOVE


@kernel
def carry_out(tables, state, settings, scratch, work, log, rigid, solver):
    """Velocities and accelerations behind the actions of events; an outcome."""
    if len(tables.actions) == 0:  # forces have a kink here: no more than that the step ends
        state.has_prediction = 0
        state.tangent_status, state.factored_step_size = ALL_STALE, 0.0
        return CHUNK_FULL
    if locks_have_changed(tables, state, rigid):
        cause = settle_locks(tables, state, scratch, work, log, rigid, solver)
        if cause == NOT_SOLVED:
            return SINGULAR
        if cause >= 0:
            state.worst_coordinate = cause
            return CONTRADICTORY_LOCK
    if settings.explicit != 0:
        state.has_prediction = 0
        impose_drivers(tables, work.signal, state.q, state.v, state.a)
        return CHUNK_FULL if find_accelerations(tables, state, scratch, work, state.q, state.v, state.a) else SINGULAR
    if not restart(tables, state, scratch, work):
        return SINGULAR
    for c in range(len(tables.contacts)):
        if tables.contacts[c].rigid != 0:
            return resolve(tables, state, settings, scratch, work, log, rigid, solver, NONE, 0)
    return CHUNK_FULL


@kernel
def log_event(state, log, e):
    """An occurrence."""
    if log.occurrence_count < log.occurrences.shape[0]:
        new_occurrence(state, log, USER_EVENT, e)
