"""Hexahedra in single rows, with no neighbours across the row."""

from __future__ import annotations

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, faces_of
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.outer_faces import outer_faces

_OPPOSITE = ((0, 1), (2, 4), (3, 5))  # faces of a brick, as ``element_kinds`` counts them


def in_single_rows(mesh: Mesh, block: ElementBlock) -> np.ndarray:
    """(ne,) bool: bricks of ``block`` with two pairs of opposite faces that no other solid shares.

    Reduced integration leaves such a row motions without stiffness; one more row beside it takes them away.
    """
    corners = {
        tuple(row)
        for _kind, faces, _owners in outer_faces(mesh)
        if faces.shape[1] >= 4
        for row in np.sort(faces[:, :4], axis=1).tolist()
    }
    nodes = np.asarray(block.nodes)
    free = np.zeros((len(nodes), 6), bool)
    for face, (kind, local) in enumerate(faces_of(block.kind)):
        rows = np.sort(nodes[:, local[: KINDS[kind].corner_count]], axis=1)
        free[:, face] = [tuple(row) in corners for row in rows.tolist()]
    return sum((free[:, a] & free[:, b]).astype(int) for a, b in _OPPOSITE) >= 2
