"""A joint that sticks by friction: its coordinates, or its rotation, are held where it came to rest."""

from flexmbs.core.constraints.contact_slot import deviation_of_share
from flexmbs.core.laws.force.joint_slip import joint_slip, slip_acceleration
from flexmbs.core.laws.force.sliding_joints import push_ball
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.friction_tables import ANCHOR, SECOND_PART, SOFT
from flexmbs.core.layout.switch_tables import LOAD_U
from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.vectors import relative_rotation
from flexmbs.machine_code.kernel import kernel


@kernel
def add_sticking(tables, s, active, contact_history, q, v, a, work, residual):
    """Rows and forces of switch ``s``; its multipliers are the generalised forces of friction.

    Where loads are shared in no definite way, as those of contacts (core.stepping.rigid.sharing).
    """
    row, friction = tables.switches[s].row, tables.joint_frictions[tables.switches[s].start]
    soft = contact_history[friction.history_at + SOFT]
    if friction.motions == 0:
        add_sticking_ball(tables, friction, s, active, contact_history, q, v, a, work, residual)
    for i in range(friction.motions):
        k = friction.first if i == 0 else friction.second
        work.constraint[row + i, POSITION_LEVEL] = q[k] - contact_history[friction.history_at + ANCHOR + i]
        work.constraint[row + i, VELOCITY_LEVEL] = v[k]
        residual[row + i] = a[k]
        if soft != 0.0:
            r = friction.first_radius if i == 0 else friction.second_radius
            residual[row + i] += soft / r * (a[row + i] / r - contact_history[friction.history_at + LOAD_U + i])
            residual[row + i] += deviation_of_share(tables, active, contact_history, 3 * s + 1 + i, a, work) / r
        residual[k] -= a[row + i]


@kernel
def add_sticking_ball(tables, friction, s, active, contact_history, q, v, a, work, residual):
    """Three rows: the axial part of R_AB R_anchor^T, the angular velocity in axes of a, its derivative."""
    r, soft = friction.first_radius, contact_history[friction.history_at + SOFT]
    R, at, row = work.scratch[0].R, friction.history_at + ANCHOR, tables.switches[s].row
    velocity = joint_slip(tables, friction, q, v, a, work)
    acceleration = slip_acceleration(tables, friction, q, v, a, work)
    relative_rotation(work.marker[A].R_WM, work.marker[B].R_WM, R)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        opening = 0.0
        for m in range(3):
            opening += R[k, m] * contact_history[at + 3 * j + m] - R[j, m] * contact_history[at + 3 * k + m]
        work.constraint[row + i, POSITION_LEVEL] = 0.5 * opening
        work.constraint[row + i, VELOCITY_LEVEL] = velocity[i] / r
        residual[row + i] = acceleration[i] / r
        if soft != 0.0:
            before = friction.history_at + LOAD_U + i if i < 2 else friction.history_at + SECOND_PART + LOAD_U
            residual[row + i] += soft / r * (a[row + i] / r - contact_history[before])
            residual[row + i] += deviation_of_share(tables, active, contact_history, 3 * s + (i + 1) % 3, a, work) / r
    push_ball(tables, friction, a[row], a[row + 1], a[row + 2], q, work, residual)
