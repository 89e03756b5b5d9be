"""In-line joint: the origin of marker b moves on a line of marker a; any rotation."""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, unit_axis


def inline(name: str, axis: DirectionLike = "x") -> JointType:
    return JointType("inline", (Axis("translation", "displacement", unit_axis(axis, name)), Axis("ball", "rotation")))
