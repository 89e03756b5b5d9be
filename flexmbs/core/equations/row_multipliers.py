"""Multipliers between two rows of the log, from the motion there.

Rows hold the values of multipliers, without derivatives: a line between two rows misses what drivers do by O(h^2).  The
motion between rows is known to O(h^6), and the equations of the coordinates that no driver prescribes,
    r(q, v, a) - G^T lam = 0,
determine the multipliers there: by least squares, since the interpolated motion does not satisfy them exactly.
"""

from flexmbs.core.constraints import add_constraints
from flexmbs.core.equations.residual import pass_to_parent
from flexmbs.core.layout.switch_tables import OPEN, SLIDING, SLOT, STICKING
from flexmbs.core.layout.tables import FORCE
from flexmbs.core.linalg.copying import copy_matrix
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.quadratic_forms import pass_to_modes
from flexmbs.core.mechanics.vectors import put
from flexmbs.machine_code.kernel import kernel

REGULARISED = 1e-12  # of the mean diagonal: near singular positions the interpolated multipliers are left alone


@kernel
def correct_multipliers(tables, booking, contact_history, work):
    """Correct the multipliers in ``booking.a`` and, with them, the driving forces in ``booking.residual``.

    The residual is that of the interpolated motion and multipliers.
    """
    m = len(booking.multipliers)
    mark_acting(tables, booking)
    # the way back through the joints has moved their points
    forward_kinematics(tables, booking.q, booking.v, booking.a, booking.reference, work)
    copy_matrix(work.joint_point, booking.joint_point)
    for j in range(m):
        push(tables, booking, contact_history, j, work)
    trace = 0.0
    for i in range(m):
        booking.change[i] = -over_free(tables, booking.pushed[i], booking.residual)
        for j in range(i + 1):
            booking.normal[i, j] = booking.normal[j, i] = over_free(tables, booking.pushed[i], booking.pushed[j])
        trace += booking.normal[i, i]
    for i in range(m):
        booking.normal[i, i] += REGULARISED * trace / m
    if not factorise(booking.normal, booking.pivots, 0.0):
        return
    solve(booking.normal, booking.pivots, booking.change)
    for j in range(m):
        booking.a[booking.multipliers[j]] += booking.change[j]
        for k in range(booking.residual.shape[0]):
            booking.residual[k] += booking.change[j] * booking.pushed[j, k]


@kernel
def mark_acting(tables, booking):
    """``booking.acts`` of the rows that serve rigid contacts; there are many more than act at once."""
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == SLOT:
            c, row = booking.active[len(tables.contacts) + s] - 1, tables.switches[s].row
            mode = booking.active[c] if c >= 0 else OPEN
            booking.acts[row] = int(mode == SLIDING or mode == STICKING)
            booking.acts[row + 1] = booking.acts[row + 2] = int(mode == STICKING)


@kernel
def push(tables, booking, contact_history, j, work):
    """What the multiplier number ``j`` adds to the residual at value 1."""
    pushed, unit = booking.pushed[j], booking.unit
    pushed[:] = 0.0
    if booking.acts[booking.multipliers[j]] == 0:
        return
    unit[booking.multipliers[j]] = 1.0
    clear_wrenches(work)
    copy_matrix(booking.joint_point, work.joint_point)
    add_constraints(tables, booking.active, contact_history, booking.q, booking.v, unit, work, pushed)
    for b in range(len(tables.bodies) - 1, 0, -1):
        pass_to_parent(tables, b, booking.q, work, pushed)
    pass_to_modes(tables, work, pushed)
    unit[booking.multipliers[j]] = 0.0
    for k in range(pushed.shape[0]):
        if tables.coordinates[k].multiplier != 0:
            pushed[k] = 0.0  # the second derivative of a constraint, not a force


@kernel
def clear_wrenches(work):
    """No forces on bodies and their fields."""
    for b in range(len(work.wrench)):
        put(work.wrench[b].force, 0.0, 0.0, 0.0)
        put(work.wrench[b].moment, 0.0, 0.0, 0.0)
    work.weight[FORCE, :] = 0.0


@kernel
def over_free(tables, x, y):
    """Scalar product over the coordinates that no driver prescribes and that have a motion to integrate."""
    total = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        if tables.coordinates[k].multiplier == 0 and tables.coordinates[k].unit == 0.0:
            total += x[k] * y[k]
    return total
