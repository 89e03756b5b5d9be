"""Bushing: force and moment -(K e + C e' + preload) on marker b for its displacement and rotation e against marker a.

e = (R_a^T (p_b - p_a), rotation vector th of R = R_a^T R_b) - rest, all in the axes of a.  The moment that does the
work of th' is T_l(th)^-T times its own, so the elastic part has a potential, e^T K e / 2 + preload . e, for all angles
below pi.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import add_force
from flexmbs.core.laws.force.measure import to_world
from flexmbs.core.layout.force_tables import BUSHING_RECORD
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.rotation import cross, inverse_tangent, rotation_vector


@kernel
def measure_bushing(tables, i, q, v, a, work):
    """Deformation and its rate into ``work.record``; frames in ``work.scratch`` (a: 0, b: 1)."""
    bushing = tables.bushings[i]
    fa, fb, turn = work.scratch[0], work.scratch[1], work.scratch[2]
    marker_in_world(tables, bushing.a, q, v, a, work, fa)
    marker_in_world(tables, bushing.b, q, v, a, work, fb)
    out = work.record[bushing.at : bushing.at + 12]
    px, py, pz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
    cx, cy, cz = cross(fa[12], fa[13], fa[14], px, py, pz)
    ux, uy, uz = fb[15] - fa[15] - cx, fb[16] - fa[16] - cy, fb[17] - fa[17] - cz
    wx, wy, wz = fb[12] - fa[12], fb[13] - fa[13], fb[14] - fa[14]
    for k in range(3):
        x, y, z = fa[k], fa[3 + k], fa[6 + k]
        out[k] = x * px + y * py + z * pz
        out[6 + k] = x * ux + y * uy + z * uz
        out[9 + k] = x * wx + y * wy + z * wz
        for j in range(3):
            turn[3 * k + j] = x * fb[j] + y * fb[3 + j] + z * fb[6 + j]
    out[3], out[4], out[5] = rotation_vector(turn)
    out[9], out[10], out[11] = inverse_tangent(out[3], out[4], out[5], out[9], out[10], out[11], 1.0)
    for k in range(6):
        out[k] -= tables.pool[bushing.rest_at + k]


@kernel
def add_bushings(tables, q, v, a, work, residual):
    for i in range(len(tables.bushings)):
        measure_bushing(tables, i, q, v, a, work)
        bushing, pool = tables.bushings[i], tables.pool
        e = work.record[bushing.at : bushing.at + BUSHING_RECORD]
        e[18] = 0.0
        for k in range(6):
            pull = pool[bushing.rest_at + 6 + k]
            for j in range(6):
                pull += pool[bushing.stiffness_at + 6 * k + j] * e[j]
                pull += pool[bushing.damping_at + 6 * k + j] * e[6 + j]
            e[12 + k] = -pull
            e[18] -= pull * e[6 + k]
        rest = bushing.rest_at + 3
        tx, ty, tz = e[3] + pool[rest], e[4] + pool[rest + 1], e[5] + pool[rest + 2]
        # the transpose of the left tangent's inverse is that of the right one
        e[15], e[16], e[17] = inverse_tangent(tx, ty, tz, e[15], e[16], e[17], -1.0)
        fa, fb = work.scratch[0], work.scratch[1]
        fx, fy, fz = to_world(fa, e[12], e[13], e[14])
        mx, my, mz = to_world(fa, e[15], e[16], e[17])
        dx, dy, dz = cross(fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11], fx, fy, fz)
        add_force(tables, bushing.b, q, fb, fx, fy, fz, mx, my, mz, work, residual)
        add_force(tables, bushing.a, q, fa, -fx, -fy, -fz, -mx - dx, -my - dy, -mz - dz, work, residual)


@kernel
def bushing_energy(tables, q, v, a, work):
    """Energy stored in all bushings, J."""
    total = 0.0
    for i in range(len(tables.bushings)):
        measure_bushing(tables, i, q, v, a, work)
        bushing, pool = tables.bushings[i], tables.pool
        for k in range(6):
            x = work.record[bushing.at + k]
            total += pool[bushing.rest_at + 6 + k] * x
            for j in range(6):
                total += 0.5 * x * pool[bushing.stiffness_at + 6 * k + j] * work.record[bushing.at + j]
    return total
