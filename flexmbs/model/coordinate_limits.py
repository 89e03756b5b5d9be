"""Where curves and surfaces end: coordinates beyond which a run stops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.mechanism.geometry.surfaces import Surface
from flexmbs.mechanism.joint_type import Axis


@dataclass(frozen=True)
class CoordinateEnd:
    """A coordinate of ``joint`` (its number) and the values between which it has a curve to move on."""

    joint: str
    coordinate: int
    low: float
    high: float
    what: str

    def slack(self) -> float:
        """Rounding that is forgiven, m."""
        return 1e-9 * (self.high - self.low)


def ends_of_axis(joint: str, axis: Axis, coordinate: int, second: int) -> list[CoordinateEnd]:
    """Ends of the open curve or surface along which an axis moves."""
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
    """First row of ``q`` (rows, coordinates) where a coordinate is beyond an end, and that end; None: no row."""
    found = None
    for end in ends:
        values = q[:, end.coordinate]
        outside = np.flatnonzero((values < end.low - end.slack()) | (values > end.high + end.slack()))
        if len(outside) and (found is None or outside[0] < found[0]):
            found = int(outside[0]), end
    return found


def end_passed(end: CoordinateEnd, q: np.ndarray) -> str:
    """What has happened at coordinates ``q``, for messages."""
    return (
        f"joint '{end.joint}' has left {end.what}: it is at {q[end.coordinate]:.6g} m, and there is something to move "
        f"on from {end.low:.6g} m to {end.high:.6g} m only"
    )
