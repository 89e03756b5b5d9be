"""Planar joint: two translations in a plane of marker a and the rotation about its normal."""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, directions_in_plane, unit_axis


def planar(name: str, normal: DirectionLike = "z") -> JointType:
    u, v = directions_in_plane(normal, name)
    return JointType(
        "planar", (Axis("translation", "u", u), Axis("translation", "v", v), Axis("rotation", "angle", unit_axis(normal, name)))
    )
