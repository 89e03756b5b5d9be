"""Triangles of a mesh: its outer faces, or one of its named surfaces."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.outer_faces import outer_faces

# of faces of second order, through their middle nodes
_TRIANGLES = {
    (3, False): [[0, 1, 2]],
    (4, False): [[0, 1, 2], [0, 2, 3]],
    (3, True): [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
    (4, True): [[0, 4, 7], [4, 1, 5], [5, 2, 6], [6, 3, 7], [4, 5, 6], [4, 6, 7]],
}


def surface_of_mesh(mesh: Mesh, part: str | None, where: str) -> SurfaceMesh:
    """Triangles of the surface ``part`` of a mesh, or of its outer faces, shells and rigid elements."""
    faces = [(KINDS[kind], rows) for kind, rows in _faces(mesh, part, where)]
    triangles = [rows[:, _TRIANGLES[kind.corner_count, kind.has_middle_nodes]].reshape(-1, 3) for kind, rows in faces]
    if not triangles:
        omitted = [str(one) for one in mesh.skipped if "RIGID" in one.card.upper() or "SURFACE" in one.card.upper()]
        raise MechanismError(
            f"{where}: {mesh.source or 'the mesh'} has no faces"
            + (f" in its surface '{part}'" if part else " (no solids, shells or rigid elements)")
            + (f"; {' '.join(omitted)}" if omitted else "")
        )
    joined = np.concatenate(triangles)
    used, index = np.unique(joined, return_inverse=True)
    return SurfaceMesh.of_triangles(mesh.points[used], index.reshape(-1, 3))


def _faces(mesh: Mesh, part: str | None, where: str) -> list[tuple[str, np.ndarray]]:
    if part is None:
        rigid = [
            (f"{'tri3' if np.all(block.nodes[:, 3:] < 0) else 'quad4'}", block.nodes)
            for block in mesh.other_elements
            if block.type_name.upper().startswith("R3D")
        ]
        return [(kind, nodes) for kind, nodes, _numbers in outer_faces(mesh)] + rigid
    if part not in mesh.surfaces:
        known = ", ".join(f"'{name}'" for name in mesh.surfaces) or "none"
        raise MechanismError(f"{where}: {mesh.source or 'the mesh'} has no surface '{part}'; its surfaces: {known}")
    return [(kind, rows) for kind, rows in mesh.surfaces[part].faces.items() if KINDS[kind].dimension == 2]
