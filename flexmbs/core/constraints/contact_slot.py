"""Three rows of a closed rigid contact: along its normal, and along two tangents.

With the velocity u of body a relative to b at the contact point p, n the normal from b to a,
    gap' = n . u,   gap'' = n' . u + n . u',   u' = a_a + alpha_a x r_a + w_a x (p' - v_a) - [the same of b],
r_a = p - x_a.  A contact that sticks has t . u = 0 in both tangents, t . u' = 0, where p moves over the surfaces (it
rolls).  A contact that slides is pushed by -mu lam_n u / |u|: lam_n is the multiplier of the same instant.

Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996), ch. 4.
"""

import math

from flexmbs.core.contact.contact_kinematics import contact_point_motion, relative_acceleration
from flexmbs.core.laws.contact.rigid import FRICTION
from flexmbs.core.laws.force.joint_slip import BIAS
from flexmbs.core.laws.force.sliding_joints import held_components
from flexmbs.core.layout.frames import B
from flexmbs.core.layout.friction_tables import SECOND_PART
from flexmbs.core.layout.switch_tables import (
    COMPLIANCE,
    FRESH,
    FRICTION_HOLD,
    HELD_GAP,
    LOAD,
    LOAD_U,
    LOAD_V,
    RESTING,
    ROWS_OFF,
    SLIDING,
    SLIP_X,
    SLOT,
    SLOT_OF,
    STEP_FORCE,
    STICKING,
    TANGENT_AXIS,
    TIME_STEPPED,
    UNUSED,
)
from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.touching_forces import push_apart
from flexmbs.core.mechanics.vectors import components, cross, dot, put
from flexmbs.machine_code.kernel import kernel


@kernel
def add_contact_rows(tables, row, c, active, contact_history, q, v, a, work, residual):
    """Rows ``row`` to ``row`` + 2 and the forces of rigid contact ``c``."""
    mode, at = active[c], tables.contacts[c].history_at
    touch, axes = work.touch[0], work.scratch[0]
    contact_point_motion(tables, c, q, v, a, work)
    put_tangents(touch.n, work.marker[B].R_WM, int(contact_history[at + TANGENT_AXIS]), axes.u, axes.v)
    ux, uy, uz = components(touch.u)
    ax, ay, az = relative_acceleration(work)
    nx, ny, nz = components(touch.n)
    soft = contact_history[at + COMPLIANCE]
    normal, first, second = a[row], a[row + 1], a[row + 2]
    work.constraint[row, POSITION_LEVEL] = touch.gap - contact_history[at + HELD_GAP]
    work.constraint[row, VELOCITY_LEVEL] = touch.rate
    residual[row] = nx * ax + ny * ay + nz * az + dot(touch.n_rate, ux, uy, uz) + soft * (normal - contact_history[at + LOAD])
    work.constraint[row + 1, POSITION_LEVEL] = work.constraint[row + 2, POSITION_LEVEL] = 0.0
    work.constraint[row + 1, VELOCITY_LEVEL] = dot(axes.u, ux, uy, uz)
    work.constraint[row + 2, VELOCITY_LEVEL] = dot(axes.v, ux, uy, uz)
    residual[row + 1] = dot(axes.u, ax, ay, az) + soft * (first - contact_history[at + LOAD_U])
    residual[row + 2] = dot(axes.v, ax, ay, az) + soft * (second - contact_history[at + LOAD_V])
    if soft != 0.0:
        slot = int(contact_history[at + SLOT_OF])
        for k in range(3):
            residual[row + k] += deviation_of_share(tables, active, contact_history, 3 * slot + k, a, work)
    off = contact_history[at + ROWS_OFF]
    if mode != STICKING or off == 1.0 or off == 3.0:
        leave_out_row(row + 1, a, work, residual)
        first = 0.0
    if mode != STICKING or off >= 2.0:
        leave_out_row(row + 2, a, work, residual)
        second = 0.0
    if mode == RESTING:
        leave_out_row(row, a, work, residual)
        return
    set_friction(tables, c, mode, contact_history, normal, first, second, work)
    x, y, z = components(touch.friction)
    contact, fx, fy, fz = work.contact[c], normal * nx + x, normal * ny + y, normal * nz + z
    push_apart(tables, contact.a, contact.b, q, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)


