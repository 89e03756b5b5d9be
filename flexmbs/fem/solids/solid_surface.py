"""Outer faces of a solid mesh and the stress at their nodes."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.solids.solid_elements import SolidGroup
from flexmbs.fem.solids.solid_stress import nodal_stress
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.mesh import Mesh


def solid_surface(mesh: Mesh, groups: list[SolidGroup], modes: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
    """Outer faces as polygons through corner and midside nodes.

    Stress is averaged over all elements at each node, without regard to changes of material.
    """
    outer = outer_faces(groups)
    polygons = [nodes for nodes, _ in outer]
    on_surface = np.unique(np.concatenate([p.ravel() for p in polygons]))
    new_index = np.full(len(mesh.points), -1)
    new_index[on_surface] = np.arange(len(on_surface))
    faces = np.concatenate([_vtk_faces(new_index[p]) for p in polygons])
    return SurfaceFields(
        points=mesh.points[on_surface],
        faces=faces,
        modes=_at_nodes(modes, on_surface),
        quadratic=_at_nodes(quadratic, on_surface),
        stress_modes=np.ascontiguousarray(nodal_stress(groups, modes, mesh.source, new_index).transpose(2, 0, 1)),
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


def _vtk_faces(polygons: np.ndarray) -> np.ndarray:
    return np.column_stack([np.full(len(polygons), polygons.shape[1]), polygons]).ravel()


def _at_nodes(fields: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(ndof, n) to (n, nodes, 3)."""
    return np.ascontiguousarray(fields.reshape(len(fields) // 3, 3, fields.shape[1])[nodes].transpose(2, 0, 1))
