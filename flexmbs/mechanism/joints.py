"""The joint types: chains of axes from marker a to marker b. A new joint is one function here."""

import inspect
import math
from collections.abc import Callable

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.geometry.rotations import as_nonzero, as_positive
from flexmbs.mechanism.geometry.surfaces import Surface
from flexmbs.mechanism.joint_type import Axis, DirectionLike, JointType, checked_curve, directions_in_plane, translations, unit_axis


def free(name: str) -> JointType:
    """Free joint: six freedoms; translations along the axes of marker a, then any rotation."""
    return JointType("free", (*translations(), Axis("ball", "rotation")))


def mass_point(name: str) -> JointType:
    """Joint of a point mass with ground: three translations and no rotation."""
    return JointType("mass_point", translations())


def fixed(name: str) -> JointType:
    """Fixed joint: marker b stays on marker a."""
    return JointType("fixed", ())


def revolute(name: str, axis: DirectionLike = "z") -> JointType:
    """Revolute joint: one rotation about an axis of marker a (positive by the right-hand rule)."""
    return JointType("revolute", (Axis("rotation", "angle", unit_axis(axis, name)),))


def prismatic(name: str, axis: DirectionLike = "x") -> JointType:
    """Prismatic joint: one translation along an axis of marker a."""
    return JointType("prismatic", (Axis("translation", "displacement", unit_axis(axis, name)),))


def cylindrical(name: str, axis: DirectionLike = "z") -> JointType:
    """Cylindrical joint: translation along and rotation about one axis of marker a."""
    direction = unit_axis(axis, name)
    return JointType("cylindrical", (Axis("translation", "displacement", direction), Axis("rotation", "angle", direction)))


def screw(name: str, pitch: float, axis: DirectionLike = "z") -> JointType:
    """Screw joint: rotation about an axis of marker a that advances ``pitch`` metres along it with every turn."""
    advance = as_nonzero(pitch, f"joint '{name}': pitch (m per turn)") / (2.0 * math.pi)
    direction = unit_axis(axis, name)
    return JointType("screw", (Axis("rotation", "angle", direction), Axis("translation", "angle", direction, factor=advance)))


def planar(name: str, normal: DirectionLike = "z") -> JointType:
    """Planar joint: two translations in a plane of marker a and the rotation about its normal."""
    u, v = directions_in_plane(normal, name)
    return JointType(
        "planar", (Axis("translation", "u", u), Axis("translation", "v", v), Axis("rotation", "angle", unit_axis(normal, name)))
    )


def spherical(name: str) -> JointType:
    """Spherical joint: any rotation of marker b against marker a, as a quaternion."""
    return JointType("spherical", (Axis("ball", "rotation"),))


def universal(name: str, first: DirectionLike = "x", second: DirectionLike = "y") -> JointType:
    """Universal joint (Cardan, Hooke): a rotation about an axis of marker a, then one about an axis of marker b.

    The two axes are those of the cross; the angle between them is the one that they have in the axes of a marker.
    """
    one, two = unit_axis(first, name), unit_axis(second, name)
    if abs(sum(a * b for a, b in zip(one, two, strict=True))) > 1.0 - 1e-9:
        raise MechanismError(f"joint '{name}': both axes of the cross are {first!r}; they must not be parallel")
    return JointType("universal", (Axis("rotation", "angle1", one), Axis("rotation", "angle2", two)))


def constant_velocity(name: str, axis: DirectionLike = "z") -> JointType:
    """Constant-velocity joint: two shafts that meet at any angle and turn equally fast.

    The shafts bend against each other about any axis across them but never twist: R = R_u(f1 / 2) R_v(f2) R_u(f1 / 2), with
    u and v across the shaft, is a product q1 q2 q1 of unit quaternions whose component along the shaft always vanishes.
    """
    u, v = directions_in_plane(axis, name)
    half = Axis("rotation", "angle1", u, factor=0.5)
    return JointType("constant_velocity", (half, Axis("rotation", "angle2", v), half))


def telescopic_shaft(name: str, first: DirectionLike = "x", second: DirectionLike = "y", axis: DirectionLike = "z") -> JointType:
    """Telescopic shaft: the two pins of a universal joint, then a translation along an axis of marker b.

    One half of a Cardan shaft with its sliding end.
    """
    return JointType(
        "telescopic_shaft",
        (
            Axis("rotation", "angle1", unit_axis(first, name)),
            Axis("rotation", "angle2", unit_axis(second, name)),
            Axis("translation", "displacement", unit_axis(axis, name)),
        ),
    )


