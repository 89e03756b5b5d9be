"""Fixed joint: marker b stays on marker a."""

from flexmbs.mechanism.joint_type import JointType


def fixed(name: str) -> JointType:
    return JointType("fixed", ())
