"""Telescopic shaft: the two pins of a universal joint, then a translation along an axis of marker b.

One half of a Cardan shaft with its sliding end.
"""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, unit_axis


def telescopic_shaft(name: str, first: DirectionLike = "x", second: DirectionLike = "y", axis: DirectionLike = "z") -> JointType:
    return JointType(
        "telescopic_shaft",
        (
            Axis("rotation", "angle1", unit_axis(first, name)),
            Axis("rotation", "angle2", unit_axis(second, name)),
            Axis("translation", "displacement", unit_axis(axis, name)),
        ),
    )
