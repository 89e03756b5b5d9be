"""A joint type: a chain of rotations, translations, curve points and at most one ball joint, from marker a to b."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.geometry.surfaces import Surface

#: "x", "y", "z", their negatives ("-x"), or three numbers.
DirectionLike: TypeAlias = str | ArrayLike

NAMED_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Axis:
    """One link of the chain.

    Attributes
    ----------
    kind : "rotation", "translation", "curve", "inverse curve", "surface" or "ball" (last only)
        "curve" moves to the point of a curve whose arc length (m) is the coordinate; "inverse curve" moves from that
        point to the axes in which the curve is stated; "surface" moves to a point of a surface, without turning.
    coordinate : str
        Name of its coordinate ("angle", "x", ...); a ball has the coordinate "rotation" (a quaternion).
        Axes of a joint that name the same coordinate move together (screw, constant-velocity joint).
    direction : (3,) unit vector in the frame before it (of rotations and translations)
    factor, offset : the axis moves by factor * coordinate + offset (unused by a ball and a surface)
    curve : of curves and surfaces
    follow : whether the frame turns with the curve (x along its tangent) or keeps its directions
    second : name of the second coordinate of a surface
    """

    kind: str
    coordinate: str
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    factor: float = 1.0
    offset: float = 0.0
    curve: Curve | Surface | None = None
    follow: bool = False
    second: str | None = None


@dataclass(frozen=True)
class JointType:
    """Name and chain of a joint; the coordinates lead from marker a to marker b.

    ``play`` names the coordinates that only a clearance leaves free (flexmbs.mechanism.clearance).
    """

    name: str
    axes: tuple[Axis, ...]
    play: tuple[str, ...] = ()

    @property
    def ends_with_ball(self) -> bool:
        """Whether the rotation of marker b is completely free."""
        return bool(self.axes) and self.axes[-1].kind == "ball"

    @property
    def coordinates(self) -> dict[str, str]:
        """Unit of each coordinate except that of a ball joint, by name: that of the first axis it moves."""
        found: dict[str, str] = {}
        for axis in self.axes:
            if axis.kind != "ball":
                found.setdefault(axis.coordinate, "rad" if axis.kind == "rotation" else "m")
            if axis.second is not None:
                found.setdefault(axis.second, "m")
        return found


def translations() -> tuple[Axis, Axis, Axis]:
    """Translations x, y, z along the axes of marker a."""
    x, y, z = (Axis("translation", letter, NAMED_AXES[letter]) for letter in "xyz")
    return x, y, z


def unit_axis(axis: DirectionLike, joint: str) -> tuple[float, float, float]:
    """Unit vector of "x", "y", "z", their negatives ("-x"), or three numbers; MechanismError when it has no length."""
    if isinstance(axis, str):
        sign, letter = (-1.0, axis[1:]) if axis.startswith("-") else (1.0, axis)
        if letter not in NAMED_AXES:
            raise MechanismError(f"joint '{joint}': axis '{axis}' is unknown; give 'x', 'y', 'z', '-x' ... or a vector")
        return tuple(sign * np.array(NAMED_AXES[letter]))
    vector = np.asarray(axis, dtype=float)
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise MechanismError(f"joint '{joint}': axis {axis!r} has no direction; give three numbers, not all zero")
    return tuple(vector / length)


def directions_in_plane(normal: DirectionLike, joint: str) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Two unit vectors u, v with u × v = normal: of "z" they are x and y, of "x" y and z, of "y" z and x."""
    n = np.array(unit_axis(normal, joint))
    u = np.eye(3)[(int(np.argmax(np.abs(n))) + 1) % 3]
    u = u - (u @ n) * n
    u /= np.linalg.norm(u)
    return tuple(u), tuple(np.cross(n, u))


def checked_curve(curve: object, joint: str, what: str = "curve") -> Curve:
    """A Curve; MechanismError otherwise."""
    if not isinstance(curve, Curve):
        raise MechanismError(f"joint '{joint}': {what} must be a Curve, such as Curve.through(points), got {type(curve).__name__}")
    return curve
