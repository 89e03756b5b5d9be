"""What elements act along: a joint coordinate, the distance of two markers, or an angle between them about an axis.

The angle between markers is the twist of R = R_a^T R_b about the unit axis n (of a),
    tan(angle) = n . ax / (tr R - n . R n),  ax the axial part of R - R^T.
Its rate is c . w (w of b relative to a), c = (n_a + n_b) / (1 + n_a . n_b) with n_a, n_b the axis as it sits in a and
in b: a torque along c does the work of the angle, in every position.
"""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import add_force
from flexmbs.core.layout.force_tables import COORDINATE_ELEMENT, LINE_ELEMENT
from flexmbs.core.mechanics.markers import marker_in_world


@kernel
def measure(tables, element, q, v, a, work):
    """Coordinate, its rate, and (line, angle) the direction in the world; frames in ``work.scratch`` (a: 0, b: 1)."""
    if element.geometry == COORDINATE_ELEMENT:
        return q[element.a], v[element.a], 0.0, 0.0, 0.0
    fa, fb = work.scratch[0], work.scratch[1]
    marker_in_world(tables, element.a, q, v, a, work, fa)
    marker_in_world(tables, element.b, q, v, a, work, fb)
    if element.geometry == LINE_ELEMENT:
        return along_line(fa, fb)
    angle, rate, cx, cy, cz = about_axis(fa, fb, element.x, element.y, element.z)
    # the turn nearest to the rest angle
    angle -= 2.0 * math.pi * np.floor((angle - element.rest) / (2.0 * math.pi) + 0.5)
    return angle, rate, cx, cy, cz


@kernel
def along_line(fa, fb):
    """Distance of two frames, its rate, unit vector from a to b (zero where they coincide: no direction, no force)."""
    dx, dy, dz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    nx, ny, nz = dx / length, dy / length, dz / length
    return length, nx * (fb[15] - fa[15]) + ny * (fb[16] - fa[16]) + nz * (fb[17] - fa[17]), nx, ny, nz


@kernel
def about_axis(fa, fb, x, y, z):
    """Angle of b against a about the axis (x, y, z) of a, its rate, and the vector c."""
    ax, ay, az = to_world(fa, x, y, z)
    bx, by, bz = to_world(fb, x, y, z)
    trace = sx = sy = sz = 0.0
    for i in range(3):  # R_b R_a^T has the trace of R, and its axial part in world axes
        p, r, s = 3 * i, 3 * ((i + 1) % 3), 3 * ((i + 2) % 3)
        for k in range(3):
            trace += fb[p + k] * fa[p + k]
        part = 0.0
        for k in range(3):
            part += fb[s + k] * fa[r + k] - fb[r + k] * fa[s + k]
        if i == 0:
            sx = part
        elif i == 1:
            sy = part
        else:
            sz = part
    cosine = ax * bx + ay * by + az * bz
    angle = math.atan2(ax * sx + ay * sy + az * sz, trace - cosine)
    scale = 1.0 / (1.0 + cosine)
    cx, cy, cz = scale * (ax + bx), scale * (ay + by), scale * (az + bz)
    rate = cx * (fb[12] - fa[12]) + cy * (fb[13] - fa[13]) + cz * (fb[14] - fa[14])
    return angle, rate, cx, cy, cz


@kernel
def to_world(f, x, y, z):
    """A vector in the axes of frame ``f``, in world axes."""
    return f[0] * x + f[1] * y + f[2] * z, f[3] * x + f[4] * y + f[5] * z, f[6] * x + f[7] * y + f[8] * z


@kernel
def apply(tables, element, force, nx, ny, nz, q, work, residual):
    """Apply ``force`` along what :func:`measure` has just measured; positive drives it up."""
    if element.geometry == COORDINATE_ELEMENT:
        residual[element.a] -= force
        return
    fa, fb = work.scratch[0], work.scratch[1]
    x, y, z = force * nx, force * ny, force * nz
    if element.geometry == LINE_ELEMENT:
        add_force(tables, element.b, q, fb, x, y, z, 0.0, 0.0, 0.0, work, residual)
        add_force(tables, element.a, q, fa, -x, -y, -z, 0.0, 0.0, 0.0, work, residual)
    else:
        add_force(tables, element.b, q, fb, 0.0, 0.0, 0.0, x, y, z, work, residual)
        add_force(tables, element.a, q, fa, 0.0, 0.0, 0.0, -x, -y, -z, work, residual)
