"""Joint of a point mass with ground: three translations and no rotation."""

from flexmbs.system.joints.base import NAMED_AXES, Axis, JointType


def mass_point(name: str) -> JointType:
    return JointType("mass_point", tuple(Axis("translation", letter, NAMED_AXES[letter]) for letter in "xyz"))
