"""TR-BDF2: the trapezoidal rule over part of the step, then BDF2 through its result; order 2, L-stable.

With gamma = 2 - sqrt(2) as that part both stages have the same matrix:
    y_g = y_0 + h gamma/2 (y'_0 + y'_g)
    y_1 = (y_g - (1 - gamma)^2 y_0) / (gamma (2 - gamma)) + h gamma/2 y'_1
Unlike generalised-alpha it has no memory of earlier steps, so that it starts anew at order 2 after every contact, and
unlike the trapezoidal rule it annihilates what is infinitely stiff.  Bank, Coughran, Fichtner, Grosse, Rose, Smith,
IEEE Trans. Electron Devices 32 (1985) 1992; error estimate: Hosea, Shampine, Appl. Numer. Math. 20 (1996) 21.  Known in
structural dynamics as the composite scheme of Bathe, Computers and Structures 85 (2007) 437.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.methods import method_interface as interface
from flexmbs.core.methods.error_norm import set_weights
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.methods.method_interface import Method
from flexmbs.core.methods.newton_iteration import refresh_tangent
from flexmbs.core.methods.one_stage import filter_errors, norm_of_errors, solve_stage
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

ERROR_ORDER = 3.0
PART = 2.0 - math.sqrt(2.0)  # gamma
DIAGONAL = 0.5 * PART
OF_STAGE, OF_START = 1.0 / (PART * (2.0 - PART)), (1.0 - PART) ** 2 / (PART * (2.0 - PART))
# The local error is ERROR_CONSTANT h^3 y''', with y''' from the divided difference of y' at the three times.
ERROR_CONSTANT = (-3.0 * PART * PART + 4.0 * PART - 2.0) / (12.0 * (2.0 - PART))


@entry(interface.attempt_step)
def attempt_step(tables, state, settings, scratch, work, h):
    """A step of TR-BDF2; the velocity and acceleration of its first stage stay in ``scratch.stage_v``, ``stage_a``."""
    set_weights(tables, state, settings, scratch)
    refresh_tangent(tables, state, scratch, work)
    g = h * DIAGONAL
    stage_v, stage_a = scratch.stage_v[0], scratch.stage_a[0]
    for k in range(state.q.shape[0]):
        scratch.unknown_a[k] = state.a[k]
        scratch.known_v[k] = state.v[k] + g * state.a[k]
        scratch.known_q[k] = state.q[k] + g * (state.v[k] + scratch.known_v[k])
    first = solve_stage(tables, state, settings, scratch, work, PART * h, g, g * g, 0)
    if first == 0:
        return 0, 1.0, ERROR_ORDER
    for k in range(state.q.shape[0]):
        stage_v[k], stage_a[k] = scratch.end_v[k], scratch.end_a[k]
        scratch.unknown_a[k] = state.a[k] + (stage_a[k] - state.a[k]) / PART
        scratch.known_v[k] = OF_STAGE * stage_v[k] - OF_START * state.v[k]
        scratch.known_q[k] = OF_STAGE * scratch.end_q[k] - OF_START * state.q[k] + g * scratch.known_v[k]
    second = solve_stage(tables, state, settings, scratch, work, h, g, g * g, 0)
    if second == 0:
        return 0, 1.0, ERROR_ORDER
    return max(first, second), estimate_error(tables, state, settings, scratch, work, h), ERROR_ORDER


@kernel
def estimate_error(tables, state, settings, scratch, work, h):
    """Norm of the local error, filtered by the Newton matrix; 1 is the tolerance."""
    m = len(tables.free)
    for i in range(m):
        k = tables.free[i]
        scratch.error_q[i] = scratch.error_v[i] = 0.0
        if not is_algebraic(tables.coordinates[k]):
            scratch.error_q[i] = local_error(h, state.v[k], scratch.stage_v[0, k], scratch.end_v[k])
            scratch.error_v[i] = local_error(h, state.a[k], scratch.stage_a[0, k], scratch.end_a[k])
    filter_errors(tables, state, scratch, h * DIAGONAL)
    return norm_of_errors(tables, state, settings, scratch, work, h)


@kernel
def local_error(h, start, stage, end):
    """Error of what is integrated, from its derivative at the three times."""
    second = start / PART - stage / (PART * (1.0 - PART)) + end / (1.0 - PART)
    return 2.0 * ERROR_CONSTANT * h * second


@entry(interface.update_history)
def update_history(tables, state, settings, scratch, h):
    """Nothing is kept, and no step size is asked for."""
    return 0.0


METHOD = Method("tr_bdf2", attempt_step, update_history, explicit_stages=1)


@dataclass(frozen=True)
class TRBDF2(Integrator):
    """TR-BDF2, order 2, L-stable, without memory of earlier steps."""

    method = METHOD

    def internal(self, rtol: float) -> float:
        # the error of a step decreases as h^3, that of the motion as h^2
        return 0.3 * rtol**1.5

    def min_tolerance(self, constrained: bool) -> float:
        return 2e-12 if constrained else super().min_tolerance(constrained)  # steps of order 2 become too short
