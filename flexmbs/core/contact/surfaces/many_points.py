"""Points of a surface against another surface, or against a rigid shape: the least gap, and the sum of all forces.

The points are looked at in the order of the tree of their boxes: a box that is farther from the other surface than the
least gap so far (or that does not touch it, once a point penetrates) is left out with all its points.
"""

import math

from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.core.contact.pair_geometry import surface_contact
from flexmbs.core.contact.surfaces.closest_point import distance_of_box, gap_within, signed_gap
from flexmbs.core.contact.surfaces.deformed_surface import (
    add_node_force,
    box_entry,
    header,
    node_position,
    node_velocity,
    pass_term_forces,
    refresh,
    refresh_rates,
)
from flexmbs.core.contact.surfaces.layout import (
    BRANCH,
    FIRST,
    ITEMS_AT,
    LAST,
    LEAST,
    LEFT,
    NEAREST,
    OUTER_DISTANCES,
    OUTER_STACK,
    RIGHT,
    ROTATION,
    SHAPE_B,
    SUMS,
    SURFACE_A,
    SURFACE_B,
    THICKNESS,
    TREE_AT,
)
from flexmbs.core.contact.surfaces.point_of_surface import add_face_force, carried_velocity, face_velocity, to_frame, to_world
from flexmbs.core.laws.contact.contact_law import plain_energy, plain_force
from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.layout.force_tables import FRICTION_FORCE, FRICTION_MOMENT, FRICTION_POWER
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import AT_ZERO_FORCE
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import components, cross, put, rotate, rotate_back
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# numbers of the point with the least gap, from cache[LEAST] on: its number and gap, then its closest point (6)
POINT, GAP, CLOSEST = 0, 1, 2
# sums over all points, from cache[SUMS] on: force and moment about the origin of frame b; friction and its power
FORCE, MOMENT, FRICTION, POWER, SUM_COUNT = 0, 3, 6, 9, 10


@entry(surface_contact)
def points_on_surface(tables, contact, q, v, work, residual, apply):
    """Points of surface a against the faces of surface b."""
    evaluate(tables, contact, q, v, work, residual, apply, SURFACE_B)


@entry(surface_contact)
def points_on_shape(tables, contact, q, v, work, residual, apply):
    """Points of surface a against a rigid shape on marker b."""
    evaluate(tables, contact, q, v, work, residual, apply, SHAPE_B)


@kernel
def evaluate(tables, contact, q, v, work, residual, apply, other):
    """:func:`surface_contact` against what stands at number ``other`` of the contact: SURFACE_B or SHAPE_B."""
    record, touch, pool = tables.contacts[contact], work.touch[0], tables.pool
    frame_a, frame_b = work.marker[A], work.marker[B]
    cache = work.surface[record.scratch_at : record.scratch_at + record.scratch]
    at = record.numbers_at
    a, b = at + int(pool[at + SURFACE_A]), at + int(pool[at + other])
    start_a = tables.bodies[tables.markers[record.a].body].modal_start
    start_b = tables.bodies[tables.markers[record.b].body].modal_start
    marker_in_world(tables, record.a, q, v, v, work, frame_a)
    marker_in_world(tables, record.b, q, v, v, work, frame_b)
    refresh(pool, a, q, start_a, cache)
    refresh_rates(pool, a, q, v, start_a, cache)
    if other == SURFACE_B:
        refresh(pool, b, q, start_b, cache)
        refresh_rates(pool, b, q, v, start_b, cache)
    touch.force = touch.energy = 0.0
    for k in range(SUM_COUNT):
        cache[SUMS + k] = 0.0
    walk(tables, record, a, b, other, work, apply, cache)
    finish(tables, record, a, b, other, work, apply, cache)
    if apply == 0:
        return
    apply_sums(tables, record, q, work, residual, cache)
    pass_term_forces(pool, a, q, start_a, cache, residual)
    if other == SURFACE_B:
        pass_term_forces(pool, b, q, start_b, cache, residual)


