"""Prismatic joint: one translation along an axis of marker a."""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, unit_axis


def prismatic(name: str, axis: DirectionLike = "x") -> JointType:
    return JointType("prismatic", (Axis("translation", "displacement", unit_axis(axis, name)),))
