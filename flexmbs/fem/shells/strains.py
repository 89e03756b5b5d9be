"""Strains of shell elements as matrices: membrane, curvature, transverse shear and drilling, and their quadratic parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.fem.shells.assumed_strains import Sampled, sampled_strains
from flexmbs.fem.shells.edge_sampled_kinds import QUAD4, TRI3
from flexmbs.fem.shells.elements import ShellGroup, SurfacePoints
from flexmbs.fem.shells.sampled_kinds import QUAD8, QUAD9, TRI6
from flexmbs.fem.sparsity_pattern import NodePattern

_BATCH = 2048  # elements whose matrices are held at a time
SHELLS = {element.kind: element for element in (TRI3, TRI6, QUAD4, QUAD8, QUAD9)}
SHELL_KINDS = tuple(SHELLS)


@dataclass(frozen=True, eq=False)
class ShellStrains:
    """Strains of a chunk of elements at its integration points, with everything that products need."""

    B: np.ndarray  # (ne, g, 9, 6 n) strains (order of ``walls``) of the nodal freedoms; internal modes are eliminated
    seven: np.ndarray  # (ne, g, 9, n, 7) the same of the seven nodal values of ``elements``
    # (ne, g, 2, n) of the shape functions along axes 1, 2; (1, s, 2, n) along the reference coordinates at the sampling points of
    # kinds with ``sampled``
    gradients: np.ndarray
    edges: np.ndarray  # (k, 2) int, the pairs of nodes between which transverse shear is sampled
    tied: np.ndarray  # (ne, g, 9, k) strains of the sampled shear (x_j - x_i) . mean r + mean d . (u_j - u_i), m
    sampled: Sampled | None  # of kinds all of whose strains are sampled, not only shear along edges; None for others
    stiffness: np.ndarray  # (ne, g, 9, 9)
    weights: np.ndarray  # (ne, g) m2
    height_squared: np.ndarray  # (ne, g, 3, 3) m2, of ``ShellWall.height_squared``
    to_seven: np.ndarray  # (ne, n, 7, 6)

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


def summed_elements(
    pattern: NodePattern, groups: list[ShellGroup], matrices: Callable[[ShellGroup], np.ndarray]
) -> sparse.csr_matrix:
    """(ndof, ndof) sum of ``matrices`` (ne, n, 6, n, 6) of all elements of ``groups``."""
    return pattern.of_groups(6, groups, lambda batch: np.concatenate([matrices(part) for part in batch.chunks()]), _BATCH)


# Numbers in one strain array (element, point, 9, pair) at a time
NUMBERS_AT_A_TIME = 2**18


# With a, b fields and S the second-order director of ``ShellGroup.second_director``, the strains E0 + z E1 + z^2 E2 and the
# shear of the degenerated solid have the quadratic parts
#
#     E0: sym(a,1 . b,2)    E1: sym(a,1 . r_b,2 + b,1 . r_a,2) + linear(S)    shear: a,1 . r_b + b,1 . r_a + linear(S)
#     E2: sym(r_a,1 . r_b,2 + n,1 . S,2)
#
# a rotation of the whole body gives none, to second order. Shear is sampled as in the linear strain. E2, which makes
# torsion feel membrane forces, counts with its mean over the wall, in E0.


def shell_second_order_loads(groups: list[ShellGroup], node_count: int, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """f_ab = int B^T D q(a, b) dA for every pair: (ndof, npairs)."""
    total = np.zeros((node_count, 6, len(pairs)))
    if not len(pairs):
        return total.reshape(6 * node_count, 0)
    size = max(1, NUMBERS_AT_A_TIME // (36 * len(pairs)))
    for whole in groups:
        for group in whole.chunks(size):
            strains = shell_strains(group)
            stress = strains.resultants(quadratic_strains(group, strains, group.nodal(fields), pairs))
            count = len(group.nodes)
            B = strains.B.reshape(count, -1, strains.B.shape[-1])
            loads = B.transpose(0, 2, 1) @ stress.reshape(count, B.shape[1], -1)
            np.add.at(total, group.nodes, loads.reshape(count, -1, 6, len(pairs)))
    return total.reshape(6 * node_count, len(pairs))


def quadratic_strains(group: ShellGroup, strains: ShellStrains, nodal: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """q(a, b) (ne, g, 9, npairs) of nodal fields (ne, n, 6, k)."""
    seven = strains.to_seven @ nodal
    gradients = np.broadcast_to(strains.gradients, (len(nodal), *strains.gradients.shape[1:]))
    slopes = np.einsum("egan,enik->egaik", gradients, seven[:, :, :6], optimize=True)
    first, second = pairs.T
    S = group.second_director(nodal[:, :, 3:, first], nodal[:, :, 3:, second])
    moved = np.concatenate([group.offset[:, None, None, None] * S, S], axis=2)
    q = np.einsum("egsni,enip->egsp", strains.seven[..., :6], moved, optimize=True)
    q[:, :, :3] += _squared_height_strains(group, strains, slopes[:, :, :, 3:], S, pairs)
    if strains.sampled is not None:
        crossed = _crossed_slopes(slopes, first, second)
        values = strains.sampled.table.values[:, : seven.shape[1]]
        turns = np.einsum("sn,enik->esik", values, seven[:, :, 3:6], optimize=True)
        along, a, b = slopes[:, :, :, :3], turns[:, :, None][..., first], turns[:, :, None][..., second]
        sheared = np.sum(along[..., first] * b + along[..., second] * a, axis=3)
        return q + strains.sampled.to_points(np.concatenate([crossed, sheared], axis=2))
    i, j = strains.edges.T
    steps, means = seven[:, j, :3] - seven[:, i, :3], 0.5 * (seven[:, i, 3:6] + seven[:, j, 3:6])
    sheared = np.sum(steps[..., first] * means[..., second] + steps[..., second] * means[..., first], axis=2)
    q += np.einsum("egsk,ekp->egsp", strains.tied, sheared, optimize=True)
    q[:, :, :6] += _crossed_slopes(slopes, first, second)
    return q


def _squared_height_strains(
    group: ShellGroup, strains: ShellStrains, slopes: np.ndarray, S: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """(ne, g, 3, npairs) membrane strain for E2, of slopes of r (ne, g or more, 2, 3, k) and nodal S."""
    points = strains.weights.shape[1]
    dN, slopes = strains.gradients[:, :points], slopes[:, :points]
    dN = np.broadcast_to(dN, (len(S), *dN.shape[1:]))
    n = np.einsum("egan,enk->egak", dN, group.normals)[..., None]
    bent = np.einsum("egan,enkp->egakp", dN, S, optimize=True)
    a, b = slopes[..., pairs[:, 0]], slopes[..., pairs[:, 1]]
    rows = [
        sum(np.sum(a[:, :, i] * b[:, :, j] + n[:, :, i] * bent[:, :, j], axis=2) for i, j in of_row)
        for of_row in (((0, 0),), ((1, 1),), ((0, 1), (1, 0)))
    ]
    q = np.stack(rows, axis=2)
    return strains.height_squared @ (q if strains.sampled is None else strains.sampled.turn @ q)


def _crossed_slopes(slopes: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(ne, g, 6, npairs) of slopes (ne, g, 2, 6, k): a,1 . b,2 symmetric, then the same with r."""
    a, b = slopes[..., first], slopes[..., second]
    q = np.zeros((*slopes.shape[:2], 6, len(first)))
    for row, (m, n) in enumerate(((0, 0), (1, 1), (0, 1))):
        u = np.sum(a[:, :, m, :3] * b[:, :, n, :3], axis=2)
        r = np.sum(a[:, :, m, :3] * b[:, :, n, 3:] + b[:, :, m, :3] * a[:, :, n, 3:], axis=2)
        if m != n:
            u += np.sum(a[:, :, n, :3] * b[:, :, m, :3], axis=2)
            r += np.sum(a[:, :, n, :3] * b[:, :, m, 3:] + b[:, :, n, :3] * a[:, :, m, 3:], axis=2)
        q[:, :, row] += u
        q[:, :, 3 + row] += r
    return q


