"""Points of boxes with rounded edges, and of capsules, that touch each other: corners on boxes, edges on edges.

Such a body is all that is within a radius r of a core: a box, of a capsule a segment. With D the distance of two cores
the gap is D - r_a - r_b. D is the least of the distances of corners of one core from the other and of edges from edges,
each with its own place and normal, which change continuously: so a face on a face rests on several points at once.
Every one of these gaps is at least that of the bodies. Where two points have one and the same touch (an edge crosses
another at its end; edges are parallel; corners coincide) one of them stands back: ``touch.clear``, m, says by how much,
continuously, and is below zero where it does not.
"""

import math

from flexmbs.core.contact.distance.flat_shapes import beyond, leave_box
from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.contact.surfaces.point_of_surface import carried_velocity
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.vectors import components, cross, put, rotate, rotate_back, vector_at
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# a body: centre of its core, three axes (both in those of its marker), half edges along them, radius
CENTRE, AXES, HALF, RADIUS, BODY_NUMBERS = 0, 3, 12, 15, 16
# numbers of a corner and a body: the corner, where both bodies stand in the pool
CORNER, OWN_BODY, OTHER_BODY = 0, 3, 4
# numbers of two edges: of each its axis, and which diagonal of the section across it their ends are on; the bodies
AXIS_A, DIAGONAL_A, AXIS_B, DIAGONAL_B, BODY_A, BODY_B = range(6)
# Of both radii: edges that cross nearer to an end of one touch at the corner; so do corners on corners. So little that a
# corner is on the flat face or has passed its place on: its normal does not turn where others hold it on the face.
END = 1e-6
SINE = 1e-3  # of the least angle between edges that touch
FAR = 0.1  # of the sizes of the cores


@kernel
def world_vector(pool, at, frame):
    """A vector of the pool, in the axes of a marker, in those of the world."""
    x, y, z = vector_at(pool, at)
    return rotate(frame.R_WM, x, y, z)


@kernel
def put_touch(touch, x, y, z, distance, nx, ny, nz, radius_a, radius_b, sense):
    """Touch of point x, y, z of one core at a ``distance`` from the other, n from there; ``sense`` 1: it is of a."""
    touch.gap = distance - radius_a - radius_b
    put(touch.n, sense * nx, sense * ny, sense * nz)
    own, other = (radius_a, radius_b) if sense > 0.0 else (radius_b, radius_a)
    deep = 0.5 * (distance + own - other)
    put(touch.p, x - deep * nx, y - deep * ny, z - deep * nz)


@kernel
def put_rates(touch, x, y, z, dx, dy, dz, distance, radius_a, radius_b, sense):
    """Rates of n and p: x, y, z of the point of :func:`put_touch`, d of its way from the other core."""
    nx, ny, nz = sense * touch.n[0], sense * touch.n[1], sense * touch.n[2]
    own, other = (radius_a, radius_b) if sense > 0.0 else (radius_b, radius_a)
    deep, apart = 0.5 * (distance + own - other), dx * nx + dy * ny + dz * nz
    dx, dy, dz = (dx - apart * nx) / distance, (dy - apart * ny) / distance, (dz - apart * nz) / distance
    put(touch.n_rate, sense * dx, sense * dy, sense * dz)
    put(touch.p_rate, x - deep * dx - 0.5 * apart * nx, y - deep * dy - 0.5 * apart * ny, z - deep * dz - 0.5 * apart * nz)
    touch.has_rates = 1


