"""The triangular shell with six nodes.

Transverse shear and rotations are those of the plate MITC7 (Bathe, Brezzi and Cho, Computers and Structures 32, 1989):
quadratic deflection, rotations with the cubic bubble eliminated, shear in the rotated Raviart-Thomas space by two
samples on each side and its mean. Membrane strain is linear, sampled likewise (Regge interpolation: Neunteufel and
Schoberl, CMAME 373, 2021; two samples on each side as in MITC6 of Lee and Bathe, Computers and Structures 82, 2004).
"""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.assumed_strains import means, sampling
from flexmbs.fem.shells.shell_elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.mesh.element_kinds import KINDS

KIND = "tri6"
_A, _B = (6.0 - np.sqrt(15.0)) / 21.0, (6.0 + np.sqrt(15.0)) / 21.0
#: Radon's rule of degree 5
POINTS = np.array([(1 / 3, 1 / 3), *((p, q) for c in (_A, _B) for p, q in ((c, c), (1 - 2 * c, c), (c, 1 - 2 * c)))])
_WEIGHTS = np.array([9 / 80, *[(155 - np.sqrt(15.0)) / 2400] * 3, *[(155 + np.sqrt(15.0)) / 2400] * 3])
_NODES = KINDS[KIND].reference_nodes
#: values at the points to the nodes, the best linear fit
TO_CORNERS = np.column_stack([np.ones(6), _NODES]) @ np.linalg.pinv(np.column_stack([np.ones(7), POINTS]))
_LOW, _HIGH = 0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)


def _linear(at: np.ndarray) -> np.ndarray:
    ones = np.column_stack([np.ones(len(at)), at])
    return np.einsum("cd,mk->mcdk", np.eye(3), ones).reshape(len(at), 3, 9)


def _turned_raviart_thomas(at: np.ndarray) -> np.ndarray:
    r, s = at.T
    none, one = np.zeros(len(at)), np.ones(len(at))
    along_r = [one, r, s, none, none, none, s * r, s * s]
    along_s = [none, none, none, one, r, s, -r * r, -r * s]
    return np.stack([np.column_stack(along_r), np.column_stack(along_s)], axis=1)


def _bubble(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m,) values and (m, 2) derivatives of 27 r s (1 - r - s)."""
    r, s = at.T
    q = 1.0 - r - s
    return 27.0 * r * s * q, 27.0 * np.column_stack([s * q - r * s, r * q - r * s])


# Gauss points of the sides 0-1, 0-2, 1-2; what stretches a side and what shears it
_SIDES = (
    (((_LOW, 0.0), (_HIGH, 0.0)), (1.0, 0.0, 0.0), (1.0, 0.0)),
    (((0.0, _LOW), (0.0, _HIGH)), (0.0, 1.0, 0.0), (0.0, 1.0)),
    (((_HIGH, _LOW), (_LOW, _HIGH)), (1.0, 1.0, -1.0), (-1.0, 1.0)),
)
SAMPLING = sampling(
    KIND,
    POINTS,
    (_linear, [[(p, stretch)] for side, stretch, _ in _SIDES for p in side] + means(POINTS, _WEIGHTS, 3)),
    (_turned_raviart_thomas, [[(p, shear)] for side, _, shear in _SIDES for p in side] + means(POINTS, _WEIGHTS, 2)),
    _bubble,
    balanced=False,
)


def rule(group: ShellGroup) -> tuple[SurfacePoints, np.ndarray]:
    """Integration points and their areas (ne, 7)."""
    points = surface_points(group, POINTS)
    return points, points.area * _WEIGHTS
