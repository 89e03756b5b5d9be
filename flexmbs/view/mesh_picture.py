"""Pictures of meshes with their parts and sets, and what pages of meshes show too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import few, near_names
from flexmbs.mesh.connectivity import bounding_box, outer_faces, ring
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh
from flexmbs.view.canvas import Canvas, add_dots, add_title, in_front, save_canvas, surface
from flexmbs.view.look import INK
from flexmbs.view.solids import vtk_faces

BODY, EDGE, BEAM, COUPLING = "#c9ced6", "#56606e", "#4b5563", "#d9822b"
# Colours that differ from each other and from the body, for up to twelve sets.
SET_COLORS = ("#c8252b", "#2a5bd7", "#2e8b3d", "#d9822b", "#8e44ad", "#00838f")
SET_COLORS += ("#c2185b", "#827717", "#5d4037", "#3949ab", "#00a86b", "#f4511e")
PART_COLORS = ("#a9c4e4", "#b9d8b4", "#e9d3a1", "#d9bfe0", "#a8d5d8", "#ecc0b4", "#c5cbb0", "#cfc3d6")
_MOST = 0.7  # share of all nodes or elements; larger sets are the body itself
_EDGES_UP_TO = 60_000  # faces; with more, edges would blacken the picture


def save_mesh(mesh: Mesh, path: str | Path, sets: Sequence[str] = ()) -> Path:
    """Write a picture (.png) of a mesh with the named sets (default: all, if they are at most twelve).

    Raises FlexmbsError for another file ending or an unknown set, RenderingUnavailable without OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise FlexmbsError(f"{path}: the file name of a mesh picture must end in .png; to_html writes a page (.html)")
    chosen = chosen_sets(mesh, sets)
    return save_canvas(path, lambda: _canvas(mesh, chosen))


def chosen_sets(mesh: Mesh, names: Sequence[str]) -> list[str]:
    """``names``, or the node sets that are not most of the mesh, if they can be told apart; FlexmbsError for an unknown name.

    Many are the entities of a CAD model, which would be painted all over it.
    """
    names = [names] if isinstance(names, str) else names
    for name in names:
        if name not in mesh.node_sets:
            raise FlexmbsError(f"{mesh.source}: no node set {name}. {near_names(name, mesh.node_sets)}")
    if names:
        return list(names)
    own = {name: nodes for name, nodes in mesh.node_sets.items() if name not in mesh.element_sets}
    telling = [name for name, nodes in own.items() if 0 < len(nodes) < _MOST * len(mesh.points)]
    return telling if len(telling) <= len(SET_COLORS) else []


def part_faces(mesh: Mesh) -> list[tuple[str, str, np.ndarray]]:
    """Outer faces (VTK style) by the smallest part (element set) that has their element: its name, or "", and colour."""
    parts = _parts(mesh)
    part_of = np.full(len(mesh.element_ids), -1)
    for name in sorted(parts, key=lambda name: -len(mesh.element_sets[name])):
        part_of[mesh.element_sets[name]] = parts.index(name)
    looks, found = dict(enumerate(zip(parts, PART_COLORS, strict=False))) | {-1: ("", BODY)}, {}
    for kind, rows, elements in outer_faces(mesh):
        for number in np.unique(part_of[elements]).tolist():
            found.setdefault(number, []).append(rows[part_of[elements] == number][:, ring(kind)])
    return [(*looks[number], vtk_faces(*rings)) for number, rings in sorted(found.items())]


