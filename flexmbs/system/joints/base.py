"""A tree joint: a chain of rotations and translations about axes, and the ball, from marker a to marker b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.errors import MechanismError

NAMED_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Axis:
    """One link of the chain.

    Attributes
    ----------
    kind : "rotation", "translation" or "ball"
    coordinate : str
        Name of its coordinate ("angle", "x", ...); a ball has the coordinate "rotation" (a quaternion).
        Axes of a joint that name the same coordinate move together (screw, constant-velocity joint).
    direction : (3,) unit vector in the frame before it (unused by a ball)
    factor, offset : the axis moves by factor * coordinate + offset (unused by a ball)
    """

    kind: str
    coordinate: str
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class JointType:
    """Name and chain of a joint; the coordinates lead from marker a to marker b."""

    name: str
    axes: tuple[Axis, ...]

    @property
    def ends_with_ball(self) -> bool:
        """Whether any rotation of marker b is free."""
        return bool(self.axes) and self.axes[-1].kind == "ball"

    @property
    def reversible(self) -> bool:
        """Whether the chain can be run through from marker b to marker a."""
        return all(axis.kind in ("rotation", "translation") for axis in self.axes)

    @property
    def coordinates(self) -> dict[str, str]:
        """Unit of every coordinate but a ball's, by name: that of the first axis that it moves."""
        found: dict[str, str] = {}
        for axis in self.axes:
            if axis.kind != "ball":
                found.setdefault(axis.coordinate, "rad" if axis.kind == "rotation" else "m")
        return found


def unit_axis(axis, joint: str) -> tuple[float, float, float]:
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
