"""A sphere or a point on a marker against the deformed surface of a body: one gap, with any law and friction."""

import math

from flexmbs.core.contact.pair_geometry import surface_contact
from flexmbs.core.contact.surfaces.closest_point import find_nearest, signed_gap
from flexmbs.core.contact.surfaces.deformed_surface import pass_term_forces, refresh, refresh_rates
from flexmbs.core.contact.surfaces.layout import SURFACE_B
from flexmbs.core.contact.surfaces.point_of_surface import add_face_force, carried_velocity, face_velocity, to_frame
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.touching_forces import push_apart
from flexmbs.core.mechanics.vectors import components, put, rotate
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@entry(surface_contact)
def sphere_on_surface(tables, contact, q, v, work, residual, apply):
    """Geometry with ``apply`` 0; with 1 the forces in ``work.touch`` are applied where the geometry is now."""
    record, touch, pool = tables.contacts[contact], work.touch[0], tables.pool
    frame_a, frame_b = work.marker[A], work.marker[B]
    cache = work.surface[record.scratch_at : record.scratch_at + record.scratch]
    s = record.numbers_at + int(pool[record.numbers_at + SURFACE_B])
    start = tables.bodies[tables.markers[record.b].body].modal_start
    if apply != 0:
        apply_touch(tables, contact, s, start, q, work, residual, cache)
        return
    marker_in_world(tables, record.a, q, v, v, work, frame_a)
    marker_in_world(tables, record.b, q, v, v, work, frame_b)
    refresh(pool, s, q, start, cache)
    refresh_rates(pool, s, q, v, start, cache)
    cx, cy, cz = components(frame_a.p_WM)
    x, y, z = to_frame(frame_b, cx, cy, cz)
    find_nearest(pool, s, x, y, z, math.inf, cache)
    gap, nx, ny, nz = signed_gap(pool, s, x, y, z, cache)
    nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
    gap -= record.radius_a
    deep = record.radius_a + 0.5 * gap
    touch.gap = gap
    put(touch.n, nx, ny, nz)
    put(touch.p, cx - deep * nx, cy - deep * ny, cz - deep * nz)
    write_motion(pool, s, frame_a, frame_b, touch, cache)


@kernel
def write_motion(pool, s, frame_a, frame_b, touch, cache):
    """Rate of the gap, slip and angular velocity of a touch."""
    px, py, pz = components(touch.p)
    nx, ny, nz = components(touch.n)
    ax, ay, az = carried_velocity(frame_a, px, py, pz)
    bx, by, bz = carried_velocity(frame_b, px, py, pz)
    dx, dy, dz = face_velocity(pool, s, frame_b, cache)
    ux, uy, uz = ax - bx - dx, ay - by - dy, az - bz - dz
    touch.rate = nx * ux + ny * uy + nz * uz
    put(touch.u, ux - touch.rate * nx, uy - touch.rate * ny, uz - touch.rate * nz)
    for k in range(3):
        touch.w[k] = frame_a.w_WM[k] - frame_b.w_WM[k]


@kernel
def apply_touch(tables, contact, s, start, q, work, residual, cache):
    """Subtract normal force, friction and moment of the touch on both bodies and on the modes of b."""
    record, touch = tables.contacts[contact], work.touch[0]
    frame_b = work.marker[B]
    nx, ny, nz = components(touch.n)
    x, y, z = components(touch.friction)
    fx, fy, fz = touch.force * nx + x, touch.force * ny + y, touch.force * nz + z
    mx, my, mz = components(touch.moment)
    push_apart(tables, record.a, record.b, q, fx, fy, fz, mx, my, mz, work, residual)
    add_face_force(tables.pool, s, frame_b, -fx, -fy, -fz, cache)
    pass_term_forces(tables.pool, s, q, start, cache, residual)
