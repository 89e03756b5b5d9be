"""Elastic contact between markers: gap, its rate, and the force of its law (core.laws.contact).

Which contacts are active is decided by events, never inside a step.  While a contact is active the law is continued
antisymmetrically below d = 0, so that the step which ends it integrates a smooth function.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.arrays import Floats, Floats2
from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.laws.contact import law_force
from flexmbs.core.layout.tables import SPHERE_PLANE, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.markers import add_modal_force, marker_in_world


@kernel
def contact_geometry(tables, c, q, v, a, work):
    """Gap, gap rate and unit normal (from b to a) of contact ``c``; frames in ``work.scratch`` (a: 0, b: 1)."""
    contact = tables.contacts[c]
    fa, fb = work.scratch[0], work.scratch[1]
    marker_in_world(tables, contact.a, q, v, a, work, fa)
    marker_in_world(tables, contact.b, q, v, a, work, fb)
    dx, dy, dz = fa[9] - fb[9], fa[10] - fb[10], fa[11] - fb[11]
    ux, uy, uz = fa[15] - fb[15], fa[16] - fb[16], fa[17] - fb[17]
    if contact.kind == SPHERE_PLANE:
        nx = fb[0] * contact.nx + fb[1] * contact.ny + fb[2] * contact.nz
        ny = fb[3] * contact.nx + fb[4] * contact.ny + fb[5] * contact.nz
        nz = fb[6] * contact.nx + fb[7] * contact.ny + fb[8] * contact.nz
        gap = nx * dx + ny * dy + nz * dz - contact.radius_a
        # d/dt (n . d) with n turning with frame b: n . (d' - w_b x d)
        rate = nx * (ux - fb[13] * dz + fb[14] * dy)
        rate += ny * (uy - fb[14] * dx + fb[12] * dz)
        rate += nz * (uz - fb[12] * dy + fb[13] * dx)
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
def contact_force(contact, gap):
    """Force of an active contact, N; antisymmetric in the penetration -gap."""
    if gap <= 0.0:
        return law_force(contact, -gap)
    return -law_force(contact, gap)


@kernel
def add_force(tables, m, q, frame_of_marker, fx, fy, fz, mx, my, mz, work, residual):
    """Subtract an applied force and moment (world axes, at marker ``m``) from the residual."""
    b = tables.markers[m].body
    if b == 0:
        return
    f = work.frame[b]
    dx, dy, dz = frame_of_marker[9] - f[9], frame_of_marker[10] - f[10], frame_of_marker[11] - f[11]
    work.wrench[b, 0] -= fx
    work.wrench[b, 1] -= fy
    work.wrench[b, 2] -= fz
    work.wrench[b, 3] -= mx + dy * fz - dz * fy
    work.wrench[b, 4] -= my + dz * fx - dx * fz
    work.wrench[b, 5] -= mz + dx * fy - dy * fx
    if tables.markers[m].flexible != 0:
        gx, gy, gz = -_body(f, 0, fx, fy, fz), -_body(f, 1, fx, fy, fz), -_body(f, 2, fx, fy, fz)
        hx, hy, hz = -_body(f, 0, mx, my, mz), -_body(f, 1, mx, my, mz), -_body(f, 2, mx, my, mz)
        add_modal_force(tables, m, q, gx, gy, gz, hx, hy, hz, work, residual)


@kernel
def _body(f, i, x, y, z):
    return f[i] * x + f[3 + i] * y + f[6 + i] * z


@kernel
def add_contacts(tables, active, q, v, a, work, residual):
    """Subtract the forces of the active contacts."""
    for c in range(len(tables.contacts)):
        if active[c] == 0:
            continue
        gap, _rate, nx, ny, nz = contact_geometry(tables, c, q, v, a, work)
        contact = tables.contacts[c]
        force = contact_force(contact, gap)
        fx, fy, fz = force * nx, force * ny, force * nz
        fa, fb = work.scratch[0], work.scratch[1]
        add_force(tables, contact.a, q, fa, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
        mx = my = mz = 0.0
        if contact.kind == SPHERE_PLANE:
            # the force acts on the plane's body below the sphere's centre
            dx, dy, dz = fa[9] - fb[9], fa[10] - fb[10], fa[11] - fb[11]
            mx, my, mz = dy * fz - dz * fy, dz * fx - dx * fz, dx * fy - dy * fx
        add_force(tables, contact.b, q, fb, -fx, -fy, -fz, -mx, -my, -mz, work, residual)
