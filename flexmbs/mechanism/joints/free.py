"""Free joint: six freedoms; translations along the axes of marker a, then any rotation."""

from flexmbs.mechanism.joint_type import Axis, JointType, translations


def free(name: str) -> JointType:
    return JointType("free", (*translations(), Axis("ball", "rotation")))
