"""The quadrilateral shell with four nodes.

Transverse shear is sampled at the middles of the sides (MITC4: Dvorkin and Bathe, Engineering Computations 1, 1984);
the membrane has four enhanced strains (Simo and Rifai, IJNME 29, 1990), so that it bends right in its plane; the
rotation about the normal is tied to that of the surface (Hughes and Brezzi, CMAME 72, 1989). The surface may be warped.
"""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.internal_modes import drilling, without_internal
from flexmbs.fem.shells.shell_elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.mesh.element_kinds import KINDS

KIND = "quad4"
EDGES = np.array([(0, 1), (3, 2), (0, 3), (1, 2)])
_G = 1.0 / np.sqrt(3.0)
POINTS = _G * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
#: values at the points to the corners, bilinear
TO_CORNERS = (
    0.25
    * (1 + 3 * _G * np.sign(POINTS[:, None, 0] * POINTS[None, :, 0]))
    * (1 + 3 * _G * np.sign(POINTS[:, None, 1] * POINTS[None, :, 1]))
)


def rule(group: ShellGroup) -> tuple[SurfacePoints, np.ndarray]:
    """Integration points and their areas (ne, 4)."""
    points = surface_points(group, POINTS)
    return points, points.area


def tied_strains(group: ShellGroup, points: SurfacePoints) -> np.ndarray:
    """(ne, g, 9, 4): shear along xi from the sides 0-1 and 3-2, along eta from 0-3 and 1-2 (each over its length 2)."""
    xi, eta = POINTS.T
    natural = np.zeros((len(POINTS), 2, 4))
    natural[:, 0, 0], natural[:, 0, 1] = (1 - eta) / 4, (1 + eta) / 4
    natural[:, 1, 2], natural[:, 1, 3] = (1 - xi) / 4, (1 + xi) / 4
    tied = np.zeros((len(group.nodes), len(POINTS), 9, 4))
    tied[:, :, 6:8] = points.inverse @ natural
    return tied


def membrane_strains(
    group: ShellGroup, points: SurfacePoints, seven: np.ndarray, stiffness: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Strains (ne, g, 9, n, 7) with drilling, and the enhanced membrane strains that follow from the nodal values."""
    seven[:, :, 8] = np.einsum("gc,ecni->egni", points.values, drilling(group, KINDS[KIND].reference_nodes))
    return without_internal(seven, _enhanced(group, points), stiffness, weights)


def _enhanced(group: ShellGroup, points: SurfacePoints) -> np.ndarray:
    """(ne, g, 9, 4): strains xi, eta along and across in the axes of the centre; their mean is zero."""
    center = surface_points(group, np.zeros((1, 2)))
    i = center.inverse[:, 0]  # [axis, coordinate]
    turn = np.empty((len(i), 3, 3))
    for column, (p, q) in enumerate(((0, 0), (1, 1), (0, 1))):
        turn[:, 0, column] = i[:, 0, p] * i[:, 0, q]
        turn[:, 1, column] = i[:, 1, p] * i[:, 1, q]
        turn[:, 2, column] = i[:, 0, p] * i[:, 1, q] + i[:, 1, p] * i[:, 0, q]
    natural = np.zeros((len(POINTS), 3, 4))
    natural[:, 0, 0], natural[:, 1, 1] = POINTS.T
    natural[:, 2, 2], natural[:, 2, 3] = POINTS.T
    modes = np.zeros((len(i), len(POINTS), 9, 4))
    modes[:, :, :3] = (center.area / points.area)[..., None, None] * (turn[:, None] @ natural)
    return modes
