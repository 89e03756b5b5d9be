"""Top and bottom faces of shells: what is drawn, and the stress on it."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shells.shell_elements import ShellGroup
from flexmbs.fem.shells.shell_inertia import through_wall
from flexmbs.fem.shells.shell_stress import shared_corners, to_nodes, wall_points, wall_strains
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.connectivity import ring


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
            parts.append(np.column_stack([np.full(len(rows), rows.shape[1]), polygons]).ravel())
        edges.append(_sides(rows))
        owners.append(_sides(nodes))
        ids += [group.ids, group.ids]
        sides.append(np.repeat(group.ids, len(around)))
    _, inverse, times = np.unique(np.sort(np.concatenate(owners)), axis=0, return_inverse=True, return_counts=True)
    free = times[inverse.ravel()] == 1
    a, b = np.concatenate(edges)[free].T
    parts.append(np.column_stack([np.full(len(a), 4), a, b, count + b, count + a]).ravel())
    return np.concatenate(parts).astype(int), np.concatenate([*ids, np.concatenate(sides)[free]]).astype(int)


def _sides(polygons: np.ndarray) -> np.ndarray:
    """(sides, 2) from each point of each polygon to the next."""
    return np.stack([polygons, np.roll(polygons, -1, axis=1)], axis=2).reshape(-1, 2)
