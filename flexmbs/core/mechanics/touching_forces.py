"""Forces of a contact point on its two bodies."""

from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.vectors import components, cross
from flexmbs.machine_code.kernel import kernel


@kernel
def push_apart(tables, a, b, q, fx, fy, fz, mx, my, mz, work, residual):
    """Subtract a force and moment at ``work.touch[0].p`` on the body of marker ``a``, and the opposite ones on b's.

    The frames of both markers stand in ``work.marker`` (A, B).
    """
    frame_a, frame_b = work.marker[A], work.marker[B]
    px, py, pz = components(work.touch[0].p)
    x, y, z = components(frame_a.p_WM)
    ax, ay, az = cross(px - x, py - y, pz - z, fx, fy, fz)
    add_force(tables, a, q, frame_a, fx, fy, fz, mx + ax, my + ay, mz + az, work, residual)
    x, y, z = components(frame_b.p_WM)
    bx, by, bz = cross(px - x, py - y, pz - z, fx, fy, fz)
    add_force(tables, b, q, frame_b, -fx, -fy, -fz, -mx - bx, -my - by, -mz - bz, work, residual)
