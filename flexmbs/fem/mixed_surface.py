"""The surfaces of several parts as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.fem.surface_fields import SurfaceFields


def joined_surfaces(parts: Sequence[SurfaceFields]) -> SurfaceFields:
    """All points, fields and faces, one part after the other."""
    known = [part.elements for part in parts if len(part.faces)]
    first = np.cumsum([0, *(len(part.points) for part in parts)])
    return SurfaceFields(
        points=np.concatenate([part.points for part in parts]),
        faces=np.concatenate([_moved(part.faces, start) for part, start in zip(parts, first, strict=False)]),
        modes=np.concatenate([part.modes for part in parts], axis=1),
        quadratic=np.concatenate([part.quadratic for part in parts], axis=1),
        stress_modes=np.concatenate([part.stress_modes for part in parts], axis=1),
        elements=None if any(numbers is None for numbers in known) else np.concatenate([np.zeros(0, int), *known]),
    )


def _moved(faces: np.ndarray, start: int) -> np.ndarray:
    """VTK faces [count, i, j, ..., count, ...] with ``start`` added to the points, not to the counts."""
    moved = np.asarray(faces, dtype=int) + start
    at = 0
    while at < len(moved):
        moved[at] -= start
        at += int(moved[at]) + 1
    return moved
