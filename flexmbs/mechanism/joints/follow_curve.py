"""Follow curve: marker b moves on a curve of marker a and turns with it (x forward, z up): a car on a track."""

from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.joint_type import Axis, JointType, checked_curve


def follow_curve(name: str, curve: Curve) -> JointType:
    return JointType("follow_curve", (Axis("curve", "s", curve=checked_curve(curve, name), follow=True),))
