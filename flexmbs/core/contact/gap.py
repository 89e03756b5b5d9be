"""Contact points: gap, its rate, and the forces of their laws (core.laws.contact, core.laws.friction).

Which contacts are active is decided by events, never inside a step.  While a contact is active the law is continued
antisymmetrically below d = 0, so that the step which ends it integrates a smooth function.
"""

from __future__ import annotations

import math

from flexmbs.core.contact.groups import occupy, pairs_for_ever
from flexmbs.core.contact.pair_geometry import pair_geometry, surface_contact
from flexmbs.core.contact.sphere_gap import sphere_gap
from flexmbs.core.laws.contact.contact_law import law_begin, law_energy, law_force, law_update, plain_energy, plain_force
from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.layout.force_tables import FRICTION_FORCE, FRICTION_MOMENT, FRICTION_POWER, FRICTION_RECORD
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import POINT_ON_SURFACE, SHAPE_PAIR, SURFACES, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.touching_forces import push_apart
from flexmbs.core.mechanics.vectors import components, cross, difference, put, rotate, rotate_back
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2


@kernel
def contact_geometry(tables, c, q, v, a, work):
    """Gap, gap rate and unit normal (from b to a) of contact ``c``, which ``work.touch`` has too, with the point p.

    The frames of its markers are left in ``work.marker`` (A, B).
    """
    contact, touch = work.contact[c], work.touch[0]
    touch.clear, touch.has_rates = -math.inf, 0
    if contact.kind >= SURFACES:
        surface_contact(contact.geometry, tables, c, q, v, work, work.resistance, 0)
        nx, ny, nz = components(touch.n)
        return touch.gap, touch.rate, nx, ny, nz
    frame_a, frame_b = work.marker[A], work.marker[B]
    marker_in_world(tables, contact.a, q, v, a, work, frame_a)
    marker_in_world(tables, contact.b, q, v, a, work, frame_b)
    if contact.kind == SHAPE_PAIR:
        pair_geometry(contact.geometry, tables, c, work)
        nx, ny, nz = components(touch.n)
        ux, uy, uz = relative_velocity(frame_a, frame_b, touch)
        touch.rate = nx * ux + ny * uy + nz * uz
        return touch.gap, touch.rate, nx, ny, nz
    gap, rate, nx, ny, nz = sphere_gap(contact.kind, contact.radius_a, contact.radius_b, contact.normal, frame_a, frame_b)
    touch.gap, touch.rate = gap, rate
    put(touch.n, nx, ny, nz)
    deep = contact.radius_a + 0.5 * gap
    px, py, pz = components(frame_a.p_WM)
    put(touch.p, px - deep * nx, py - deep * ny, pz - deep * nz)
    return gap, rate, nx, ny, nz


@kernel
def relative_velocity(frame_a, frame_b, touch):
    """Velocity of body a relative to body b at the contact point."""
    px, py, pz = components(touch.p)
    ax, ay, az = components(frame_a.p_WM)
    bx, by, bz = components(frame_b.p_WM)
    x, y, z = components(frame_a.w_WM)
    rx, ry, rz = cross(x, y, z, px - ax, py - ay, pz - az)
    x, y, z = components(frame_b.w_WM)
    sx, sy, sz = cross(x, y, z, px - bx, py - by, pz - bz)
    ux, uy, uz = difference(frame_a.v_WM, frame_b.v_WM)
    return ux + rx - sx, uy + ry - sy, uz + rz - sz


@kernel
def contact_slip(tables, c, work):
    """Tangential velocity u and angular velocity w of a relative to b, in ``work.touch``; its geometry is current."""
    if tables.contacts[c].kind >= SURFACES:
        return
    touch, frame_a, frame_b = work.touch[0], work.marker[A], work.marker[B]
    nx, ny, nz = components(touch.n)
    ux, uy, uz = relative_velocity(frame_a, frame_b, touch)
    along = nx * ux + ny * uy + nz * uz
    put(touch.u, ux - along * nx, uy - along * ny, uz - along * nz)
    wx, wy, wz = difference(frame_a.w_WM, frame_b.w_WM)
    put(touch.w, wx, wy, wz)


