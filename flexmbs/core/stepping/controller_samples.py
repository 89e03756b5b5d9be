"""Sampled controllers: steps end on their samples, where each is called once; its outputs are held until the next."""

import math

from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.tangent import renew_accelerations
from flexmbs.core.layout.state import ALL_STALE
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.sensors.user_functions import sample_function
from flexmbs.core.stepping.driver_steps import next_knot
from flexmbs.core.stepping.user_events import next_time
from flexmbs.machine_code.kernel import kernel

ROUNDING = 1e-14  # of a time: two samplers that are due together take their samples together


@kernel
def sample_time(tables, state, s):
    """When sampler ``s`` is due next."""
    return tables.samplers[s].first + state.samples[s] * tables.samplers[s].period


@kernel
def next_limit(tables, state, settings):
    """Time at which the step must end at the latest: the next sample, timed event or knot, or the end of the run."""
    limit = min(next_time(tables, state, settings), next_knot(tables, settings, state.time))
    for s in range(len(tables.samplers)):
        limit = min(limit, sample_time(tables, state, s))
    return limit if limit < settings.t_end * (1.0 - ROUNDING) else settings.t_end


@kernel
def is_due(tables, state, s):
    """Whether sampler ``s`` takes a sample now."""
    return sample_time(tables, state, s) <= state.time * (1.0 + ROUNDING)


@kernel
def any_due(tables, state):
    """Whether any sampler takes a sample now."""
    for s in range(len(tables.samplers)):
        if is_due(tables, state, s):
            return True
    return False


@kernel
def take_samples(tables, state, settings, scratch, work):
    """Call all controllers that are due, with the same state; False when an output is not finite or M is singular."""
    q, v, a = state.q, state.v, state.a
    evaluate_signals(tables, state.time, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
    for s in range(len(tables.samplers)):
        if is_due(tables, state, s):
            sample_function(tables, tables.samplers[s].function, state.active, state.contact_history, q, v, a, work)
    for s in range(len(tables.samplers)):
        if not is_due(tables, state, s):
            continue
        sampler = tables.samplers[s]
        function = tables.functions[sampler.function]
        for i in range(function.outputs):
            value = work.signal[len(tables.signals) + function.output + i, 0]
            state.v[sampler.coordinate + i] = value
            if not math.isfinite(value):
                state.worst_coordinate = sampler.coordinate + i
                return False
        state.samples[s] += 1
    state.has_prediction = 0
    state.factored_step_size = 0.0
    if settings.explicit != 0:
        return find_accelerations(tables, state, scratch, work, q, v, a)
    return renew_accelerations(tables, state, scratch, work, 3 if state.tangent_status == ALL_STALE else 1)
