"""Limits of coordinates at the ends of curves and surfaces, where a run stops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.mechanism.geometry.surfaces import Surface
from flexmbs.mechanism.joint_type import Axis


@dataclass(frozen=True)
class CoordinateEnd:
    """A coordinate of ``joint`` (its number) and its range on a curve or surface."""

    joint: str
    coordinate: int
    low: float
    high: float
    what: str

    def slack(self) -> float:
        """Tolerance for rounding, m."""
        return 1e-9 * (self.high - self.low)


def ends_of_axis(joint: str, axis: Axis, coordinate: int, second: int) -> list[CoordinateEnd]:
    """Ends of the open curve or surface along which an axis moves; empty if there are none."""
    if isinstance(axis.curve, Surface):
        if axis.curve.coefficients.shape[:2] == (1, 1):  # a plane has no ends
            return []
        closed, breaks = axis.curve.closed, (axis.curve.u_breaks, axis.curve.v_breaks)
        return [
            CoordinateEnd(joint, number, float(b[0]), float(b[-1]), f"the surface in {name}")
            for number, name, shut, b in zip((coordinate, second), "uv", closed, breaks, strict=True)
            if not shut
        ]
    if axis.curve.closed or axis.factor == 0.0:
        return []
    first, last = sorted((end - axis.offset) / axis.factor for end in (0.0, axis.curve.length))
    return [CoordinateEnd(joint, coordinate, first, last, "the curve")]


def coordinate_beyond(ends, q: np.ndarray) -> tuple[int, CoordinateEnd] | None:
    """First row of ``q`` (rows, coordinates) with a coordinate beyond an end, and that end; None if there is none."""
    found = None
    for end in ends:
        values = q[:, end.coordinate]
        outside = np.flatnonzero((values < end.low - end.slack()) | (values > end.high + end.slack()))
        if len(outside) and (found is None or outside[0] < found[0]):
            found = int(outside[0]), end
    return found


def end_passed(end: CoordinateEnd, q: np.ndarray) -> str:
    """Message that a coordinate has passed its end at coordinates ``q``."""
    return (
        f"joint '{end.joint}' has left {end.what}: it is at {q[end.coordinate]:.6g} m, but {end.what} covers only "
        f"{end.low:.6g} m to {end.high:.6g} m"
    )
