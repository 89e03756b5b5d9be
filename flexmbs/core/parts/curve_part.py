"""Axes along curves and surfaces as parts of the kinematics."""

from __future__ import annotations

from flexmbs.core.abi.kernel import c_function
from flexmbs.core.layout.tables import CURVE, INVERSE_CURVE
from flexmbs.core.mechanics.curve_axes import (
    back_through_curve,
    back_through_surface,
    through_curve,
    through_inverse_curve,
    through_surface,
)
from flexmbs.core.parts.words import WORDS, tables_at, workspace_at


@c_function(WORDS)
def curve_entry(tables, axis, back, number, work, _first, _second, _third):
    """There (core.mechanics.joint_axes.through_axis): the frame ``Workspace.marker[number]`` by ``curve_motion``.

    Back (back_through_axis): ``Workspace.curve_wrench`` moves, ``curve_motion`` gets the generalised forces.
    """
    mechanism, scratch = tables_at(tables), workspace_at(work)
    joint, state, motion = mechanism.axes[axis], scratch.axis[axis], scratch.curve_motion[0]
    on_surface = joint.kind != CURVE and joint.kind != INVERSE_CURVE
    if back != 0:
        wrench = scratch.curve_wrench[0]
        if on_surface:
            motion.force_u, motion.force_v = back_through_surface(state, wrench.point, wrench)
        else:
            motion.force_u = back_through_curve(state, wrench.point, wrench)
        return
    frame, pool = scratch.marker[number], mechanism.pool
    u, u_rate, u_accel = motion.u, motion.u_rate, motion.u_accel
    if joint.kind == CURVE:
        through_curve(pool, joint.at, joint.follow, u, u_rate, u_accel, frame, state, scratch.curve_point[0])
    elif joint.kind == INVERSE_CURVE:
        through_inverse_curve(pool, joint.at, joint.follow, u, u_rate, u_accel, frame, state, scratch.curve_point[0])
    else:
        v, v_rate, v_accel = motion.v, motion.v_rate, motion.v_accel
        point = scratch.surface_point[0]
        through_surface(pool, joint.at, u, v, u_rate, v_rate, u_accel, v_accel, frame, state, point)
