"""Forces and moments applied at markers: onto the wrench of the body, and onto its modes."""

from flexmbs.core.mechanics.markers import add_modal_force
from flexmbs.core.mechanics.vectors import add, cross, difference, rotate_back
from flexmbs.machine_code.kernel import kernel


@kernel
def add_force(tables, m, q, frame, fx, fy, fz, mx, my, mz, work, residual):
    """Subtract an applied force and moment (world axes, at marker ``m`` with its ``frame``) from the residual."""
    b = tables.markers[m].body
    if b == 0:
        return
    body, wrench = work.frame[b], work.wrench[b]
    dx, dy, dz = difference(frame.p_WM, body.p_WB)
    px, py, pz = cross(dx, dy, dz, fx, fy, fz)
    add(wrench.force, -fx, -fy, -fz)
    add(wrench.moment, -(mx + px), -(my + py), -(mz + pz))
    if tables.markers[m].flexible != 0:
        gx, gy, gz = rotate_back(body.R_WB, -fx, -fy, -fz)
        hx, hy, hz = rotate_back(body.R_WB, -mx, -my, -mz)
        add_modal_force(tables, m, gx, gy, gz, hx, hy, hz, work)
