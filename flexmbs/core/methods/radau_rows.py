"""Rows of the log inside long steps of Radau IIA of orders 9 and 13, from the polynomial of its stages.

Results interpolate between rows by the quintic through position, velocity and acceleration, which misses more than a
step of these orders does.
"""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.equations.projection import project
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.condensed_modes import place_condensed
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods import method_interface as interface
from flexmbs.core.methods.missed_by_quintic import missed_by_quintic
from flexmbs.core.methods.radau_coefficients import DIGITS, MAX_STAGES, STAGES, integral, lagrange, nodes, value
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

INTERMEDIATE_ROWS = 7
MIDDLE, QUARTER = 3, 1  # of these rows
# What halving leaves of the quintic's error in positions is 1/64, in velocities 1/32.
HALVING = 1.0 / 32.0


def _row_weights() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of the stage accelerations at the eighths of a step, in a, (v - v0) / h and (q - q0 - x h v0) / h^2."""
    accelerations, rates, moves = np.zeros((3, len(STAGES), INTERMEDIATE_ROWS, MAX_STAGES))
    with localcontext(prec=DIGITS):
        for f in range(len(STAGES)):
            c = nodes(f)
            for j in range(len(c)):
                acceleration = lagrange(c, j)
                rate = integral(acceleration)
                move = integral(rate)
                for row in range(INTERMEDIATE_ROWS):
                    x = Decimal(row + 1) / (INTERMEDIATE_ROWS + 1)
                    accelerations[f, row, j] = value(acceleration, x)
                    rates[f, row, j], moves[f, row, j] = value(rate, x), value(move, x)
    return accelerations, rates, moves


ACCELERATIONS, RATES, MOVES = _row_weights()


@entry(interface.fill_intermediate_rows)
def fill_intermediate_rows(tables, state, settings, scratch, work, h):
    """Rows at halves, quarters or eighths of the step, as many as the quintic between rows needs; returns how many."""
    f = state.order
    if f == 0:
        return 0
    for row in (QUARTER, MIDDLE):
        evaluate_row(tables, state, scratch, work, f, h, row, row)
    missed = missed_by_quintic(tables, state, settings, scratch, h, MIDDLE, QUARTER)
    count = 0
    while count < INTERMEDIATE_ROWS and missed > 1.0:
        count = 2 * count + 1
        missed *= HALVING
    apart = (INTERMEDIATE_ROWS + 1) // (count + 1)
    for row in range(count):
        evaluate_row(tables, state, scratch, work, f, h, apart * (row + 1) - 1, row)
    if count > 0 and any_rows(tables):
        for row in range(count):
            project_row(tables, state, scratch, work, settings, h * (row + 1.0) / (count + 1.0), row)
        evaluate_signals(tables, state.time + h, scratch.end_signal)
    return count


@kernel
def evaluate_row(tables, state, scratch, work, f, h, eighth, row):
    """The polynomial of the stages at an eighth of the step into a row."""
    q, v, a = scratch.intermediate_q[row], scratch.intermediate_v[row], scratch.intermediate_a[row]
    x = (eighth + 1.0) / (INTERMEDIATE_ROWS + 1.0)
    for k in range(q.shape[0]):
        acceleration = rate = move = 0.0
        for j in range(STAGES[f]):
            stage = scratch.a[j, k]
            acceleration += ACCELERATIONS[f, eighth, j] * stage
            rate += RATES[f, eighth, j] * stage
            move += MOVES[f, eighth, j] * stage
        a[k] = acceleration
        v[k] = state.v[k] + h * rate
        q[k] = state.q[k] + h * (x * state.v[k] + h * move)
    evaluate_signals(tables, state.time + x * h, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    place_condensed(tables, q, v, a)


@kernel
def project_row(tables, state, scratch, work, settings, ahead, row):
    """Put a row on its constraints, as the end of the step is put there; it takes the place of the end meanwhile."""
    evaluate_signals(tables, state.time + ahead, scratch.end_signal)
    copy_vector(scratch.end_q, scratch.point_q)
    copy_vector(scratch.end_v, scratch.point_v)
    copy_vector(scratch.intermediate_q[row], scratch.end_q)
    copy_vector(scratch.intermediate_v[row], scratch.end_v)
    project(tables, state, scratch, work, settings.projection_levels)
    copy_vector(scratch.end_q, scratch.intermediate_q[row])
    copy_vector(scratch.end_v, scratch.intermediate_v[row])
    copy_vector(scratch.point_q, scratch.end_q)
    copy_vector(scratch.point_v, scratch.end_v)
