"""Point forces and torques on markers: three signals, in world axes or those of the marker."""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import add_force
from flexmbs.core.laws.force.measure import to_world
from flexmbs.core.layout.tables import FOLLOWER
from flexmbs.core.mechanics.markers import marker_in_world


@kernel
def add_loads(tables, q, v, a, work, residual):
    f = work.scratch[0]
    for i in range(len(tables.loads)):
        load = tables.loads[i]
        marker_in_world(tables, load.marker, q, v, a, work, f)
        x, y, z = work.signal[load.sx, 0], work.signal[load.sy, 0], work.signal[load.sz, 0]
        x, y, z = load.factor * x, load.factor * y, load.factor * z
        if load.frame == FOLLOWER:
            x, y, z = to_world(f, x, y, z)
        if load.is_torque != 0:
            add_force(tables, load.marker, q, f, 0.0, 0.0, 0.0, x, y, z, work, residual)
        else:
            add_force(tables, load.marker, q, f, x, y, z, 0.0, 0.0, 0.0, work, residual)
