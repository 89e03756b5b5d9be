"""Universal joint (Cardan, Hooke): a rotation about an axis of marker a, then one about an axis of marker b.

The two axes are those of the cross; the angle between them is the one that they have in the axes of a marker.
"""

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, unit_axis


def universal(name: str, first: DirectionLike = "x", second: DirectionLike = "y") -> JointType:
    one, two = unit_axis(first, name), unit_axis(second, name)
    if abs(sum(a * b for a, b in zip(one, two, strict=True))) > 1.0 - 1e-9:
        raise MechanismError(f"joint '{name}': both axes of the cross are {first!r}; they must not be parallel")
    return JointType("universal", (Axis("rotation", "angle1", one), Axis("rotation", "angle2", two)))
