"""The closed rigid contacts as their impulses see the mechanism: W = G M^-1 G^T, velocities, accelerations.

M with all constraints that stay; G has the rows of the closed contacts, in the order of their slots.
"""

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.equations.iteration_matrix import unit_row
from flexmbs.core.equations.projection import fill_equilibrated
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.singular_positions import row_times
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.layout.switch_tables import SLOT, UNUSED
from flexmbs.core.layout.tables import VELOCITY_LEVEL
from flexmbs.core.linalg.matrix import columns_of, factorise_any, solve_scaled
from flexmbs.core.stepping.rigid.members import place_rows
from flexmbs.machine_code.kernel import kernel

TINY = 1e-13  # pivots of the equilibrated matrix that are zero up to rounding


@kernel
def list_closed(tables, state, rigid):
    """The closed contacts in ``rigid.closed``, in the order of their slots, with their rows; how many."""
    first, count = len(tables.contacts), 0
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == SLOT and state.active[first + s] != UNUSED:
            place_rows(tables, state, rigid, state.active[first + s] - 1, count)
            count += 1
    return count


@kernel
def fill_delassus(tables, state, scratch, work, rigid, count):
    """W of the first 3 ``count`` of ``rigid.row`` and what a unit impulse changes; False when M is singular.

    All of them stick meanwhile, so that their rows are in the mass matrix. ``rigid.response`` (3 count, unknowns). A row
    times its ``rigid.row_scale`` is a velocity in m/s; rows below zero are none, and without a change.
    """
    if not update_tangent(tables, state, scratch, work, 1) and not any_rows(tables):
        return False
    place_unknowns(tables, rigid)
    fill_equilibrated(tables, state, scratch)
    for r in range(3 * count):
        if rigid.row[r] >= 0:
            unit_row(tables, scratch.projection, rigid.place[rigid.row[r]])
    if not factorise_any(scratch.projection, scratch.projection_pivots, tables.band, TINY):
        return False
    for r in range(3 * count):
        rigid.response[r, :] = 0.0
        if rigid.row[r] >= 0:
            unit_response(tables, state, scratch, rigid.place[rigid.row[r]], rigid.response[r])
            for i in range(len(tables.free)):
                rigid.response[r, i] *= rigid.row_scale[r]
    for r in range(3 * count):
        for c in range(3 * count):
            rigid.delassus[r, c] = 0.0
            if rigid.row[r] >= 0:
                rigid.delassus[r, c] = rigid.row_scale[r] * row_times(tables, state, rigid.place[rigid.row[r]], rigid.response[c])
    for r in range(3 * count):
        for c in range(r):
            mean = 0.5 * (rigid.delassus[r, c] + rigid.delassus[c, r])
            rigid.delassus[r, c] = rigid.delassus[c, r] = mean
    return True


@kernel
def by_forces(rigid, without, force, r, count):
    """Row ``r`` of ``without`` + W ``force`` of ``count`` members: their accelerations, or velocities after impulses."""
    total = without[r]
    for c in range(3 * count):
        total += rigid.delassus[r, c] * force[c]
    return total


@kernel
def place_unknowns(tables, rigid):
    """Where each coordinate stands among the unknowns."""
    rigid.place[:] = -1
    for i in range(len(tables.free)):
        rigid.place[tables.free[i]] = i


@kernel
def unit_response(tables, state, scratch, row, x):
    """x (free,) = M^-1 G_row^T with the factors in ``scratch.projection``: what a unit force on a row changes."""
    x[:] = 0.0
    first, end, shift = columns_of(row, len(tables.free), tables.band)
    for j in range(first, end):
        if tables.coordinates[tables.free[j]].multiplier == 0:
            x[j] = state.mass[row, j + shift]
    solve_scaled(scratch.projection, scratch.projection_pivots, tables.band, state.scale, x)


@kernel
def read_velocities(work, rigid, count):
    """Velocities of the closed contacts, as last evaluated, into ``rigid.contact_velocity`` (3 count,)."""
    for r in range(3 * count):
        rigid.contact_velocity[r] = work.constraint[rigid.row[r], VELOCITY_LEVEL]


@kernel
def evaluate(tables, state, scratch, work):
    """The residual at the state."""
    residual(tables, state.active, state.contact_history, state.q, state.v, state.a, state.reference, work, scratch.residual)


@kernel
def free_accelerations(tables, state, scratch, work, rigid, count):
    """Accelerations of ``count`` members without their forces, into ``rigid.contact_acceleration`` (3 count,).

    They stick, as for :func:`fill_delassus`, whose factors are used. The accelerations of the mechanism stay in
    ``state.a``.
    """
    for i in range(len(tables.free)):
        k = tables.free[i]
        if tables.coordinates[k].unit == 0.0:
            state.a[k] = 0.0
    evaluate(tables, state, scratch, work)
    for i in range(len(tables.free)):
        scratch.real_x[i] = -scratch.residual[tables.free[i]]
    for r in range(3 * count):
        if rigid.row[r] >= 0:
            scratch.real_x[rigid.place[rigid.row[r]]] = 0.0
    solve_scaled(scratch.projection, scratch.projection_pivots, tables.band, state.scale, scratch.real_x)
    for i in range(len(tables.free)):
        state.a[tables.free[i]] += scratch.real_x[i]
    evaluate(tables, state, scratch, work)
    for r in range(3 * count):
        rigid.contact_acceleration[r] = rigid.row_scale[r] * scratch.residual[rigid.row[r]] if rigid.row[r] >= 0 else 0.0
