"""The point of a straight segment that is closest to a shape: the core of a capsule.

The segment is crowned: a distance ``crown`` s^2 (s = -1 and 1 at its ends) is added, as on crowned rollers. The
closest point then is unique and moves smoothly where the segment is parallel to a face or to another capsule.
"""

import math

from flexmbs.core.contact.distance.kinds import BALL, BOX, CAPSULE, CYLINDER, HALF_SPACE, PLACED
from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.machine_code.kernel import kernel

PARTS = 8  # in which minima are looked for where the distance is not convex
HALVINGS = 80
CONVERGED = 1e-13  # change of s


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
    """Root of the slope in a bracket: false position (Illinois), halved every fourth time."""
    s = left
    for i in range(HALVINGS):
        old, halved = s, i % 4 == 3
        s = right - slope_right * (right - left) / (slope_right - slope_left)
        if halved or not (left < s < right):
            s = 0.5 * (left + right)
        if abs(s - old) <= CONVERGED or s <= left or s >= right:
            break
        _d, slope = crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, s)
        if slope == 0.0:
            break
        if slope < 0.0:
            left, slope_left = s, slope
            slope_right *= 1.0 if halved else 0.5
        else:
            right, slope_right = s, slope
            slope_left *= 1.0 if halved else 0.5
    return s


@kernel
def lowest_part(pool, at, cx, cy, cz, tx, ty, tz, crown):
    """Bracket of the least of several minima; a distance changes by no more than the way, which tells what to skip."""
    width, way = 2.0 / PARTS, math.sqrt(tx * tx + ty * ty + tz * tz) + 2.0 * crown
    best, _slope = crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, 1.0)
    at_best, i = PARTS, 0
    while i < PARTS:
        value, _slope = crowned_distance(pool, at, cx, cy, cz, tx, ty, tz, crown, i * width - 1.0)
        if value < best:
            best, at_best = value, i
        i += max(1, int(min((value - best) / (way * width), 1.0 * PARTS)))
    return max(-1.0, (at_best - 1) * width - 1.0), min(1.0, (at_best + 1) * width - 1.0)
