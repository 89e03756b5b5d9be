"""What shell elements of several kinds share: internal modes eliminated, and the rotation about the normal."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.shell_elements import ShellGroup, surface_points
from flexmbs.mesh.element_kinds import KINDS, shape_values


def without_internal(strains: np.ndarray, internal: np.ndarray, stiffness: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``strains`` (ne, g, 9, n, 7) with internal modes (ne, g, 9, m) at the values that the nodes make them take."""
    flat = strains.reshape(*strains.shape[:3], -1)
    stress = (stiffness * weights[..., None, None]) @ internal
    own = np.einsum("egsa,egsb->eab", internal, stress)
    mixed = np.einsum("egsa,egsi->eai", stress, flat, optimize=True)
    follows = np.linalg.solve(own, mixed)
    return (flat - internal @ follows[:, None]).reshape(strains.shape)


def drilling(group: ShellGroup, at: np.ndarray) -> np.ndarray:
    """(ne, m, n, 7): rotation about the normal less that of the surface, at reference points (m, 2).

    Hughes and Brezzi, CMAME 72 (1989).
    """
    points = surface_points(group, at)
    e, dN = points.frame, points.gradients
    strains = np.zeros((*dN.shape[:2], dN.shape[3], 7))
    spin = e[:, :, 1, None] * dN[:, :, 0, :, None] - e[:, :, 0, None] * dN[:, :, 1, :, None]
    strains[..., :3] = -0.5 * spin
    strains[..., 6] = shape_values(KINDS[group.kind], at)
    return strains