@kernel
def corner_on_core(tables, contact, work, mine, sense):
    """A corner of the body on marker ``mine`` against the other body; of b (``sense`` -1) only beside its corners."""
    at, pool, touch = tables.contacts[contact].numbers_at, tables.pool, work.touch[0]
    own, other = work.marker[mine], work.marker[B if mine == A else A]
    mine_at, body = int(pool[at + OWN_BODY]), int(pool[at + OTHER_BODY])
    x, y, z = world_vector(pool, at + CORNER, own)
    x, y, z = x + own.p_WM[0], y + own.p_WM[1], z + own.p_WM[2]
    bx, by, bz = rotate_back(other.R_WM, x - other.p_WM[0], y - other.p_WM[1], z - other.p_WM[2])
    cx, cy, cz = vector_at(pool, body + CENTRE)
    e = work.scratch[1].R
    for i in range(3):
        for k in range(3):
            e[i, k] = pool[body + AXES + 3 * i + k]
    bx, by, bz = rotate(e, bx - cx, by - cy, bz - cz)
    hx, hy, hz = vector_at(pool, body + HALF)
    dx, dy, dz = beyond(bx, hx), beyond(by, hy), beyond(bz, hz)
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    ux, uy, uz = carried_velocity(own, x, y, z)
    vx, vy, vz = carried_velocity(other, x, y, z)
    vx, vy, vz = rotate_back(other.R_WM, ux - vx, uy - vy, uz - vz)
    vx, vy, vz = rotate(e, vx, vy, vz)
    if distance > 0.0:
        dx, dy, dz = dx / distance, dy / distance, dz / distance
        vx, vy, vz = vx if dx != 0.0 else 0.0, vy if dy != 0.0 else 0.0, vz if dz != 0.0 else 0.0  # the foot follows
    else:
        distance, dx, dy, dz = leave_box(bx, by, bz, hx, hy, hz)
        vx, vy, vz = vx * abs(dx), vy * abs(dy), vz * abs(dz)
    radius, other_radius = pool[mine_at + RADIUS], pool[body + RADIUS]
    reach = radius + other_radius
    if sense < 0.0:
        touch.clear = min(abs(bx) - hx, abs(by) - hy, abs(bz) - hz) + END * reach
    # beside an edge, along which alone nothing is between it and the core
    edge = 0 if dx == 0.0 else 1 if dy == 0.0 else 2
    beside = (dx != 0.0) + (dy != 0.0) + (dz != 0.0) == 2
    dx, dy, dz = rotate_back(e, dx, dy, dz)
    dx, dy, dz = rotate(other.R_WM, dx, dy, dz)
    if beside:
        put(touch.n, dx, dy, dz)
        touch.clear = max(touch.clear, crossing_within(pool, at, mine_at, own, body, edge, other, touch.n, distance, reach))
    vx, vy, vz = rotate_back(e, vx, vy, vz)
    vx, vy, vz = rotate(other.R_WM, vx, vy, vz)
    wx, wy, wz = components(other.w_WM)
    wx, wy, wz = cross(wx, wy, wz, distance * dx, distance * dy, distance * dz)
    radius_a, radius_b = (radius, other_radius) if sense > 0.0 else (other_radius, radius)
    put_touch(touch, x, y, z, distance, dx, dy, dz, radius_a, radius_b, sense)
    put_rates(touch, ux, uy, uz, vx + wx, vy + wy, vz + wz, distance, radius_a, radius_b, sense)


@kernel
def crossing_within(pool, at, mine, own, body, edge, other, n, distance, reach):
    """How far inside its ends an edge of a corner crosses the ``edge`` of a body that the corner is beside.

    That takes its place: this is what :func:`edge_on_edge` says of the two, with the opposite sign. n: to the corner.
    """
    cx, cy, cz = vector_at(pool, at + CORNER)
    ox, oy, oz = vector_at(pool, mine + CENTRE)
    jx, jy, jz = world_vector(pool, body + AXES + 3 * edge, other)
    furthest = -math.inf
    for k in range(3):
        if pool[mine + HALF + k] == 0.0:
            continue
        x, y, z = vector_at(pool, mine + AXES + 3 * k)
        outwards = 1.0 if (cx - ox) * x + (cy - oy) * y + (cz - oz) * z > 0.0 else -1.0
        x, y, z = rotate(own.R_WM, x, y, z)
        along, away = x * jx + y * jy + z * jz, outwards * (x * n[0] + y * n[1] + z * n[2])
        sine = math.sqrt(max(1.0 - along * along, 0.0))
        within = (sine - SINE) * (pool[mine + HALF + k] + pool[body + HALF + edge])
        if sine > SINE:
            within = min(within, distance * away / sine - END * reach * sine)
        furthest = max(furthest, within)
    return furthest


