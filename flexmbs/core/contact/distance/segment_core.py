"""The point of a straight segment that is closest to a shape: the core of a capsule.

The segment is crowned: a distance ``crown`` s^2 (s = -1 and 1 at its ends) is added, as on crowned rollers. The
closest point then is unique and moves smoothly where the segment is parallel to a face or to another capsule.
"""

from __future__ import annotations

from flexmbs.core.contact.distance.kinds import BALL, BOX, CAPSULE, CYLINDER, HALF_SPACE, PLACED
from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.machine_code.kernel import kernel

PARTS = 16  # in which minima are looked for where the distance is not convex
HALVINGS = 80


@kernel
def crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, s):
    """Distance at c + s t with the crown, and its derivative by s."""
    distance, nx, ny, nz = shape_distance(pool, at, cx + s * tx, cy + s * ty, cz + s * tz)
    return distance + crown * s * s, nx * tx + ny * ty + nz * tz + 2.0 * crown * s


@kernel
def closest_on_segment(pool, at, cx, cy, cz, tx, ty, tz, crown):
    """s in [-1, 1] at which c + s t is closest to the shape at ``at``."""
    left, right = -1.0, 1.0
    kind = int(pool[at + 13 if int(pool[at]) == PLACED else at])
    if not (kind == HALF_SPACE or kind == BALL or kind == CAPSULE or kind == CYLINDER or kind == BOX):
        left, right = lowest_part(pool, at, cx, cy, cz, tx, ty, tz, crown)
    _d, slope_left = crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, left)
    if slope_left >= 0.0:
        return left
    _d, slope_right = crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, right)
    if slope_right <= 0.0:
        return right
    return zero_slope(pool, at, cx, cy, cz, tx, ty, tz, crown, left, slope_left, right, slope_right)


@kernel
def zero_slope(pool, at, cx, cy, cz, tx, ty, tz, crown, left, slope_left, right, slope_right):
    """Root of the slope in a bracket: false position (Illinois), halved wherever that is slow."""
    s = 0.5 * (left + right)
    for i in range(HALVINGS):
        width = right - left
        s = right - slope_right * width / (slope_right - slope_left)
        if i % 4 == 3 or not (left < s < right):
            s = 0.5 * (left + right)
        if width <= 1e-15 or s <= left or s >= right:
            break
        _d, slope = crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, s)
        if slope == 0.0:
            break
        if slope < 0.0:
            left, slope_left = s, slope
            slope_right *= 0.5 if i % 4 != 3 else 1.0
        else:
            right, slope_right = s, slope
            slope_left *= 0.5 if i % 4 != 3 else 1.0
    return s


@kernel
def lowest_part(pool, at, cx, cy, cz, tx, ty, tz, crown):
    """Bracket of the least of several minima."""
    best, at_best = 1e300, 0
    for i in range(PARTS + 1):
        value, _slope = crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, 2.0 * i / PARTS - 1.0)
        if value < best:
            best, at_best = value, i
    return max(-1.0, 2.0 * (at_best - 1) / PARTS - 1.0), min(1.0, 2.0 * (at_best + 1) / PARTS - 1.0)
