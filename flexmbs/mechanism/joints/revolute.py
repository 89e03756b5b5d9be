"""Revolute joint: one rotation about an axis of marker a (positive by the right-hand rule)."""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, unit_axis


def revolute(name: str, axis: DirectionLike = "z") -> JointType:
    return JointType("revolute", (Axis("rotation", "angle", unit_axis(axis, name)),))
