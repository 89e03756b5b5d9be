"""In-line joint: the origin of marker b moves on a line of marker a; any rotation."""

from flexmbs.mechanism.joint_type import Axis, JointType, unit_axis


def inline(name: str, axis="x") -> JointType:
    return JointType("inline", (Axis("translation", "displacement", unit_axis(axis, name)), Axis("ball", "rotation")))
