"""Perpendicular axes: an axis of marker b stays at a right angle to an axis of marker a; translations are free."""

import numpy as np

from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, directions_in_plane, translations, unit_axis


def perpendicular(name: str, first: DirectionLike = "z", second: DirectionLike = "x") -> JointType:
    """Two rotations about the axes; axes that are not perpendicular at zero angles stand so after a constant turn."""
    one, two = np.array(unit_axis(first, name)), np.array(unit_axis(second, name))
    across = np.cross(one, two)
    length = np.linalg.norm(across)
    turn: tuple[Axis, ...] = ()
    if abs(one @ two) > 1e-12:
        direction = across / length if length > 1e-9 else np.array(directions_in_plane(first, name)[0])
        angle = 0.5 * np.pi - np.arctan2(length, one @ two)
        turn = (Axis("rotation", "angle1", tuple(direction), factor=0.0, offset=float(angle)),)
    return JointType(
        "perpendicular", (*translations(), Axis("rotation", "angle1", tuple(one)), *turn, Axis("rotation", "angle2", tuple(two)))
    )