@entry(pair_geometry)
def corner_on_body(tables, contact, work):
    """A corner of a on b."""
    corner_on_core(tables, contact, work, A, 1.0)


@entry(pair_geometry)
def body_on_corner(tables, contact, work):
    """A corner of b on a."""
    corner_on_core(tables, contact, work, B, -1.0)


@kernel
def put_centre(pool, body, frame, out):
    """Centre of a core in the world."""
    x, y, z = world_vector(pool, body + CENTRE, frame)
    put(out, x + frame.p_WM[0], y + frame.p_WM[1], z + frame.p_WM[2])


@kernel
def put_edge_offset(pool, body, axis, diagonal, frame, out):
    """From the centre of a core to an edge along ``axis``; the opposite edge has the opposite sign."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    u, v = pool[body + HALF + j], pool[body + HALF + k]
    if diagonal != 0:
        v = -v
    x, y, z = world_vector(pool, body + AXES + 3 * j, frame)
    p, q, r = world_vector(pool, body + AXES + 3 * k, frame)
    put(out, u * x + v * p, u * y + v * q, u * z + v * r)


@kernel
def core_size(pool, body):
    """Distance of the corners of a core from its centre, m."""
    hx, hy, hz = vector_at(pool, body + HALF)
    return math.sqrt(hx * hx + hy * hy + hz * hz)


@kernel
def closest_of_segments(dx, dy, dz, ux, uy, uz, vx, vy, vz, half_u, half_v):
    """Parameters s, t of the closest points of segments s u and t v whose centres are d apart (u's from v's).

    Also those of the lines where they cross (1e300: parallel). Ericson, Real-Time Collision Detection (2005), 5.1.9.
    """
    along = ux * vx + uy * vy + uz * vz
    du, dv = dx * ux + dy * uy + dz * uz, dx * vx + dy * vy + dz * vz
    square = 1.0 - along * along
    s = line_s = line_t = 1e300
    if square > SINE * SINE:
        line_s = (along * dv - du) / square
        line_t = dv + line_s * along
        s = min(max(line_s, -half_u), half_u)
    else:
        s = min(max(-du, -half_u), half_u)
    t = dv + s * along
    if abs(t) > half_v:
        t = min(max(t, -half_v), half_v)
        s = min(max(t * along - du, -half_u), half_u)
    return s, t, line_s, line_t


@entry(pair_geometry)
def edge_on_edge(tables, contact, work):
    """The closest two of four pairs of edges, of which only one can touch: opposite edges along an axis of each."""
    at, pool, touch = tables.contacts[contact].numbers_at, tables.pool, work.touch[0]
    frame_a, frame_b = work.marker[A], work.marker[B]
    a, b = int(pool[at + BODY_A]), int(pool[at + BODY_B])
    radius_a, radius_b = pool[a + RADIUS], pool[b + RADIUS]
    centre_a, centre_b = work.scratch[1].u, work.scratch[1].v
    put_centre(pool, a, frame_a, centre_a)
    put_centre(pool, b, frame_b, centre_b)
    dx, dy, dz = centre_a[0] - centre_b[0], centre_a[1] - centre_b[1], centre_a[2] - centre_b[2]
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    sizes = core_size(pool, a) + core_size(pool, b)
    if distance > (1.0 + FAR) * sizes + radius_a + radius_b:
        put_touch(
            touch,
            centre_a[0],
            centre_a[1],
            centre_a[2],
            distance,
            dx / distance,
            dy / distance,
            dz / distance,
            radius_a,
            radius_b,
            1.0,
        )
        touch.gap -= sizes
        return
    axis_a, axis_b = int(pool[at + AXIS_A]), int(pool[at + AXIS_B])
    offset_a, offset_b = work.scratch[1].n, work.scratch[1].e
    put_edge_offset(pool, a, axis_a, int(pool[at + DIAGONAL_A]), frame_a, offset_a)
    put_edge_offset(pool, b, axis_b, int(pool[at + DIAGONAL_B]), frame_b, offset_b)
    ux, uy, uz = world_vector(pool, a + AXES + 3 * axis_a, frame_a)
    vx, vy, vz = world_vector(pool, b + AXES + 3 * axis_b, frame_b)
    half_a, half_b = pool[a + HALF + axis_a], pool[b + HALF + axis_b]
    least = math.inf
    ex = ey = ez = px = py = pz = line_s = line_t = best_s = best_t = 0.0
    reach = radius_a + radius_b  # beyond their ends, where they stand back: nothing is to bend before that
    for choice in range(4):
        m, n = 1.0 - 2.0 * (choice % 2), 1.0 - 2.0 * (choice // 2)
        cx, cy, cz = m * offset_a[0], m * offset_a[1], m * offset_a[2]
        gx, gy, gz = dx + cx - n * offset_b[0], dy + cy - n * offset_b[1], dz + cz - n * offset_b[2]
        s, t, on_a, on_b = closest_of_segments(gx, gy, gz, ux, uy, uz, vx, vy, vz, half_a + reach, half_b + reach)
        gx, gy, gz = gx + s * ux - t * vx, gy + s * uy - t * vy, gz + s * uz - t * vz
        square = gx * gx + gy * gy + gz * gz
        if square < least:
            least, ex, ey, ez, line_s, line_t, best_s, best_t = square, gx, gy, gz, on_a, on_b, s, t
            px, py, pz = centre_a[0] + cx + s * ux, centre_a[1] + cy + s * uy, centre_a[2] + cz + s * uz
    distance = math.sqrt(least)
    along = ux * vx + uy * vy + uz * vz
    sine = math.sqrt(max(1.0 - along * along, 0.0))
    touch.clear = (SINE - sine) * (half_a + half_b)
    if sine > SINE:
        beyond_end = max(abs(line_s) - half_a, abs(line_t) - half_b) + END * reach
        touch.clear = max(touch.clear, beyond_end * sine)
    if distance > 0.0:
        ex, ey, ez = ex / distance, ey / distance, ez / distance
    else:
        touch.clear, ex, ey, ez = reach, 1.0, 0.0, 0.0
    put_touch(touch, px, py, pz, distance, ex, ey, ez, radius_a, radius_b, 1.0)
    # the closest points stay so: d' = w + s' u - t' v, (d . u)' = (d . v)' = 0
    dx, dy, dz = distance * ex, distance * ey, distance * ez
    ax, ay, az = carried_velocity(frame_a, px, py, pz)
    bx, by, bz = carried_velocity(frame_b, px - dx, py - dy, pz - dz)
    wx, wy, wz = ax - bx, ay - by, az - bz
    if best_s == line_s and best_t == line_t:
        qx, qy, qz = components(frame_a.w_WM)
        qx, qy, qz = cross(qx, qy, qz, ux, uy, uz)
        e = -(wx * ux + wy * uy + wz * uz) - (dx * qx + dy * qy + dz * qz)
        qx, qy, qz = components(frame_b.w_WM)
        qx, qy, qz = cross(qx, qy, qz, vx, vy, vz)
        f = -(wx * vx + wy * vy + wz * vz) - (dx * qx + dy * qy + dz * qz)
        s, t = (e - along * f) / (sine * sine), (along * e - f) / (sine * sine)
        ax, ay, az = ax + s * ux, ay + s * uy, az + s * uz
        wx, wy, wz = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
    put_rates(touch, ax, ay, az, wx, wy, wz, max(distance, 1e-300), radius_a, radius_b, 1.0)
