"""A sum of coordinates, sum_i c_i q_i, as a constraint has it: its value, its derivatives, its forces."""

from flexmbs.machine_code.kernel import kernel


@kernel
def add_sum(tables, start, end, row, q, v, a, residual):
    """Value, rate and acceleration of the sum over ``tables.terms[start:end]``; the forces of multiplier ``row``."""
    value = rate = accel = 0.0
    for i in range(start, end):
        term = tables.terms[i]
        value += term.factor * q[term.coordinate]
        rate += term.factor * v[term.coordinate]
        accel += term.factor * a[term.coordinate]
        residual[term.coordinate] -= a[row] * term.factor
    return value, rate, accel
