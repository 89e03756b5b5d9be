"""Joint of a point mass with ground: three translations and no rotation."""

from flexmbs.mechanism.joint_type import JointType, translations


def mass_point(name: str) -> JointType:
    return JointType("mass_point", translations())