@kernel
def walk(tables, record, a, b, other, work, apply, cache):
    """All points that may have the least gap, and all that penetrate."""
    pool, frame_a, frame_b = tables.pool, work.marker[A], work.marker[B]
    thickness = pool[record.numbers_at + THICKNESS]
    relative_axes(frame_a, frame_b, cache)
    tree, at, least = a + header(pool, a, TREE_AT), 1, math.inf
    cache[LEAST + POINT], cache[LEAST + GAP] = -1.0, math.inf
    cache[OUTER_STACK], cache[OUTER_DISTANCES] = 0.0, -math.inf
    while at > 0:
        at -= 1
        bound = max(least, 0.0)
        if cache[OUTER_DISTANCES + at] > bound:
            continue
        node = tree + BRANCH * int(cache[OUTER_STACK + at])
        left, right = int(pool[node + LEFT]), int(pool[node + RIGHT])
        if left < 0:
            for point in range(int(pool[node + FIRST]), int(pool[node + LAST])):
                bound = max(least, 0.0)
                gap, nx, ny, nz = gap_of_point(tables, a, b, other, point, frame_a, frame_b, bound, cache)
                if not -thickness <= gap < math.inf:
                    continue
                if gap < least:
                    least = gap
                    cache[LEAST + POINT], cache[LEAST + GAP] = point, gap
                    for k in range(6):
                        cache[LEAST + CLOSEST + k] = cache[NEAREST + k]
                if gap < 0.0:
                    add_point(tables, record, a, b, other, point, gap, nx, ny, nz, work, apply, cache)
            continue
        far_left = box_gap(tables, a, b, other, left, frame_a, frame_b, bound, cache)
        far_right = box_gap(tables, a, b, other, right, frame_a, frame_b, bound, cache)
        if far_left < far_right:  # the nearer one is looked at first
            left, right, far_left, far_right = right, left, far_right, far_left
        cache[OUTER_STACK + at], cache[OUTER_STACK + at + 1] = left, right
        cache[OUTER_DISTANCES + at], cache[OUTER_DISTANCES + at + 1] = far_left, far_right
        at += 2


@kernel
def relative_axes(frame_a, frame_b, cache):
    """The axes of a in those of b, R_BA, and the absolute values of its elements."""
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += frame_b.R_WM[k, i] * frame_a.R_WM[k, j]
            cache[ROTATION + 3 * i + j] = total
            cache[ROTATION + 9 + 3 * i + j] = abs(total)


@kernel
def box_gap(tables, a, b, other, branch, frame_a, frame_b, bound, cache):
    """Lower bound of the gaps of all points in a box of surface a (beyond ``bound`` anything above it)."""
    pool, box = tables.pool, box_entry(tables.pool, a, branch, cache)
    x, y, z = to_world(frame_a, cache[box], cache[box + 1], cache[box + 2])
    x, y, z = to_frame(frame_b, x, y, z)
    hx, hy, hz = cache[box + 3], cache[box + 4], cache[box + 5]
    if other == SHAPE_B:
        distance, _x, _y, _z = shape_distance(pool, b, x, y, z)
        return distance - math.sqrt(hx * hx + hy * hy + hz * hz)
    m = ROTATION + 9
    tx = cache[m] * hx + cache[m + 1] * hy + cache[m + 2] * hz
    ty = cache[m + 3] * hx + cache[m + 4] * hy + cache[m + 5] * hz
    tz = cache[m + 6] * hx + cache[m + 7] * hy + cache[m + 8] * hz
    if bound == 0.0:  # boxes that touch count
        bound = 1e-300
    far = distance_of_box(pool, b, x, y, z, tx, ty, tz, bound, cache)
    return math.inf if far >= bound else far


@kernel
def gap_of_point(tables, a, b, other, point, frame_a, frame_b, bound, cache):
    """Gap of a point and the normal from b, world axes; infinity where it is farther than ``bound``."""
    pool = tables.pool
    x, y, z = node_position(pool, a, point, cache)
    x, y, z = to_world(frame_a, x, y, z)
    x, y, z = to_frame(frame_b, x, y, z)
    if other == SHAPE_B:
        gap, nx, ny, nz = shape_distance(pool, b, x, y, z)
    else:
        gap, nx, ny, nz = gap_within(pool, b, x, y, z, bound, cache)
    nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
    return gap, nx, ny, nz


@kernel
def place_touch(tables, a, b, other, point, gap, nx, ny, nz, work, cache):
    """Rate, normal, point and slip of one point into the touch."""
    pool, touch, frame_a, frame_b = tables.pool, work.touch[0], work.marker[A], work.marker[B]
    x, y, z = node_position(pool, a, point, cache)
    x, y, z = to_world(frame_a, x, y, z)
    px, py, pz = x - 0.5 * gap * nx, y - 0.5 * gap * ny, z - 0.5 * gap * nz
    ax, ay, az = carried_velocity(frame_a, px, py, pz)
    bx, by, bz = carried_velocity(frame_b, px, py, pz)
    x, y, z = node_velocity(pool, a, point, cache)
    x, y, z = rotate(frame_a.R_WM, x, y, z)
    ux, uy, uz = ax - bx + x, ay - by + y, az - bz + z
    if other == SURFACE_B:
        x, y, z = face_velocity(pool, b, frame_b, cache)
        ux, uy, uz = ux - x, uy - y, uz - z
    touch.gap, touch.rate = gap, nx * ux + ny * uy + nz * uz
    put(touch.n, nx, ny, nz)
    put(touch.p, px, py, pz)
    put(touch.u, ux - touch.rate * nx, uy - touch.rate * ny, uz - touch.rate * nz)
    for k in range(3):
        touch.w[k] = frame_a.w_WM[k] - frame_b.w_WM[k]


