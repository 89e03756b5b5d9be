"""The quadrilateral shell with eight nodes.

Transverse shear and rotations are those of the plate MITC9 (Bathe, Brezzi and Fortin, IJNME 28, 1989): serendipity
deflection, rotations with the bubble (1 - r^2)(1 - s^2) eliminated, shear sampled at two points of each side and by its
mean. Membrane strain is sampled likewise: stretch along the sides and by its mean, in-plane shear at 2 x 2 points.
"""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.assumed_strains import means, sampling
from flexmbs.fem.shells.shell_elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.element_kinds import KINDS

KIND = "quad8"
POINTS, _WEIGHTS = gauss.cube(3, 2)
_NODES = KINDS[KIND].reference_nodes
_TWO = 1.0 / np.sqrt(3.0)


def _bilinear(at: np.ndarray) -> np.ndarray:
    r, s = at.T
    return np.column_stack([np.ones(len(at)), r, s, r * s])


#: values at the points to the nodes, the best bilinear fit
TO_CORNERS = _bilinear(_NODES) @ np.linalg.pinv(_bilinear(POINTS))


def _along_side(at: np.ndarray) -> np.ndarray:
    """(m, 5): bilinear, and quadratic across."""
    r, s = at.T
    return np.column_stack([np.ones(len(at)), r, s, r * s, s * s])


def _in_plane(at: np.ndarray) -> np.ndarray:
    functions = np.zeros((len(at), 3, 14))
    functions[:, 0, :5], functions[:, 1, 5:10] = _along_side(at), _along_side(at[:, ::-1])
    functions[:, 2, 10:] = _bilinear(at)
    return functions


def _shear(at: np.ndarray) -> np.ndarray:
    functions = np.zeros((len(at), 2, 10))
    functions[:, 0, :5], functions[:, 1, 5:] = _along_side(at), _along_side(at[:, ::-1])
    return functions


def _bubble(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m,) values and (m, 2) derivatives of (1 - r^2)(1 - s^2)."""
    r, s = at.T
    return (1 - r**2) * (1 - s**2), np.column_stack([-2 * r * (1 - s**2), -2 * s * (1 - r**2)])


_R_SIDES = [(r, s) for r in (-_TWO, _TWO) for s in (-1.0, 1.0)]
_S_SIDES = [(r, s) for s, r in _R_SIDES]
_CROSSED = [(r, s) for r in (-_TWO, _TWO) for s in (-_TWO, _TWO)]
SAMPLING = sampling(
    KIND,
    POINTS,
    (
        _in_plane,
        [[(p, (1.0, 0.0, 0.0))] for p in _R_SIDES]
        + [[(p, (0.0, 1.0, 0.0))] for p in _S_SIDES]
        + [[(p, (0.0, 0.0, 1.0))] for p in _CROSSED]
        + means(POINTS, _WEIGHTS, 3)[:2],
    ),
    (_shear, [[(p, (1.0, 0.0))] for p in _R_SIDES] + [[(p, (0.0, 1.0))] for p in _S_SIDES] + means(POINTS, _WEIGHTS, 2)),
    _bubble,
    balanced=True,
)


def rule(group: ShellGroup) -> tuple[SurfacePoints, np.ndarray]:
    """Integration points and their areas (ne, 9)."""
    points = surface_points(group, POINTS)
    return points, points.area * _WEIGHTS
