"""Bushing: force and moment -(K e + C e' + preload) on marker b for its displacement and rotation e against marker a.

e = (R_a^T (p_b - p_a), rotation th of R = R_a^T R_b) - rest, all in the axes of a.  Without an axis th is the rotation
vector of R, below pi.  With an axis n it is t + angle n, where t is the rotation vector of the shortest rotation of n to
m = R n, and the angle that of core.laws.force.measure, over any number of turns (R = exp(t~) exp(angle n~)):
    w = T_l(t) t' + angle' m,  angle' = c . w,  c = (n + m) / (1 + n . m).
The moment that does the work of th' is the transpose of this map times its own, so the elastic part has a potential,
e^T K e / 2 + preload . e.
"""

import math

from flexmbs.core.laws.force.measure import about_axis, counted
from flexmbs.core.layout.force_tables import (
    BUSHING_FORCE,
    BUSHING_MOMENT,
    BUSHING_POWER,
    BUSHING_RECORD,
    DEFORMATION,
    DEFORMATION_RATE,
)
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import markers_in_world, relative_motion
from flexmbs.core.mechanics.rotation import inverse_tangent, rotation_vector
from flexmbs.core.mechanics.vectors import components, cross, difference, relative_rotation, rotate, rotate_back, vector_at
from flexmbs.machine_code.kernel import kernel


@kernel
def measure_bushing(tables, i, q, v, a, contact_history, work):
    """Deformation and its rate into ``work.record``; frames in ``work.marker`` (A, B)."""
    bushing = tables.bushings[i]
    frame_a, frame_b = markers_in_world(tables, bushing, q, v, a, work)
    R_AB = work.scratch[0].R
    out = work.record[bushing.at : bushing.at + BUSHING_RECORD]
    px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
    ux, uy, uz, _x, _y, _z, _r, _s, _t = relative_motion(frame_a, frame_b)
    wx, wy, wz = difference(frame_b.w_WM, frame_a.w_WM)
    px, py, pz = rotate_back(frame_a.R_WM, px, py, pz)
    ux, uy, uz = rotate_back(frame_a.R_WM, ux, uy, uz)
    wx, wy, wz = rotate_back(frame_a.R_WM, wx, wy, wz)
    relative_rotation(frame_a.R_WM, frame_b.R_WM, R_AB)
    nx, ny, nz = components(tables.turns[bushing.turn].axis)
    mx, my, mz = rotate(R_AB, nx, ny, nz)
    angle = rate = 0.0
    if nx == 0.0 and ny == 0.0 and nz == 0.0:
        tx, ty, tz = rotation_vector(R_AB)
    else:
        angle, rate, _x, _y, _z = about_axis(frame_a, frame_b, tables.turns[bushing.turn].axis)
        angle = counted(tables, bushing.turn, angle, q, contact_history)
        tx, ty, tz = tilt(nx, ny, nz, mx, my, mz)
    wx, wy, wz = inverse_tangent(tx, ty, tz, wx - rate * mx, wy - rate * my, wz - rate * mz, 1.0)
    tx, ty, tz = tx + angle * nx, ty + angle * ny, tz + angle * nz
    wx, wy, wz = wx + rate * nx, wy + rate * ny, wz + rate * nz
    for k, x in enumerate((px, py, pz, tx, ty, tz)):
        out[DEFORMATION + k] = x - bushing.rest[k]
    for k, x in enumerate((ux, uy, uz, wx, wy, wz)):
        out[DEFORMATION_RATE + k] = x


@kernel
def tilt(nx, ny, nz, mx, my, mz):
    """Rotation vector of the shortest rotation of the unit vector n to m."""
    x, y, z = cross(nx, ny, nz, mx, my, mz)
    sine = math.sqrt(x * x + y * y + z * z)
    factor = math.atan2(sine, nx * mx + ny * my + nz * mz) / sine if sine > 1e-8 else 1.0
    return factor * x, factor * y, factor * z


@kernel
def moment_on_b(axis, R_AB, tx, ty, tz, gx, gy, gz):
    """The moment on b that does the work of (gx, gy, gz) on the rate of the rotation (tx, ty, tz), axes of a."""
    nx, ny, nz = components(axis)
    mx, my, mz = rotate(R_AB, nx, ny, nz)
    angle = tx * nx + ty * ny + tz * nz
    # the transpose of the left tangent's inverse is that of the right one
    ux, uy, uz = inverse_tangent(tx - angle * nx, ty - angle * ny, tz - angle * nz, gx, gy, gz, -1.0)
    about = (gx * nx + gy * ny + gz * nz - mx * ux - my * uy - mz * uz) / (1.0 + nx * mx + ny * my + nz * mz)
    return ux + about * (nx + mx), uy + about * (ny + my), uz + about * (nz + mz)


@kernel
def add_bushings(tables, q, v, a, contact_history, work, residual):
    for i in range(len(tables.bushings)):
        measure_bushing(tables, i, q, v, a, contact_history, work)
        bushing = tables.bushings[i]
        e = work.record[bushing.at : bushing.at + BUSHING_RECORD]
        e[BUSHING_POWER] = 0.0
        for k in range(6):
            pull = bushing.preload[k]
            for j in range(6):
                pull += bushing.stiffness[k, j] * e[DEFORMATION + j]
                pull += bushing.damping[k, j] * e[DEFORMATION_RATE + j]
            e[BUSHING_FORCE + k] = -pull  # the moment stands behind the force
            e[BUSHING_POWER] -= pull * e[DEFORMATION_RATE + k]
        rotation = DEFORMATION + 3
        tx, ty, tz = vector_at(e, rotation)
        tx, ty, tz = tx + bushing.rest[3], ty + bushing.rest[4], tz + bushing.rest[5]
        mx, my, mz = vector_at(e, BUSHING_MOMENT)
        mx, my, mz = moment_on_b(tables.turns[bushing.turn].axis, work.scratch[0].R, tx, ty, tz, mx, my, mz)
        e[BUSHING_MOMENT], e[BUSHING_MOMENT + 1], e[BUSHING_MOMENT + 2] = mx, my, mz
        frame_a, frame_b = work.marker[A], work.marker[B]
        fx, fy, fz = vector_at(e, BUSHING_FORCE)
        fx, fy, fz = rotate(frame_a.R_WM, fx, fy, fz)
        mx, my, mz = rotate(frame_a.R_WM, mx, my, mz)
        px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
        dx, dy, dz = cross(px, py, pz, fx, fy, fz)
        add_force(tables, bushing.b, q, frame_b, fx, fy, fz, mx, my, mz, work, residual)
        add_force(tables, bushing.a, q, frame_a, -fx, -fy, -fz, -mx - dx, -my - dy, -mz - dz, work, residual)


@kernel
def bushing_energy(tables, q, v, a, contact_history, work):
    """Energy stored in all bushings, J."""
    total = 0.0
    for i in range(len(tables.bushings)):
        measure_bushing(tables, i, q, v, a, contact_history, work)
        bushing = tables.bushings[i]
        e = work.record[bushing.at + DEFORMATION : bushing.at + DEFORMATION_RATE]
        for k in range(6):
            total += bushing.preload[k] * e[k]
            for j in range(6):
                total += 0.5 * e[k] * bushing.stiffness[k, j] * e[j]
    return total
