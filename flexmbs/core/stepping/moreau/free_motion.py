"""What forces and constraints do to the velocities in a step, without contacts: the midpoint rule.

Where forces are stiff (flexible bodies, springs) it is linearly implicit,
    (M + h/2 D + h^2/4 K) dv = h f(q + h/2 v, v),
the midpoint rule itself for linear systems; else f is evaluated twice, at last with v + dv / 2 of the first.
"""

import math

from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.stepping.moreau.block_matrices import factorise_blocks, solve_blocks
from flexmbs.machine_code.kernel import kernel

MASS, ALL = 1, 3  # core.equations.tangent.update_tangent


@kernel
def place_midpoint(tables, state, scratch, work, h):
    """Put the state to the middle of the step, q + h/2 v; its start stays in ``scratch.point_q``, ``point_v``."""
    for k in range(state.q.shape[0]):
        scratch.point_q[k], scratch.point_v[k] = state.q[k], state.v[k]
        if not is_algebraic(tables.coordinates[k]) and tables.coordinates[k].state == 0:
            state.q[k] += 0.5 * h * state.v[k]
        if tables.coordinates[k].signal >= 0:
            state.v[k] += 0.5 * h * state.a[k]
    for i in range(len(tables.free)):
        state.a[tables.free[i]] = 0.0
    evaluate_signals(tables, state.time + 0.5 * h, work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)


@kernel
def find_free_change(tables, state, scratch, work, stepping, h):
    """``stepping.change``: of velocities, impulses of multipliers; False when the matrix is singular or not finite.

    The state is at the midpoint, with the velocities of the start of the step.
    """
    implicit = stepping.implicit != 0
    state.time += 0.5 * h
    regular = update_tangent(tables, state, scratch, work, ALL if implicit else MASS)
    state.time -= 0.5 * h
    parts = h if implicit else 0.0
    if not regular or not factorise_blocks(tables, state, stepping, 0.5 * parts, 0.25 * parts * parts):
        return False
    solve_change(tables, state, scratch, stepping, h)
    if not implicit:
        for i in range(len(tables.free)):
            state.v[tables.free[i]] += 0.5 * stepping.change[i]
        residual(tables, state.active, state.contact_history, state.q, state.v, state.a, state.reference, work, scratch.residual)
        state.residual_evaluations += 1
        solve_change(tables, state, scratch, stepping, h)
        for i in range(len(tables.free)):
            state.v[tables.free[i]] = scratch.point_v[tables.free[i]]
    total = 0.0
    for i in range(len(tables.free)):
        total += abs(stepping.change[i])
    return math.isfinite(total)


@kernel
def solve_change(tables, state, scratch, stepping, h):
    """Change of velocities in ``h`` with the accelerations of the residual."""
    for i in range(len(tables.free)):
        stepping.change[i] = -h * scratch.residual[tables.free[i]]
    solve_blocks(state, stepping, stepping.change)
