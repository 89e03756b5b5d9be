"""Point on surface: the origin of marker b moves on a surface of marker a; any rotation."""

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.surfaces import Surface
from flexmbs.mechanism.joint_type import Axis, JointType


def point_on_surface(name: str, surface: Surface) -> JointType:
    if not isinstance(surface, Surface):
        raise MechanismError(
            f"joint '{name}': surface must be a Surface, such as Surface.through(grid), got {type(surface).__name__}"
        )
    return JointType("point_on_surface", (Axis("surface", "u", curve=surface, second="v"), Axis("ball", "rotation")))
