"""Rows of the log: at the end of steps, and inside long ones."""

from flexmbs.core.equations.rotation_charts import new_chart
from flexmbs.core.layout.log_rows import TIME, column_starts
from flexmbs.core.linalg.copying import copy_matrix
from flexmbs.machine_code.kernel import kernel

log_columns = kernel(column_starts)


@kernel
def write_row(tables, state, log):
    """Append t, q, the quaternions of the balls, v, a contact flags and histories to the log."""
    row = log.rows[log.row_count]
    row[TIME] = state.time
    n = state.q.shape[0]
    at_q, at_reference, at_v, at_a, at_active = log_columns(n, state.reference.shape[0])
    for k in range(n):
        row[at_q + k], row[at_v + k], row[at_a + k] = state.q[k], state.v[k], state.a[k]
    for ball in range(state.reference.shape[0]):
        for i in range(4):
            row[at_reference + 4 * ball + i] = state.reference[ball, i]
    for c in range(state.active.shape[0]):
        row[at_active + c] = state.active[c]
    at_history = at_active + state.active.shape[0]
    for i in range(state.contact_history.shape[0]):
        row[at_history + i] = state.contact_history[i]
    log.row_count += 1


@kernel
def write_intermediate_rows(tables, state, scratch, log, h, rows):
    """Rows inside the step, which its method has filled; the state is as before."""
    if rows == 0:
        return
    n, t = state.q.shape[0], state.time
    for k in range(n):
        scratch.point_q[k], scratch.point_v[k], scratch.point_a[k] = state.q[k], state.v[k], state.a[k]
    copy_matrix(state.reference, scratch.start_reference)
    for row in range(rows):
        for k in range(n):
            state.q[k], state.v[k] = scratch.intermediate_q[row, k], scratch.intermediate_v[row, k]
            state.a[k] = scratch.intermediate_a[row, k]
        state.time = t + h * (row + 1.0) / (rows + 1.0)
        new_chart(tables, state)
        write_row(tables, state, log)
        copy_matrix(scratch.start_reference, state.reference)
    for k in range(n):
        state.q[k], state.v[k], state.a[k] = scratch.point_q[k], scratch.point_v[k], scratch.point_a[k]
    state.time = t
