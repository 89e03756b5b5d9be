"""The point of a tilted disc that is closest to the wall of the bore around it: end of a journal in a bearing."""

import math

from flexmbs.core.contact.distance.round_shapes import perpendicular
from flexmbs.core.mechanics.vectors import cross
from flexmbs.machine_code.kernel import kernel

ITERATIONS = 60
PARALLEL = 1e-10  # sine of the tilt below which the disc counts as not tilted


@kernel
def farthest_on_ellipse(a, b, c1, c2):
    """(cos, sin) of the point (c1 + a cos, c2 + b sin), a <= b, that is farthest from the origin.

    In the quadrant of (c1, c2) the slope of the distance over sin * cos falls: its root is bracketed.
    """
    sign1, sign2 = math.copysign(1.0, c1), math.copysign(1.0, c2)
    c1, c2 = abs(c1), abs(c2)
    low, high = 0.0, 0.5 * math.pi
    angle = math.atan2(c2 * b, c1 * a) if c1 + c2 > 0.0 else high
    for _ in range(ITERATIONS):
        c, s = math.cos(angle), math.sin(angle)
        slope = -a * c1 * s + b * c2 * c + (b * b - a * a) * s * c
        if slope > 0.0:
            low = angle
        else:
            high = angle
        bend = -a * c1 * c - b * c2 * s + (b * b - a * a) * (c * c - s * s)
        step = -slope / bend if bend < 0.0 else math.inf
        if abs(step) <= 1e-16:
            break
        angle = angle + step if low < angle + step < high else 0.5 * (low + high)
        if high - low <= 1e-16:
            break
    return sign1 * math.cos(angle), sign2 * math.sin(angle)


@kernel
def disc_in_bore(cx, cy, cz, dx, dy, dz, radius, bx, by, bz, bore):
    """Gap of a disc (centre c from the bore's axis, unit axis d, ``radius``) in a bore (unit axis b, radius ``bore``).

    Returns gap, unit normal from the wall to the disc, point of the disc's rim (from the same origin as c).
    """
    fx, fy, fz = cross(dx, dy, dz, bx, by, bz)  # the direction in which the disc is not foreshortened
    tilt = math.sqrt(fx * fx + fy * fy + fz * fz)
    if tilt <= PARALLEL:
        fx, fy, fz = perpendicular(bx, by, bz)
    else:
        fx, fy, fz = fx / tilt, fy / tilt, fz / tilt
    ex, ey, ez = cross(bx, by, bz, fx, fy, fz)
    gx, gy, gz = cross(dx, dy, dz, fx, fy, fz)  # in the disc; its part across the bore is foreshortened along e
    short = gx * ex + gy * ey + gz * ez
    c1, c2 = cx * ex + cy * ey + cz * ez, cx * fx + cy * fy + cz * fz
    cos, sin = farthest_on_ellipse(abs(short) * radius, radius, c1, c2)
    along = cos if short >= 0.0 else -cos
    px, py = c1 + radius * short * along, c2 + radius * sin
    out = math.sqrt(px * px + py * py)
    nx, ny, nz = -(px * ex + py * fx) / out, -(px * ey + py * fy) / out, -(px * ez + py * fz) / out
    u, w = radius * along, radius * sin
    return bore - out, nx, ny, nz, cx + u * gx + w * fx, cy + u * gy + w * fy, cz + u * gz + w * fz
