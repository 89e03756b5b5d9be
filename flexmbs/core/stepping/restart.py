"""Where a step has ended with an event: the method starts anew."""

from flexmbs.core.equations.tangent import renew_accelerations
from flexmbs.core.laws.force.measure import keep_turns
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.machine_code.kernel import kernel


@kernel
def restart(tables, state, scratch, work):
    """Accelerations and multipliers behind an event, and no memory of the steps before; False: singular."""
    state.has_prediction = 0
    if len(tables.switches) > 0:  # other constraints may act
        state.reference_singular_value = 0.0
    keep_turns(tables, state.time, state.q, state.v, state.a, state.reference, work, state.contact_history)
    if not renew_accelerations(tables, state, scratch, work, 3):
        return False
    state.tangent_status = ALL_STALE
    state.factored_step_size = 0.0
    return True
