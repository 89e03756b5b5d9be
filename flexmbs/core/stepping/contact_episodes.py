"""Contacts while they touch: their start and end, the impulse and the largest force, the first step inside."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.contact.gap import begin_history, contact_energy, gap_at, normal_force, update_contact_history
from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.massless_patches import balance_patches
from flexmbs.core.equations.projection import factorise_mass
from flexmbs.core.equations.quintic_interpolation import interpolate_between
from flexmbs.core.equations.tangent import renew_accelerations, update_tangent
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.machine_code.kernel import kernel

# Lobatto's quadrature of order 8 on [0, 1] (Hairer and Wanner II, 1996, IV.5): more than the order of any interpolant.
NODES = 0.5 + 0.5 * np.array([-1.0, -math.sqrt(3.0 / 7.0), 0.0, math.sqrt(3.0 / 7.0), 1.0])
WEIGHTS = np.array([1.0 / 20.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 1.0 / 20.0])
BISECTIONS = 40
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
BESIDE = 1e-3  # of an interval: where the force is looked at to see whether its peak is inside
ROUNDING = 1e-12


@kernel
def switch_contact(tables, c, state, settings, scratch, work, log):
    """Start or end contact ``c`` at the present time."""
    state.events += 1
    state.has_prediction = 0
    if state.active[c] == 0:
        state.active[c] = 1
        begin_contact(tables, c, state, scratch, work)
        renew_after_jump(tables, c, state, settings, scratch, work)
        return
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
    state.active[c] = 0
    state.tangent_status = ALL_STALE
    renew_after_jump(tables, c, state, settings, scratch, work)
    if state.time <= state.episode[c].start:
        return  # grazing: it parted in the instant in which it touched
    state.episode[c].rebound_speed = rate
    row, episode = log.contacts[log.contact_count], state.episode[c]
    row.contact, row.start, row.end = c, episode.start, state.time
    row.peak_force, row.peak_time, row.impulse = episode.peak_force, episode.peak_time, episode.impulse
    row.approach_speed, row.rebound_speed, row.max_depth = episode.approach_speed, rate, episode.max_depth
    log.contact_count += 1


@kernel
def pass_rest(state):
    """The bodies of a contact have stopped approaching: its law goes on otherwise."""
    state.events += 1
    state.has_prediction = 0
    state.tangent_status = ALL_STALE
    state.factored_step_size = 0.0


@kernel
def begin_contact(tables, c, state, scratch, work):
    """Open the record of contact ``c``, set what its law remembers, and choose a step that resolves its start."""
    episode, contact = state.episode[c], tables.contacts[c]
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
    episode.start = episode.peak_time = state.time
    episode.impulse = episode.peak_force = episode.rebound_speed = episode.max_depth = 0.0
    episode.approach_speed = -rate if rate < 0.0 else 0.0
    if contact.begin != 0:
        state.active[c] = 0  # the law is not ready yet
        update_tangent(tables, state, scratch, work, 1)
        compliance = normal_compliance(tables, c, state, scratch, work, rate)
        mass = 1.0 / compliance if compliance > 0.0 and math.isfinite(compliance) else 0.0
        begin_history(tables, contact, state.contact_history, episode.approach_speed, mass)
        state.active[c] = 1
    resolve_onset(tables, c, state, scratch, work)


@kernel
def resolve_onset(tables, c, state, scratch, work):
    """Renew the tangent at the start of contact ``c``, and choose a step that resolves it."""
    update_tangent(tables, state, scratch, work, 3)
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
    compliance = normal_compliance(tables, c, state, scratch, work, rate)
    state.step_size = min(state.step_size, onset_step(tables, c, state, rate, compliance))
    state.factored_step_size = 0.0


@kernel
def renew_after_jump(tables, c, state, settings, scratch, work):
    """Accelerations behind a jump of the force of contact ``c``."""
    if tables.contacts[c].jumps == 0:
        return
    if settings.explicit != 0:
        find_accelerations(tables, state, scratch, work, state.q, state.v, state.a)
    else:
        renew_accelerations(tables, state, scratch, work, 3)
    state.factored_step_size = 0.0


@kernel
def update_histories(tables, state, work):
    """Renew what the laws of touching contacts remember, at the end of a step."""
    for c in range(len(tables.contacts)):
        contact = tables.contacts[c]
        if contact.update != 0 and state.active[c] != 0:
            gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
            update_contact_history(tables, contact, state.contact_history, gap, rate)


@kernel
def record_contacts(tables, state, scratch, work, h, rows):
    """Add the step's impulse of each touching contact, and keep the largest force.

    The force is that of the motion as results read it: the quintic between the ends of the step and the ``rows`` inside
    it that its method has filled (core.methods.intermediate_rows).
    """
    part = h / (rows + 1.0)
    for c in range(len(tables.contacts)):
        if state.active[c] == 0:
            continue
        q0, v0, a0 = state.q, state.v, state.a
        for row in range(rows + 1):
            q1, v1, a1 = scratch.end_q, scratch.end_v, scratch.end_a
            if row < rows:
                q1, v1, a1 = scratch.intermediate_q[row], scratch.intermediate_v[row], scratch.intermediate_a[row]
            begin = state.time + row * part
            add_impulse(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, part)
            q0, v0, a0 = q1, v1, a1


@kernel
def gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, x):
    """Gap and gap rate of contact ``c`` at ``x`` between two points of the step, the first at ``begin``."""
    interpolate_between(tables, scratch, q0, v0, a0, q1, v1, a1, h, x)
    evaluate_signals(tables, begin + x * h, work.signal)
    impose_drivers(tables, work.signal, scratch.point_q, scratch.point_v, scratch.point_a)
    balance_patches(tables, state, scratch, work)
    return gap_at(tables, c, scratch.point_q, scratch.point_v, scratch.point_a, state.reference, work)


@kernel
def add_impulse(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h):
    """Impulse, largest force and depth of contact ``c`` between two points of the step."""
    episode = state.episode[c]
    rate = first_rate = largest = 0.0
    at = 0
    for i in range(len(NODES)):
        gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, NODES[i])
        force = normal_force(tables, c, state.contact_history, gap, rate, work)
        episode.impulse += h * WEIGHTS[i] * force
        episode.max_depth = max(episode.max_depth, -gap)
        if i == 0:
            first_rate = rate
        if force > largest:
            largest, at = force, i
    if largest > 0.0 and largest >= episode.peak_force:
        keep_peak(episode, largest, begin + NODES[at] * h)
        refine_peak(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, at)
    if not (first_rate < 0.0 and rate > 0.0):
        return
    left, right = 0.0, 1.0  # the deepest point lies between
    for _ in range(BISECTIONS):
        x = 0.5 * (left + right)
        gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, x)
        if rate < 0.0:
            left = x
        else:
            right = x
    episode.max_depth = max(episode.max_depth, -gap)
    keep_peak(episode, normal_force(tables, c, state.contact_history, gap, rate, work), begin + x * h)


@kernel
def refine_peak(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, at):
    """Largest force beside node ``at``, which has the largest of all nodes; with damping it is not the deepest point.

    By golden-section search (Press et al., Numerical Recipes, 2007, sec. 10.2).
    """
    left, right, end = NODES[max(at - 1, 0)], NODES[min(at + 1, len(NODES) - 1)], NODES[at]
    episode = state.episode[c]
    if left == end or right == end:  # at the end of the interval: the peak may be in the next one
        x = end + (BESIDE if left == end else -BESIDE)
        gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, x)
        if normal_force(tables, c, state.contact_history, gap, rate, work) <= episode.peak_force:
            return
    x, y = right - GOLDEN * (right - left), left + GOLDEN * (right - left)
    gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, x)
    at_x = normal_force(tables, c, state.contact_history, gap, rate, work)
    gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, y)
    at_y = normal_force(tables, c, state.contact_history, gap, rate, work)
    for _ in range(BISECTIONS):
        if at_x > at_y:
            right, y, at_y = y, x, at_x
            x = right - GOLDEN * (right - left)
            gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, x)
            at_x = normal_force(tables, c, state.contact_history, gap, rate, work)
        else:
            left, x, at_x = x, y, at_y
            y = left + GOLDEN * (right - left)
            gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, y)
            at_y = normal_force(tables, c, state.contact_history, gap, rate, work)
    if max(at_x, at_y) > episode.peak_force * (1.0 + ROUNDING):
        keep_peak(episode, max(at_x, at_y), begin + 0.5 * (x + y) * h)


@kernel
def keep_peak(episode, force, time):
    """Keep the largest force of a contact and its time."""
    if force > episode.peak_force:
        episode.peak_force, episode.peak_time = force, time


@kernel
def normal_compliance(tables, c, state, scratch, work, rate):
    """1 / effective mass of contact ``c`` along its normal, G M^-1 G^T with G the gradient of the gap rate, 1/kg.

    The mass matrix must be current; ``rate``: of the gap.
    """
    m = len(tables.free)
    for i in range(m):
        k = tables.free[i]
        old = state.v[k]
        state.v[k] = old + 1.0
        _gap, shifted = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        state.v[k] = old
        scratch.error_v[i] = shifted - rate
        scratch.real_x[i] = shifted - rate
    if len(tables.constraints) == 0:  # with constraints the tangent comes with these factors
        factorise_mass(tables, state, scratch)
    solve_mass(tables, state, scratch, scratch.real_x)
    compliance = 0.0
    for i in range(m):
        compliance += scratch.error_v[i] * scratch.real_x[i]
    return compliance


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
