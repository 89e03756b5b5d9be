"""Orientation joint: the axes of marker b stay parallel to those of marker a; all translations are free."""

from flexmbs.mechanism.joint_type import JointType, translations


def orientation(name: str) -> JointType:
    return JointType("orientation", translations())
