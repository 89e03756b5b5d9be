"""Contacts while they touch: their start and end, the impulse and the largest force, the first step inside."""

import math

import numpy as np

from flexmbs.core.contact.gap import begin_history, contact_energy, gap_at, gap_in_place, normal_force, update_contact_history
from flexmbs.core.contact.groups import occupy
from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.equations.tangent import renew_accelerations, update_tangent
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.stepping.contact_mass import normal_compliance
from flexmbs.core.stepping.contact_search import turning_point
from flexmbs.core.stepping.gap_motion import find_path, one_gap
from flexmbs.machine_code.kernel import kernel

# Lobatto's quadrature of order 8 on [0, 1] (Hairer and Wanner II, 1996, IV.5): more than the order of any interpolant.
NODES = 0.5 + 0.5 * np.array([-1.0, -math.sqrt(3.0 / 7.0), 0.0, math.sqrt(3.0 / 7.0), 1.0])
WEIGHTS = np.array([1.0 / 20.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 1.0 / 20.0])
BISECTIONS = 26
BESIDE = 1e-3  # of a piece: distance of the points from which the slope of the force follows
ROUNDING = 1e-9  # of the largest force: depths are differences of positions


@kernel
def switch_contact(tables, c, state, settings, scratch, work, log):
    """Start or end contact ``c`` at the present time."""
    state.events += 1
    state.has_prediction = 0
    reset_bristles(tables, c, state)
    if state.active[c] == 0:
        state.active[c] = max(1, work.occupant[c])
        begin_contact(tables, c, state, settings, scratch, work)
        renew_after_jump(tables, c, state, settings, scratch, work)
        return
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
    pair = state.active[c] - 1
    state.active[c] = 0
    state.tangent_status = ALL_STALE
    renew_after_jump(tables, c, state, settings, scratch, work)
    if state.time <= state.episode[c].start:
        return  # grazing: it parted in the instant in which it touched
    state.episode[c].rebound_speed = rate
    row, episode = log.contacts[log.contact_count], state.episode[c]
    row.contact, row.pair, row.start, row.end = c, pair, episode.start, state.time
    row.peak_force, row.peak_time, row.impulse = episode.peak_force, episode.peak_time, episode.impulse
    row.approach_speed, row.rebound_speed, row.max_depth = episode.approach_speed, rate, episode.max_depth
    log.contact_count += 1


@kernel
def reset_bristles(tables, c, state):
    """The bristles of contact ``c`` stand upright where it starts, and while it is open."""
    contact = tables.contacts[c]
    for i in range(contact.bristles):
        state.v[contact.bristle + i] = state.a[contact.bristle + i] = 0.0


@kernel
def pass_rest(state):
    """The bodies of a contact have stopped approaching: its law goes on otherwise."""
    state.events += 1
    state.has_prediction = 0
    state.tangent_status = ALL_STALE
    state.factored_step_size = 0.0


@kernel
def begin_contact(tables, c, state, settings, scratch, work):
    """Open the record of contact ``c``, set what its law remembers, and choose a step that resolves its start."""
    episode, contact = state.episode[c], tables.contacts[c]
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
    episode.start = episode.peak_time = state.time
    episode.impulse = episode.peak_force = episode.rebound_speed = episode.max_depth = 0.0
    episode.approach_speed = -rate if rate < 0.0 else 0.0
    if contact.group >= 0:  # nothing is left of the pair that it served before
        state.contact_history[contact.history_at : contact.history_at + contact.history] = 0.0
    if contact.begin != 0:
        active = state.active[c]
        state.active[c] = 0  # the law is not ready yet
        if settings.explicit == 0:
            update_tangent(tables, state, scratch, work, 1)
        compliance = normal_compliance(tables, c, state, settings, scratch, work)
        mass = 1.0 / compliance if compliance > 0.0 and math.isfinite(compliance) else 0.0
        begin_history(tables, contact, state.contact_history, episode.approach_speed, mass)
        state.active[c] = active
    resolve_onset(tables, c, state, settings, scratch, work)


@kernel
def resolve_onset(tables, c, state, settings, scratch, work):
    """Renew the tangent at the start of contact ``c``, and choose a step that resolves it."""
    if settings.explicit == 0:
        update_tangent(tables, state, scratch, work, 3)
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
    compliance = normal_compliance(tables, c, state, settings, scratch, work)
    state.step_size = min(state.step_size, onset_step(tables, c, state, rate, compliance))
    state.factored_step_size = 0.0


@kernel
def renew_after_jump(tables, c, state, settings, scratch, work):
    """Accelerations behind a jump of the force of contact ``c``, or of the rates of its bristles."""
    if tables.contacts[c].jumps == 0 and tables.contacts[c].bristles == 0:
        return
    if settings.explicit != 0:
        find_accelerations(tables, state, scratch, work, state.q, state.v, state.a)
    else:
        renew_accelerations(tables, state, scratch, work, 3)
    state.factored_step_size = 0.0


@kernel
def update_histories(tables, state, work):
    """Renew what the laws of touching contacts remember, at the end of a step."""
    moved = False
    for c in range(len(tables.contacts)):
        if state.active[c] == 0 or tables.contacts[c].update == 0:
            continue
        contact = tables.contacts[c]
        occupy(tables, c, state.active[c], work)
        if not moved:
            hide_condensed(tables, state.q, state.v, state.a, work)
            forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
            moved = True
        gap, rate = gap_in_place(tables, c, state.q, state.v, state.a, work)
        update_contact_history(tables, contact, state.contact_history, gap, rate)
    if moved:
        show_condensed(tables, state.a, work)


