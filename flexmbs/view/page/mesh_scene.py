"""What a page shows of a mesh: its parts, its sets, its beams and couplings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.outer_faces import outer_faces, ring
from flexmbs.view.extent import view_direction
from flexmbs.view.mesh_picture import BODY, COUPLING, PART_COLORS, SET_COLORS, chosen_sets, mesh_title, part_of_elements
from flexmbs.view.page.result_scene import camera_on, colour_map, quantity_records
from flexmbs.view.page.surfaces import triangulated

DOT, LIFT = 0.004, 0.0006  # nodes of a set, and faces of a set above those of the mesh, relative to its size
MOST_DOTS = 3000


def mesh_scene(mesh: Mesh, *, sets: Sequence[str] = (), title: str = "") -> dict[str, Any]:
    """The scene of a mesh with the named node sets (default: the first ones); FlexmbsError for an unknown set."""
    chosen = chosen_sets(mesh, sets)
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    size = float(np.linalg.norm(high - low)) or 1.0
    parts = [*_solid_parts(mesh), *_line_parts(mesh)]
    parts += [_set_part(mesh, name, SET_COLORS[row % len(SET_COLORS)], size) for row, name in enumerate(chosen)]
    direction, up = view_direction(low, high, np.zeros(3))
    return {
        "title": title or Path(mesh.source).name, "subtitle": mesh_title(mesh), "notes": [], "up": up.tolist(),
        "background": None, "camera": camera_on(low, high, direction, up),
        "bounds": {"low": low.tolist(), "high": high.tolist()}, "time": None, "bodies": [{"name": "ground"}],
        "poses": np.array([0, 0, 0, 1, 0, 0, 0], "f4"), "poseShift": None, "scale": 1.0, "parts": parts, "marks": [],
        "links": [], "contacts": [], "contactPhases": [], "forceScale": {"length_per_newton": 0.0, "largest": 0.0},
        "quantities": quantity_records({"body": (0.0, 1.0)}), "colours": colour_map(), "histories": [],
        "view": {"quantity": "body", "edges": True, "markers": False, "speed": "film"},
    }  # fmt: skip


def _solid_parts(mesh: Mesh) -> list[dict[str, Any]]:
    """Outer faces, by the smallest part (element set) that contains their element."""
    names, part_of = part_of_elements(mesh)
    faces: dict[int, list[np.ndarray]] = {}
    for kind, rows, elements in outer_faces(mesh):
        for number in np.unique(part_of[elements]):
            faces.setdefault(int(number), []).append(_vtk(rows[part_of[elements] == number][:, ring(kind)]))
    found = []
    for number, own in sorted(faces.items()):
        name, color = ("mesh", BODY) if number < 0 else (names[number], PART_COLORS[number])
        found.append(_part(mesh, name, "parts", color, np.concatenate(own)))
    return found


def _line_parts(mesh: Mesh) -> list[dict[str, Any]]:
    beams = [block.nodes[:, :2] for block in mesh.blocks if KINDS[block.kind].dimension == 1 and len(block.nodes)]
    couplings = [
        np.column_stack([np.full(len(one.nodes), one.reference), one.nodes]) for one in mesh.couplings if len(one.nodes)
    ]
    found = [_part(mesh, "beams", "parts", "#4b5563", lines=np.concatenate(beams))] if beams else []
    if couplings:
        found.append(_part(mesh, "couplings", "couplings", COUPLING, lines=np.concatenate(couplings)))
    return found


def _set_part(mesh: Mesh, name: str, color: str, size: float) -> dict[str, Any]:
    """Its faces if the file defines it as a surface, a little above those of the mesh; otherwise its nodes as dots."""
    surface = mesh.surfaces.get(name)
    kinds = [kind for kind in surface.faces if KINDS.get(kind) and len(surface.faces[kind])] if surface else []
    kinds = [kind for kind in kinds if KINDS[kind].dimension == 2]
    if kinds:
        part = _part(mesh, name, "sets", color, np.concatenate([_vtk(surface.faces[k][:, ring(k)]) for k in kinds]))
        part["points"] = _lifted(part["points"], part["triangles"].reshape(-1, 3), LIFT * size)
        return part
    nodes = mesh.node_sets[name]
    nodes = nodes[:: max(1, len(nodes) // MOST_DOTS)]
    corners = DOT * size * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    dot = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
    points = (mesh.points[nodes][:, None] + corners).reshape(-1, 3)
    triangles = (6 * np.arange(len(nodes))[:, None, None] + dot).reshape(-1, 3)
    return _record(name, "sets", color, points, triangles, np.full(len(triangles), 7, "u1"), nodes=None)


def _part(mesh: Mesh, name: str, group: str, color: str, faces=None, lines=None) -> dict[str, Any]:
    triangles = triangulated(np.zeros(0, np.int64) if faces is None else faces)
    lines = np.zeros((0, 2), np.int64) if lines is None else lines
    used, again = np.unique(np.concatenate([triangles.corners.ravel(), lines.ravel()]), return_inverse=True)
    corners = again[: triangles.corners.size].reshape(-1, 3)
    nodes = mesh.node_ids[used]
    ends = again[triangles.corners.size :]
    return _record(name, group, color, mesh.points[used], corners, triangles.hidden, nodes, ends)


def _record(name, group, color, points, triangles, hidden, nodes, lines=()) -> dict[str, Any]:
    return {
        "name": name, "group": group, "body": 0, "mark": None,
        "color": [int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)], "opacity": 1.0, "shown": True,
        "points": points.astype("f4"), "triangles": triangles.astype("u4"), "hidden": hidden,
        "lines": np.asarray(lines).astype("u4"), "flat": True, "nodes": None if nodes is None else nodes.astype("i4"),
        "displacement": None, "stress": None, "pressure": None, "errors": {"displacement": 0.0, "stress": 0.0},
    }  # fmt: skip


def _vtk(rings: np.ndarray) -> np.ndarray:
    return np.column_stack([np.full(len(rings), rings.shape[1]), rings]).ravel()


def _lifted(points: np.ndarray, triangles: np.ndarray, by: float) -> np.ndarray:
    """Points moved along their normals."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sums = np.zeros(points.shape)
    np.add.at(sums, triangles.ravel(), np.repeat(normals, 3, axis=0))
    return points + by * sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-300)[:, None]
