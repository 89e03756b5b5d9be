"""The family of shells: matrices, inertia, and places inside elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.family import Family, Samples, pair_factors
from flexmbs.fem.rigid_motion import arm_stiffness
from flexmbs.fem.section_forces import ShellForces
from flexmbs.fem.shells.elements import ShellGroup, shell_groups, surface_points
from flexmbs.fem.shells.strains import (
    shell_geometric_stiffness,
    shell_second_order_loads,
    shell_strains,
    stiffness_matrices,
    summed_elements,
)
from flexmbs.fem.shells.stress import shell_stress_modes, shell_surface, shell_wall_forces, through_wall
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, SurfaceFields, some_rows
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.quadrature import rule

POINT_TOLERANCE = 1e-6  # of the body's size: a point given in decimal digits still counts as in the shell
NEWTON_STEPS = 30


@dataclass(frozen=True, eq=False)
class Shells(Family):
    """Shell elements and membranes."""

    groups: list[ShellGroup]

    def matrices_of(self, chosen: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        return _matrices([group for group in self.groups if chosen[group.region]], len(self.mesh.points))

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return shell_second_order_loads(self.groups, len(self.mesh.points), fields, pairs)

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return shell_geometric_stiffness(self.groups, len(self.mesh.points), displacement)

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        """At every point of the mass rule two points of half the mass on the director, with its first and second moments."""
        parts: list[list[np.ndarray]] = [[], [], [], []]
        for whole in self.groups:
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

    def centrifugal(self, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
        """Derivatives of 1/2 int |P (x + z n + u + z (r + 1/2 S))|^2 dm, S of ``second_director``."""
        node_count = len(self.mesh.points)
        pattern = NodePattern(node_count, [group.nodes for group in self.groups])
        load = np.zeros((node_count, 6))
        for part in (part for group in self.groups for part in group.chunks()):
            np.add.at(load, part.nodes, np.einsum("enai,ena->eni", part.to_seven(), _load_of_seven(part, across)))
        return load.ravel(), summed_elements(pattern, self.groups, lambda part: _softening(part, across))

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        return shell_surface(self.groups, len(self.mesh.points), modes, pairs, quadratic)

    def stress_modes(self, fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
        return shell_stress_modes(self.mesh, self.groups, fields, at, with_strain)

    def shell_forces(self, displacement: np.ndarray, at: str) -> ShellForces:
        return shell_wall_forces(self.mesh, self.groups, displacement, at)

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        """Displacement u + z r and rotation, interpolated."""
        only, values, height = _located(self.mesh, self.groups, point)
        T = only.to_seven()[0]
        operator = np.zeros((6, len(values), 6))
        operator[:3] = np.einsum("n,nij->inj", values, T[:, :3] + height * T[:, 3:6])
        operator[3:, :, 3:] = np.einsum("n,ij->inj", values, np.eye(3))
        columns = (6 * only.nodes[0][:, None] + np.arange(6)).ravel()
        index = (np.repeat(np.arange(6), len(columns)), np.tile(columns, 6))
        return sparse.csr_matrix((operator.ravel(), index), shape=(6, 6 * len(self.mesh.points)))

    def point_second_order(self, point: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> np.ndarray:
        found = self.point_operator(point) @ quadratic
        only, values, height = _located(self.mesh, self.groups, point)
        turns = only.nodal(modes)[:, :, 3:]
        S = pair_factors(pairs) * only.second_director(turns[..., pairs[:, 0]], turns[..., pairs[:, 1]])
        found[:3] += (only.offset[0] + height) * np.einsum("n,nip->ip", values, S[0])
        return found


def shells(mesh: Mesh) -> Shells:
    """The shells of a mesh."""
    groups = shell_groups(mesh)
    return Shells(mesh, *_matrices(groups, len(mesh.points)), groups)


def _matrices(groups: list[ShellGroup], node_count: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """M and K."""
    pattern = NodePattern(node_count, [group.nodes for group in groups])
    stiffness = summed_elements(pattern, groups, lambda part: stiffness_matrices(shell_strains(part)))
    return summed_elements(pattern, groups, mass_matrices), stiffness


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


def _at(values: np.ndarray, nodal: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(m, 3, k): u + z r at points with shape functions (g, n), of nodal (ne, n, 6, k)."""
    there = np.einsum("gn,enik->egik", values, nodal, optimize=True)
    return (there[:, :, :3] + z[..., None, None] * there[:, :, 3:]).reshape(z.size, 3, nodal.shape[3])


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


def _located(mesh: Mesh, groups: list[ShellGroup], point: np.ndarray) -> tuple[ShellGroup, np.ndarray, float]:
    """The element (a group of one), shape functions (n,) and height over the middle surface (m) of ``point`` (3,).

    A point counts as in the shell anywhere in its thickness, and on the surface of its nodes. BodyError otherwise.
    """
    point = np.asarray(point, dtype=float)
    tolerance = POINT_TOLERANCE * np.ptp(mesh.points, axis=0).max()
    best = (np.inf, None, np.zeros(0), 0.0)
    for group in groups:
        low, high = group.middle.min(axis=1), group.middle.max(axis=1)
        margin = 0.5 * group.thickness.max(axis=1) + np.abs(group.offset) + tolerance
        near = np.all((point >= low - margin[:, None]) & (point <= high + margin[:, None]), axis=1)
        for row in np.flatnonzero(near):
            values, height, away = _projected(group, row, point)
            reach = max(0.5 * values @ group.thickness[row], abs(group.offset[row]))
            distance = float(np.hypot(away, max(abs(height) - reach, 0.0)))
            if distance < best[0]:
                only = some_rows(group, slice(row, row + 1))
                best = (distance, only, values, height)
    if not best[0] <= tolerance:
        nearest = min(best[0], np.linalg.norm(mesh.points - point, axis=1).min())
        raise BodyError(
            f"point {point.tolist()} m lies about {nearest:.3g} m outside the shells of {mesh.source or 'the mesh'}, "
            f"which span {mesh.points.min(axis=0).tolist()} to {mesh.points.max(axis=0).tolist()} m"
        )
    return best[1], best[2], best[3]


def _projected(group: ShellGroup, row: int, point: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Shape functions, height along the director and distance beside the element of the nearest place."""
    kind = KINDS[group.kind]
    middle, normals = group.middle[row], group.normals[row]
    xi, height = kind.reference_nodes.mean(axis=0), 0.0
    for _ in range(NEWTON_STEPS):
        N, dN = shape_values(kind, xi[None])[0], shape_gradients(kind, xi[None])[0]
        residual = point - N @ middle - height * (N @ normals)
        columns = (dN.T @ (middle + height * normals)).T
        step = np.linalg.lstsq(np.column_stack([columns, N @ normals]), residual, rcond=None)[0]
        xi, height = np.clip(xi + step[:2], -3.0, 3.0), height + step[2]
        if np.abs(step[:2]).max() < 1e-13:
            break
    xi = np.clip(xi, -1.0, 1.0) if kind.corner_count == 4 else _in_triangle(xi)
    N = shape_values(kind, xi[None])[0]
    offset = point - N @ middle
    director = N @ normals
    height = float(offset @ director / (director @ director))  # of corners that differ it is no unit vector
    return N, height, float(np.linalg.norm(offset - height * director))


def _in_triangle(xi: np.ndarray) -> np.ndarray:
    clipped = np.maximum(xi, 0.0)
    return clipped / max(clipped.sum(), 1.0)