@kernel
def gap_in_place(tables, c, q, v, a, work):
    """Gap of a contact (m) and its rate (m/s); the frames of the bodies in ``work`` are current."""
    gap, rate, _x, _y, _z = contact_geometry(tables, c, q, v, a, work)
    return max(gap, work.touch[0].clear), rate


@entry
def gap_at(
    tables: Tables, contact: int, q: Floats, v: Floats, a: Floats, reference: Floats2, work: Workspace
) -> tuple[float, float]:
    """Gap of a contact (m) and its rate (m/s)."""
    hide_condensed(tables, q, v, a, work)
    forward_kinematics(tables, q, v, a, reference, work)
    gap, rate = gap_in_place(tables, contact, q, v, a, work)
    show_condensed(tables, a, work)
    return gap, rate


@kernel
def normal_force(tables, c, contact_history, gap, rate, work):
    """Normal force (N) of an active contact whose geometry was evaluated last: ``work.touch`` is its own."""
    contact = tables.contacts[c]
    if contact.kind == SURFACES:
        return work.touch[0].force
    return contact_force(tables, contact, contact_history, gap, rate)


@kernel
def contact_force(tables, contact, contact_history, gap, rate):
    """Force of an active contact, N, from its gap (m) and gap rate (m/s); antisymmetric in the penetration -gap."""
    if gap <= 0.0:
        return force_at(tables, contact, contact_history, -gap, -rate)
    return -force_at(tables, contact, contact_history, gap, rate)


@kernel
def force_at(tables, contact, contact_history, depth, rate):
    """Force (N) of the law of a contact at penetration ``depth`` >= 0 (m) that grows at ``rate`` (m/s)."""
    parameters = tables.pool[contact.at : contact.at + contact.parameters]
    if contact.history == 0:
        return plain_force(contact.force, parameters, depth, rate)
    history = contact_history[contact.history_at : contact.history_at + contact.history]
    return law_force(contact.force, parameters, history, depth, rate)


@kernel
def contact_energy(tables, contact, contact_history, depth):
    """Elastic energy (J) of a contact at penetration ``depth`` >= 0 (m)."""
    parameters = tables.pool[contact.at : contact.at + contact.parameters]
    if contact.history == 0:
        return plain_energy(contact.energy, parameters, depth)
    history = contact_history[contact.history_at : contact.history_at + contact.history]
    return law_energy(contact.energy, parameters, history, depth)


@kernel
def begin_history(tables, contact, contact_history, speed, mass):
    """Set what a law remembers at the onset: bodies approach at ``speed`` (m/s) with an effective ``mass`` (kg)."""
    parameters = tables.pool[contact.at : contact.at + contact.parameters]
    history = contact_history[contact.history_at : contact.history_at + contact.history]
    law_begin(contact.begin, parameters, history, speed, mass)


@kernel
def update_contact_history(tables, contact, contact_history, gap, rate):
    """Renew what a law remembers at the end of a step."""
    parameters = tables.pool[contact.at : contact.at + contact.parameters]
    history = contact_history[contact.history_at : contact.history_at + contact.history]
    law_update(contact.update, parameters, history, -gap, -rate)


@kernel
def evaluate_friction(tables, c, normal_force, v, work):
    """Friction force and moment on a, in ``work.touch``; rates of the bristles stay in ``work.resistance[6:]``.

    Bristles are held in the axes of marker b, so that they turn with its body; laws with them work in these axes.
    """
    contact, touch = tables.contacts[c], work.touch[0]
    if contact.kind == SURFACES:  # each of its points has its own, and their sum is in the touch
        return
    contact_slip(tables, c, work)
    out, motion = work.resistance, work.slip
    out[:] = 0.0
    if contact.friction != 0:
        for k in range(3):
            motion[k], motion[3 + k], motion[6 + k] = touch.u[k], touch.w[k], touch.n[k]
        if contact.bristles > 0:
            turn_vectors(work.marker[B].R_WM, motion, 3, 0)
        parameters = tables.pool[contact.friction_at : contact.friction_at + contact.friction_parameters]
        first = max(contact.bristle, 0)
        bristles = v[first : first + contact.bristles]
        contact_friction(contact.friction, parameters, max(normal_force, 0.0), motion, bristles, out)
        if contact.bristles > 0:
            turn_vectors(work.marker[B].R_WM, out, 2, 1)
    for k in range(3):
        touch.friction[k], touch.moment[k] = out[k], out[3 + k]


