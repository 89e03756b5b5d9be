"""Stress, strain and wall forces of shells, through the layers: at integration points, brought to the nodes, and as drawn.

In-plane stress follows from membrane strain and curvature; transverse shear stress from the shear forces, as the
stress that balances bending (zero on both faces, 3/2 of the mean in the middle of one layer: ``walls``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.fem.family import pair_factors
from flexmbs.fem.section_forces import ShellForces
from flexmbs.fem.shells.elements import ShellGroup, SurfacePoints, surface_points
from flexmbs.fem.shells.strains import SHELLS, ShellStrains, shell_strains
from flexmbs.fem.shells.walls import ShellWall, WallLayer
from flexmbs.fem.stress_field import COLUMNS, ROWS, NodalMean, StressModes, SurfaceFields, modes_at, stress_points, vtk_faces
from flexmbs.mesh.connectivity import ring
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh

# Cosine between normals above which elements make one surface, over which stress is averaged, and no fold: an octagon
# stands for a cylinder, a hexagon does not.
_ONE_SURFACE = 0.6


@dataclass(frozen=True, eq=False)
class WallPoint:
    """A height in a layer of a wall of thickness 1 m: z from -1/2 to 1/2; ``number`` 1 is the lowest layer."""

    z: float
    layer: WallLayer
    number: int


@dataclass(frozen=True, eq=False)
class WallStrains:
    """Strains of ``fields`` in a chunk of elements: (ne, g, 9, n) at its integration points, and where these are."""

    group: ShellGroup
    points: SurfacePoints
    strains: ShellStrains
    values: np.ndarray

    @property
    def thickness(self) -> np.ndarray:
        """(ne, g) m."""
        return np.einsum("gn,en->eg", self.points.values, self.group.thickness)

    def six(self, at: WallPoint, with_strain: bool) -> np.ndarray:
        """(ne, g, 6 or 12, n) stress, and strain, in mesh axes."""
        wall, layer, values = self.group.wall, at.layer, self.values
        plane = values[:, :, :3] + at.z * self.thickness[..., None, None] * values[:, :, 3:6]
        shear = wall.shear_stress(at.z) @ wall.shear @ values[:, :, 6:8]
        parts = [self._turned(layer.in_plane @ plane, 0.0, shear)]
        if with_strain:
            halves = np.array([1.0, 1.0, 0.5])[:, None] * plane
            across = np.einsum("i,egin->egn", layer.thinning, plane)
            parts.append(self._turned(halves, across, 0.5 * np.linalg.solve(layer.across, shear)))
        return np.concatenate(parts, axis=2)

    def _turned(self, plane: np.ndarray, normal, shear: np.ndarray) -> np.ndarray:
        """(ne, g, 6, n) in mesh axes of 11, 22, 12; 33; 13, 23."""
        tensor = np.empty((*plane.shape[:2], 3, 3, plane.shape[3]))
        tensor[:, :, 0, 0], tensor[:, :, 1, 1], tensor[:, :, 2, 2] = plane[:, :, 0], plane[:, :, 1], normal
        tensor[:, :, 0, 1] = tensor[:, :, 1, 0] = plane[:, :, 2]
        tensor[:, :, :2, 2] = tensor[:, :, 2, :2] = shear
        frame = self.points.frame
        return np.einsum("egai,egabn,egbj->egijn", frame, tensor, frame, optimize=True)[:, :, ROWS, COLUMNS]


def wall_strains(group: ShellGroup, fields: np.ndarray) -> WallStrains:
    """Strains of nodal fields (ndof, n) in a chunk of elements."""
    strains, points = shell_strains(group), surface_points(group, SHELLS[group.kind].points)
    nodal = group.nodal(fields)
    flat = nodal.reshape(len(nodal), 1, nodal.shape[1] * nodal.shape[2], nodal.shape[3])  # n may be 0
    return WallStrains(group, points, strains, strains.B @ flat)


def wall_points(wall: ShellWall) -> list[WallPoint]:
    """Bottom, middle and top of every layer."""
    return [
        WallPoint(z, layer, number)
        for number, layer in enumerate(wall.layers, start=1)
        for z in (layer.low, 0.5 * (layer.low + layer.high), layer.high)
    ]


def to_nodes(kind: str, values: np.ndarray) -> np.ndarray:
    """(ne, n, ...) at the nodes of values (ne, g, ...) at the integration points."""
    return np.einsum("ng,eg...->en...", SHELLS[kind].to_nodes, values)


def shell_stress_modes(mesh: Mesh, groups: list[ShellGroup], fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
    """Stress of nodal ``fields`` (ndof, n) at the bottom, middle and top of every layer.

    At "nodes" there is one mean for each node and section; where elements do not meet smoothly, each has its own.
    """
    if at == "nodes":
        return _at_nodes(mesh, groups, fields, with_strain)
    parts = []
    for whole in groups:
        for group in whole.chunks():
            found = wall_strains(group, fields)
            parts += [_element_points(mesh, found, point, at, with_strain) for point in wall_points(group.wall)]
    return StressModes.joined(parts, fields.shape[1])


def shell_wall_forces(mesh: Mesh, groups: list[ShellGroup], displacement: np.ndarray, at: str) -> ShellForces:
    """Membrane forces, moments and shear forces at "integration points" or "element nodes"."""
    parts = []
    for whole in groups:
        for group in whole.chunks():
            found = wall_strains(group, displacement)
            forces = (found.strains.stiffness @ found.values)[..., 0]
            places, node_ids, axes = _places(mesh, found, at)
            if at != "integration points":
                forces = to_nodes(group.kind, forces)
            count = forces.shape[1]
            forces = forces.reshape(-1, 9)
            ids = np.repeat(group.ids, count)
            parts.append(ShellForces(ids, node_ids, places, axes, forces[:, :3], forces[:, 3:6], forces[:, 6:8]))
    return ShellForces.joined(parts)


def shared_corners(groups: list[ShellGroup], node_count: int) -> tuple[np.ndarray, int]:
    """A number for every corner of every element in order, the same where elements meet smoothly, and their count."""
    nodes = np.concatenate([group.nodes.ravel() for group in groups])
    normals = np.concatenate([group.normals.reshape(-1, 3) for group in groups])
    number, count = np.full(len(nodes), -1), 0
    while (left := np.flatnonzero(number < 0)).size:
        # of what is left at each node, the first corner and all that lie in one smooth surface with it
        at, first, place = np.unique(nodes[left], return_index=True, return_inverse=True)
        smooth = np.sum(normals[left] * normals[left[first]][place.ravel()], axis=1) > _ONE_SURFACE
        number[left[smooth]] = count + place.ravel()[smooth]
        count += len(at)
    return number, count


def _element_points(mesh: Mesh, found: WallStrains, point: WallPoint, at: str, with_strain: bool) -> StressModes:
    values = found.six(point, with_strain)
    if at != "integration points":
        values = to_nodes(found.group.kind, values)
    count = values.shape[1]
    places, node_ids, axes = _places(mesh, found, at, point)
    points = stress_points(
        places,
        element_ids=np.repeat(found.group.ids, count),
        node_ids=node_ids,
        region=found.group.region,
        layer=point.number,
        height=_height(point),
        axes=axes,
    )
    return modes_at(points, values.reshape(len(places), *values.shape[2:]))


def _places(mesh: Mesh, found: WallStrains, at: str, point: WallPoint | None = None):
    """Positions (m, 3), node numbers (m,) and axes (m, 3, 3), of the layer at ``point`` or of the middle surface."""
    group, points = found.group, found.points
    if at == "integration points":
        middle, frame, thickness = points.values @ group.middle, points.frame, found.thickness
        node_ids = np.zeros(thickness.size, int)
    else:
        frame = surface_points(group, KINDS[group.kind].reference_nodes).frame
        middle, thickness, node_ids = group.middle, group.thickness, np.asarray(mesh.node_ids)[group.nodes].ravel()
    z, angle = (0.0, 0.0) if point is None else (point.z, point.layer.angle)
    places = middle + z * thickness[..., None] * frame[:, :, 2]
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return places.reshape(-1, 3), node_ids, (turn @ frame).reshape(-1, 3, 3)


def _at_nodes(mesh: Mesh, groups: list[ShellGroup], fields: np.ndarray, with_strain: bool) -> StressModes:
    six, count, parts = 12 if with_strain else 6, fields.shape[1], []
    for region in sorted({group.region for group in groups}):
        of_region = [group for group in groups if group.region == region]
        corner, rows = shared_corners(of_region, len(mesh.points))
        heights = wall_points(of_region[0].wall)
        stress, places = NodalMean(rows, (len(heights), six, count)), NodalMean(rows, (len(heights), 3))
        node_of, first = np.zeros(rows, int), 0
        for whole in of_region:
            for group in whole.chunks():
                own = corner[first : first + group.nodes.size]
                first += group.nodes.size
                node_of[own] = group.nodes.ravel()
                found = wall_strains(group, fields)
                values = [to_nodes(group.kind, found.six(point, with_strain)) for point in heights]
                stress.add(own, np.stack(values, axis=2))
                across = np.array([point.z for point in heights])[:, None] * group.normals[:, :, None]
                places.add(own, group.middle[:, :, None] + group.thickness[..., None, None] * across)
        points = stress_points(
            places.mean().reshape(-1, 3),
            node_ids=np.repeat(np.asarray(mesh.node_ids)[node_of], len(heights)),
            region=region,
            layer=np.tile([point.number for point in heights], rows),
            height=np.tile([_height(point) for point in heights], rows),
        )
        parts.append(modes_at(points, stress.mean().reshape(len(points), six, count)))
    return StressModes.joined(parts, count)


def _height(point: WallPoint) -> float:
    return round(2.0 * point.z, 12)  # faces are -1 and 1, rounding of the layers' sum left aside


def shell_surface(
    groups: list[ShellGroup], node_count: int, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> SurfaceFields:
    """Both faces, half the thickness from the middle surface, and the strips between them along free edges.

    Stress is plane, of the outermost layers, from the integration points (linear to the corners) and averaged over the
    elements that meet smoothly at a node; transverse shear vanishes on both faces.
    """
    corner, count = shared_corners(groups, node_count)
    sums = [np.zeros((2, count, size)) for size in (3, 3 * modes.shape[1], 3 * len(pairs), 6 * modes.shape[1])]
    first = 0
    for whole in groups:
        for group in whole.chunks():
            last = first + group.nodes.size
            _add_faces(sums, corner[first:last], group, modes, pairs, quadratic)
            first = last
    hits = np.bincount(corner, minlength=count)[:, None]
    points, linear, second, stress = ((total / hits).reshape(2 * count, -1) for total in sums)
    faces, elements = _faces(groups, corner, count)
    return SurfaceFields(
        points=points,
        faces=faces,
        modes=np.ascontiguousarray(linear.reshape(2 * count, 3, -1).transpose(2, 0, 1)),
        quadratic=np.ascontiguousarray(second.reshape(2 * count, 3, -1).transpose(2, 0, 1)),
        stress_modes=np.ascontiguousarray(stress.reshape(2 * count, 6, -1).transpose(2, 0, 1)),
        elements=elements,
    )


def _add_faces(sums, corner, group: ShellGroup, modes, pairs, quadratic) -> None:
    linear, second = through_wall(group, modes, pairs, quadratic)
    found, (bottom, *_, top) = wall_strains(group, modes), wall_points(group.wall)
    stress = [to_nodes(group.kind, found.six(face, False)) for face in (bottom, top)]
    place = np.concatenate([group.middle, group.normals], axis=2)[..., None]
    for side, sign in enumerate((-1.0, 1.0)):
        z = (0.5 * sign * group.thickness)[..., None, None]
        values = [fields[:, :, :3] + z * fields[:, :, 3:] for fields in (place, linear, second)]
        for total, value in zip(sums, [*values, stress[side]], strict=True):
            np.add.at(total[side], corner, value.reshape(len(corner), -1))


def _faces(groups: list[ShellGroup], corner: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """VTK face list with the numbers of the elements: bottom faces (reversed), top faces, strips along free edges.

    Free edges are those of only one element; their strips are quadrilaterals.
    """
    parts, edges, owners, first = [], [], [], 0
    ids, sides = [], []
    for group in groups:
        around = ring(group.kind)
        rows = corner[first : first + group.nodes.size].reshape(group.nodes.shape)[:, around]
        nodes = group.nodes[:, around]
        first += group.nodes.size
        for polygons in (rows[:, ::-1], count + rows):
            parts.append(vtk_faces(polygons))
        edges.append(_sides(rows))
        owners.append(_sides(nodes))
        ids += [group.ids, group.ids]
        sides.append(np.repeat(group.ids, len(around)))
    _, inverse, times = np.unique(np.sort(np.concatenate(owners)), axis=0, return_inverse=True, return_counts=True)
    free = times[inverse.ravel()] == 1
    a, b = np.concatenate(edges)[free].T
    parts.append(vtk_faces(np.column_stack([a, b, count + b, count + a])))
    return np.concatenate(parts).astype(int), np.concatenate([*ids, np.concatenate(sides)[free]]).astype(int)


def _sides(polygons: np.ndarray) -> np.ndarray:
    """(sides, 2) from each point of each polygon to the next."""
    return np.stack([polygons, np.roll(polygons, -1, axis=1)], axis=2).reshape(-1, 2)


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
