"""The quadrilateral shell with nine nodes.

MITC9 (Bucalem and Bathe, IJNME 36, 1993): stretch and transverse shear along r are sampled at 2 x 3 points, along s at
3 x 2, in-plane shear at 2 x 2. The three of transverse shear lie on two sides and halfway between, so that neighbours
sample the same shear along their common side: with Gauss points, as in the paper, a clamped plate of thickness 1/1000
on 4 x 4 distorted elements bends 22 % too little; here 0.6 % too much.
"""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.assumed_strains import sampling
from flexmbs.fem.shells.shell_elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.element_kinds import KINDS, monomial_values
from flexmbs.mesh.element_table import QUAD4

KIND = "quad9"
POINTS, _WEIGHTS = gauss.cube(3, 2)
#: values at the points to the nodes, the best bilinear fit
TO_CORNERS = monomial_values(QUAD4, KINDS[KIND].reference_nodes) @ np.linalg.pinv(monomial_values(QUAD4, POINTS))

# Linear along r and quadratic across; the same along s.
_ALONG_R = tuple((i, j) for i in range(2) for j in range(3))
_ALONG_S = tuple((i, j) for j, i in _ALONG_R)
_TWO, _THREE = (-1.0 / np.sqrt(3.0), 1.0 / np.sqrt(3.0)), (-np.sqrt(0.6), 0.0, np.sqrt(0.6))
_STRETCH_R, _SHEAR_R = ([(r, s) for r in _TWO for s in across] for across in (_THREE, (-1.0, 0.0, 1.0)))
_STRETCH_S, _SHEAR_S = ([(r, s) for s, r in points] for points in (_STRETCH_R, _SHEAR_R))
_CROSSED = [(r, s) for r in _TWO for s in _TWO]


def _in_plane(at: np.ndarray) -> np.ndarray:
    functions = np.zeros((len(at), 3, 16))
    functions[:, 0, :6], functions[:, 1, 6:12] = monomial_values(_ALONG_R, at), monomial_values(_ALONG_S, at)
    functions[:, 2, 12:] = monomial_values(QUAD4, at)
    return functions


def _shear(at: np.ndarray) -> np.ndarray:
    functions = np.zeros((len(at), 2, 12))
    functions[:, 0, :6], functions[:, 1, 6:] = monomial_values(_ALONG_R, at), monomial_values(_ALONG_S, at)
    return functions


SAMPLING = sampling(
    KIND,
    POINTS,
    (
        _in_plane,
        [[(p, (1.0, 0.0, 0.0))] for p in _STRETCH_R]
        + [[(p, (0.0, 1.0, 0.0))] for p in _STRETCH_S]
        + [[(p, (0.0, 0.0, 1.0))] for p in _CROSSED],
    ),
    (_shear, [[(p, (1.0, 0.0))] for p in _SHEAR_R] + [[(p, (0.0, 1.0))] for p in _SHEAR_S]),
    bubble=None,
    balanced=True,
)


def rule(group: ShellGroup) -> tuple[SurfacePoints, np.ndarray]:
    """Integration points and their areas (ne, 9)."""
    points = surface_points(group, POINTS)
    return points, points.area * _WEIGHTS