@kernel
def turn_vectors(R, vectors, count, outwards):
    """Turn ``count`` vectors, one behind the other, by R (``outwards`` 1: from the axes of its frame) or R^T (0)."""
    for i in range(0, 3 * count, 3):
        x, y, z = vectors[i], vectors[i + 1], vectors[i + 2]
        x, y, z = rotate(R, x, y, z) if outwards != 0 else rotate_back(R, x, y, z)
        vectors[i], vectors[i + 1], vectors[i + 2] = x, y, z


@kernel
def record_friction(contact, work):
    """Keep friction force and moment on a and their power in ``work.record``."""
    if contact.friction_record < 0:
        return
    touch, record = work.touch[0], work.record[contact.friction_record : contact.friction_record + FRICTION_RECORD]
    power = 0.0
    for k in range(3):
        record[FRICTION_FORCE + k], record[FRICTION_MOMENT + k] = touch.friction[k], touch.moment[k]
        power += touch.friction[k] * touch.u[k] + touch.moment[k] * touch.w[k]
    record[FRICTION_POWER] = power


@kernel
def add_contacts(tables, active, contact_history, q, v, a, work, residual):
    """Subtract the forces of the active contacts; equations of the bristles of all."""
    single = pairs_for_ever(tables)
    for c in range(single):
        contact = tables.contacts[c]
        if contact.always != 0:
            surface_contact(contact.geometry, tables, c, q, v, work, residual, 1)
            continue
        for k in range(contact.bristle, contact.bristle + contact.bristles):
            residual[k] = a[k]
        if contact.rigid != 0:
            continue
        if active[c] == 0:
            if contact.friction_record >= 0:
                work.record[contact.friction_record : contact.friction_record + FRICTION_RECORD] = 0.0
            continue
        if contact.kind == SURFACES:
            surface_contact(contact.geometry, tables, c, q, v, work, residual, 1)
        else:
            add_contact_point(tables, c, contact_history, q, v, a, work, residual)
    for c in range(single, len(tables.contacts)):
        if active[c] != 0 and tables.contacts[c].rigid == 0:
            occupy(tables, c, active[c], work)
            add_contact_point(tables, c, contact_history, q, v, a, work, residual)


@kernel
def add_contact_point(tables, c, contact_history, q, v, a, work, residual):
    """Subtract the forces of one active contact point."""
    contact, touch = work.contact[c], work.touch[0]
    gap, rate, nx, ny, nz = contact_geometry(tables, c, q, v, a, work)
    force = contact_force(tables, contact, contact_history, gap, rate)
    fx, fy, fz = force * nx, force * ny, force * nz
    mx = my = mz = 0.0
    if contact.friction != 0 or contact.kind == POINT_ON_SURFACE:
        evaluate_friction(tables, c, force, v, work)
        record_friction(contact, work)
        x, y, z = components(touch.friction)
        fx, fy, fz = fx + x, fy + y, fz + z
        mx, my, mz = components(touch.moment)
        for k in range(contact.bristles):
            residual[contact.bristle + k] -= work.resistance[6 + k]
    if contact.kind == POINT_ON_SURFACE:
        touch.force = force
        surface_contact(contact.geometry, tables, c, q, v, work, residual, 1)
        return
    push_apart(tables, contact.a, contact.b, q, fx, fy, fz, mx, my, mz, work, residual)
