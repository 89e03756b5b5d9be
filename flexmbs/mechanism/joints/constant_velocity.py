"""Constant-velocity joint: two shafts that meet at any angle and turn equally fast.

The shafts bend against each other about any axis across them but never twist: R = R_u(f1 / 2) R_v(f2) R_u(f1 / 2), with
u and v across the shaft, is a product q1 q2 q1 of unit quaternions whose component along the shaft always vanishes.
"""

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, directions_in_plane


def constant_velocity(name: str, axis: DirectionLike = "z") -> JointType:
    u, v = directions_in_plane(axis, name)
    half = Axis("rotation", "angle1", u, factor=0.5)
    return JointType("constant_velocity", (half, Axis("rotation", "angle2", v), half))
