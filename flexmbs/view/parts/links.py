"""Springs, dampers, rods and cables between marks: the lines along which they are drawn, at any length."""

from __future__ import annotations

import numpy as np

from flexmbs.view.parts.solids import axes_along

TURNS, PER_TURN = 9, 16
STRAIGHT = 0.12  # part of the length at each end of a coil


def coil(start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """(k, 3) m, the wire of a coil spring of ``radius`` (m) from ``start`` to ``end`` (3,).

    It always has the same number of points, so that a spring that gets longer moves them only.
    """
    span = end - start
    length = float(np.linalg.norm(span))
    axes = axes_along(span if length > 0.0 else np.array([0.0, 0.0, 1.0]))
    turn = np.linspace(0.0, 1.0, TURNS * PER_TURN + 1)
    angle = 2.0 * np.pi * TURNS * turn
    fade = np.minimum(1.0, 12.0 * np.minimum(turn, 1.0 - turn))  # the wire leaves the axis and comes back to it
    along = length * (STRAIGHT + (1.0 - 2.0 * STRAIGHT) * turn)
    local = np.stack([fade * radius * np.cos(angle), fade * radius * np.sin(angle), along], axis=1)
    return np.concatenate([start[None], start + local @ axes.T, end[None]])
