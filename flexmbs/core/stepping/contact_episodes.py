"""Contacts while they touch: their start and end, the impulse and the largest force, the first step inside."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.contact.gap import contact_energy, contact_force, gap_at
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.projection import factorise_mass
from flexmbs.core.equations.quintic_interpolation import interpolate_between
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.machine_code.kernel import kernel

# Lobatto's quadrature of order 8 on [0, 1] (Hairer and Wanner II, 1996, IV.5): more than the order of any interpolant.
NODES = 0.5 + 0.5 * np.array([-1.0, -math.sqrt(3.0 / 7.0), 0.0, math.sqrt(3.0 / 7.0), 1.0])
WEIGHTS = np.array([1.0 / 20.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 1.0 / 20.0])
BISECTIONS = 40


@kernel
def switch_contact(tables, c, state, scratch, work, log):
    """Start or end contact ``c`` at the present time."""
    state.events += 1
    state.has_prediction = 0
    if state.active[c] == 0:
        state.active[c] = 1
        begin_contact(tables, c, state, scratch, work)
        return
    state.active[c] = 0
    state.tangent_status = ALL_STALE
    if state.time <= state.episode[c].start:
        return  # grazing: it parted in the instant in which it touched
    row = log.contacts[log.contact_count]
    row.contact, row.start, row.end = c, state.episode[c].start, state.time
    row.peak_force, row.peak_time = state.episode[c].peak_force, state.episode[c].peak_time
    row.impulse = state.episode[c].impulse
    log.contact_count += 1


@kernel
def begin_contact(tables, c, state, scratch, work):
    """Open the record of contact ``c`` and choose a step that resolves its start."""
    state.episode[c].start = state.time
    state.episode[c].impulse = state.episode[c].peak_force = 0.0
    state.episode[c].peak_time = state.time
    update_tangent(tables, state, scratch, work, 3)
    state.step_size = min(state.step_size, onset_step(tables, c, state, scratch, work))
    state.factored_step_size = 0.0


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
    return gap_at(tables, c, scratch.point_q, scratch.point_v, scratch.point_a, state.reference, work)


@kernel
def add_impulse(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h):
    """Impulse and largest force of contact ``c`` between two points of the step."""
    contact = tables.contacts[c]
    rate = first_rate = 0.0
    for i in range(len(NODES)):
        gap, rate = gap_between(tables, c, state, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, NODES[i])
        force = contact_force(tables, contact, gap, rate)
        state.episode[c].impulse += h * WEIGHTS[i] * force
        keep_peak(state.episode[c], force, begin + NODES[i] * h)
        if i == 0:
            first_rate = rate
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
    keep_peak(state.episode[c], contact_force(tables, contact, gap, rate), begin + x * h)


@kernel
def keep_peak(episode, force, time):
    """Keep the largest force of a contact and its time."""
    if force > episode.peak_force:
        episode.peak_force, episode.peak_time = force, time


@kernel
def onset_step(tables, c, state, scratch, work):
    """A step that resolves the start of a contact: 1/30 of its expected duration (Hertz: about 3 depth / speed).

    The mass seen by the contact is 1 / (g M^-1 g^T), with g the gradient of the gap rate in the velocities.
    """
    m = len(tables.free)
    _gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
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
    speed = max(abs(rate), 1e-6)
    if not (compliance > 0.0 and math.isfinite(compliance)):
        return 1e-6
    depth = 1e-12
    while contact_energy(tables, tables.contacts[c], depth) < 0.5 * speed * speed / compliance and depth < 1.0:
        depth *= 1.2
    return 0.1 * depth / speed
