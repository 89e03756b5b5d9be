"""Gap of a sphere above a plane, and between two spheres."""

import math

from flexmbs.core.layout.tables import SPHERE_PLANE
from flexmbs.core.mechanics.vectors import components, difference, rotate
from flexmbs.machine_code.kernel import kernel


@kernel
def sphere_gap(kind, radius_a, radius_b, normal, frame_a, frame_b):
    """Gap, gap rate and unit normal (from b to a) of a sphere at frame a; ``normal``: of a plane, axes of frame b."""
    dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
    ux, uy, uz = difference(frame_a.v_WM, frame_b.v_WM)
    if kind == SPHERE_PLANE:
        nx, ny, nz = components(normal)
        nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
        wx, wy, wz = components(frame_b.w_WM)
        gap = nx * dx + ny * dy + nz * dz - radius_a
        # d/dt (n . d) with n turning with frame b: n . (d' - w_b x d)
        rate = nx * (ux - wy * dz + wz * dy)
        rate += ny * (uy - wz * dx + wx * dz)
        rate += nz * (uz - wx * dy + wy * dx)
        return gap, rate, nx, ny, nz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    nx, ny, nz = dx / distance, dy / distance, dz / distance
    return distance - radius_a - radius_b, nx * ux + ny * uy + nz * uz, nx, ny, nz
