"""Forward pass: the motion of every body frame from the coordinates, from ground outwards."""

from __future__ import annotations

from flexmbs.core.layout.frames import A
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.mechanics.joint_axes import through_axis
from flexmbs.core.mechanics.markers import detach, detach_rigid, marker_in_world, marker_motion
from flexmbs.core.mechanics.quadratic_forms import weigh_fields
from flexmbs.core.mechanics.vectors import put
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2


@entry
def forward_kinematics(tables: Tables, q: Floats, v: Floats, a: Floats, reference: Floats2, work: Workspace) -> None:
    """Fill ``work.weight`` and ``work.frame`` for all bodies; gravity enters as an upward acceleration of ground."""
    weigh_fields(tables, q, v, a, work)
    place_ground(work.frame[0], tables.gravity)
    for b in range(1, len(tables.bodies)):
        move_body(tables, b, q, v, a, reference, work)


@kernel
def move_body(tables, b, q, v, a, reference, work):
    """Frame of body ``b`` from that of its parent, and the point of its joint."""
    body, frame = tables.bodies[b], work.marker[A]
    marker_in_world(tables, body.parent_marker, q, v, a, work, frame)
    for axis in range(body.axis_start, body.axis_end):
        through_axis(tables, axis, q, v, a, reference, A, work)
    for i in range(3):
        work.joint_point[b, i] = frame.p_WM[i]
    own = tables.markers[body.own_marker]
    if own.flexible == 0:
        detach_rigid(frame, own, work.frame[b])
    else:
        marker_motion(tables, body.own_marker, work)
        detach(frame, work.marker_in_body[0], work.frame[b])


@kernel
def place_ground(frame, gravity):
    """The frame of ground: that of the world, accelerated upwards."""
    for i in range(3):
        for j in range(3):
            frame.R_WB[i, j] = 1.0 if i == j else 0.0
        frame.a_WB[i] = -gravity[i]
    put(frame.p_WB, 0.0, 0.0, 0.0)
    put(frame.w_WB, 0.0, 0.0, 0.0)
    put(frame.v_WB, 0.0, 0.0, 0.0)
    put(frame.alpha_WB, 0.0, 0.0, 0.0)
