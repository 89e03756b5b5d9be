"""Cam with roller: the centre of a roller, marker b, keeps its radius from a curve of marker a, in its plane."""

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.geometry.rotations import as_positive
from flexmbs.mechanism.joint_type import Axis, JointType, checked_curve


def cam_roller(name: str, curve: Curve, radius: float, side: str = "right") -> JointType:
    """side: of the direction of travel along the curve; "right" is outside a counterclockwise outline."""
    if side not in ("left", "right"):
        raise MechanismError(f"joint '{name}': side = {side!r}; expected 'left' or 'right' of the direction of travel")
    radius = as_positive(radius, f"joint '{name}': radius (m) of the roller")
    path = checked_curve(curve, name).offset(radius if side == "left" else -radius)
    return JointType("cam_roller", (Axis("curve", "s", curve=path, follow=True), Axis("rotation", "angle")))
