"""In-plane joint: the origin of marker b moves in a plane of marker a; any rotation."""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, directions_in_plane


def inplane(name: str, normal: DirectionLike = "z") -> JointType:
    u, v = directions_in_plane(normal, name)
    return JointType("inplane", (Axis("translation", "u", u), Axis("translation", "v", v), Axis("ball", "rotation")))
