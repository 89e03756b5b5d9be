"""How a contact point moves: velocity of its normal and place, relative velocity and acceleration of the bodies there.

Of spheres, planes and boxes exactly; of other pairs the normal and the place are differentiated along the motion by central
differences of the geometry, which enter only through the curvature of the shapes.
"""

import math

from flexmbs.core.contact.gap import contact_geometry, relative_velocity
from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import SPHERE_PLANE, SPHERE_SPHERE
from flexmbs.core.mechanics.vectors import add, components, cross, difference, put
from flexmbs.machine_code.kernel import kernel

TURN = 1e-5  # m, rad: by which bodies are moved to differentiate the geometry


@kernel
def contact_point_motion(tables, c, q, v, a, work):
    """Gap, n, p, their rates and u (with its normal part) of contact ``c`` in ``work.touch``; frames of the bodies.

    The frames of the bodies are current in ``work.frame``.
    """
    contact, touch = work.contact[c], work.touch[0]
    contact_geometry(tables, c, q, v, a, work)
    frame_a, frame_b = work.marker[A], work.marker[B]
    if contact.kind == SPHERE_PLANE:
        nx, ny, nz = components(touch.n)
        wx, wy, wz = components(frame_b.w_WM)
        nx, ny, nz = cross(wx, wy, wz, nx, ny, nz)
        put(touch.n_rate, nx, ny, nz)
    elif contact.kind == SPHERE_SPHERE:
        dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        ux, uy, uz = difference(frame_a.v_WM, frame_b.v_WM)
        nx, ny, nz = components(touch.n)
        along = nx * ux + ny * uy + nz * uz
        put(touch.n_rate, (ux - along * nx) / distance, (uy - along * ny) / distance, (uz - along * nz) / distance)
    elif touch.has_rates == 0:
        differentiate_geometry(tables, c, work)
    if contact.kind <= SPHERE_SPHERE:
        deep = contact.radius_a + 0.5 * touch.gap
        x, y, z = components(frame_a.v_WM)
        for k in range(3):
            touch.p_rate[k] = -deep * touch.n_rate[k] - 0.5 * touch.rate * touch.n[k]
        add(touch.p_rate, x, y, z)
    ux, uy, uz = relative_velocity(frame_a, frame_b, touch)
    put(touch.u, ux, uy, uz)


@kernel
def relative_acceleration(work):
    """u' of the contact that :func:`contact_point_motion` has evaluated, m/s2, world axes."""
    touch = work.touch[0]
    ax, ay, az = acceleration_of(work.marker[A], touch)
    bx, by, bz = acceleration_of(work.marker[B], touch)
    return ax - bx, ay - by, az - bz


@kernel
def acceleration_of(frame, touch):
    """Derivative of the velocity that the body of a frame has at the moving contact point."""
    rx, ry, rz = difference(touch.p, frame.p_WM)
    sx, sy, sz = difference(touch.p_rate, frame.v_WM)
    ex, ey, ez = components(frame.alpha_WM)
    wx, wy, wz = components(frame.w_WM)
    ax, ay, az = components(frame.a_WM)
    px, py, pz = cross(ex, ey, ez, rx, ry, rz)
    qx, qy, qz = cross(wx, wy, wz, sx, sy, sz)
    return ax + px + qx, ay + py + qy, az + pz + qz


@kernel
def differentiate_geometry(tables, c, work):
    """Rates of n and p of a pair of shapes in ``work.touch``, by moving the two frames forwards and backwards."""
    touch, before = work.touch[0], work.touch[1]
    frame_a, frame_b = work.marker[A], work.marker[B]
    keep(frame_a, work.moved_marker[A])
    keep(frame_b, work.moved_marker[B])
    gap, rate, clear = touch.gap, touch.rate, touch.clear
    for k in range(3):
        before.n[k], before.p[k] = touch.n[k], touch.p[k]
    fastest = max(speed_of(frame_a), speed_of(frame_b))
    ahead = TURN / max(fastest, 1e-3)
    for side in range(2):
        sense = 1.0 if side == 0 else -1.0
        move(work.moved_marker[A], sense * ahead, frame_a)
        move(work.moved_marker[B], sense * ahead, frame_b)
        pair_geometry(work.contact[c].geometry, tables, c, work)
        for k in range(3):
            if side == 0:
                touch.n_rate[k], touch.p_rate[k] = touch.n[k], touch.p[k]
            else:
                touch.n_rate[k] = (touch.n_rate[k] - touch.n[k]) / (2.0 * ahead)
                touch.p_rate[k] = (touch.p_rate[k] - touch.p[k]) / (2.0 * ahead)
    keep(work.moved_marker[A], frame_a)
    keep(work.moved_marker[B], frame_b)
    touch.gap, touch.rate, touch.clear = gap, rate, clear
    for k in range(3):
        touch.n[k], touch.p[k] = before.n[k], before.p[k]


@kernel
def keep(frame, out):
    """Copy position and rotation of a frame, and its velocities."""
    for k in range(3):
        out.p_WM[k], out.v_WM[k], out.w_WM[k] = frame.p_WM[k], frame.v_WM[k], frame.w_WM[k]
        for j in range(3):
            out.R_WM[k, j] = frame.R_WM[k, j]


@kernel
def speed_of(frame):
    """Size of the velocity and the angular velocity of a frame."""
    x, y, z = components(frame.v_WM)
    wx, wy, wz = components(frame.w_WM)
    return math.sqrt(x * x + y * y + z * z) + math.sqrt(wx * wx + wy * wy + wz * wz)


@kernel
def move(frame, time, out):
    """Where ``frame`` is after a short ``time`` (s) at constant velocities; Rodrigues' formula."""
    wx, wy, wz = components(frame.w_WM)
    wx, wy, wz = time * wx, time * wy, time * wz
    angle = math.sqrt(wx * wx + wy * wy + wz * wz)
    sine = math.sin(angle) / angle if angle > 1e-12 else 1.0
    versine = (1.0 - math.cos(angle)) / (angle * angle) if angle > 1e-4 else 0.5
    for j in range(3):
        x, y, z = frame.R_WM[0, j], frame.R_WM[1, j], frame.R_WM[2, j]
        cx, cy, cz = cross(wx, wy, wz, x, y, z)
        dx, dy, dz = cross(wx, wy, wz, cx, cy, cz)
        out.R_WM[0, j] = x + sine * cx + versine * dx
        out.R_WM[1, j] = y + sine * cy + versine * dy
        out.R_WM[2, j] = z + sine * cz + versine * dz
    for k in range(3):
        out.p_WM[k] = frame.p_WM[k] + time * frame.v_WM[k]
