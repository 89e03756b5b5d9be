"""What friction in a joint depends on: how its faces slip, and the force that presses them together.

Slip and friction have up to three components: along the coordinates that share a cone (a revolute, prismatic or screw
joint has one, a cylindrical joint two), or about the axes of marker a (spherical joint). Slip is in m/s, friction in N.

A bearing or guide of length L carries the force F across its axis and the moment M across it at both its ends, with
F/2 + M/L and F/2 - M/L as vectors; the friction of both ends adds up.
"""

import math

from flexmbs.core.layout.frames import A
from flexmbs.core.layout.friction_tables import GIVEN, POINT, SLIDES_ALONG, THREAD
from flexmbs.core.layout.switch_tables import FRESH
from flexmbs.core.layout.tables import VALUE
from flexmbs.core.mechanics.markers import marker_in_world, markers_in_world, relative_motion
from flexmbs.core.mechanics.vectors import components, cross, difference, rotate, rotate_back
from flexmbs.machine_code.kernel import kernel

BIAS = 1e-6  # m/s, of the remembered direction of sliding


@kernel
def joint_slip(tables, friction, q, v, a, work):
    """Slip velocity of the second body against the first, m/s."""
    if friction.motions == 0:
        frame_a, frame_b = markers_in_world(tables, friction, q, v, a, work)
        r = friction.first_radius
        wx, wy, wz = difference(frame_b.w_WM, frame_a.w_WM)
        return rotate_back(frame_a.R_WM, r * wx, r * wy, r * wz)
    x = friction.first_radius * v[friction.first]
    return x, friction.second_radius * v[friction.second] if friction.motions == 2 else 0.0, 0.0


@kernel
def slip_acceleration(tables, friction, q, v, a, work):
    """Its derivative in the axes of marker a, m/s^2."""
    if friction.motions == 0:
        frame_a, frame_b = markers_in_world(tables, friction, q, v, a, work)
        r = friction.first_radius
        _x, _y, _z, _r, _s, _t, ax, ay, az = relative_motion(frame_a, frame_b)
        return rotate_back(frame_a.R_WM, r * ax, r * ay, r * az)
    x = friction.first_radius * a[friction.first]
    return x, friction.second_radius * a[friction.second] if friction.motions == 2 else 0.0, 0.0


@kernel
def direction_of_sliding(friction, contact_history, x, y, z):
    """Unit vector along the slip (x, y, z); where that has turned over within a step it keeps its sense.

    So friction is smooth through zero slip, which ends the step as an event. Where it is slow its direction at the start of
    the step has a part in it, as in a contact (core.constraints.contact_slot).
    """
    at = friction.history_at + SLIDES_ALONG
    dx, dy, dz = contact_history[at], contact_history[at + 1], contact_history[at + 2]
    if friction.motions == 1:
        return dx, dy, dz
    fresh = contact_history[friction.history_at + FRESH] != 0.0
    sense = 1.0 if fresh or x * dx + y * dy + z * dz >= 0.0 else -1.0
    x, y, z = sense * x + BIAS * dx, sense * y + BIAS * dy, sense * z + BIAS * dz
    size = math.sqrt(x * x + y * y + z * z)
    return (x / size, y / size, z / size) if size > 0.0 else (dx, dy, dz)


@kernel
def pressing_force(tables, friction, q, v, a, work):
    """Normal force on the faces, N, from the reaction of the joint in the present evaluation."""
    if friction.load == GIVEN:
        return max(work.signal[friction.signal, VALUE], 0.0)
    reaction = work.reaction[friction.reaction]
    fx, fy, fz = components(reaction.force)
    if friction.load == POINT:
        return math.sqrt(fx * fx + fy * fy + fz * fz)
    frame = work.marker[A]
    marker_in_world(tables, friction.a, q, v, a, work, frame)
    nx, ny, nz = components(friction.axis)
    nx, ny, nz = rotate(frame.R_WM, nx, ny, nz)
    mx, my, mz = components(reaction.moment)
    along, about = nx * fx + ny * fy + nz * fz, nx * mx + ny * my + nz * mz
    cx, cy, cz = cross(mx, my, mz, nx, ny, nz)
    hx, hy, hz = 0.5 * (fx - along * nx), 0.5 * (fy - along * ny), 0.5 * (fz - along * nz)
    cx, cy, cz = friction.arm * cx, friction.arm * cy, friction.arm * cz
    total = math.sqrt((hx + cx) ** 2 + (hy + cy) ** 2 + (hz + cz) ** 2)
    total += math.sqrt((hx - cx) ** 2 + (hy - cy) ** 2 + (hz - cz) ** 2)
    if friction.load == THREAD:
        r, s = friction.thread, friction.advance
        return total + abs(along * r - about / r * s) / math.sqrt(r * r + s * s)
    return total + friction.axial * abs(along)
