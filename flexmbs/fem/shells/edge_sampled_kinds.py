"""Shell elements whose transverse shear is sampled along edges: the triangle with three nodes, the quadrilateral with four."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.assumed_strains import ShellKind, drilling, without_internal
from flexmbs.fem.shells.elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.mesh.element_kinds import KINDS

# The triangle, flat. Bending and shear: the discrete Kirchhoff-Mindlin triangle (DKMT: Katili, IJNME 36, 1993), which is DKT
# when thin. Membrane: the optimal triangle with drilling freedoms (OPT: Felippa, CMAME 192, 2003), which bends right in its
# plane. Sides that a quadrilateral has too stay straight as its own do, or both together would fail the patch test.
_TRI_EDGES = np.array([(0, 1), (1, 2), (2, 0)])
# the middles of the sides
_TRI_POINTS = np.array([(0.5, 0.0), (0.5, 0.5), (0.0, 0.5)])
# values at the points to the corners, linear
_TRI_TO_CORNERS = np.array([[1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, 1.0]])
# Where facets stand for a curved surface, the higher-order membrane stiffness of OPT resists bending without stretch
# (hemisphere, 8 x 8: half the displacement): it goes down with the rise over the element, in thicknesses, to this part.
# That is far above rounding, and small enough: 0.01 left 0.61 of the displacement of the thin twisted beam, 12 x 2.
_LEAST_STABILISATION = 1e-5
_OF_RISE = 10.0
# OPT: rows are the sides 1-2, 2-3, 3-1, columns the corners (equation 32 there)
_BETA = np.array([[1.0, 2.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -1.0, -2.0]])


def _tri_tied_strains(group: ShellGroup, points: SurfacePoints) -> np.ndarray:
    """(ne, g, 9, 3): what the mean shear of each side does to curvature and transverse shear.

    Along a side, beta_s is a parabola of height -3/2 / (1 + phi) (mean shear), so that its shear balances its
    bending; phi = 12 D_s / (S_s l^2) with the stiffnesses along the side. The shear left is phi / (1 + phi) of the
    mean.
    """
    along, length = _sides(group, points)
    s1, s2 = along[..., 0], along[..., 1]
    phi = _shear_ratios(group, along, length)
    height = np.where(group.joined, 0.0, -1.5 / (1.0 + phi) / length)
    dN, N = points.gradients, points.values
    tied = np.zeros((len(group.nodes), len(_TRI_POINTS), 9, 3))
    for k, (i, j) in enumerate(_TRI_EDGES):
        slope = 4.0 * (N[:, i, None] * dN[..., j] + N[:, j, None] * dN[..., i])
        tied[:, :, 3, k] = s1[:, k, None] * slope[..., 0]
        tied[:, :, 4, k] = s2[:, k, None] * slope[..., 1]
        tied[:, :, 5, k] = s1[:, k, None] * slope[..., 1] + s2[:, k, None] * slope[..., 0]
    tied[:, :, 3:6] *= height[:, None, None]
    left = np.where(group.joined, 1.0, phi / (1.0 + phi)) / length
    for corner, (k, m) in enumerate(((0, 2), (1, 0), (2, 1))):  # sides that meet there
        solved = np.linalg.inv(along[:, [k, m]])
        for column, side in enumerate((k, m)):
            vector = solved[:, :, column] * left[:, side, None]
            tied[:, :, 6:8, side] += N[None, :, corner, None] * vector[:, None]
    return tied


def _sides(group: ShellGroup, points: SurfacePoints) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (ne, 3, 2) along the sides in axes 1, 2, and lengths (ne, 3)."""
    vectors = group.middle[:, _TRI_EDGES[:, 1]] - group.middle[:, _TRI_EDGES[:, 0]]
    flat = vectors @ points.frame[:, 0, :2].transpose(0, 2, 1)
    length = np.linalg.norm(flat, axis=2)
    return flat / length[..., None], length


