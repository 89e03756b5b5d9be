"""Where a step is accepted: the state moves to its end."""

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.equations.finish_constraints import finish_constraints, motion_of_step
from flexmbs.core.equations.projection import RECOVERED, replaces_early
from flexmbs.core.equations.rotation_charts import new_chart
from flexmbs.core.laws.force.measure import keep_turns
from flexmbs.core.layout.state import ALL_STALE, MASS_STALE, REUSABLE
from flexmbs.core.methods.method_interface import update_history
from flexmbs.core.methods.motion_scales import update_speeds
from flexmbs.core.stepping.contact_episodes import record_contacts, update_histories
from flexmbs.core.stepping.rigid.phases import record_phases
from flexmbs.machine_code.kernel import kernel

# Rows are replaced where steps before a singular position are below this part of regular ones, unless the mechanism moves so
# many times as fast: then it is driven into a position that it cannot pass.
HINDERED, GROWN = 0.2, 3.0
SMALLEST_LAST_ERROR = 1e-2  # what the step size control remembers of a step that was far more accurate than asked


@kernel
def accept_step(tables, state, settings, scratch, work, h, error, rows):
    """Move the state to the end of the step and start a new chart for the balls; the factor that the method wants.

    ``rows`` inside the step have been filled by the method.
    """
    renewed, speed = False, 0.0
    record_contacts(tables, state, scratch, work, h, rows)
    if any_rows(tables):
        speed = motion_of_step(tables, state, settings, scratch) / h
        state.moved_since_tangent += speed * h
        finish_constraints(tables, state, settings, scratch, work)
        renewed = state.moved_since_tangent == 0.0
    if len(tables.switches) > 0:
        record_phases(tables, state, scratch, h, rows)
    wanted = update_history(scratch.update_history, tables, state, settings, scratch, h)
    state.tangent_status = min(state.tangent_status, REUSABLE)
    for k in range(state.q.shape[0]):
        state.q[k] = scratch.end_q[k]
        state.v[k] = scratch.end_v[k]
        state.a[k] = scratch.end_a[k]
    new_chart(tables, state)
    state.time += h
    update_histories(tables, state, work)
    if len(tables.turns) > 0:
        keep_turns(tables, state.time, state.q, state.v, state.a, state.reference, work, state.contact_history)
    update_speeds(tables, state, settings, work)
    state.last_step_size = h
    state.last_error = max(error, SMALLEST_LAST_ERROR)
    state.has_prediction = 1
    state.last_step_rejected = 0
    state.steps_accepted += 1
    hindered = h < HINDERED * state.regular_step_size and speed < GROWN * state.regular_speed
    if state.singular_value >= RECOVERED * state.reference_singular_value:
        state.regular_step_size, state.regular_speed = h, speed
    if state.replaced_count > 0 or hindered and replaces_early(tables, state, h):
        state.tangent_status = ALL_STALE
    elif state.tangent_refreshes_left > 0:
        state.tangent_status = ALL_STALE
        state.tangent_refreshes_left -= 1
    elif state.last_convergence_rate > settings.reuse_rate and not renewed:
        state.tangent_status = MASS_STALE  # all of it only when Newton fails
    return wanted
