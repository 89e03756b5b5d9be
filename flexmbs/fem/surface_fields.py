"""What is drawn of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SurfaceFields:
    """What is drawn and where stress is known: the outer faces of a solid or shell, the swept section of a beam.

    Attributes
    ----------
    points : (np, 3) m
    faces : (k,) int, VTK style [count, i, j, k, count, ...]
    modes : (n, np, 3)
    quadratic : (npairs, np, 3)
    stress_modes : (n, np, 6), Pa per unit q: xx, yy, zz, yz, xz, xy in the body frame
    elements : (number of faces,) int, number in the mesh file of the element that each face is a side of; None where it
        is not known (bodies without elements)
    """

    points: np.ndarray
    faces: np.ndarray
    modes: np.ndarray
    quadratic: np.ndarray
    stress_modes: np.ndarray
    elements: np.ndarray | None = None


def joined_surfaces(parts: Sequence[SurfaceFields], modes: int, pairs: int) -> SurfaceFields:
    """All points, fields and faces, one part after the other; nothing, of so many fields, where there are no parts."""
    if not parts:
        none = np.zeros((modes, 0, 3)), np.zeros((pairs, 0, 3)), np.zeros((modes, 0, 6))
        return SurfaceFields(np.zeros((0, 3)), np.zeros(0, int), *none)
    if len(parts) == 1:
        return parts[0]
    first = np.cumsum([0, *(len(part.points) for part in parts)])
    return SurfaceFields(
        points=np.concatenate([part.points for part in parts]),
        faces=np.concatenate([_moved(part.faces, start) for part, start in zip(parts, first, strict=False)]),
        modes=np.concatenate([part.modes for part in parts], axis=1),
        quadratic=np.concatenate([part.quadratic for part in parts], axis=1),
        stress_modes=np.concatenate([part.stress_modes for part in parts], axis=1),
        elements=np.concatenate([part.elements for part in parts]),
    )


def vtk_faces(polygons: np.ndarray) -> np.ndarray:
    """VTK faces [count, i, j, ...] of polygons (faces, count) with as many points each."""
    return np.column_stack([np.full(len(polygons), polygons.shape[1]), polygons]).ravel()


def _moved(faces: np.ndarray, start: int) -> np.ndarray:
    """VTK faces with ``start`` added to the points, not to the counts."""
    moved = np.asarray(faces, dtype=int) + start
    at = 0
    while at < len(moved):
        moved[at] -= start
        at += int(moved[at]) + 1
    return moved
