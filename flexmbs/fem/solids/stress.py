"""Stress and strain of solids, at integration points, extrapolated to nodes and averaged there; what is drawn.

To the nodes stress goes from the points where it is most accurate (centre, 4 or 2x2x2 points; Barlow, IJNME 10, 1976),
linearly in each coordinate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.fem.elasticity import AnisotropicElasticity
from flexmbs.fem.family import as_samples, by_node
from flexmbs.fem.solids.elements import SolidGroup, displacement_gradients, field_internal_modes, physical_gradients
from flexmbs.fem.solids.kinds import Rule
from flexmbs.fem.stress_field import COLUMNS, ROWS, NodalMean, StressModes, SurfaceFields, modes_at, stress_points, vtk_faces
from flexmbs.mesh.mesh import Mesh


def solid_stress_modes(mesh: Mesh, groups: list[SolidGroup], fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
    """Stress of nodal ``fields`` (ndof, n) at "integration points", "element nodes" or "nodes".

    Integration points are those of the stiffness of straight elements, also where sides are curved. At "nodes" there is
    one point for each node and material.
    """
    if at == "nodes":
        return _at_nodes(mesh, groups, fields, with_strain)
    parts = []
    for group in groups:
        rule = group.shape.stiffness if at == "integration points" else None
        for part, values in _by_chunk(group, fields, rule, with_strain):
            parts.append(_element_points(mesh, part, rule, values))
    return StressModes.joined(parts, fields.shape[1])


def nodal_stress(groups: list[SolidGroup], fields: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(count, 6, n) Pa, the mean over all elements at each node of a row, whatever their material.

    ``rows`` (nn,) gives the row 0 ... count - 1 of each node, -1 for none.
    """
    mean = NodalMean(rows.max() + 1, (6, fields.shape[1]))
    for group in groups:
        for part, values in _by_chunk(group, fields, None, False):
            mean.add(rows[part.nodes].ravel(), values)
    return mean.mean()


def _at_nodes(mesh: Mesh, groups: list[SolidGroup], fields: np.ndarray, with_strain: bool) -> StressModes:
    size, count = len(mesh.points), fields.shape[1]
    keys = np.unique(np.concatenate([np.unique(group.nodes) + size * group.region for group in groups]))
    six = 12 if with_strain else 6
    mean = NodalMean(len(keys), (six, count))
    for group in groups:
        for part, values in _by_chunk(group, fields, None, with_strain):
            mean.add(np.searchsorted(keys, part.nodes + size * part.region).ravel(), values)
    nodes = keys % size
    points = stress_points(mesh.points[nodes], node_ids=np.asarray(mesh.node_ids)[nodes], region=keys // size)
    return modes_at(points, mean.mean())


def _by_chunk(
    group: SolidGroup, fields: np.ndarray, rule: Rule | None, with_strain: bool
) -> Iterator[tuple[SolidGroup, np.ndarray]]:
    """Chunks of elements, each with (ne, points, 6 or 12, n): stress and strain at ``rule``, or at the nodes (None)."""
    extrapolation = None if rule else group.shape.extrapolation()
    for part in group.chunks():
        values = _at_points(part, fields, rule or group.shape.stress, with_strain)
        if extrapolation is not None:
            components, count = values.shape[2:]  # count is 0 for a rigid body
            flat = extrapolation @ values.reshape(*values.shape[:2], components * count)
            values = flat.reshape(*flat.shape[:2], components, count)
        yield part, values


def _at_points(group: SolidGroup, fields: np.ndarray, rule: Rule, with_strain: bool) -> np.ndarray:
    gradients, _ = physical_gradients(group, rule)
    slopes = displacement_gradients(gradients, group, fields, field_internal_modes(group))
    strain = 0.5 * (slopes + slopes.swapaxes(2, 3))
    stress = group.elasticity.stress(strain)
    parts = [stress, strain] if with_strain else [stress]
    return np.concatenate([part[:, :, ROWS, COLUMNS] for part in parts], axis=2)


def _element_points(mesh: Mesh, group: SolidGroup, rule: Rule | None, values: np.ndarray) -> StressModes:
    count, per_element = values.shape[:2]
    positions, node_ids = group.coordinates, np.asarray(mesh.node_ids)[group.nodes].ravel()
    if rule:
        positions, node_ids = group.shape.values(rule.points) @ positions, 0
    points = stress_points(
        positions.reshape(-1, 3),
        element_ids=np.repeat(group.ids, per_element),
        node_ids=node_ids,
        region=group.region,
        axes=np.repeat(_material_axes(group, count), per_element, axis=0),
    )
    return modes_at(points, values.reshape(count * per_element, *values.shape[2:]))


def _material_axes(group: SolidGroup, count: int) -> np.ndarray:
    """(ne, 3, 3), rows are the axes of the material."""
    elastic = group.elasticity
    columns = elastic.axes if isinstance(elastic, AnisotropicElasticity) and elastic.axes is not None else np.eye(3)
    return np.broadcast_to(np.swapaxes(columns, -1, -2), (count, 3, 3))


def solid_surface(mesh: Mesh, groups: list[SolidGroup], modes: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
    """Outer faces as polygons through corner and midside nodes.

    Stress is averaged over all elements at each node, without regard to changes of material.
    """
    outer = outer_faces(groups)
    polygons = [nodes for nodes, _ in outer]
    on_surface = np.unique(np.concatenate([p.ravel() for p in polygons]))
    new_index = np.full(len(mesh.points), -1)
    new_index[on_surface] = np.arange(len(on_surface))
    faces = np.concatenate([vtk_faces(new_index[p]) for p in polygons])
    return SurfaceFields(
        points=mesh.points[on_surface],
        faces=faces,
        modes=as_samples(by_node(modes, 3)[on_surface]),
        quadratic=as_samples(by_node(quadratic, 3)[on_surface]),
        stress_modes=np.ascontiguousarray(nodal_stress(groups, modes, new_index).transpose(2, 0, 1)),
        elements=np.concatenate([ids for _, ids in outer]),
    )


def outer_faces(groups: list[SolidGroup]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Faces that belong to one element only: node polygons (faces, nodes) and the numbers (faces,) of their elements.

    One pair of arrays for each number of nodes.
    """
    polygons: dict[int, list[np.ndarray]] = {}
    elements: dict[int, list[np.ndarray]] = {}
    for group in groups:
        for face in group.shape.faces:
            polygons.setdefault(len(face), []).append(group.nodes[:, face])
            elements.setdefault(len(face), []).append(group.ids)
    keys, owners = [], []
    stacked = [np.concatenate(parts) for _, parts in sorted(polygons.items())]
    ids = [np.concatenate(parts) for _, parts in sorted(elements.items())]
    corner_step = [2 if size > 4 else 1 for size in sorted(polygons)]  # 6 or 8 nodes: corners and midside nodes in turn
    for polygon, step in zip(stacked, corner_step, strict=True):
        corners = np.sort(polygon[:, ::step], axis=1)
        padded = np.full((len(corners), 4), -1)
        padded[:, : corners.shape[1]] = corners
        keys.append(padded)
        owners.append(len(corners))
    _, inverse, counts = np.unique(np.concatenate(keys), axis=0, return_inverse=True, return_counts=True)
    once = np.split(counts[inverse.ravel()] == 1, np.cumsum(owners)[:-1])
    kept = zip(stacked, ids, once, strict=True)
    return [(polygon[single], numbers[single]) for polygon, numbers, single in kept if single.any()]