@kernel
def record_contacts(tables, state, scratch, work, h, rows):
    """Add the step's impulse of each touching contact, and keep the largest force.

    The force is that of the motion as results read it: the quintic between the ends of the step and the ``rows`` inside
    it that its method has filled (core.methods.intermediate_rows).
    """
    for c in range(len(tables.contacts)):
        if state.active[c] == 0 or tables.contacts[c].rigid != 0:
            continue
        occupy(tables, c, state.active[c], work)
        bodies = find_path(tables, c, work)
        for row in range(rows + 1):
            add_impulse(tables, c, state, scratch, work, bodies, h, rows, row)


@kernel
def force_inside(tables, c, state, scratch, work, bodies, h, rows, x):
    """Gap, gap rate and force of contact ``c`` at point ``x`` of the step (core.stepping.gap_motion)."""
    gap, rate = one_gap(tables, state, scratch, work, c, bodies, h, rows, x)
    return gap, rate, normal_force(tables, c, state.contact_history, gap, rate, work)


@kernel
def add_impulse(tables, c, state, scratch, work, bodies, h, rows, row):
    """Impulse, largest force and depth of contact ``c`` in one of the ``rows`` + 1 pieces of the step."""
    episode = state.episode[c]
    part = 1.0 / (rows + 1.0)
    rate = first_rate = largest = 0.0
    at = 0
    for i in range(len(NODES)):
        x = (row + NODES[i]) * part
        gap, rate, force = force_inside(tables, c, state, scratch, work, bodies, h, rows, x)
        episode.impulse += h * part * WEIGHTS[i] * force
        episode.max_depth = max(episode.max_depth, -gap)
        if i == 0:
            first_rate = rate
        if force > largest:
            largest, at = force, i
    if largest > 0.0 and largest > episode.peak_force * (1.0 - ROUNDING):
        keep_peak(episode, largest, state.time + (row + NODES[at]) * part * h)
        refine_peak(tables, c, state, scratch, work, bodies, h, rows, row, at, largest)
    if not (first_rate < 0.0 and rate > 0.0):
        return
    x = turning_point(tables, c, state, scratch, work, h, rows, row * part, (row + 1.0) * part)  # the deepest point
    if x > 1.0:
        return
    gap, _rate, force = force_inside(tables, c, state, scratch, work, bodies, h, rows, x)
    episode.max_depth = max(episode.max_depth, -gap)
    keep_peak(episode, force, state.time + x * h)


@kernel
def refine_peak(tables, c, state, scratch, work, bodies, h, rows, row, at, largest):
    """Largest force beside node ``at``, which has the ``largest`` of all; with damping it is not the deepest point.

    Where the slope of the force changes its sign, by bisection: rounding of the force moves that far less than the
    place of the largest value.
    """
    part = 1.0 / (rows + 1.0)
    begin, end, node = row * part, (row + 1.0) * part, (row + NODES[at]) * part
    left, right = (row + NODES[max(at - 1, 0)]) * part, (row + NODES[min(at + 1, len(NODES) - 1)]) * part
    apart, episode = BESIDE * part, state.episode[c]
    if left == node or right == node:  # at the end of the piece: the peak may be in the next one
        inward = apart if left == node else -apart
        _gap, _rate, at_first = force_inside(tables, c, state, scratch, work, bodies, h, rows, node + inward)
        _gap, _rate, at_second = force_inside(tables, c, state, scratch, work, bodies, h, rows, node + 2.0 * inward)
        if 4.0 * at_first - at_second <= 3.0 * largest:  # the parabola through the three falls inwards
            return
    for _ in range(BISECTIONS):
        x = 0.5 * (left + right)
        beside = min(apart, x - begin, end - x)
        _gap, _rate, before = force_inside(tables, c, state, scratch, work, bodies, h, rows, x - beside)
        _gap, _rate, behind = force_inside(tables, c, state, scratch, work, bodies, h, rows, x + beside)
        if behind > before:
            left = x
        else:
            right = x
    x = 0.5 * (left + right)
    _gap, _rate, force = force_inside(tables, c, state, scratch, work, bodies, h, rows, x)
    if force > episode.peak_force * (1.0 - ROUNDING):
        episode.peak_force, episode.peak_time = max(force, episode.peak_force), state.time + x * h


@kernel
def keep_peak(episode, force, time):
    """Keep the largest force of a contact and its time."""
    if force > episode.peak_force:
        episode.peak_force, episode.peak_time = force, time


@kernel
def onset_step(tables, c, state, rate, compliance):
    """A step that resolves the start of a contact: 1/30 of its expected duration (Hertz: about 3 depth / speed)."""
    speed = max(abs(rate), 1e-6)
    if not (compliance > 0.0 and math.isfinite(compliance)):
        return 1e-6
    depth, energy = 1e-12, 0.5 * speed * speed / compliance
    while contact_energy(tables, tables.contacts[c], state.contact_history, depth) < energy and depth < 1.0:
        depth *= 1.2
    return 0.1 * depth / speed