def shell_geometric_stiffness(groups: list[ShellGroup], node_count: int, displacement: np.ndarray) -> sparse.csr_matrix:
    """(ndof, ndof) int N(u) . q(N_i, N_j) dA with the stress resultants N of the linear displacement u."""
    pattern = NodePattern(node_count, [group.nodes for group in groups])
    return summed_elements(pattern, groups, lambda part: _element_matrices(part, displacement))


def _element_matrices(group: ShellGroup, displacement: np.ndarray) -> np.ndarray:
    """(ne, n, 6, n, 6)."""
    strains = shell_strains(group)
    count, nodes = group.nodes.shape
    values = group.nodal(displacement[:, None]).reshape(count, 1, -1, 1)
    N = strains.resultants(strains.B @ values)[..., 0]
    dN = np.broadcast_to(strains.gradients, (count, *strains.gradients.shape[1:]))
    there = N if strains.sampled is None else strains.sampled.to_samples(N)
    membrane = np.einsum("egan,egab,egbm->enm", dN, _symmetric(there[:, :, :3]), dN, optimize=True)
    mixed = np.einsum("egan,egab,egbm->enm", dN, _symmetric(there[:, :, 3:6]), dN, optimize=True)
    if strains.sampled is not None:
        values = strains.sampled.table.values[:, :nodes]
        mixed += np.einsum("esan,esa,sm->enm", dN, there[:, :, 6:8], values, optimize=True)
    shear = np.einsum("egsk,egs->ek", strains.tied, N) if len(strains.edges) else ()
    for k, (i, j) in enumerate(strains.edges):
        for node, sign in ((i, -1.0), (j, 1.0)):
            mixed[:, node, i] += 0.5 * sign * shear[:, k]
            mixed[:, node, j] += 0.5 * sign * shear[:, k]
    turned = _of_squared_height(strains, N[:, :, :3])
    seven = np.zeros((count, nodes, 7, nodes, 7))
    for axis in range(3):
        seven[:, :, 3 + axis, :, 3 + axis] = turned
        seven[:, :, axis, :, axis] = membrane
        seven[:, :, axis, :, 3 + axis] = mixed
        seven[:, :, 3 + axis, :, axis] = mixed.transpose(0, 2, 1)
    T = strains.to_seven
    matrices = np.einsum("enai,enamb,embj->enimj", T, seven, T, optimize=True)
    pull = np.einsum("egs,egsni->eni", N, strains.seven[..., :6], optimize=True)
    pull[:, :, 3:] += turned @ group.normals
    matrices[:, np.arange(nodes), 3:, np.arange(nodes), 3:] += _of_directors(group, pull).transpose(1, 0, 2, 3)
    return matrices


