"""Screw joint: rotation about an axis of marker a that advances ``pitch`` metres along it with every turn."""

import math

from flexmbs.mechanism.geometry.rotations import as_nonzero
from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, unit_axis


def screw(name: str, pitch: float, axis: DirectionLike = "z") -> JointType:
    advance = as_nonzero(pitch, f"joint '{name}': pitch (m per turn)") / (2.0 * math.pi)
    direction = unit_axis(axis, name)
    return JointType("screw", (Axis("rotation", "angle", direction), Axis("translation", "angle", direction, factor=advance)))
