"""Point forces and torques on markers: three signals, in world axes or those of the marker."""

from flexmbs.core.layout.frames import A
from flexmbs.core.layout.tables import FOLLOWER, VALUE
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import rotate
from flexmbs.machine_code.kernel import kernel


@kernel
def add_loads(tables, q, v, a, work, residual):
    frame = work.marker[A]
    for i in range(len(tables.loads)):
        load = tables.loads[i]
        marker_in_world(tables, load.marker, q, v, a, work, frame)
        x, y, z = work.signal[load.sx, VALUE], work.signal[load.sy, VALUE], work.signal[load.sz, VALUE]
        x, y, z = load.factor * x, load.factor * y, load.factor * z
        if load.frame == FOLLOWER:
            x, y, z = rotate(frame.R_WM, x, y, z)
        if load.is_torque != 0:
            add_force(tables, load.marker, q, frame, 0.0, 0.0, 0.0, x, y, z, work, residual)
        else:
            add_force(tables, load.marker, q, frame, x, y, z, 0.0, 0.0, 0.0, work, residual)
