"""Internal modes of hex8 that let one element bend.

Three functions 1 - xi^2, 1 - eta^2, 1 - zeta^2 in each direction are added to the displacement of an element and
eliminated inside it (E. L. Wilson et al., in: Numerical and Computer Methods in Structural Mechanics, 1973). Their
gradients are taken with the Jacobian J0 of the centre and scaled by det J0 / det J (R. L. Taylor, P. J. Beresford and
E. L. Wilson, IJNME 10, 1976), so that their mean over any element is zero: constant stress does no work on them and the
patch test holds.

They stand beside the shape functions as three further "nodes" of the element, whose values are

    a = T u,   T = -K_aa^-1 K_au

for any nodal displacement u, without loads of their own. Stress and the quadratic part of the strain are those of the
whole gradient, of u and a. A load on the strain has parts f_u and f_a; the nodes take f_u + T^T f_a. With this a
second-order load f_ab projects the geometric stiffness under the recovered stress,
w . f_ab = int sigma(w) : q(a, b) dV, as in every other element. Mass, and the motion of points inside an element, are
those of the nodes alone.
"""

from __future__ import annotations

import numpy as np

MODES = 3  # further "nodes"


def mode_gradients(center: np.ndarray, determinants: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Derivatives by x of the three functions, (ne, g, 3, 3): component, function.

    Parameters
    ----------
    center : (ne, 3, 3) Jacobians d x_j / d xi_i at the centre
    determinants : (ne, g) of the Jacobian at the points
    points : (g, 3) reference coordinates
    """
    scale = np.linalg.det(center)[:, None] / determinants
    return np.linalg.inv(center)[:, None] * (-2.0 * points[:, None, :]) * scale[:, :, None, None]


def internal_modes(stiffness: np.ndarray) -> np.ndarray:
    """T (ne, 3 MODES, 3 nen) from the stiffness (ne, nen + MODES, 3, nen + MODES, 3) of nodes and modes."""
    count, size = len(stiffness), 3 * stiffness.shape[1]
    flat = stiffness.reshape(count, size, size)
    nodal = size - 3 * MODES
    return -np.linalg.solve(flat[:, nodal:, nodal:], flat[:, nodal:, :nodal])


def condensed_stiffness(stiffness: np.ndarray) -> np.ndarray:
    """(ne, nen, 3, nen, 3) for the nodes alone; argument as ``internal_modes``."""
    count, size = len(stiffness), 3 * stiffness.shape[1]
    nodal = size - 3 * MODES
    flat = stiffness.reshape(count, size, size)
    condensed = flat[:, :nodal, :nodal] + flat[:, :nodal, nodal:] @ internal_modes(stiffness)
    # rounding of the elimination leaves the two triangles 1e-16 apart
    condensed = 0.5 * (condensed + condensed.transpose(0, 2, 1))
    return condensed.reshape(count, nodal // 3, 3, nodal // 3, 3)


def with_internal_modes(internal: np.ndarray, nodal: np.ndarray) -> np.ndarray:
    """Nodal fields (ne, nen, 3, n) with the values of the modes appended, (ne, nen + MODES, 3, n)."""
    count, nodes, _, columns = nodal.shape
    modes = internal @ nodal.reshape(count, 3 * nodes, columns)
    return np.concatenate([nodal, modes.reshape(count, MODES, 3, columns)], axis=1)


def condensed_loads(internal: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Loads (ne, nen + MODES, 3, n) on nodes and modes, brought to the nodes: (ne, nen, 3, n)."""
    count, size, _, columns = loads.shape
    nodes = size - MODES
    on_modes = loads[:, nodes:].reshape(count, 3 * MODES, columns)
    return loads[:, :nodes] + (internal.transpose(0, 2, 1) @ on_modes).reshape(count, nodes, 3, columns)
