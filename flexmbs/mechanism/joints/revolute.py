"""Revolute joint: one rotation about an axis of marker a (positive by the right-hand rule)."""

from flexmbs.mechanism.joint_type import Axis, JointType, unit_axis


def revolute(name: str, axis="z") -> JointType:
    return JointType("revolute", (Axis("rotation", "angle", unit_axis(axis, name)),))
