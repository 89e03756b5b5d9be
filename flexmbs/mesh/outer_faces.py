"""The outer faces of a mesh."""

from __future__ import annotations

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, faces_of
from flexmbs.mesh.mesh import Mesh


def outer_faces(mesh: Mesh) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Faces of solids that no other solid shares, and all shells.

    Returns
    -------
    list of (kind of face, (k, n) node indices, (k,) indices of the elements counted through the blocks)
    """
    solid: dict[str, list] = {}
    shells, start = [], 0
    for block in mesh.blocks:
        numbers = np.arange(start, start + len(block.ids))
        start += len(block.ids)
        dimension = KINDS[block.kind].dimension
        if dimension == 2:
            shells.append((block.kind, block.nodes, numbers))
        elif dimension == 3:
            for kind, local in faces_of(block.kind):
                solid.setdefault(kind, []).append((block.nodes[:, local], numbers))
    return _unshared(solid) + shells


def _unshared(faces: dict[str, list]) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Faces whose corners occur once; a face of first order beside one of second order is the same place."""
    kinds = list(faces)
    rows = {kind: np.concatenate([nodes for nodes, _ in faces[kind]]) for kind in kinds}
    owners = {kind: np.concatenate([numbers for _, numbers in faces[kind]]) for kind in kinds}
    outer = []
    for corners in (3, 4):
        same = [kind for kind in kinds if KINDS[kind].corner_count == corners]
        if not same:
            continue
        keys = np.sort(np.concatenate([rows[kind][:, :corners] for kind in same]), axis=1)
        _, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        once = (counts == 1)[inverse.ravel()]
        for kind in same:
            alone, once = once[: len(rows[kind])], once[len(rows[kind]) :]
            outer.append((kind, rows[kind][alone], owners[kind][alone]))
    return outer


def ring(kind: str) -> list[int]:
    """Nodes of a face in the order in which its edge meets them, middles between their corners; none inside."""
    known = KINDS[kind]
    if not known.has_middle_nodes:
        return list(range(known.corner_count))
    return [node for i in range(known.corner_count) for node in (i, known.corner_count + i)]