def _shear_ratios(group: ShellGroup, along: np.ndarray, length: np.ndarray) -> np.ndarray:
    wall, thickness = group.wall, group.thickness.mean(axis=1)[:, None]
    bending = wall.bending - wall.coupling @ np.linalg.solve(wall.membrane, wall.coupling)
    s1, s2 = along[..., 0], along[..., 1]
    curved = np.stack([s1 * s1, s2 * s2, 2.0 * s1 * s2], axis=-1)
    bent = np.einsum("eki,ij,ekj->ek", curved, bending, curved)
    sheared = np.einsum("eki,ij,ekj->ek", along, wall.shear, along)
    return 12.0 * bent / sheared * (thickness / length) ** 2


def _tri_membrane_strains(
    group: ShellGroup, points: SurfacePoints, seven: np.ndarray, stiffness: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Strains (ne, g, 9, n, 7) with those of OPT in the membrane; drilling needs no strain of its own."""
    frame = points.frame[:, 0, :2]
    flat = np.einsum("enk,eak->ean", group.middle - group.middle[:, :1], frame)
    factor, bent = _higher_order_factor(group), ~group.joined
    if not group.wall.bends:  # nothing resists the rotations
        factor, bent = np.zeros_like(factor), np.zeros_like(bent)
    of_corner = _opt(flat[:, 0], flat[:, 1], factor, bent)  # (ne, g, 3, n, 3): u, v, rotation
    strains = seven.copy()
    strains[:, :, :3, :, :3] = np.einsum("egsna,eak->egsnk", of_corner[..., :2], frame)
    strains[:, :, :3, :, 6] = of_corner[..., 2]
    strains[:, :, 8] = 0.0
    return strains


def _higher_order_factor(group: ShellGroup) -> np.ndarray:
    """(ne,) beta_0: (1 - 4 nu^2) / 2 is best in a plane."""
    membrane = group.wall.membrane
    poisson = membrane[0, 1] / np.sqrt(membrane[0, 0] * membrane[1, 1])
    best = 0.5 * (1.0 - 4.0 * poisson**2)
    return np.maximum(best / (1.0 + _OF_RISE * group.rise**2), _LEAST_STABILISATION)


def _opt(X: np.ndarray, Y: np.ndarray, factor: np.ndarray, bent: np.ndarray) -> np.ndarray:
    """Strains (ne, 3 points, 3, 3 nodes, 3) of u, v, rotation; corners at X, Y (ne, 3).

    ``factor`` (ne,) is beta_0; ``bent`` (ne, 3) the sides that curve with the rotations, others stay straight.
    """

    def x(i, j):
        return X[:, i - 1] - X[:, j - 1]

    def y(i, j):
        return Y[:, i - 1] - Y[:, j - 1]

    count = len(X)
    area = 0.5 * (x(2, 1) * y(3, 1) - x(3, 1) * y(2, 1))
    basic = np.zeros((count, 3, 3, 3))
    hierarchic = np.zeros((count, 3, 3, 3))  # [rotation, node, freedom]
    natural = np.empty((count, 3, 3))
    side2 = np.stack([x(2, 1) ** 2 + y(2, 1) ** 2, x(3, 2) ** 2 + y(3, 2) ** 2, x(1, 3) ** 2 + y(1, 3) ** 2], axis=1)
    for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
        n = i - 1
        basic[:, 0, n, 0] = basic[:, 2, n, 1] = y(j, k)
        basic[:, 1, n, 1] = basic[:, 2, n, 0] = x(k, j)
        before, after = 0.25 * bent[:, k - 1], 0.25 * bent[:, n]  # alpha_b / 6 of the sides k-i and i-j
        basic[:, 0, n, 2] = before * y(i, k) ** 2 - after * y(j, i) ** 2
        basic[:, 1, n, 2] = before * x(k, i) ** 2 - after * x(i, j) ** 2
        basic[:, 2, n, 2] = 2.0 * (before * x(k, i) * y(i, k) - after * x(i, j) * y(j, i))
        hierarchic[:, :, n, 0] = (x(k, j) / (4.0 * area))[:, None]
        hierarchic[:, :, n, 1] = (y(k, j) / (4.0 * area))[:, None]
        hierarchic[:, n, n, 2] = 1.0
        natural[:, 0, n] = y(j, k) * y(i, k) * side2[:, n]
        natural[:, 1, n] = x(j, k) * x(i, k) * side2[:, n]
        natural[:, 2, n] = (y(j, k) * x(k, i) + x(k, j) * y(i, k)) * side2[:, n]
    basic /= 2.0 * area[:, None, None, None]
    natural /= 4.0 * area[:, None, None] ** 2
    at_corner = [np.roll(_BETA, (k, k), axis=(0, 1)) for k in range(3)]
    strains = np.empty((count, 3, 3, 3, 3))
    for g, (i, j) in enumerate(_TRI_EDGES):
        mean = 0.5 * (at_corner[i] + at_corner[j])
        Q = (2.0 / 3.0 * area[:, None] / side2)[:, :, None] * mean
        higher = np.einsum("eab,ebc,ecnf->eanf", natural, Q, hierarchic, optimize=True)
        strains[:, g] = basic + 1.5 * np.sqrt(factor)[:, None, None, None] * higher
    return strains


TRI3 = ShellKind(
    "tri3",
    _TRI_POINTS,
    1.0,
    _TRI_TO_CORNERS,
    parts=6.0,
    edges=_TRI_EDGES,
    tied_strains=_tri_tied_strains,
    membrane_strains=_tri_membrane_strains,
)


# The quadrilateral, which may be warped. Transverse shear is sampled at the middles of the sides (MITC4: Dvorkin and Bathe,
# Engineering Computations 1, 1984); the membrane has four enhanced strains (Simo and Rifai, IJNME 29, 1990), so that it
# bends right in its plane; the rotation about the normal is tied to that of the surface (Hughes and Brezzi, CMAME 72, 1989).
_QUAD_EDGES = np.array([(0, 1), (3, 2), (0, 3), (1, 2)])
_G = 1.0 / np.sqrt(3.0)
_QUAD_POINTS = _G * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
# values at the points to the corners, bilinear
_QUAD_TO_CORNERS = (
    0.25
    * (1 + 3 * _G * np.sign(_QUAD_POINTS[:, None, 0] * _QUAD_POINTS[None, :, 0]))
    * (1 + 3 * _G * np.sign(_QUAD_POINTS[:, None, 1] * _QUAD_POINTS[None, :, 1]))
)


def _quad_tied_strains(group: ShellGroup, points: SurfacePoints) -> np.ndarray:
    """(ne, g, 9, 4): shear along xi from the sides 0-1 and 3-2, along eta from 0-3 and 1-2 (each over its length 2)."""
    xi, eta = _QUAD_POINTS.T
    natural = np.zeros((len(_QUAD_POINTS), 2, 4))
    natural[:, 0, 0], natural[:, 0, 1] = (1 - eta) / 4, (1 + eta) / 4
    natural[:, 1, 2], natural[:, 1, 3] = (1 - xi) / 4, (1 + xi) / 4
    tied = np.zeros((len(group.nodes), len(_QUAD_POINTS), 9, 4))
    tied[:, :, 6:8] = points.inverse @ natural
    return tied


def _quad_membrane_strains(
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
    natural = np.zeros((len(_QUAD_POINTS), 3, 4))
    natural[:, 0, 0], natural[:, 1, 1] = _QUAD_POINTS.T
    natural[:, 2, 2], natural[:, 2, 3] = _QUAD_POINTS.T
    modes = np.zeros((len(i), len(_QUAD_POINTS), 9, 4))
    modes[:, :, :3] = (center.area / points.area)[..., None, None] * (turn[:, None] @ natural)
    return modes


QUAD4 = ShellKind(
    "quad4",
    _QUAD_POINTS,
    1.0,
    _QUAD_TO_CORNERS,
    edges=_QUAD_EDGES,
    tied_strains=_quad_tied_strains,
    membrane_strains=_quad_membrane_strains,
)
