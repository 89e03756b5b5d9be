"""Parallel axes: an axis of marker b stays parallel to the same axis of marker a; all translations are free."""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, translations, unit_axis


def parallel(name: str, axis: DirectionLike = "z") -> JointType:
    return JointType("parallel", (*translations(), Axis("rotation", "angle", unit_axis(axis, name))))
