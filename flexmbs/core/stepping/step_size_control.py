"""Step sizes: the first one, the factor from one step to the next."""

import math

from flexmbs.core.methods.error_norm import position_weight, velocity_weight
from flexmbs.core.methods.newton_iteration import MAX_ITERATIONS
from flexmbs.machine_code.kernel import kernel

SAFETY, MIN_FACTOR = 0.9, 0.1
# A growth by less than this is not worth a new factorisation.
KEEP_UP_TO = 1.2
FIRST, UNKNOWN_FIRST, SMALLEST_SUM = 0.01, 1e-6, 1e-10


@kernel
def first_step_size(tables, state, settings, scratch):
    """Step size to begin with, from weighted sizes of the state and its slopes (Hairer, Norsett, Wanner I, II.4)."""
    size = slope = 1e-300
    for i in range(len(tables.free)):
        k = tables.free[i]
        weight_q = position_weight(settings, scratch, k, abs(state.q[k]))
        weight_v = velocity_weight(settings, scratch, k, abs(state.v[k]))
        size += (state.q[k] * weight_q) ** 2 + (state.v[k] * weight_v) ** 2
        slope += (state.v[k] * weight_q) ** 2 + (state.a[k] * weight_v) ** 2
    h = FIRST * math.sqrt(size / slope)
    if size < 1.0 or slope < SMALLEST_SUM:  # a state within its tolerances of zero is none: steps of 1e-16 s drown in rounding
        h = UNKNOWN_FIRST
    # the first step may at most use up the tolerance with its leading term
    h = min(h, max(1e-3, 10.0 / math.sqrt(slope)))
    return min(h, settings.max_step)


@kernel
def step_size_factor(state, settings, iterations, error, order, h):
    """Factor for the step size (Gustafsson's predictive controller, Hairer-Wanner IV.8); the error falls as h^order."""
    if not error < 1e100:
        return MIN_FACTOR
    safety = SAFETY * (2.0 * MAX_ITERATIONS + 1.0) / (2.0 * MAX_ITERATIONS + iterations)
    factor = safety * error ** (-1.0 / order)
    if error <= 1.0 and state.last_step_size > 0.0 and state.has_prediction != 0:
        memory = (state.last_error / error) ** (1.0 / order) * h / state.last_step_size
        factor = min(factor, factor * memory)
    return min(settings.max_growth, max(MIN_FACTOR, factor))


@kernel
def next_step_size(state, settings, proposed, h, is_shortened):
    """Size of the step after an accepted one of ``h``: the proposed one, or ``h`` again to keep the factorisation.

    A step that was shortened to end at a given time says nothing about the next one.
    """
    same = 1.0 <= proposed / h <= KEEP_UP_TO and state.last_convergence_rate < settings.reuse_rate
    return h if same and not is_shortened else proposed
