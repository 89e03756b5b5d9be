"""Groups of like shell elements: geometry, walls and directions.

A point of a shell lies at x + z d, x on the middle surface and d the director, which is the element's own normal n_i at
each node; it moves by u + z r with r = sum N_i (theta_i x n_i) to first order. With an offset the middle surface
follows the nodes rigidly. Strains, mass and second-order terms are written in the nodal values
(u of the middle surface, r, rotation about the normal), seven numbers, and brought to the six freedoms of the node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.fem.family import by_node
from flexmbs.fem.shells.walls import ShellWall, shell_wall
from flexmbs.fem.stress_field import regions, some_rows
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.shell_geometry import check_surface, check_thickness, nodal_normals, nodal_thickness, surface_offset

_MOST_AT_ONCE, _CACHED = 512, 1 << 15  # elements whose strains, of the size of nodes^3, stay in the processor's cache
# Sine of the angle to the normal below which mesh x gives no direction in the surface and mesh z does (0.1 degrees).
_ALONG_NORMAL = 1.7e-3
# Cosine to the mean normal at a node above which elements make one smooth surface, and no fold.
SMOOTH_COSINE = 0.7


@dataclass(frozen=True, eq=False)
class ShellGroup:
    """Elements of one block."""

    kind: str
    wall: ShellWall
    ids: np.ndarray  # (ne,) int
    nodes: np.ndarray  # (ne, n) int
    middle: np.ndarray  # (ne, n, 3) m, of the middle surface at the nodes
    normals: np.ndarray  # (ne, n, 3) unit normals of the element at its nodes
    offset: np.ndarray  # (ne,) m, from the nodes to the middle surface
    thickness: np.ndarray  # (ne, n) m
    direction: np.ndarray  # (ne, 3), its projection on the surface is axis 1 of the wall
    rise: np.ndarray  # (ne,) how far a curved surface rises over the element, in thicknesses; zero in flat meshes
    joined: np.ndarray  # (ne, n) bool, sides (from each node to the next) that an element of another kind has too
    region: int = 0  # block that stands for the material and section (``stress_field.regions``)

    def chunks(self, size: int | None = None) -> Iterator[ShellGroup]:
        """Parts of ``size`` elements; without it, of such size that their strains stay in the processor's cache."""
        size = size or min(_MOST_AT_ONCE, _CACHED // self.nodes.shape[1] ** 3)
        for first in range(0, len(self.nodes), size):
            yield some_rows(self, slice(first, first + size))

    def to_seven(self) -> np.ndarray:
        """(ne, n, 7, 6) from displacement and rotation of a node to u of the middle surface, r, normal rotation."""
        n, o = self.normals, self.offset[:, None]
        transform = np.zeros((*n.shape[:2], 7, 6))
        for i in range(3):
            transform[:, :, i, i] = 1.0
            j, k = (i + 1) % 3, (i + 2) % 3
            transform[:, :, 3 + i, 3 + j] = n[:, :, k]  # (theta x n)_i = theta_j n_k - theta_k n_j
            transform[:, :, 3 + i, 3 + k] = -n[:, :, j]
        transform[:, :, :3, 3:] = o[..., None, None] * transform[:, :, 3:6, 3:]
        transform[:, :, 6, 3:] = n
        return transform

    def second_director(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """(ne, n, 3, p) S = 1/2 (theta_a x (theta_b x n) + theta_b x (theta_a x n)) of rotations (ne, n, 3, p)."""
        n = self.normals[..., None]
        a_n, b_n = np.sum(a * n, axis=2, keepdims=True), np.sum(b * n, axis=2, keepdims=True)
        return 0.5 * (b * a_n + a * b_n) - n * np.sum(a * b, axis=2, keepdims=True)

    def nodal(self, fields: np.ndarray) -> np.ndarray:
        """(ne, n, 6, k) of fields (ndof, k)."""
        return by_node(fields, 6)[self.nodes]


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Geometry of a group at reference points."""

    values: np.ndarray  # (g, n) shape functions
    gradients: np.ndarray  # (ne, g, 2, n) their derivatives along axes 1 and 2
    frame: np.ndarray  # (ne, g, 3, 3), rows are axes 1, 2 of the wall and the normal
    area: np.ndarray  # (ne, g) m2 per unit of reference area
    inverse: np.ndarray  # (ne, g, 2, 2) derivatives of reference coordinates, [axis, coordinate]


def surface_points(group: ShellGroup, xi: np.ndarray) -> SurfacePoints:
    """Geometry at reference points (g, 2)."""
    kind = KINDS[group.kind]
    reference = shape_gradients(kind, xi).transpose(0, 2, 1)
    tangents = np.einsum("gan,enk->egak", reference, group.middle)
    normal = np.cross(tangents[:, :, 0], tangents[:, :, 1])
    area = np.linalg.norm(normal, axis=2)
    normal = normal / np.where(area > 0.0, area, 1.0)[..., None]
    e1 = group.direction[:, None] - np.einsum("ek,egk->eg", group.direction, normal)[..., None] * normal
    e1 /= np.linalg.norm(e1, axis=2, keepdims=True)
    frame = np.stack([e1, np.cross(normal, e1), normal], axis=2)
    jacobian = np.einsum("egak,egbk->egab", tangents, frame[:, :, :2])
    inverse = np.linalg.inv(jacobian)
    return SurfacePoints(shape_values(kind, xi), inverse @ reference, frame, area, inverse)


def shell_groups(mesh: Mesh) -> list[ShellGroup]:
    """All elements of ``mesh``, by block."""
    groups = [
        replace(_group(mesh, block), region=region)
        for block, region in zip(mesh.blocks, regions(mesh, with_section=True), strict=True)
    ]
    mean = mean_normals(groups, len(mesh.points))
    return [replace(group, rise=_rise(group, mean), joined=_joined(group, groups)) for group in groups]


def _joined(group: ShellGroup, groups: list[ShellGroup]) -> np.ndarray:
    others = [_sides(other).reshape(-1, 2) for other in groups if other.kind != group.kind]
    if not others:
        return group.joined
    own, size = _sides(group), 1 + max(other.nodes.max() for other in groups)
    return np.isin(own @ [size, 1], np.concatenate(others) @ [size, 1])


def _sides(group: ShellGroup) -> np.ndarray:
    """(ne, n, 2) nodes of every side, the lower first."""
    return np.sort(np.stack([group.nodes, np.roll(group.nodes, -1, axis=1)], axis=2).astype(np.int64), axis=2)


def mean_normals(groups: list[ShellGroup], node_count: int) -> np.ndarray:
    """(nn, 3) unit vectors: the mean of the elements' normals at each node."""
    mean = np.zeros((node_count, 3))
    for group in groups:
        np.add.at(mean, group.nodes, group.normals)
    return mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), np.finfo(float).tiny)


