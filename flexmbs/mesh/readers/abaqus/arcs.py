"""Points between two ends on a straight line, a parabola or a circular arc (*NGEN)."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError


def along_straight(start: np.ndarray, end: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(k, 3) points at parts ``at`` (k,) of the way."""
    return start + at[:, None] * (end - start)


def along_parabola(start: np.ndarray, end: np.ndarray, middle: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(k, 3) points on the parabola that is at ``middle`` half of the way."""
    at = at[:, None]
    return start * (1 - at) * (1 - 2 * at) + 4 * middle * at * (1 - at) + end * at * (2 * at - 1)


def along_arc(start, end, centre, normal, at: np.ndarray, where: str) -> np.ndarray:
    """(k, 3) points on the arc about ``centre``, the shorter way unless ``normal`` (not zero) says which way around."""
    first, last = start - centre, end - centre
    axis = normal if np.linalg.norm(normal) > 0.0 else np.cross(first, last)
    length = np.linalg.norm(axis)
    if not (length > 0.0 and np.isfinite(length) and np.linalg.norm(first) > 0.0):
        raise MeshError(f"{where}: the arc is undetermined; give a centre that is not on the line, or its normal.")
    axis = axis / length
    across = np.cross(axis, first)
    angle = np.arctan2(last @ across / np.linalg.norm(first), last @ first / np.linalg.norm(first))
    angle = angle + 2.0 * np.pi if angle <= 0.0 else angle
    turned = angle * at[:, None]
    radius = 1.0 + at[:, None] * (np.linalg.norm(last) / np.linalg.norm(first) - 1.0)
    return centre + radius * (np.cos(turned) * first + np.sin(turned) * across)
