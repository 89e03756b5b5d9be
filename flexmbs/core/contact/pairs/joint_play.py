"""Joints with play: a ball in its socket, the end of a pin in its bore, a corner of a slider at its rail.

Marker a is that of what moves (ball, pin, slider), marker b that of what holds it; normals point to a's side.
"""

import math

from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.vectors import components, cross, difference, put, rotate, vector_at
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# numbers of a ball
BALL_RADIUS, BALL_CLEARANCE = 0, 1
# numbers of an end of a pin: axis of the bore (axes of b), axis of the pin (of a), how far along it the end stands from
# marker a, its radius, the clearance
BORE_AXIS, PIN_AXIS, PIN_END, PIN_RADIUS, CLEARANCE = 0, 3, 6, 7, 8
# numbers of a corner: where it is (axes of its marker), normal of the rail (axes of the other marker), distance of the
# other's origin from the rail
CORNER, RAIL_NORMAL, RAIL_DISTANCE = 0, 3, 6
ITERATIONS = 30
SMALL = 1e-15


@kernel
def direction_off_centre(dx, dy, dz, ux, uy, uz):
    """Length of d and its unit vector; at the centre that of the velocity u, so that the gap closes at its speed."""
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 0.0:
        return distance, dx / distance, dy / distance, dz / distance
    speed = math.sqrt(ux * ux + uy * uy + uz * uz)
    if speed > 0.0:
        return 0.0, ux / speed, uy / speed, uz / speed
    return 0.0, 1.0, 0.0, 0.0


@entry(pair_geometry)
def ball_in_socket(tables, contact, work):
    """A ball in a spherical cavity."""
    record = tables.contacts[contact]
    numbers = tables.pool[record.numbers_at : record.numbers_at + record.numbers]
    ball, socket, touch = work.marker[A], work.marker[B], work.touch[0]
    dx, dy, dz = difference(ball.p_WM, socket.p_WM)
    ux, uy, uz = difference(ball.v_WM, socket.v_WM)
    distance, ex, ey, ez = direction_off_centre(dx, dy, dz, ux, uy, uz)
    touch.gap = numbers[BALL_CLEARANCE] - distance
    put(touch.n, -ex, -ey, -ez)
    reach = numbers[BALL_RADIUS] + 0.5 * touch.gap
    px, py, pz = components(ball.p_WM)
    put(touch.p, px + reach * ex, py + reach * ey, pz + reach * ez)


@kernel
def outermost(ek, em, radius, cosine, squared_sine):
    """Angle of the point farthest from the bore's axis on a tilted circle of ``radius``.

    Its centre is at (ek, em) in the plane across the bore, m in the direction of the tilt, so that its points are at
    (ek + radius cos, em + radius cosine sin).
    """
    bent = radius * squared_sine
    angle = math.atan2(em * cosine, ek)
    if ek * ek + em * em < bent * bent:  # a pin that stands nearly in the middle, or hardly any tilt
        angle = 0.0 if ek >= 0.0 else math.pi
    for _ in range(ITERATIONS):
        c, s = math.cos(angle), math.sin(angle)
        slope = ek * c + em * cosine * s + bent * (c * c - s * s)
        if slope <= 0.0:
            break
        step = (ek * s - em * cosine * c + bent * s * c) / slope
        angle -= step
        if abs(step) < SMALL:
            break
    return angle


@kernel
def pin_end(numbers, work):
    """Centre of the pin's end relative to marker b and its velocity, and the axes of bore and pin; world axes."""
    pin, bore = work.marker[A], work.marker[B]
    bx, by, bz = vector_at(numbers, BORE_AXIS)
    bx, by, bz = rotate(bore.R_WM, bx, by, bz)
    tx, ty, tz = vector_at(numbers, PIN_AXIS)
    tx, ty, tz = rotate(pin.R_WM, tx, ty, tz)
    dx, dy, dz = difference(pin.p_WM, bore.p_WM)
    end = numbers[PIN_END]
    return dx + end * tx, dy + end * ty, dz + end * tz, bx, by, bz, tx, ty, tz


@kernel
def across(x, y, z, bx, by, bz):
    """Part of a vector across a unit vector b."""
    along = x * bx + y * by + z * bz
    return x - along * bx, y - along * by, z - along * bz


