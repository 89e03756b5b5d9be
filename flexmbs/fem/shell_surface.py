"""Top and bottom faces of shells: what is drawn, and the stress on it."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.shell_elements import SMOOTH_COSINE, ShellGroup, mean_normals, surface_points
from flexmbs.fem.shell_inertia import through_wall
from flexmbs.fem.shell_strains import element_module, shell_strains
from flexmbs.fem.surface_fields import SurfaceFields

_ROWS, _COLUMNS = [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]


def shell_surface(
    groups: list[ShellGroup], node_count: int, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> SurfaceFields:
    """Both faces, half the thickness from the middle surface, and the strips between them along free edges.

    Stress is plane, of the outermost layers, from the integration points (linear to the corners) and averaged over the
    elements that meet smoothly at a node; transverse shear vanishes on both faces.
    """
    corner, count = _shared_corners(groups, node_count)
    sums = [np.zeros((2, count, size)) for size in (3, 3 * modes.shape[1], 3 * len(pairs), 6 * modes.shape[1])]
    first = 0
    for whole in groups:
        for group in whole.chunks():
            last = first + group.nodes.size
            _add_faces(sums, corner[first:last], group, modes, pairs, quadratic)
            first = last
    hits = np.bincount(corner, minlength=count)[:, None]
    points, linear, second, stress = ((total / hits).reshape(2 * count, -1) for total in sums)
    return SurfaceFields(
        points=points,
        faces=_faces(groups, corner, count),
        modes=np.ascontiguousarray(linear.reshape(2 * count, 3, -1).transpose(2, 0, 1)),
        quadratic=np.ascontiguousarray(second.reshape(2 * count, 3, -1).transpose(2, 0, 1)),
        stress_modes=np.ascontiguousarray(stress.reshape(2 * count, 6, -1).transpose(2, 0, 1)),
    )


def _shared_corners(groups: list[ShellGroup], node_count: int) -> tuple[np.ndarray, int]:
    """The drawn point of every corner of every element in order, and their number."""
    nodes = np.concatenate([group.nodes.ravel() for group in groups])
    normals = np.concatenate([group.normals.reshape(-1, 3) for group in groups])
    mean = mean_normals(groups, node_count)
    smooth = np.sum(mean[nodes] * normals, axis=1) > SMOOTH_COSINE
    key = np.where(smooth, nodes, node_count + np.arange(len(nodes)))
    unique, corner = np.unique(key, return_inverse=True)
    return corner.ravel(), len(unique)


def _add_faces(sums, corner, group: ShellGroup, modes, pairs, quadratic) -> None:
    linear, second = through_wall(group, modes, pairs, quadratic)
    stress = face_stress(group, modes)
    place = np.concatenate([group.middle, group.normals], axis=2)[..., None]
    for side, sign in enumerate((-1.0, 1.0)):
        z = (0.5 * sign * group.thickness)[..., None, None]
        values = [fields[:, :, :3] + z * fields[:, :, 3:] for fields in (place, linear, second)]
        for total, value in zip(sums, [*values, stress[side]], strict=True):
            np.add.at(total[side], corner, value.reshape(len(corner), -1))


def face_stress(group: ShellGroup, modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stress (ne, n, 6, k), Pa, xx, yy, zz, yz, xz, xy in the body frame, on the bottom and the top at the corners."""
    element = element_module(group.kind)
    strains = shell_strains(group)
    points = surface_points(group, element.POINTS)
    count, nodes = group.nodes.shape
    of_modes = strains.B @ group.nodal(modes).reshape(count, 1, 6 * nodes, -1)
    thickness = np.einsum("gn,en->eg", points.values, group.thickness)[..., None, None]
    axes = points.frame[:, :, :2]
    found = []
    for sign, Q in ((-0.5, group.wall.bottom), (0.5, group.wall.top)):
        plane = Q @ (of_modes[:, :, :3] + sign * thickness * of_modes[:, :, 3:6])
        tensor = plane[:, :, [0, 2, 2, 1]].reshape(count, -1, 2, 2, plane.shape[-1])
        turned = np.einsum("egai,egabk,egbj->egijk", axes, tensor, axes, optimize=True)
        found.append(np.einsum("ng,egsk->ensk", element.TO_CORNERS, turned[:, :, _ROWS, _COLUMNS]))
    return found[0], found[1]


def _faces(groups: list[ShellGroup], corner: np.ndarray, count: int) -> np.ndarray:
    """VTK face list: bottoms turned over, tops, and quadrilaterals along edges that one element has alone."""
    parts, edges, owners, first = [], [], [], 0
    for group in groups:
        rows = corner[first : first + group.nodes.size].reshape(group.nodes.shape)
        first += group.nodes.size
        for polygons in (rows[:, ::-1], count + rows):
            parts.append(np.column_stack([np.full(len(rows), rows.shape[1]), polygons]).ravel())
        after = np.roll(np.arange(rows.shape[1]), -1)
        edges.append(np.stack([rows, rows[:, after]], axis=2).reshape(-1, 2))
        owners.append(np.stack([group.nodes, group.nodes[:, after]], axis=2).reshape(-1, 2))
    _, inverse, times = np.unique(np.sort(np.concatenate(owners)), axis=0, return_inverse=True, return_counts=True)
    a, b = np.concatenate(edges)[times[inverse.ravel()] == 1].T
    parts.append(np.column_stack([np.full(len(a), 4), a, b, count + b, count + a]).ravel())
    return np.concatenate(parts).astype(int)
