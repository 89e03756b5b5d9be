"""The end of a pin in a worn bore, whose depth over the angle is a periodic cubic (mechanism.clearance.bore_profile).

The point of the bore nearest to the pin's centre: of all nodes of the profile the best, refined by Newton's method on
the derivative of the squared distance. A tilt of the pin shortens its radius to second order, which is left out.
"""

import math

from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.contact.pairs.joint_play import CLEARANCE, PIN_RADIUS, across, pin_end
from flexmbs.core.layout.frames import B
from flexmbs.core.mechanics.vectors import components, cross, put, rotate, vector_at
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# numbers behind those of a pin in a round bore: where angles count from (axes of b), number of nodes, depth and slope
# at each
FROM, NODES, FIRST = 9, 12, 13
ITERATIONS = 60
SMALL = 1e-15


@kernel
def depth_at(numbers, angle):
    """Depth of the profile at ``angle`` and two derivatives by it."""
    nodes = int(numbers[NODES])
    width = 2.0 * math.pi / nodes
    place = (angle + math.pi) / width
    place -= nodes * math.floor(place / nodes)
    i = min(int(place), nodes - 1)
    x, j = place - i, (i + 1) % nodes
    w0, s0 = numbers[FIRST + 2 * i], numbers[FIRST + 2 * i + 1] * width
    w1, s1 = numbers[FIRST + 2 * j], numbers[FIRST + 2 * j + 1] * width
    c2, c3 = 3.0 * (w1 - w0) - 2.0 * s0 - s1, 2.0 * (w0 - w1) + s0 + s1
    depth = w0 + x * (s0 + x * (c2 + x * c3))
    return depth, (s0 + x * (2.0 * c2 + 3.0 * x * c3)) / width, (2.0 * c2 + 6.0 * x * c3) / (width * width)


@kernel
def half_slope(numbers, eu, ev, angle):
    """Half the derivative of the squared distance from (eu, ev) to the bore by the angle, and its derivative."""
    depth, slope, bend = depth_at(numbers, angle)
    reach = numbers[PIN_RADIUS] + numbers[CLEARANCE] + depth
    c, s = math.cos(angle), math.sin(angle)
    along, beside = eu * c + ev * s, -eu * s + ev * c
    value = slope * (reach - along) - reach * beside
    return value, slope * slope + bend * (reach - along) - 2.0 * slope * beside + reach * along


@kernel
def nearest_angle(numbers, eu, ev):
    """Angle of the point of the bore that is nearest to (eu, ev)."""
    nodes = int(numbers[NODES])
    width = 2.0 * math.pi / nodes
    best, least = 0.0, 1e300
    for i in range(nodes):
        angle = -math.pi + i * width
        reach = numbers[PIN_RADIUS] + numbers[CLEARANCE] + numbers[FIRST + 2 * i]
        squared = (reach * math.cos(angle) - eu) ** 2 + (reach * math.sin(angle) - ev) ** 2
        if squared < least:
            best, least = angle, squared
    left, right, angle = best - width, best + width, best
    for _ in range(ITERATIONS):
        value, bend = half_slope(numbers, eu, ev, angle)
        if value > 0.0:
            right = angle
        else:
            left = angle
        step = -value / bend if bend > 0.0 else 0.0
        next_angle = angle + step
        if bend <= 0.0 or next_angle <= left or next_angle >= right:
            next_angle = 0.5 * (left + right)
        change, angle = abs(next_angle - angle), next_angle
        if change < SMALL:
            break
    return angle


@entry(pair_geometry)
def pin_in_worn_bore(tables, contact, work):
    """A circle across a bore that is not round."""
    record = tables.contacts[contact]
    numbers = tables.pool[record.numbers_at : record.numbers_at + record.numbers]
    bore, touch = work.marker[B], work.touch[0]
    cx, cy, cz, bx, by, bz, _tx, _ty, _tz = pin_end(numbers, work)
    ex, ey, ez = across(cx, cy, cz, bx, by, bz)
    ux, uy, uz = vector_at(numbers, FROM)
    ux, uy, uz = rotate(bore.R_WM, ux, uy, uz)
    vx, vy, vz = cross(bx, by, bz, ux, uy, uz)
    eu, ev = ex * ux + ey * uy + ez * uz, ex * vx + ey * vy + ez * vz
    angle = nearest_angle(numbers, eu, ev)
    depth, _slope, _bend = depth_at(numbers, angle)
    reach = numbers[PIN_RADIUS] + numbers[CLEARANCE] + depth
    du, dv = reach * math.cos(angle) - eu, reach * math.sin(angle) - ev
    distance = math.sqrt(du * du + dv * dv)
    nx, ny, nz = (du * ux + dv * vx) / distance, (du * uy + dv * vy) / distance, (du * uz + dv * vz) / distance
    touch.gap = distance - numbers[PIN_RADIUS]
    put(touch.n, -nx, -ny, -nz)
    ox, oy, oz = components(bore.p_WM)
    out = numbers[PIN_RADIUS] + 0.5 * touch.gap
    put(touch.p, ox + cx + out * nx, oy + cy + out * ny, oz + cz + out * nz)