@kernel
def add_point(tables, record, a, b, other, point, gap, nx, ny, nz, work, apply, cache):
    """Add force and energy of one point (antisymmetric in its gap) to the sums and, with ``apply``, to the modes."""
    pool, touch, frame_a, frame_b = tables.pool, work.touch[0], work.marker[A], work.marker[B]
    place_touch(tables, a, b, other, point, gap, nx, ny, nz, work, cache)
    area = pool[a + header(pool, a, ITEMS_AT) + point]
    parameters = pool[record.at : record.at + record.parameters]
    sign = -1.0 if gap > 0.0 else 1.0
    force = sign * area * plain_force(record.force, parameters, abs(gap), -sign * touch.rate)
    if force < 0.0 and gap < 0.0 and record.separation == AT_ZERO_FORCE:
        force = 0.0
    touch.force += force
    touch.energy += area * plain_energy(record.energy, parameters, abs(gap))
    fx, fy, fz = force * nx, force * ny, force * nz
    if record.friction != 0:
        point_friction(pool, record, max(force, 0.0), work)
        for k in range(3):
            cache[SUMS + FRICTION + k] += work.resistance[k]
            cache[SUMS + POWER] += work.resistance[k] * touch.u[k]
        fx, fy, fz = fx + work.resistance[0], fy + work.resistance[1], fz + work.resistance[2]
    px, py, pz = components(touch.p)
    x, y, z = components(frame_b.p_WM)
    mx, my, mz = cross(px - x, py - y, pz - z, fx, fy, fz)
    for k, value in enumerate((fx, fy, fz, mx, my, mz)):
        cache[SUMS + k] += value
    if apply == 0:
        return
    x, y, z = rotate_back(frame_a.R_WM, fx, fy, fz)
    add_node_force(pool, a, point, x, y, z, cache)
    if other == SURFACE_B:
        add_face_force(pool, b, frame_b, -fx, -fy, -fz, cache)


@kernel
def point_friction(pool, record, force, work):
    """Friction of the point in the touch into ``work.resistance``; laws with bristles have none here."""
    touch = work.touch[0]
    for k in range(3):
        work.slip[k], work.slip[3 + k], work.slip[6 + k] = touch.u[k], touch.w[k], touch.n[k]
    work.resistance[:] = 0.0
    parameters = pool[record.friction_at : record.friction_at + record.friction_parameters]
    contact_friction(record.friction, parameters, force, work.slip, work.resistance[6:6], work.resistance)


@kernel
def finish(tables, record, a, b, other, work, apply, cache):
    """The touch is that of the least gap, the whole force that of all points.

    Where no point penetrates, the last one goes on antisymmetrically, as the law of a single point does.
    """
    touch, frame_a, frame_b = work.touch[0], work.marker[A], work.marker[B]
    point, gap = int(cache[LEAST + POINT]), cache[LEAST + GAP]
    if point < 0:  # everything is deeper than the thickness
        touch.gap, touch.rate = 1e6, 0.0
        return
    for k in range(6):
        cache[NEAREST + k] = cache[LEAST + CLOSEST + k]
    x, y, z = node_position(tables.pool, a, point, cache)
    x, y, z = to_world(frame_a, x, y, z)
    x, y, z = to_frame(frame_b, x, y, z)
    if other == SHAPE_B:
        gap, nx, ny, nz = shape_distance(tables.pool, b, x, y, z)
    else:
        gap, nx, ny, nz = signed_gap(tables.pool, b, x, y, z, cache)
    nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
    if gap > 0.0:
        add_point(tables, record, a, b, other, point, gap, nx, ny, nz, work, apply, cache)
    else:
        place_touch(tables, a, b, other, point, gap, nx, ny, nz, work, cache)
    for k in range(3):  # what the whole force is beyond the normal forces along n
        touch.friction[k] = cache[SUMS + FORCE + k] - touch.force * touch.n[k]
        touch.moment[k] = 0.0


@kernel
def apply_sums(tables, record, q, work, residual, cache):
    """Subtract the whole force and moment on both bodies."""
    frame_a, frame_b = work.marker[A], work.marker[B]
    f, m = SUMS + FORCE, SUMS + MOMENT
    if record.friction_record >= 0:
        for k in range(3):
            work.record[record.friction_record + FRICTION_FORCE + k] = cache[SUMS + FRICTION + k]
            work.record[record.friction_record + FRICTION_MOMENT + k] = 0.0
        work.record[record.friction_record + FRICTION_POWER] = cache[SUMS + POWER]
    fx, fy, fz, mx, my, mz = cache[f], cache[f + 1], cache[f + 2], cache[m], cache[m + 1], cache[m + 2]
    add_force(tables, record.b, q, frame_b, -fx, -fy, -fz, -mx, -my, -mz, work, residual)
    px, py, pz = components(frame_b.p_WM)
    x, y, z = components(frame_a.p_WM)
    ax, ay, az = cross(px - x, py - y, pz - z, fx, fy, fz)
    add_force(tables, record.a, q, frame_a, fx, fy, fz, mx + ax, my + ay, mz + az, work, residual)