def inline(name: str, axis: DirectionLike = "x") -> JointType:
    """In-line joint: the origin of marker b moves on a line of marker a; any rotation."""
    return JointType("inline", (Axis("translation", "displacement", unit_axis(axis, name)), Axis("ball", "rotation")))


def inplane(name: str, normal: DirectionLike = "z") -> JointType:
    """In-plane joint: the origin of marker b moves in a plane of marker a; any rotation."""
    u, v = directions_in_plane(normal, name)
    return JointType("inplane", (Axis("translation", "u", u), Axis("translation", "v", v), Axis("ball", "rotation")))


def orientation(name: str) -> JointType:
    """Orientation joint: the axes of marker b stay parallel to those of marker a; all translations are free."""
    return JointType("orientation", translations())


def parallel(name: str, axis: DirectionLike = "z") -> JointType:
    """Parallel axes: an axis of marker b stays parallel to the same axis of marker a; all translations are free."""
    return JointType("parallel", (*translations(), Axis("rotation", "angle", unit_axis(axis, name))))


def perpendicular(name: str, first: DirectionLike = "z", second: DirectionLike = "x") -> JointType:
    """Perpendicular axes: an axis of marker b stays at a right angle to an axis of marker a; translations are free.

    Two rotations about the axes; axes that are not perpendicular at zero angles stand so after a constant turn.
    """
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


def follow_curve(name: str, curve: Curve) -> JointType:
    """Follow curve: marker b moves on a curve of marker a and turns with it (x forward, z up): a car on a track."""
    return JointType("follow_curve", (Axis("curve", "s", curve=checked_curve(curve, name), follow=True),))


def point_on_curve(name: str, curve: Curve) -> JointType:
    """Point on curve: the origin of marker b moves on a curve of marker a like a bead on a wire; any rotation."""
    along = Axis("curve", "s", curve=checked_curve(curve, name))
    return JointType("point_on_curve", (along, Axis("ball", "rotation")))


def curve_on_curve(
    name: str, curve_a: Curve, curve_b: Curve, rolling: bool = False, opposite: bool = True, start_b: float = 0.0
) -> JointType:
    """Curve on curve: a curve of marker b touches a curve of marker a, sliding or rolling: cams, wheels, pitch curves.

    Both curves lie in one plane, in which the bodies stay. The chain leads along the curve of a, by half a turn where the
    directions of travel run against each other, and back along the curve of b.

    rolling: without slip, so that both arc lengths grow alike, from ``start_b`` (m) on curve b at s = 0 on curve a.

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


def cam_roller(name: str, curve: Curve, radius: float, side: str = "right") -> JointType:
    """Cam with roller: the centre of a roller, marker b, keeps its radius from a curve of marker a, in its plane.

    side: of the direction of travel along the curve; "right" is outside a counterclockwise outline.
    """
    if side not in ("left", "right"):
        raise MechanismError(f"joint '{name}': side = {side!r}; expected 'left' or 'right' of the direction of travel")
    radius = as_positive(radius, f"joint '{name}': radius (m) of the roller")
    path = checked_curve(curve, name).offset(radius if side == "left" else -radius)
    return JointType("cam_roller", (Axis("curve", "s", curve=path, follow=True), Axis("rotation", "angle")))


def point_on_surface(name: str, surface: Surface) -> JointType:
    """Point on surface: the origin of marker b moves on a surface of marker a; any rotation."""
    if not isinstance(surface, Surface):
        raise MechanismError(
            f"joint '{name}': surface must be a Surface, such as Surface.through(grid), got {type(surface).__name__}"
        )
    return JointType("point_on_surface", (Axis("surface", "u", curve=surface, second="v"), Axis("ball", "rotation")))


#: By name: the functions above, but for ``mass_point``, which connects what has no orientation.
JOINT_TYPES: dict[str, Callable[..., JointType]] = {
    name: joint
    for name, joint in sorted(vars().copy().items())
    if inspect.isfunction(joint) and joint.__module__ == __name__ and joint is not mass_point
}
