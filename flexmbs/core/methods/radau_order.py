"""Which order Radau IIA takes: that which goes furthest for its evaluations, found by trying while the run goes.

The number of residuals and factorisations per second of motion, measured over a number of steps, decides whether a
higher order stays; unsuccessful trials become rarer.  (Hairer and Wanner, J. Comput. Appl. Math. 111 (1999) 93, decide
by the convergence of Newton's iteration, which says little about vibrations, whose equations are almost linear.)

Contacts begin and end within steps of order 5: with longer steps, short ones could be passed over. So do loops of rigid
bodies, and others near singular positions: multipliers have poles there, beyond which the polynomials of long steps
tell nothing, and rigid loops come upon them unawares.
"""

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.methods.radau_coefficients import STAGES
from flexmbs.machine_code.kernel import kernel

SETTLING, MEASURED = 5, 15  # steps after a change of the order that are not measured, and that are
MIN_GAIN = 1.05  # of a trial, in motion per evaluation
FIRST_WAIT, LONGEST_WAIT = 40, 2000  # steps between trials
# Smallest singular value of the constraints, in parts of its largest, from which on a singular position may be near.
NEARLY_SINGULAR = 0.3
FACTORISATION = 0.02  # cost in residuals, per unknown and stage


@kernel
def allowed_order(tables, state, settings):
    """Index of the order (radau_coefficients.STAGES) of the next step: the chosen one, as far as it is allowed."""
    return min(state.order, highest_order(tables, state, settings))


@kernel
def highest_order(tables, state, settings):
    """Index of the highest order that is allowed at present."""
    if len(tables.contacts) > 0 or state.replaced_count > 0:
        return 0
    if any_rows(tables):
        near = state.singular_value < NEARLY_SINGULAR * state.reference_singular_value
        if near or settings.by_motion == 0:
            return 0
    return (settings.max_order - 5) // 4


@kernel
def restart_choice(state):
    """Measure anew from the next step on, without a trial: the order has been changed from outside."""
    state.steps_at_order = 0
    state.order_trial = 0
    forget_factors(state)


@kernel
def evaluations(tables, state):
    """Cost so far, in residuals."""
    factorisation = FACTORISATION * len(tables.free) * STAGES[state.order]
    return state.residual_evaluations + factorisation * state.factorisations


@kernel
def choose_order(tables, state, settings, h):
    """Count an accepted step of ``h``; change ``state.order`` where a trial begins or fails."""
    limit = highest_order(tables, state, settings)
    if limit == 0:
        return
    state.steps_at_order += 1
    state.order_wait = max(state.order_wait - 1, 0)
    if state.steps_at_order == SETTLING:
        state.measured_time, state.measured_cost = state.time + h, evaluations(tables, state)
    if state.steps_at_order < SETTLING + MEASURED:
        return
    cost = evaluations(tables, state) - state.measured_cost
    gain = (state.time + h - state.measured_time) / max(cost, 1.0)
    state.steps_at_order = SETTLING  # another measurement may follow this one
    state.measured_time, state.measured_cost = state.time + h, evaluations(tables, state)
    if state.order_trial != 0:
        if gain < MIN_GAIN * state.gain_before:  # back, and the other way next
            change_order(state, -state.order_trial)
            wait_for_trial(state, -state.order_trial)
            return
        state.order_wait = state.order_wait_length = 0
        state.order_trial = 0
    if state.order_wait > 0:
        return
    direction = -1 if state.next_trial < 0 else 1
    if state.order + direction < 0 or state.order + direction > limit:
        wait_for_trial(state, -direction)
        return
    state.gain_before = gain
    state.order_trial = state.next_trial = direction
    change_order(state, direction)


@kernel
def wait_for_trial(state, direction):
    """No trial for a while, for longer each time; the next one goes in ``direction``."""
    state.order_trial = 0
    state.next_trial = direction
    state.order_wait_length = min(max(2 * state.order_wait_length, FIRST_WAIT), LONGEST_WAIT)
    state.order_wait = state.order_wait_length


@kernel
def change_order(state, direction):
    """Take the next higher or lower order from the next step on."""
    state.order += direction
    state.steps_at_order = 0
    forget_factors(state)


@kernel
def forget_factors(state):
    """What Newton's iteration knows of another order says nothing about this one."""
    state.factored_step_size = 0.0
    state.convergence_rate = 1.0
