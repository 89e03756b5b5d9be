"""Point on curve: the origin of marker b moves on a curve of marker a like a bead on a wire; any rotation."""

from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.joint_type import Axis, JointType, checked_curve


def point_on_curve(name: str, curve: Curve) -> JointType:
    along = Axis("curve", "s", curve=checked_curve(curve, name))
    return JointType("point_on_curve", (along, Axis("ball", "rotation")))
