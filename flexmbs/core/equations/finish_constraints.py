"""Constraints and multipliers at the end of a step, whose tangent is renewed when it has served too long.

Newton's iteration stops when positions and velocities are right, whatever the age of its matrix; the motion of a driven
or freely coasting loop is right without one.  What else uses the matrix judges its age:

- Multipliers, which neither positions nor velocities hold, converge to a tolerance of their own.
- Singular positions are seen in the constraints of the tangent, so the mechanism moves only so far with one.
"""

from __future__ import annotations

from flexmbs.core.equations.end_signals import set_end_signals
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.projection import EXIT, distance_of_singularity, project
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.tangent import tangent_at
from flexmbs.core.layout.state import ALL_STALE, INDEX_3, Scratch, Settings, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# Multipliers are polished to these parts of the largest one and of rtol, whichever is more.
MAX_POLISHES, POLISHED, POLISHED_PART, WELL_CONDITIONED = 20, 1e-9, 1e-3, 0.5
FIRST_CHANGE = 1e300  # before there is one
# Correction of multipliers relative to the largest, and rate at which corrections shrink, above which factors are renewed
LARGE_CHANGE, SLOW, NEW = 1e-2, 0.3, 0.9
# Corrections that new factors leave are rounding; that may fall again.
NOISE, FADING = 2.0, 0.9
# How far a mechanism may move with one tangent, and in a step with replaced rows, rad
MAX_MOTION, SHORT_MOTION = 0.4, 0.02
MAX_EXTRAPOLATION = 2.5  # such a step in lengths of the one before


@kernel
def motion_of_step(tables, state, settings, scratch):
    """The largest motion of a coordinate in the step, rad or sizes of the mechanism."""
    largest = 0.0
    for k in range(len(tables.coordinates)):
        largest = max(largest, settings.motion[k] * abs(scratch.end_q[k] - state.q[k]))
    return largest


@kernel
def room_in_passage(tables, state, settings, scratch, h):
    """Factor by which the step may be longer while rows are replaced, whose accelerations are extrapolated over it."""
    if state.replaced_count == 0:
        return 1e10
    zone = 1.2 * EXIT * state.passage
    distance = max(distance_of_singularity(state), -0.7 * zone)
    room = max(zone + distance, SHORT_MOTION) / max(motion_of_step(tables, state, settings, scratch), 1e-10)
    return min(room, MAX_EXTRAPOLATION * state.last_step_size / h) if state.has_prediction != 0 else room


@entry
def finish_constraints(tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace) -> None:
    """Positions, rates and multipliers of the end of a step that is (or may be) accepted."""
    set_end_signals(tables, scratch, work)
    if state.replaced_count == 0 and state.moved_since_tangent > MAX_MOTION:
        renew_at_end(tables, state, scratch, work)
    if not project(tables, state, scratch, work, settings.projection_levels) and state.replaced_count == 0:
        renew_at_end(tables, state, scratch, work)
        project(tables, state, scratch, work, settings.projection_levels)
    is_new = state.moved_since_tangent == 0.0
    if state.replaced_count == 0 and not polish_multipliers(tables, state, settings, scratch, work, NEW if is_new else SLOW):
        if not is_new:
            renew_at_end(tables, state, scratch, work)
            if state.replaced_count == 0:
                polish_multipliers(tables, state, settings, scratch, work, NEW)
    state.multiplier_noise *= FADING


@kernel
def renew_at_end(tables, state, scratch, work):
    """Mass matrix and constraints of the end of the step; those of the other kinds stay."""
    tangent_at(tables, state, scratch, work, scratch.end_q, scratch.end_v, scratch.end_a, 1)
    state.factored_step_size = 0.0
    if state.replaced_count != 0:
        state.tangent_status = ALL_STALE


@kernel
def polish_multipliers(tables, state, settings, scratch, work, slow):
    """Bring the multipliers of the end of the step to an accuracy of their own; False when the factors are too old.

    ``slow``: the rate at which corrections must shrink; NEW: the factors are new, and what stays is rounding.
    """
    previous = FIRST_CHANGE
    # near singular positions, large multipliers cancel each other
    condition = state.singular_value / max(WELL_CONDITIONED * state.reference_singular_value, 1e-300)
    target = max(POLISHED, POLISHED_PART * state.rtol) * min(1.0, condition)
    for _ in range(MAX_POLISHES):
        q, v, a = scratch.end_q, scratch.end_v, scratch.end_a
        residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.shifted_residual)
        correct_accelerations(tables, state, settings, scratch, previous == FIRST_CHANGE)
        for i in range(len(tables.free)):
            k = tables.free[i]
            scratch.real_x[i] = 0.0 if tables.coordinates[k].multiplier != 0 else -scratch.shifted_residual[k]
        solve_mass(tables, state, scratch, scratch.real_x)
        change = size = 0.0
        for i in range(len(tables.free)):
            k = tables.free[i]
            if tables.coordinates[k].multiplier != 0:
                scratch.end_a[k] += scratch.real_x[i]
                change = max(change, abs(scratch.end_a[k] - scratch.unshifted[i]))
                size = max(size, abs(scratch.end_a[k]))
        state.largest_multiplier = max(state.largest_multiplier, size)
        left = change
        if change < previous < FIRST_CHANGE:  # what is left behind corrections that shrink like these
            left *= min(1.0, change / (previous - change))
        if left <= max(target * size, NOISE * state.multiplier_noise):
            return True
        if slow != NEW and previous == FIRST_CHANGE and change > LARGE_CHANGE * size:
            return False
        if not change < slow * previous:
            if slow == NEW:
                state.multiplier_noise = change
                if change > state.unsettled_multiplier:
                    state.unsettled_multiplier, state.unsettled_time = change, state.time
            return False
        previous = change
    return False


@kernel
def correct_accelerations(tables, state, settings, scratch, first):
    """Move the accelerations at the end of the step to g'' = 0, once, and the multipliers with them.

    The nearest ones in the metric of M: M x - G^T y = 0 leaves the equations of motion as they are.  Keeps the
    multipliers before in ``scratch.unshifted``.
    """
    for i in range(len(tables.free)):
        scratch.unshifted[i] = scratch.end_a[tables.free[i]]
    if not first or settings.formulation == INDEX_3:  # whose rates are differences of positions, and its accelerations more so
        return
    open_by = largest = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        scratch.real_x[i] = 0.0
        if tables.coordinates[k].multiplier != 0:
            scratch.real_x[i] = -scratch.shifted_residual[k]
            open_by = max(open_by, abs(scratch.real_x[i]))
        else:
            largest = max(largest, abs(scratch.end_a[k]))
    if open_by <= POLISHED * largest:
        return
    solve_mass(tables, state, scratch, scratch.real_x)
    for i in range(len(tables.free)):
        k = tables.free[i]
        if tables.coordinates[k].unit == 0.0:
            scratch.end_a[k] += scratch.real_x[i]
