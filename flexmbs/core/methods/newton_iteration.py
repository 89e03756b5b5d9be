"""Simplified Newton iteration of all implicit methods: renewal of the tangent, convergence, what follows a failure.

The matrix is that of an earlier state while the iteration converges well.  Hairer and Wanner, Solving Ordinary
Differential Equations II (1996), IV.8.
"""

from flexmbs.core.equations.projection import replaces_early
from flexmbs.core.equations.return_to_constraints import return_to_constraints
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.layout.state import ALL_STALE, CURRENT, MASS_STALE, TANGENT_REFRESHES
from flexmbs.core.linalg.matrix import columns_of
from flexmbs.machine_code.kernel import kernel

MAX_ITERATIONS = 8
# Newton corrections below this part of their tolerance, or two in a row below the second, are not asked to shrink.
ROUNDING, NEGLIGIBLE = 1e-3, 0.1
REFRESHED_FOR = 180  # residuals that new tangents after a failure may cost, beside the first one
GO_ON, CONVERGED, DIVERGING = range(3)


@kernel
def refresh_tangent(tables, state, scratch, work):
    """Take the tangent anew where the last step found it stale."""
    if state.tangent_status > MASS_STALE:
        return
    replaced = state.replaced_count
    update_tangent(tables, state, scratch, work, 3 if state.tangent_status == ALL_STALE else 1)
    if replaced > 0 and state.replaced_count == 0:
        return_to_constraints(tables, state, scratch, work)
    state.factored_step_size = 0.0


@kernel
def after_singular(state, h):
    """Newton's matrix is singular: another step has another matrix."""
    state.step_size = 0.5 * h
    state.factored_step_size = 0.0


@kernel
def after_failure(tables, state, h):
    """Newton's iteration did not converge: a new tangent next, or half the step where it is new already."""
    state.newton_failures += 1
    # each costs residuals: fewer where it costs many
    shifts = max(len(tables.shift_start) - 1, 0)  # unknowns that are shifted together
    cost = shifts if shifts > 0 else 3 * state.mass.shape[0]
    state.tangent_refreshes_left = min(TANGENT_REFRESHES, 1 + REFRESHED_FOR // cost)
    if state.tangent_status == CURRENT and replaces_early(tables, state, h):
        state.tangent_status = ALL_STALE
    elif state.tangent_status == CURRENT:
        state.step_size = 0.5 * h
        state.last_step_rejected = 1
    else:
        state.tangent_status = ALL_STALE


@kernel
def convergence(state, settings, iteration, size, previous, rate, slowest):
    """Whether Newton's iteration has converged: (verdict, convergence rate, slowest rate so far).

    ``size`` is the weighted norm of the last correction, ``previous`` of the one before.
    """
    if not size < 1e100:
        return DIVERGING, rate, slowest
    if iteration > 0:
        rate = size / previous if previous > 0.0 else 0.0
        if size < ROUNDING * settings.newton_tolerance or max(size, previous) < NEGLIGIBLE * settings.newton_tolerance:
            rate = min(rate, 0.5)  # corrections that small are rounding, and need not shrink further
        slowest = max(slowest, rate)
        left = MAX_ITERATIONS - 1 - iteration
        # the first ratio says little: a light coordinate may only start to follow the heavy ones
        if rate >= 2.0 or iteration > 1 and rate >= 1.0:
            return DIVERGING, rate, slowest
        if iteration > 1 and rate**left / (1.0 - rate) * size > settings.newton_tolerance:
            return DIVERGING, rate, slowest
    if size == 0.0 or (rate < 1.0 and rate / (1.0 - rate) * size < settings.newton_tolerance):
        state.convergence_rate = max(rate, slowest)
        # what is left is rounding: the tangent is not to blame
        state.last_convergence_rate = rate if size >= ROUNDING * settings.newton_tolerance else 0.0
        return CONVERGED, rate, slowest
    return GO_ON, rate, slowest


@kernel
def initial_rate(state):
    """Convergence rate to begin with: the memory of earlier steps fades."""
    return max(state.convergence_rate, 1e-10) ** 0.8


@kernel
def filter_right_side(tables, state, scratch, g):
    """M e_v - g K e_q into ``scratch.real_x``: what the Newton matrix of M + g D + g^2 K turns into a filtered error.

    The components of stiff modes, which the method damps, are damped in the error estimate too (Hairer and Wanner,
    IV.8).
    """
    m = len(tables.free)
    for i in range(m):
        total = 0.0
        first, end, shift = columns_of(i, m, tables.band)
        for j in range(first, end):
            at = j + shift
            total += state.mass[i, at] * scratch.error_v[j] - g * state.stiffness[i, at] * scratch.error_q[j]
        scratch.real_x[i] = 0.0 if state.replaced[i] != 0 else total
