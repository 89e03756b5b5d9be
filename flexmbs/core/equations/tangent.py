"""Tangent matrices of the residual at the start of a step, by differences of the residual itself.

The mass matrix is exact (the residual is linear in the accelerations); damping and stiffness are one-sided differences,
good enough for the simplified Newton iteration, which never changes what it converges to.
"""

from __future__ import annotations

import math

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.projection import factorise_mass
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.force_tables import COORDINATE
from flexmbs.core.layout.friction_tables import GIVEN
from flexmbs.core.layout.state import CURRENT, REUSABLE, Scratch, State
from flexmbs.core.layout.switch_tables import SLOT, UNUSED
from flexmbs.core.layout.tables import PERMANENT, Tables, Workspace
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.linalg.matrix import columns_of, equilibrate
from flexmbs.core.mechanics.condensed_modes import is_algebraic, place_condensed
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats

INCREMENT = 1e-7
AHEAD = 1e-9  # s: what stands at the end of a stop is on the side to which it moves
# of the largest reaction; where all are small, they count as this part of the largest acceleration
REACTION_SHIFT, LEAST_REACTION = 1e-5, 1e-3
ROUNDING = 1e-12  # N, m/s^2: reactions and accelerations that are none
MAX_RENEWALS = 10


@entry
def update_tangent(tables: Tables, state: State, scratch: Scratch, work: Workspace, kinds: int) -> bool:
    """Fill the tangent matrices of the unknowns at the current state: only the mass (``kinds`` = 1) or all (3).

    False when the mass matrix is singular.

    A changing mass matrix is the usual reason for slow convergence, and costs a third of the whole tangent.
    """
    evaluate_signals(tables, state.time, work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)
    return tangent_at(tables, state, scratch, work, state.q, state.v, state.a, kinds)


@entry
def tangent_at(
    tables: Tables, state: State, scratch: Scratch, work: Workspace, q: Floats, v: Floats, a: Floats, kinds: int
) -> bool:
    """:func:`update_tangent` at other coordinates, where signals are current and drivers imposed."""
    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
    for kind in range(kinds):
        vector = a if kind == 0 else (v if kind == 1 else q)
        matrix = state.mass if kind == 0 else (state.damping if kind == 1 else state.stiffness)
        if len(tables.shift_start) == 0:
            for j in range(len(tables.free)):
                if kind == 0 and serves_nothing(tables, state, tables.free[j]):
                    fill_unit_column(tables, j, matrix)
                elif shift(tables, state, scratch, vector, j, kind):
                    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.shifted_residual)
                    state.residual_evaluations += 1
                    fill_full_column(tables, scratch, vector, j, matrix)
            continue
        for group in groups_of(tables, kind):
            first, end = tables.shift_start[group], tables.shift_start[group + 1]
            alone = tables.shift_columns[first]
            if kind == 0 and end == first + 1 and serves_nothing(tables, state, tables.free[alone]):
                fill_unit_column(tables, alone, matrix)
                continue
            for i in range(first, end):
                shift(tables, state, scratch, vector, tables.shift_columns[i], kind)
            residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.shifted_residual)
            state.residual_evaluations += 1
            for i in range(first, end):
                fill_column(tables, scratch, vector, tables.shift_columns[i], matrix)
    place_condensed(tables, q, v, a)
    if any_rows(tables):
        scale_unknowns(tables, state, scratch)
    regular = not any_rows(tables) or factorise_mass(tables, state, scratch)
    state.residual_evaluations += 1
    state.tangent_evaluations += 1
    state.tangent_status = CURRENT if kinds == 3 else REUSABLE
    state.convergence_rate = 1.0
    state.moved_since_tangent = 0.0
    return regular


@kernel
def scale_unknowns(tables, state, scratch):
    """Scales of the unknowns; those of constraints by their largest rows so far: one that vanishes must not be hidden."""
    copy_vector(state.scale, scratch.unshifted)
    equilibrate(state.mass, tables.band, state.scale)
    if state.reference_singular_value > 0.0:
        for i in range(len(tables.free)):
            if tables.coordinates[tables.free[i]].multiplier == PERMANENT:
                state.scale[i] = min(state.scale[i], scratch.unshifted[i])


@kernel
def serves_nothing(tables, state, k):
    """Whether coordinate ``k`` is the multiplier of a slot that serves no contact: its equation is lam = 0."""
    if len(tables.switches) == 0 or tables.coordinates[k].multiplier == 0:
        return False
    for s in range(len(tables.switches)):
        row = tables.switches[s].row
        if row <= k < row + tables.switches[s].rows:
            return tables.switches[s].kind == SLOT and state.active[len(tables.contacts) + s] == UNUSED
    return False


@kernel
def fill_unit_column(tables, j, matrix):
    """Column ``j`` as in the unit matrix."""
    m = len(tables.free)
    first, end, _shift = columns_of(j, m, tables.band)
    for i in range(first, end):
        _first, _end, back = columns_of(i, m, tables.band)
        matrix[i, j + back] = 1.0 if i == j else 0.0


@kernel
def groups_of(tables, kind):
    """Unknowns that are shifted together: those of accelerations (``kind`` 0) or of velocities and positions."""
    if kind == 0:
        return range(0, tables.shift_split)
    return range(tables.shift_split, len(tables.shift_start) - 1)


