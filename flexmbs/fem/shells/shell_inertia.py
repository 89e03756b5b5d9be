"""Mass matrices of shells, samples that integrate over their mass, and the centrifugal load and softening of their walls."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.fe_model import pair_factors
from flexmbs.fem.rigid_fit import arm_stiffness
from flexmbs.fem.shells.shell_elements import ShellGroup, surface_points
from flexmbs.fem.shells.shell_strains import add_elements
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.mesh.quadrature import rule


def _moments(group: ShellGroup) -> tuple[np.ndarray, list[np.ndarray]]:
    """Shape functions (g, n) and the three moments of mass (ne, g), kg, kg m, kg m2, at the points of the mass rule."""
    xi, weights = rule(group.kind)
    points = surface_points(group, xi)
    thickness = np.einsum("gn,en->eg", points.values, group.thickness)
    area = points.area * weights
    return points.values, [np.broadcast_to(m, area.shape) * area for m in group.wall.mass(thickness)]


def mass_matrices(group: ShellGroup) -> np.ndarray:
    """(ne, n, 6, n, 6): int rho (u + z r) . (u + z r) dV, without the growth of area across a curved thickness."""
    T = group.to_seven()
    return np.einsum("enai,enamb,embj->enimj", T, mass_of_seven(group, np.eye(3)), T, optimize=True)


def mass_of_seven(group: ShellGroup, across: np.ndarray) -> np.ndarray:
    """(ne, n, 7, n, 7): int rho (u + z r) . P (u + z r) dV in the seven nodal values, P = ``across`` (3, 3)."""
    values, moments = _moments(group)
    zeroth, first, second = (np.einsum("eg,gn,gm->enm", m, values, values, optimize=True) for m in moments)
    count, nodes = group.nodes.shape
    seven = np.zeros((count, nodes, 7, nodes, 7))
    for i, j in np.argwhere(across):
        seven[:, :, i, :, j] = across[i, j] * zeroth
        seven[:, :, i, :, 3 + j] = across[i, j] * first
        seven[:, :, 3 + i, :, j] = across[i, j] * first
        seven[:, :, 3 + i, :, 3 + j] = across[i, j] * second
    return seven


def through_wall(group: ShellGroup, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(ne, n, 6, k) of the middle surface's displacement and r, to first order and to second order, at the nodes."""
    T = group.to_seven()[:, :, :6]
    nodal = group.nodal(modes)
    first = T @ nodal
    second = T @ group.nodal(quadratic)
    a, b = nodal[:, :, 3:, pairs[:, 0]], nodal[:, :, 3:, pairs[:, 1]]
    S = pair_factors(pairs) * group.second_director(a, b)
    second[:, :, :3] += group.offset[:, None, None, None] * S
    second[:, :, 3:] += S
    return first, second


def shell_inertia_samples(
    groups: list[ShellGroup], modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix]:
    """x (m, 3), modes (n, m, 3), quadratic (npairs, m, 3) and W (m, m) as ``FEModel.inertia_samples``.

    At every point of the mass rule two points of half the mass on the director, with its first and second moments.
    """
    parts: list[list[np.ndarray]] = [[], [], [], []]
    for whole in groups:
        for group in whole.chunks():
            values, (mass, first, second) = _moments(group)
            per_mass = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0)  # shells may be without mass
            center = first * per_mass
            spread = np.sqrt(np.maximum(second * per_mass - center**2, 0.0))
            linear, bent = through_wall(group, modes, pairs, quadratic)
            place = np.concatenate([group.middle, group.normals], axis=2)[..., None]
            for z in (center - spread, center + spread):
                for part, nodal in zip(parts, (place, linear, bent), strict=False):
                    part.append(_at(values, nodal, z))
                parts[3].append(0.5 * mass.ravel())
    x, linear, bent = (np.concatenate(part) for part in parts[:3])
    W = sparse.diags(np.concatenate(parts[3]), format="csr")
    return x[..., 0], np.ascontiguousarray(linear.transpose(2, 0, 1)), np.ascontiguousarray(bent.transpose(2, 0, 1)), W


def _at(values: np.ndarray, nodal: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(m, 3, k): u + z r at points with shape functions (g, n), of nodal (ne, n, 6, k)."""
    there = np.einsum("gn,enik->egik", values, nodal, optimize=True)
    return (there[:, :, :3] + z[..., None, None] * there[:, :, 3:]).reshape(z.size, 3, nodal.shape[3])


def shell_centrifugal(groups: list[ShellGroup], node_count: int, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Load (ndof,) and softening (ndof, ndof) per square of the speed; ``across`` (3, 3) is the projection P.

    First and second derivatives of 1/2 int |P (x + z n + u + z (r + 1/2 S))|^2 dm, S of ``second_director``.
    """
    pattern = NodePattern(node_count, [group.nodes for group in groups])
    load, data = np.zeros((node_count, 6)), pattern.zeros(6)
    for group, positions in zip(groups, pattern.positions, strict=True):
        for part in group.chunks():
            np.add.at(load, part.nodes, np.einsum("enai,ena->eni", part.to_seven(), _load_of_seven(part, across)))
        add_elements(pattern, data, positions, group, lambda part: _softening(part, across))
    return load.ravel(), pattern.matrix(data)


def _load_of_seven(group: ShellGroup, across: np.ndarray) -> np.ndarray:
    """(ne, n, 7)"""
    place = np.concatenate([group.middle, group.normals], axis=2)
    return np.einsum("enamb,emb->ena", mass_of_seven(group, across)[..., :6], place, optimize=True)


def _softening(group: ShellGroup, across: np.ndarray) -> np.ndarray:
    """(ne, n, 6, n, 6)"""
    T = group.to_seven()
    soft = np.einsum("enai,enamb,embj->enimj", T, mass_of_seven(group, across), T, optimize=True)
    load = _load_of_seven(group, across)
    on_director = load[:, :, 3:6] + group.offset[:, None, None] * load[:, :, :3]
    turning = arm_stiffness(on_director.reshape(-1, 3), group.normals.reshape(-1, 3))
    count, nodes = group.nodes.shape
    for node in range(nodes):
        soft[:, node, 3:, node, 3:] += turning.reshape(count, nodes, 3, 3)[:, node]
    return soft
