"""Rotation vectors of balls: a new chart at every step, and what is remembered of earlier ones seen from it.

Within a step a ball has a rotation vector th from its reference quaternion, with the rates th', th'' as velocity and
acceleration.  At the end of the step w = T(th) th' and w' take their place, and th starts from zero.
"""

import math

from flexmbs.core.layout.tables import BALL
from flexmbs.core.mechanics.rotation import inverse_tangent, rotate_quaternion, rotation_between, tangent, tangent_rate
from flexmbs.machine_code.kernel import kernel

# A step that turns a ball further than this (rad) is repeated: at 2 pi the chart is singular, and results, which
# interpolate between quaternions, cannot tell more than half a turn.
MAX_ROTATION = 3.0


@kernel
def new_chart(tables, state):
    """Fold the rotation vectors of the balls into their quaternions; rates become angular velocities."""
    q, v, a = state.q, state.v, state.a
    for axis in range(len(tables.axes)):
        joint = tables.axes[axis]
        if joint.kind != BALL:
            continue
        c = joint.coordinate
        x, y, z = q[c], q[c + 1], q[c + 2]
        rotate_quaternion(state.reference[joint.ball], x, y, z, state.reference[joint.ball])
        body_rates(q, v, a, c)
        q[c] = q[c + 1] = q[c + 2] = 0.0


@kernel
def body_rates(q, v, a, c):
    """Angular velocity and acceleration in place of th' and th'' of the ball at coordinate ``c``."""
    x, y, z = q[c], q[c + 1], q[c + 2]
    sx, sy, sz = tangent(x, y, z, a[c], a[c + 1], a[c + 2], -1.0)
    tx, ty, tz = tangent_rate(x, y, z, v[c], v[c + 1], v[c + 2], -1.0)
    wx, wy, wz = tangent(x, y, z, v[c], v[c + 1], v[c + 2], -1.0)
    v[c], v[c + 1], v[c + 2] = wx, wy, wz
    a[c], a[c + 1], a[c + 2] = sx + tx, sy + ty, sz + tz


@kernel
def chart_rates(q, v, a, c):
    """The inverse of :func:`body_rates`."""
    x, y, z = q[c], q[c + 1], q[c + 2]
    rx, ry, rz = inverse_tangent(x, y, z, v[c], v[c + 1], v[c + 2], -1.0)
    tx, ty, tz = tangent_rate(x, y, z, rx, ry, rz, -1.0)
    sx, sy, sz = inverse_tangent(x, y, z, a[c] - tx, a[c + 1] - ty, a[c + 2] - tz, -1.0)
    v[c], v[c + 1], v[c + 2] = rx, ry, rz
    a[c], a[c + 1], a[c + 2] = sx, sy, sz


@kernel
def restate(end, q, v, a, c):
    """Position, rate and acceleration of a ball at another time as the chart sees them whose origin is at ``end``."""
    body_rates(q, v, a, c)
    q[c], q[c + 1], q[c + 2] = rotation_between(end[c], end[c + 1], end[c + 2], q[c], q[c + 1], q[c + 2])
    chart_rates(q, v, a, c)


@kernel
def largest_rotation(tables, q):
    """Length of the longest rotation vector in ``q``, rad."""
    largest = 0.0
    for axis in range(len(tables.axes)):
        if tables.axes[axis].kind == BALL:
            c = tables.axes[axis].coordinate
            largest = max(largest, math.sqrt(q[c] * q[c] + q[c + 1] * q[c + 1] + q[c + 2] * q[c + 2]))
    return largest
