"""Free joint: six freedoms; translations along the axes of marker a, then any rotation."""

from flexmbs.system.joints.base import NAMED_AXES, Axis, JointType


def free(name: str) -> JointType:
    moves = tuple(Axis("translation", letter, NAMED_AXES[letter]) for letter in "xyz")
    return JointType("free", (*moves, Axis("ball", "rotation")))
