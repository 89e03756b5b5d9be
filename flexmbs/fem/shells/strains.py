"""Strains of shell elements as matrices: membrane, curvature, transverse shear and drilling at integration points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmbs.fem.shells.assumed_strains import Sampled, sampled_strains
from flexmbs.fem.shells.elements import ShellGroup, SurfacePoints
from flexmbs.fem.shells.quad4 import QUAD4
from flexmbs.fem.shells.sampled_kinds import QUAD8, QUAD9, TRI6
from flexmbs.fem.shells.tri3 import TRI3
from flexmbs.fem.sparsity_pattern import NodePattern

_BATCH = 2048  # elements whose matrices are held at a time
SHELLS = {element.kind: element for element in (TRI3, TRI6, QUAD4, QUAD8, QUAD9)}
SHELL_KINDS = tuple(SHELLS)


@dataclass(frozen=True, eq=False)
class ShellStrains:
    """Strains of a chunk of elements at its integration points, with everything that products need.

    Attributes
    ----------
    B : (ne, g, 9, 6 n) strains (order of ``wall_stiffness``) of the nodal freedoms; internal modes are eliminated
    seven : (ne, g, 9, n, 7) the same of the seven nodal values of ``shell_elements``
    gradients : (ne, g, 2, n) of the shape functions along axes 1, 2; (1, s, 2, n) along the reference coordinates at
        the sampling points of kinds with ``sampled``
    edges : (k, 2) int, the pairs of nodes between which transverse shear is sampled
    tied : (ne, g, 9, k) strains of the sampled shear (x_j - x_i) . mean r + mean d . (u_j - u_i), m
    sampled : of kinds all of whose strains are sampled, not only shear along edges; None for others
    stiffness : (ne, g, 9, 9)
    weights : (ne, g) m2
    height_squared : (ne, g, 3, 3) m2, of ``ShellWall.height_squared``
    to_seven : (ne, n, 7, 6)
    """

    B: np.ndarray
    seven: np.ndarray
    gradients: np.ndarray
    edges: np.ndarray
    tied: np.ndarray
    sampled: Sampled | None
    stiffness: np.ndarray
    weights: np.ndarray
    height_squared: np.ndarray
    to_seven: np.ndarray

    def resultants(self, strains: np.ndarray) -> np.ndarray:
        """(ne, g, 9, ...) of strains of that shape, N/m and N, times the weights."""
        return (self.stiffness * self.weights[..., None, None]) @ strains


def shell_strains(group: ShellGroup) -> ShellStrains:
    """For a chunk of ``group``."""
    element = SHELLS[group.kind]
    points, weights = element.rule(group)
    thickness = np.einsum("gn,en->eg", points.values, group.thickness)
    stiffness = group.wall.stiffness(thickness)
    edges = element.edges
    if element.sampling is not None:
        seven, sampled = sampled_strains(group, element.sampling, points, stiffness, weights)
        gradients = sampled.table.gradients[None, :, :, : group.nodes.shape[1]]
        tied = np.zeros((len(weights), 1, 9, 0))
    else:
        gradients, sampled = points.gradients, None
        tied = element.tied_strains(group, points)
        seven = direct_strains(group, points) + np.einsum("egsk,ekni->egsni", tied, edge_samples(group, edges))
        seven = element.membrane_strains(group, points, seven, stiffness, weights)
    if not group.wall.bends:
        seven[:, :, 3:] = 0.0
    to_seven = group.to_seven()
    B = np.einsum("egsni,enij->egsnj", seven, to_seven, optimize=True)
    B = B.reshape(*seven.shape[:3], -1)
    squared = group.wall.height_squared(thickness)
    return ShellStrains(B, seven, gradients, edges, tied, sampled, stiffness, weights, squared, to_seven)


def direct_strains(group: ShellGroup, points: SurfacePoints) -> np.ndarray:
    """(ne, g, 9, n, 7): E0 = sym(e_a . u,b) and E1 = sym(e_a . r,b + d,a . u,b)."""
    e, dN = points.frame, points.gradients
    strains = np.zeros((*dN.shape[:2], 9, dN.shape[3], 7))
    director = np.einsum("egan,enk->egak", dN, group.normals)
    for row, (a, b) in enumerate(((0, 0), (1, 1), (0, 1))):
        for first, second in ((a, b),) if a == b else ((a, b), (b, a)):
            along = dN[:, :, second, :, None]
            strains[:, :, row, :, :3] += e[:, :, first, None] * along
            strains[:, :, 3 + row, :, 3:6] += e[:, :, first, None] * along
            strains[:, :, 3 + row, :, :3] += director[:, :, first, None] * along
    return strains


def edge_samples(group: ShellGroup, edges: np.ndarray) -> np.ndarray:
    """(ne, k, n, 7): (x_j - x_i) . (r_i + r_j) / 2 + (n_i + n_j) / 2 . (u_j - u_i) of every edge (i, j)."""
    count, nodes = group.nodes.shape
    samples = np.zeros((count, len(edges), nodes, 7))
    for k, (i, j) in enumerate(edges):
        along = group.middle[:, j] - group.middle[:, i]
        normal = 0.5 * (group.normals[:, i] + group.normals[:, j])
        samples[:, k, i, :3], samples[:, k, j, :3] = -normal, normal
        samples[:, k, i, 3:6] = samples[:, k, j, 3:6] = 0.5 * along
    return samples


def stiffness_matrices(strains: ShellStrains) -> np.ndarray:
    """(ne, n, 6, n, 6)."""
    B = strains.B
    count, nodes = strains.to_seven.shape[:2]
    flat = B.reshape(count, -1, 6 * nodes)
    stress = strains.resultants(B).reshape(flat.shape)
    return (flat.transpose(0, 2, 1) @ stress).reshape(count, nodes, 6, nodes, 6)


def add_elements(
    pattern: NodePattern, data: np.ndarray, positions: np.ndarray, group: ShellGroup, matrices: Callable[[ShellGroup], np.ndarray]
) -> None:
    """Add ``matrices`` (ne, n, 6, n, 6) of all elements of ``group`` to ``data`` of ``pattern``."""
    first = 0
    for batch in group.chunks(_BATCH):
        of_batch = [matrices(part) for part in batch.chunks()]
        pattern.add(data, positions[first : first + len(batch.nodes)], np.concatenate(of_batch))
        first += len(batch.nodes)
