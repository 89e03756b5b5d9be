"""Applied forces: point loads, spring-dampers between markers, springs and dampers in joint coordinates."""

from __future__ import annotations

import math

from flexmbs.kernels.contact import add_force
from flexmbs.kernels.jit import kernel
from flexmbs.kernels.markers import marker_in_world
from flexmbs.kernels.tables import FOLLOWER


@kernel
def add_loads(tables, q, v, a, work, residual):
    """Point forces and torques; the signals in ``work.signal`` are current."""
    f = work.scratch[0]
    for i in range(len(tables.loads)):
        load = tables.loads[i]
        marker_in_world(tables, load.marker, q, v, a, work, f)
        x, y, z = work.signal[load.sx, 0], work.signal[load.sy, 0], work.signal[load.sz, 0]
        if load.frame == FOLLOWER:
            gx = f[0] * x + f[1] * y + f[2] * z
            gy = f[3] * x + f[4] * y + f[5] * z
            z = f[6] * x + f[7] * y + f[8] * z
            x, y = gx, gy
        if load.is_torque != 0:
            add_force(tables, load.marker, q, f, 0.0, 0.0, 0.0, x, y, z, work, residual)
        else:
            add_force(tables, load.marker, q, f, x, y, z, 0.0, 0.0, 0.0, work, residual)


@kernel
def add_springs(tables, q, v, a, work, residual):
    """Spring-dampers: force k (l - l0) + c l' along the line between two markers."""
    fa, fb = work.scratch[0], work.scratch[1]
    for i in range(len(tables.springs)):
        spring = tables.springs[i]
        marker_in_world(tables, spring.a, q, v, a, work, fa)
        marker_in_world(tables, spring.b, q, v, a, work, fb)
        dx, dy, dz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        if length == 0.0:
            continue  # coincident ends: the line of action has no direction, and a spring of free length 0 no force
        rate = (dx * (fb[15] - fa[15]) + dy * (fb[16] - fa[16]) + dz * (fb[17] - fa[17])) / length
        pull = (spring.stiffness * (length - spring.length) + spring.damping * rate) / length
        add_force(tables, spring.a, q, fa, pull * dx, pull * dy, pull * dz, 0.0, 0.0, 0.0, work, residual)
        add_force(tables, spring.b, q, fb, -pull * dx, -pull * dy, -pull * dz, 0.0, 0.0, 0.0, work, residual)


@kernel
def add_coordinate_springs(tables, q, v, residual):
    """Springs and dampers that act on a joint coordinate."""
    for i in range(len(tables.coordinates)):
        c = tables.coordinates[i]
        residual[i] += c.stiffness * (q[i] - c.rest) + c.damping * v[i]


@kernel
def spring_energy(tables, q, v, a, work):
    """Elastic energy of all springs, J."""
    fa, fb = work.scratch[0], work.scratch[1]
    total = 0.0
    for i in range(len(tables.springs)):
        spring = tables.springs[i]
        marker_in_world(tables, spring.a, q, v, a, work, fa)
        marker_in_world(tables, spring.b, q, v, a, work, fb)
        dx, dy, dz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
        stretch = math.sqrt(dx * dx + dy * dy + dz * dz) - spring.length
        total += 0.5 * spring.stiffness * stretch * stretch
    for i in range(len(tables.coordinates)):
        c = tables.coordinates[i]
        total += 0.5 * c.stiffness * (q[i] - c.rest) ** 2
    return total