@entry(pair_geometry)
def pin_in_bore(tables, contact, work):
    """The rim of a pin's end, a circle that may be tilted, in a cylindrical bore."""
    record = tables.contacts[contact]
    numbers = tables.pool[record.numbers_at : record.numbers_at + record.numbers]
    pin, bore, touch = work.marker[A], work.marker[B], work.touch[0]
    cx, cy, cz, bx, by, bz, tx, ty, tz = pin_end(numbers, work)
    ex, ey, ez = across(cx, cy, cz, bx, by, bz)
    radius, clearance = numbers[PIN_RADIUS], numbers[CLEARANCE]
    kx, ky, kz = cross(tx, ty, tz, bx, by, bz)
    squared = kx * kx + ky * ky + kz * kz
    if squared <= SMALL * SMALL:
        ux, uy, uz = difference(pin.v_WM, bore.v_WM)
        ux, uy, uz = across(ux, uy, uz, bx, by, bz)
        distance, nx, ny, nz = direction_off_centre(ex, ey, ez, ux, uy, uz)
        rx, ry, rz = radius * nx, radius * ny, radius * nz
        touch.gap = clearance - distance
    else:
        sine = math.sqrt(squared)
        kx, ky, kz = kx / sine, ky / sine, kz / sine
        mx, my, mz = cross(kx, ky, kz, tx, ty, tz)  # in the plane of the rim
        qx, qy, qz = cross(kx, ky, kz, bx, by, bz)  # what it is seen as across the bore
        cosine = tx * bx + ty * by + tz * bz
        side = 1.0 if cosine >= 0.0 else -1.0
        ek, em = ex * kx + ey * ky + ez * kz, ex * qx + ey * qy + ez * qz
        angle = outermost(ek, em, radius, abs(cosine), squared)
        c, s = radius * math.cos(angle), side * radius * math.sin(angle)
        rx, ry, rz = c * kx + s * mx, c * ky + s * my, c * kz + s * mz
        ax, ay, az = across(ex + rx, ey + ry, ez + rz, bx, by, bz)
        distance = math.sqrt(ax * ax + ay * ay + az * az)
        nx, ny, nz = ax / distance, ay / distance, az / distance
        # clearance + radius - distance, without the radius's rounding
        shift = ax * nx + ay * ny + az * nz - radius
        touch.gap = clearance - shift
    put(touch.n, -nx, -ny, -nz)
    ox, oy, oz = components(bore.p_WM)
    half = 0.5 * touch.gap
    put(touch.p, ox + cx + rx + half * nx, oy + cy + ry + half * ny, oz + cz + rz + half * nz)


@entry(pair_geometry)
def corner_at_rail(tables, contact, work):
    """A corner of what moves (a) at a plane of what holds it (b)."""
    point_at_plane(tables.contacts[contact], tables.pool, work.marker[A], work.marker[B], 1.0, work.touch[0])


@entry(pair_geometry)
def face_at_shoulder(tables, contact, work):
    """A point of what holds the pin (b) at a plane of the pin (a): the same seen from the other side."""
    point_at_plane(tables.contacts[contact], tables.pool, work.marker[B], work.marker[A], -1.0, work.touch[0])


@kernel
def point_at_plane(record, pool, own, other, sign, touch):
    """A point in the axes of frame ``own`` and a plane in those of ``other``; ``sign`` -1: the point is on body b."""
    numbers = pool[record.numbers_at : record.numbers_at + record.numbers]
    cx, cy, cz = vector_at(numbers, CORNER)
    cx, cy, cz = rotate(own.R_WM, cx, cy, cz)
    nx, ny, nz = vector_at(numbers, RAIL_NORMAL)
    nx, ny, nz = rotate(other.R_WM, nx, ny, nz)
    dx, dy, dz = difference(own.p_WM, other.p_WM)
    touch.gap = nx * (dx + cx) + ny * (dy + cy) + nz * (dz + cz) + numbers[RAIL_DISTANCE]
    put(touch.n, sign * nx, sign * ny, sign * nz)
    half = 0.5 * touch.gap
    px, py, pz = components(own.p_WM)
    put(touch.p, px + cx - half * nx, py + cy - half * ny, pz + cz - half * nz)