def _rise(group: ShellGroup, mean: np.ndarray) -> np.ndarray:
    cosine = np.sum(mean[group.nodes] * group.normals, axis=2)
    sine = np.linalg.norm(np.cross(mean[group.nodes], group.normals), axis=2)
    angle = np.where(cosine > SMOOTH_COSINE, sine, 0.0).max(axis=1)
    return angle * np.ptp(group.middle, axis=1).max(axis=1) / group.thickness.mean(axis=1)


def _group(mesh: Mesh, block: ElementBlock) -> ShellGroup:
    where = f"{block.where or mesh.source or 'mesh'}: {block.kind} elements"
    check_thickness(block, where)
    check_surface(mesh, block)
    points, offset = mesh.points[block.nodes], surface_offset(block)
    normals = nodal_normals(block.kind, points)
    return ShellGroup(
        kind=block.kind,
        wall=shell_wall(block, where),
        ids=np.asarray(block.ids),
        nodes=np.asarray(block.nodes),
        middle=points + offset[:, None, None] * normals,
        normals=normals,
        offset=offset,
        thickness=nodal_thickness(block),
        direction=_directions(block, normals),
        rise=np.zeros(len(points)),
        joined=np.zeros(block.nodes.shape, bool),
    )


def _directions(block: ElementBlock, normals: np.ndarray) -> np.ndarray:
    """(ne, 3) material direction 1, or mesh x (z where the surface is normal to x)."""
    wish = np.tile([1.0, 0.0, 0.0], (len(normals), 1))
    if block.material_axes is not None:
        given = np.broadcast_to(np.asarray(block.material_axes, float), (len(normals), 3, 3))[:, :, 0]
        wish = np.where(np.isnan(given).any(axis=1)[:, None], wish, given)
    mean = normals.mean(axis=1)
    mean /= np.linalg.norm(mean, axis=1)[:, None]
    wish = wish / np.linalg.norm(wish, axis=1)[:, None]
    across = np.linalg.norm(np.cross(wish, mean), axis=1)
    wish = np.where((across < _ALONG_NORMAL)[:, None], [0.0, 0.0, 1.0], wish)
    # A direction among the normals of a warped element has no projection somewhere in it: its part across the mean has.
    warp = np.linalg.norm(np.cross(normals, mean[:, None]), axis=2).max(axis=1)
    flattened = wish - np.sum(wish * mean, axis=1)[:, None] * mean
    return np.where((across < 2.0 * warp)[:, None], flattened, wish)
