"""Cylindrical joint: translation along and rotation about one axis of marker a."""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, unit_axis


def cylindrical(name: str, axis: DirectionLike = "z") -> JointType:
    direction = unit_axis(axis, name)
    return JointType("cylindrical", (Axis("translation", "displacement", direction), Axis("rotation", "angle", direction)))