def _of_squared_height(strains: ShellStrains, N: np.ndarray) -> np.ndarray:
    """(ne, n, n) work of membrane forces N (ne, g, 3) on E2 of unit r at the nodes."""
    squared = strains.height_squared
    if strains.sampled is not None:
        squared = squared @ strains.sampled.turn
    forces = _symmetric(np.einsum("egij,egi->egj", squared, N))
    dN = strains.gradients[:, : N.shape[1]]
    dN = np.broadcast_to(dN, (len(N), *dN.shape[1:]))
    return np.einsum("egan,egab,egbm->enm", dN, forces, dN, optimize=True)


def _symmetric(N: np.ndarray) -> np.ndarray:
    """(..., 2, 2) tensors of (..., 3)."""
    return N[..., [0, 2, 2, 1]].reshape(*N.shape[:-1], 2, 2)


def _of_directors(group: ShellGroup, pull: np.ndarray) -> np.ndarray:
    """(ne, n, 3, 3) c . S(theta, theta) for the force c = offset times that on u, and that on r; pull (ne, n, 6)."""
    c, n = group.offset[:, None, None] * pull[..., :3] + pull[..., 3:], group.normals
    both = c[..., :, None] * n[..., None, :]
    return 0.5 * (both + both.swapaxes(2, 3)) - np.sum(c * n, axis=2)[..., None, None] * np.eye(3)