def line_ends(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Ends (k, 2) of beams, and of lines from the references of couplings to their nodes."""
    beams = [block.nodes[:, :2] for block in mesh.blocks if KINDS[block.kind].dimension == 1]
    couplings = [np.column_stack([np.full(len(one.nodes), one.reference), one.nodes]) for one in mesh.couplings]
    none = np.zeros((0, 2), dtype=np.int64)
    return np.concatenate([none, *beams]), np.concatenate([none, *couplings])


def set_faces(mesh: Mesh, name: str) -> np.ndarray:
    """Faces (VTK style) of a set, if the file defines it as a surface."""
    faces = mesh.surfaces[name].faces if name in mesh.surfaces else {}
    kinds = [kind for kind in faces if kind in KINDS and KINDS[kind].dimension == 2]
    return vtk_faces(*(faces[kind][:, ring(kind)] for kind in kinds))


def _parts(mesh: Mesh) -> list[str]:
    """Element sets that distinguish parts of the body."""
    total = len(mesh.element_ids)
    telling = [name for name, elements in mesh.element_sets.items() if 0 < len(elements) < _MOST * total]
    return telling[: len(PART_COLORS)]


def _canvas(mesh: Mesh, sets: list[str]) -> Canvas:
    canvas = Canvas((1280, 880))
    plotter = canvas.plotter
    parts = [(color, surface(mesh.points, faces)) for _, color, faces in part_faces(mesh)]
    edges = {"show_edges": sum(part.n_cells for _, part in parts) <= _EDGES_UP_TO, "edge_color": EDGE, "line_width": 1}
    for color, part in parts:
        plotter.add_mesh(part, color=color, ambient=0.35, diffuse=0.65, **edges)
    for ends, color, width in zip(line_ends(mesh), (BEAM, COUPLING), (4, 1), strict=True):
        if len(ends):
            plotter.add_mesh(surface(mesh.points, lines=vtk_faces(ends)), color=color, line_width=width)
    masses = [point.node for point in mesh.point_masses]
    if masses:
        add_dots(plotter, mesh.points[masses], INK, 14)
    for row, name in enumerate(sets):
        faces, color = set_faces(mesh, name), SET_COLORS[row % len(SET_COLORS)]
        if len(faces):  # drawn as part of the body too: on top of it
            on_top = plotter.add_mesh(surface(mesh.points, faces), color=color, ambient=0.5, diffuse=0.5, **edges)
            in_front(on_top, -4.0, -4.0)
        else:
            add_dots(plotter, mesh.points[mesh.node_sets[name]], color, 8)
    labels = _legend(mesh, sets)
    for row, (label, color) in enumerate(labels):
        plotter.add_text(label, position=(0.74, 0.955 - 0.03 * row), viewport=True, font_size=9, color=color)
    add_title(plotter, mesh_title(mesh), 11, INK, share=0.7)
    plotter.add_axes(color=INK)
    plotter.enable_parallel_projection()
    plotter.view_isometric()
    if labels:  # the legend takes the right quarter, so move the body to the left
        plotter.camera.zoom(0.8)
        plotter.camera.SetWindowCenter(0.22, 0.06)
    return canvas


def mesh_title(mesh: Mesh) -> str:
    """File, number of nodes and elements, and size, in three lines."""
    by_kind: Counter[str] = Counter()
    for block in mesh.blocks:
        by_kind[block.kind] += len(block.ids)
    counts = few([f"{count} {kind}" for kind, count in by_kind.items()], 3)
    low, high = bounding_box(mesh)
    sides = " x ".join(f"{side:.4g}" for side in high - low)
    units = f"converted from {mesh.units}" if mesh.units else "numbers of the file, taken as m"
    return f"{Path(mesh.source).name}\n{len(mesh.points)} nodes; {counts}\n{sides} m ({units})"


def _legend(mesh: Mesh, sets: list[str]) -> list[tuple[str, object]]:
    """Text and colour of each line: node sets, parts (darker shade of their colour), number of sets not shown."""
    from pyvista import Color

    labels = [
        (f"{_shortened(name)}  {len(mesh.node_sets[name])} nodes", SET_COLORS[row % len(SET_COLORS)])
        for row, name in enumerate(sets)
    ]
    for name, color in zip(_parts(mesh), PART_COLORS, strict=False):
        shade = tuple(0.55 * part for part in Color(color).float_rgb)
        labels.append((f"{_shortened(name)}  {len(mesh.element_sets[name])} elements", shade))
    hidden = len(set(mesh.node_sets) | set(mesh.element_sets)) - len(labels)
    if hidden > 0:
        labels.append((f"({hidden} more sets: --set NAME)", INK))
    return labels


def _shortened(name: str) -> str:
    return name if len(name) <= 19 else f"{name[:12]}...{name[-7:]}"