@kernel
def deviation_of_share(tables, active, contact_history, r, a, work):
    """Row ``r`` of Q (lam - lam_0): how far forces that change no motion are from those at the start of the step."""
    total, first = 0.0, len(tables.contacts)
    for s in range(work.sharing.shape[0] // 3):
        on = active[first + s]
        if tables.switches[s].kind == SLOT and on != UNUSED:
            at, row = tables.contacts[on - 1].history_at + LOAD, tables.switches[s].row
            for m in range(3):
                total += work.sharing[r, 3 * s + m] * (a[row + m] - contact_history[at + m])
        elif tables.switches[s].kind == FRICTION_HOLD and on == STICKING:
            friction = tables.joint_frictions[tables.switches[s].start]
            x, y, z = held_components(tables, friction, a)
            at = friction.history_at
            if friction.motions == 0:
                total += work.sharing[r, 3 * s] * (z - contact_history[at + SECOND_PART + LOAD_U])
            total += work.sharing[r, 3 * s + 1] * (x - contact_history[at + LOAD_U])
            total += work.sharing[r, 3 * s + 2] * (y - contact_history[at + LOAD_V])
    return total


@kernel
def set_friction(tables, c, mode, contact_history, normal, first, second, work):
    """Friction on body a of the contact evaluated last, N, in ``work.touch``."""
    touch, axes, at = work.touch[0], work.scratch[0], tables.contacts[c].history_at
    for k in range(3):
        touch.friction[k] = first * axes.u[k] + second * axes.v[k]
    mu = tables.pool[tables.contacts[c].at + FRICTION]
    if mode == SLIDING and mu != 0.0:
        dx, dy, dz = slip_direction(touch, contact_history, at)
        put(touch.friction, -mu * normal * dx, -mu * normal * dy, -mu * normal * dz)


@kernel
def describe_rigid_contact(tables, c, mode, contact_history, q, v, a, work):
    """Normal force, friction and slip velocity of a closed rigid contact in ``work.touch``."""
    at = tables.contacts[c].history_at
    slot = int(contact_history[at + SLOT_OF])
    touch, axes = work.touch[0], work.scratch[0]
    contact_point_motion(tables, c, q, v, a, work)
    if slot == TIME_STEPPED:
        x, y, z = components(contact_history[at + STEP_FORCE : at + STEP_FORCE + 3])
        nx, ny, nz = components(touch.n)
        touch.force = nx * x + ny * y + nz * z
        put(touch.friction, x - touch.force * nx, y - touch.force * ny, z - touch.force * nz)
    else:
        row = tables.switches[slot].row
        put_tangents(touch.n, work.marker[B].R_WM, int(contact_history[at + TANGENT_AXIS]), axes.u, axes.v)
        set_friction(tables, c, mode, contact_history, a[row], a[row + 1], a[row + 2], work)
        touch.force = a[row]
    along = dot(touch.n, touch.u[0], touch.u[1], touch.u[2])
    for k in range(3):
        touch.u[k] -= along * touch.n[k]


@kernel
def leave_out_row(row, a, work, residual):
    """The row of a multiplier that is zero."""
    residual[row] = a[row]
    work.constraint[row, POSITION_LEVEL] = work.constraint[row, VELOCITY_LEVEL] = 0.0


@kernel
def put_tangents(n, R, axis, u, v):
    """Two unit tangents: v is across the normal and an ``axis`` of frame b, u completes the right-handed set."""
    nx, ny, nz = components(n)
    vx, vy, vz = cross(nx, ny, nz, R[0, axis], R[1, axis], R[2, axis])
    size = math.sqrt(vx * vx + vy * vy + vz * vz)
    vx, vy, vz = vx / size, vy / size, vz / size
    ux, uy, uz = cross(vx, vy, vz, nx, ny, nz)
    put(u, ux, uy, uz)
    put(v, vx, vy, vz)


@kernel
def least_aligned(n, R):
    """The axis of a frame that is least along ``n``."""
    nx, ny, nz = components(n)
    which, least = 0, 2.0
    for k in range(2, -1, -1):  # of two the last: the tangents of a planar mechanism are then in and across its plane
        along = abs(R[0, k] * nx + R[1, k] * ny + R[2, k] * nz)
        if along < least - 1e-9:
            which, least = k, along
    return which


@kernel
def slip_direction(touch, contact_history, at):
    """Direction of sliding, a relative to b; where the slip has turned over within a step it keeps its sense.

    So the force is smooth through zero slip, which ends the step as an event. One that has just begun goes on along its
    first direction, until it is far faster than BIAS. The direction at the start of the step
    has a small part in it, so that a slip that turns while it vanishes has derivatives that differences can take; a
    slip along a line is as it is.
    """
    nx, ny, nz = components(touch.n)
    ux, uy, uz = components(touch.u)
    dx, dy, dz = contact_history[at + SLIP_X], contact_history[at + SLIP_X + 1], contact_history[at + SLIP_X + 2]
    along, off = nx * ux + ny * uy + nz * uz, nx * dx + ny * dy + nz * dz
    ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
    dx, dy, dz = dx - off * nx, dy - off * ny, dz - off * nz  # the surface has turned since
    sense = 1.0 if contact_history[at + FRESH] != 0.0 or ux * dx + uy * dy + uz * dz >= 0.0 else -1.0
    ux, uy, uz = sense * ux + BIAS * dx, sense * uy + BIAS * dy, sense * uz + BIAS * dz
    size = math.sqrt(ux * ux + uy * uy + uz * uz)
    if size == 0.0:
        return dx, dy, dz
    return ux / size, uy / size, uz / size
