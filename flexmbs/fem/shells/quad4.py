"""The quadrilateral shell with four nodes.

Transverse shear is sampled at the middles of the sides (MITC4: Dvorkin and Bathe, Engineering Computations 1, 1984);
the membrane has four enhanced strains (Simo and Rifai, IJNME 29, 1990), so that it bends right in its plane; the
rotation about the normal is tied to that of the surface (Hughes and Brezzi, CMAME 72, 1989). The surface may be warped.
"""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.assumed_strains import ShellKind, drilling, without_internal
from flexmbs.fem.shells.elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.mesh.element_kinds import KINDS

_EDGES = np.array([(0, 1), (3, 2), (0, 3), (1, 2)])
_G = 1.0 / np.sqrt(3.0)
_POINTS = _G * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
# values at the points to the corners, bilinear
_TO_CORNERS = (
    0.25
    * (1 + 3 * _G * np.sign(_POINTS[:, None, 0] * _POINTS[None, :, 0]))
    * (1 + 3 * _G * np.sign(_POINTS[:, None, 1] * _POINTS[None, :, 1]))
)


def _tied_strains(group: ShellGroup, points: SurfacePoints) -> np.ndarray:
    """(ne, g, 9, 4): shear along xi from the sides 0-1 and 3-2, along eta from 0-3 and 1-2 (each over its length 2)."""
    xi, eta = _POINTS.T
    natural = np.zeros((len(_POINTS), 2, 4))
    natural[:, 0, 0], natural[:, 0, 1] = (1 - eta) / 4, (1 + eta) / 4
    natural[:, 1, 2], natural[:, 1, 3] = (1 - xi) / 4, (1 + xi) / 4
    tied = np.zeros((len(group.nodes), len(_POINTS), 9, 4))
    tied[:, :, 6:8] = points.inverse @ natural
    return tied


def _membrane_strains(
    group: ShellGroup, points: SurfacePoints, seven: np.ndarray, stiffness: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Strains (ne, g, 9, n, 7) with drilling, and the enhanced membrane strains that follow from the nodal values."""
    seven[:, :, 8] = np.einsum("gc,ecni->egni", points.values, drilling(group, KINDS["quad4"].reference_nodes))
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
    natural = np.zeros((len(_POINTS), 3, 4))
    natural[:, 0, 0], natural[:, 1, 1] = _POINTS.T
    natural[:, 2, 2], natural[:, 2, 3] = _POINTS.T
    modes = np.zeros((len(i), len(_POINTS), 9, 4))
    modes[:, :, :3] = (center.area / points.area)[..., None, None] * (turn[:, None] @ natural)
    return modes


QUAD4 = ShellKind("quad4", _POINTS, 1.0, _TO_CORNERS, edges=_EDGES, tied_strains=_tied_strains, membrane_strains=_membrane_strains)
