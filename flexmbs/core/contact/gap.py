"""Contact between markers: gap, its rate, and the force of its law (core.laws.contact).

Which contacts are active is decided by events, never inside a step.  While a contact is active the law is continued
antisymmetrically below d = 0, so that the step which ends it integrates a smooth function.
"""

from __future__ import annotations

import math

from flexmbs.core.laws.contact.contact_law import (
    law_begin,
    law_energy,
    law_force,
    law_update,
    plain_energy,
    plain_force,
)
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import SPHERE_PLANE, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import components, cross, difference, rotate
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2


@kernel
def contact_geometry(tables, c, q, v, a, work):
    """Gap, gap rate and unit normal (from b to a) of contact ``c``; frames in ``work.marker`` (A, B)."""
    contact = tables.contacts[c]
    frame_a, frame_b = work.marker[A], work.marker[B]
    marker_in_world(tables, contact.a, q, v, a, work, frame_a)
    marker_in_world(tables, contact.b, q, v, a, work, frame_b)
    dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
    ux, uy, uz = difference(frame_a.v_WM, frame_b.v_WM)
    if contact.kind == SPHERE_PLANE:
        nx, ny, nz = components(contact.normal)
        nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
        wx, wy, wz = components(frame_b.w_WM)
        gap = nx * dx + ny * dy + nz * dz - contact.radius_a
        # d/dt (n . d) with n turning with frame b: n . (d' - w_b x d)
        rate = nx * (ux - wy * dz + wz * dy)
        rate += ny * (uy - wz * dx + wx * dz)
        rate += nz * (uz - wx * dy + wy * dx)
        return gap, rate, nx, ny, nz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    nx, ny, nz = dx / distance, dy / distance, dz / distance
    return distance - contact.radius_a - contact.radius_b, nx * ux + ny * uy + nz * uz, nx, ny, nz


@entry
def gap_at(
    tables: Tables, contact: int, q: Floats, v: Floats, a: Floats, reference: Floats2, work: Workspace
) -> tuple[float, float]:
    """Gap of a contact (m) and its rate (m/s)."""
    hide_condensed(tables, q, v, a, work)
    forward_kinematics(tables, q, v, a, reference, work)
    gap, rate, _x, _y, _z = contact_geometry(tables, contact, q, v, a, work)
    show_condensed(tables, a, work)
    return gap, rate


@kernel
def gap_in_place(tables, c, q, v, a, work):
    """Gap of contact ``c`` (m) and its rate (m/s), with the motion of the bodies as it is in ``work``."""
    gap, rate, _x, _y, _z = contact_geometry(tables, c, q, v, a, work)
    return gap, rate


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
def add_contacts(tables, active, contact_history, q, v, a, work, residual):
    """Subtract the forces of the active contacts."""
    for c in range(len(tables.contacts)):
        if active[c] == 0:
            continue
        gap, rate, nx, ny, nz = contact_geometry(tables, c, q, v, a, work)
        contact = tables.contacts[c]
        force = contact_force(tables, contact, contact_history, gap, rate)
        fx, fy, fz = force * nx, force * ny, force * nz
        frame_a, frame_b = work.marker[A], work.marker[B]
        add_force(tables, contact.a, q, frame_a, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
        mx = my = mz = 0.0
        if contact.kind == SPHERE_PLANE:
            # the force acts on the plane's body below the sphere's centre
            dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
            mx, my, mz = cross(dx, dy, dz, fx, fy, fz)
        add_force(tables, contact.b, q, frame_b, -fx, -fy, -fz, -mx, -my, -mz, work, residual)