@kernel
def shift(tables, state, scratch, vector, j, kind):
    """Shift unknown ``j`` in its acceleration (``kind`` 0), velocity or position; False where that means nothing."""
    k = tables.free[j]
    scratch.unshifted[j] = vector[k]
    # "position" and "velocity" of a multiplier mean nothing, those of a condensed mode follow its value
    if kind > 0 and is_algebraic(tables.coordinates[k]):
        return False
    if kind == 0:
        vector[k] += acceleration_shift(tables, k, vector)
    else:
        step = INCREMENT * max(1.0, abs(vector[k]))
        vector[k] += -step if kind == 2 and meets_stop(tables, k, vector[k] + AHEAD * state.v[k], step) else step
    return True


@kernel
def meets_stop(tables, k, place, step):
    """Whether coordinate ``k`` meets the end of a compliant stop a ``step`` above ``place``: what rests there is nearer."""
    for e in range(len(tables.events)):
        event = tables.events[e]
        if event.sensor < 0 or event.action_end > event.action_start or not place < event.value <= place + step:
            continue
        if tables.sensors[event.sensor].kind == COORDINATE and tables.sensors[event.sensor].a == k:
            return True
    return False


@kernel
def acceleration_shift(tables, k, a):
    """Any for accelerations, in which the residual is linear; what moves a condensed mode by no more than positions.

    Friction in joints may depend on the sizes of reactions, so that these are shifted by a small part of their size.
    """
    unit = tables.coordinates[k].unit
    if unit > INCREMENT:
        return INCREMENT / unit
    if tables.coordinates[k].multiplier == 0 or not depends_on_reactions(tables):
        return 1.0
    largest = 0.0
    for i in range(len(tables.coordinates)):
        part = 1.0 if tables.coordinates[i].multiplier != 0 else LEAST_REACTION
        largest = max(largest, part * abs(a[i]))
    return REACTION_SHIFT * largest if largest > ROUNDING else 1.0


@kernel
def depends_on_reactions(tables):
    """Whether friction in a joint depends on its reaction."""
    for j in range(len(tables.joint_frictions)):
        if tables.joint_frictions[j].load != GIVEN:
            return True
    return False


@kernel
def shift_back(tables, scratch, vector, j):
    """Put unknown ``j`` back; by how much it was shifted: the step as it is after rounding."""
    k = tables.free[j]
    step = vector[k] - scratch.unshifted[j]
    vector[k] = scratch.unshifted[j]
    return step


@kernel
def fill_full_column(tables, scratch, vector, j, matrix):
    """Differences of all residuals into column ``j``."""
    m, step = len(tables.free), shift_back(tables, scratch, vector, j)
    if step == 0.0:
        return
    first, end, _shift = columns_of(j, m, tables.band)
    for i in range(first, end):
        put_difference(tables, scratch, i, j, m, step, matrix)


@kernel
def fill_column(tables, scratch, vector, j, matrix):
    """Differences of the residuals with which unknown ``j`` is coupled into its column."""
    m, step = len(tables.free), shift_back(tables, scratch, vector, j)
    if step == 0.0:
        return
    for at in range(tables.pattern_start[j], tables.pattern_start[j + 1]):
        put_difference(tables, scratch, tables.pattern_rows[at], j, m, step, matrix)


@kernel
def put_difference(tables, scratch, i, j, m, step, matrix):
    """The derivative of residual ``i`` by unknown ``j``."""
    _first, _end, back = columns_of(i, m, tables.band)
    row = tables.free[i]
    matrix[i, j + back] = (scratch.shifted_residual[row] - scratch.residual[row]) / step


@kernel
def consistent_accelerations(tables, state, scratch, work, kinds):
    """Accelerations that satisfy the equations of motion at the current state; False when M is singular.

    With a tangent of ``kinds`` (update_tangent).
    """
    for i in range(len(tables.free)):
        if tables.coordinates[tables.free[i]].unit == 0.0:
            state.a[tables.free[i]] = 0.0
    return renew_accelerations(tables, state, scratch, work, kinds)


@entry
def renew_accelerations(tables: Tables, state: State, scratch: Scratch, work: Workspace, kinds: int) -> bool:
    """:func:`consistent_accelerations` from the present ones on, with a tangent of ``kinds`` (update_tangent)."""
    if not update_tangent(tables, state, scratch, work, kinds):
        return False
    if not any_rows(tables) and not factorise_mass(tables, state, scratch):
        return False
    # without user functions, condensed modes and friction in joints the residual is linear in the accelerations: one
    # solution does
    linear = len(tables.functions) + len(tables.condensed) + len(tables.joint_frictions) == 0
    for iteration in range(1 if linear else MAX_RENEWALS):
        if iteration > 0:
            residual(
                tables, state.active, state.contact_history, state.q, state.v, state.a, state.reference, work, scratch.residual
            )
        change, size = solve_accelerations(tables, state, scratch)
        if not math.isfinite(change):
            return False
        if change <= 1e-12 * size:
            break
    place_condensed(tables, state.q, state.v, state.a)
    return True


@kernel
def solve_accelerations(tables, state, scratch):
    """One Newton step for the accelerations; its largest change and the largest acceleration (not finite: broken)."""
    m = len(tables.free)
    for i in range(m):
        scratch.real_x[i] = -scratch.residual[tables.free[i]]
    solve_mass(tables, state, scratch, scratch.real_x)
    change = size = 0.0
    for i in range(m):
        k = tables.free[i]
        state.a[k] += scratch.real_x[i]
        change = max(change, abs(scratch.real_x[i]))
        size = max(size, abs(state.a[k]))
        if not math.isfinite(scratch.real_x[i]):
            return math.inf, size
    return change, size
