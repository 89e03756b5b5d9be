"""Curve on curve: a curve of marker b touches a curve of marker a, sliding or rolling: cams, wheels, pitch curves.

Both curves lie in one plane, in which the bodies stay. The chain leads along the curve of a, by half a turn where the
directions of travel run against each other, and back along the curve of b.
"""

import math

from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.joint_type import Axis, JointType, checked_curve


def curve_on_curve(
    name: str, curve_a: Curve, curve_b: Curve, rolling: bool = False, opposite: bool = True, start_b: float = 0.0
) -> JointType:
    """rolling: without slip, so that both arc lengths grow alike, from ``start_b`` (m) on curve b at s = 0 on curve a.

    opposite: at the contact the curves are travelled against each other, as are two counterclockwise outlines that
    touch from outside; False for an outline inside a ring.
    """
    curve_a, curve_b = checked_curve(curve_a, name, "curve_a"), checked_curve(curve_b, name, "curve_b")
    turn = (Axis("rotation", "s" if rolling else "sa", factor=0.0, offset=math.pi),) if opposite else ()
    if rolling:
        along = Axis("curve", "s", curve=curve_a, follow=True)
        back = Axis("inverse curve", "s", curve=curve_b, follow=True, factor=-1.0 if opposite else 1.0, offset=float(start_b))
    else:
        along = Axis("curve", "sa", curve=curve_a, follow=True)
        back = Axis("inverse curve", "sb", curve=curve_b, follow=True)
    return JointType("curve_on_curve", (along, *turn, back))
