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
from flexmbs.core.parts.words import WORDS, floats_at, tables_at


@c_function(WORDS)
def curve_entry(tables, axis, back, motion, world, frame, _first, _second):
    """There (core.mechanics.joint_axes.through_axis): frame (24) and motion (6: coordinates, rates, accelerations).

    Back (back_through_axis): frame holds point (3) and wrench (6), motion gets the generalised forces (2).
    """
    mechanism = tables_at(tables)
    joint = mechanism.axes[axis]
    keeps, m = floats_at(world, 24), floats_at(motion, 6)
    on_surface = joint.kind != CURVE and joint.kind != INVERSE_CURVE
    if back != 0:
        f = floats_at(frame, 9)
        if on_surface:
            m[0], m[1] = back_through_surface(keeps, f[0:3], f[3:9])
        else:
            m[0] = back_through_curve(keeps, f[0:3], f[3:9])
        return
    f = floats_at(frame, 24)
    if joint.kind == CURVE:
        through_curve(mechanism.pool, joint.at, joint.follow, m[0], m[2], m[4], f, keeps)
    elif joint.kind == INVERSE_CURVE:
        through_inverse_curve(mechanism.pool, joint.at, joint.follow, m[0], m[2], m[4], f, keeps)
    else:
        through_surface(mechanism.pool, joint.at, m[0], m[1], m[2], m[3], m[4], m[5], f, keeps)
