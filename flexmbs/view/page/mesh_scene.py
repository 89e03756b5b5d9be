"""What a page shows of a mesh: its parts, its sets, its beams and couplings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.common.names_in_messages import counted
from flexmbs.mesh.connectivity import outer_faces, ring
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh
from flexmbs.view.mesh_picture import BEAM, COUPLING, SET_COLORS, chosen_sets, line_ends, mesh_title, part_faces, set_faces
from flexmbs.view.page.part_records import part_record
from flexmbs.view.page.quantities import quantity_records
from flexmbs.view.page.scene import camera_on, plain_view, scene
from flexmbs.view.page.shapes import Shapes, triangulated
from flexmbs.view.solids import polygons, vtk_faces

DOT, LIFT = 0.004, 0.0006  # nodes of a set, and faces of a set above those of the mesh, relative to its size
MAX_DOTS = 3000
_CORNERS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
_DOT = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])


@dataclass(frozen=True)
class MeshOptions:
    """Options of the page of a mesh, as in :func:`flexmbs.view.page.pages.mesh_page`."""

    sets: Sequence[str] = ()
    camera: str | Sequence[float] | None = None
    zoom: float = 1.0
    title: str = ""


def mesh_scene(mesh: Mesh, options: MeshOptions) -> dict[str, Any]:
    """The scene of a mesh with the named node sets (none: all, if they are at most twelve); FlexmbsError for an unknown set."""
    chosen = chosen_sets(mesh, options.sets)
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    size = float(np.linalg.norm(high - low)) or 1.0
    outward = _outward(mesh)
    parts = [*_solid_parts(mesh), *_line_parts(mesh)]
    parts += [_set_part(mesh, name, SET_COLORS[row % len(SET_COLORS)], size, outward) for row, name in enumerate(chosen)]
    hidden = len(set(mesh.node_sets).difference(chosen, mesh.element_sets))
    file, *about = mesh_title(mesh).split("\n")
    return scene(
        low,
        high,
        ["ground"],
        title=options.title or file,
        subtitle="; ".join(about),
        notes=[f"Not shown: {counted(hidden, 'node set')}; to_html(sets=[...]) and --set NAME do."] if hidden else [],
        camera=camera_on(low, high, np.zeros(3), options.camera, options.zoom),
        poses=np.array([0, 0, 0, 1, 0, 0, 0], "f4"),
        parts=parts,
        quantities=quantity_records({}),
        view=plain_view("body"),
    )


def _solid_parts(mesh: Mesh) -> list[dict[str, Any]]:
    """Outer faces, by the smallest part (element set) that contains their element."""
    return [_part(mesh, name or "mesh", "parts", color, faces) for name, color, faces in part_faces(mesh)]


def _line_parts(mesh: Mesh) -> list[dict[str, Any]]:
    beams, couplings = line_ends(mesh)
    found = [_part(mesh, "beams", "parts", BEAM, lines=beams)] if len(beams) else []
    return found + ([_part(mesh, "couplings", "couplings", COUPLING, lines=couplings)] if len(couplings) else [])


def _set_part(mesh: Mesh, name: str, color: str, size: float, outward: np.ndarray) -> dict[str, Any]:
    """Its faces if the file defines it as a surface, a little above those of the mesh; otherwise its nodes as dots."""
    faces = set_faces(mesh, name)
    if len(faces):
        return _part(mesh, name, "sets", color, faces, lifted=LIFT * size * outward)
    nodes = mesh.node_sets[name]
    nodes = nodes[:: max(1, len(nodes) // MAX_DOTS)]
    points = (mesh.points[nodes][:, None] + DOT * size * _CORNERS).reshape(-1, 3)
    triangles = (6 * np.arange(len(nodes))[:, None, None] + _DOT).reshape(-1, 3)
    return _record(name, "sets", color, points, vtk_faces(triangles))


def _part(mesh: Mesh, name: str, group: str, color: str, faces=None, lines=None, lifted=0.0) -> dict[str, Any]:
    """A part of faces (VTK) and lines (k, 2) of the mesh, with the nodes that they use, ``lifted`` by so much (m)."""
    faces = np.zeros(0, np.int64) if faces is None else faces
    lines = np.zeros((0, 2), np.int64) if lines is None else lines
    corners = triangulated(faces).corners
    used = np.unique(np.concatenate([corners.ravel(), lines.ravel()]))
    number = np.zeros(len(mesh.points), dtype=np.int64)
    number[used] = np.arange(len(used))
    points = (mesh.points + lifted)[used]
    own = vtk_faces(*(number[rings] for rings in polygons(faces).values()))
    return _record(name, group, color, points, own, number[lines], mesh.node_ids[used])


def _record(name, group, color, points, faces, lines=None, nodes=None) -> dict[str, Any]:
    lines = np.zeros((0, 2), np.int64) if lines is None else lines
    shape = Shapes().shape(points, faces, lines, nodes is not None)
    return part_record(shape, name, group, 0, color, nodes=nodes).entry


def _outward(mesh: Mesh) -> np.ndarray:
    """(n, 3) directions out of the mesh at its nodes, of unit length on its surface; faces of sets point anywhere."""
    sums = np.zeros(mesh.points.shape)
    for kind, rows, _ in outer_faces(mesh):
        corners = rows[:, ring(kind)][:, :: 2 if KINDS[kind].has_middle_nodes else 1]
        ends = mesh.points[corners]
        normals = np.cross(ends[:, 1] - ends[:, 0], ends[:, 2] - ends[:, 0])
        np.add.at(sums, rows.ravel(), np.repeat(normals, rows.shape[1], axis=0))
    return sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-300)[:, None]
