"""What is drawn of a body."""

from __future__ import annotations

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
