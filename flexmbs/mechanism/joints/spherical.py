"""Spherical joint: any rotation of marker b against marker a, as a quaternion."""

from flexmbs.mechanism.joint_type import Axis, JointType


def spherical(name: str) -> JointType:
    return JointType("spherical", (Axis("ball", "rotation"),))
