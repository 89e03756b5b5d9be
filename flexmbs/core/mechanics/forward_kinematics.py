"""Forward pass: the motion of every body frame from the coordinates, from ground outwards."""

from __future__ import annotations

from flexmbs.core.abi.arrays import Floats, Floats2
from flexmbs.core.abi.kernel import entry
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.mechanics.joint_axes import through_axis
from flexmbs.core.mechanics.markers import detach, detach_rigid, marker_in_world, marker_motion
from flexmbs.core.mechanics.quadratic_forms import weigh_forms


@entry
def forward_kinematics(tables: Tables, q: Floats, v: Floats, a: Floats, reference: Floats2, work: Workspace) -> None:
    """Fill ``work.form`` and ``work.frame`` for all bodies; gravity enters as an upward acceleration of ground."""
    weigh_forms(tables, q, v, a, work)
    ground = work.frame[0]
    for i in range(24):
        ground[i] = 0.0
    ground[0] = ground[4] = ground[8] = 1.0
    for i in range(3):
        ground[21 + i] = -tables.gravity[i]
    f = work.scratch[0]
    turn = work.scratch[1]
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        marker_in_world(tables, body.parent_marker, q, v, a, work, f)
        for axis in range(body.axis_start, body.axis_end):
            through_axis(tables, axis, q, v, a, reference, f, work.axis[axis], turn, work)
        for i in range(3):
            work.joint_point[b, i] = f[9 + i]
        own = tables.markers[body.own_marker]
        if own.flexible == 0:
            detach_rigid(f, tables.pool, own.frame_at, work.frame[b])
        else:
            marker_motion(tables, body.own_marker, q, v, a, work)
            detach(f, work.local, work.frame[b])
