"""Pictures of meshes, and of a field over the surface of a body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import few, near_names
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.node_use import bounding_box
from flexmbs.mesh.outer_faces import outer_faces, ring
from flexmbs.view.colours import fitted, text_width
from flexmbs.view.opengl import prepare_offscreen

BACKGROUND, INK, BODY, EDGE, COUPLING = "#ffffff", "#20242a", "#c9ced6", "#56606e", "#d9822b"
# Colours that differ from each other and from the body, for up to twelve sets.
SET_COLORS = (
    "#c8252b",
    "#2a5bd7",
    "#2e8b3d",
    "#d9822b",
    "#8e44ad",
    "#00838f",
    "#c2185b",
    "#827717",
    "#5d4037",
    "#3949ab",
    "#00a86b",
    "#f4511e",
)
PART_COLORS = ("#a9c4e4", "#b9d8b4", "#e9d3a1", "#d9bfe0", "#a8d5d8", "#ecc0b4", "#c5cbb0", "#cfc3d6")
_MOST = 0.7  # share of all nodes or elements; larger sets are the body itself
_EDGES_UP_TO = 60_000  # faces; with more, edges would blacken the picture


def save_mesh(mesh: Mesh, path: str | Path, sets: Sequence[str] = ()) -> Path:
    """Write a picture (.png) of a mesh with the named sets (default: the first twelve).

    Raises FlexmbsError for another file ending or an unknown set, RenderingUnavailable without OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise FlexmbsError(f"{path}: the file name of a mesh picture must end in .png; to_html writes a page (.html)")
    chosen = chosen_sets(mesh, sets)
    prepare_offscreen()
    with replacing_in_folder(path) as temporary:
        plotter = _plotter(mesh, chosen)
        plotter.show(auto_close=False, interactive=False)
        plotter.render()
        plotter.screenshot(str(temporary))
        plotter.close()
    return path


def chosen_sets(mesh: Mesh, names: Sequence[str]) -> list[str]:
    """``names``, or the first node sets that are not most of the mesh; FlexmbsError for an unknown name."""
    for name in names:
        if name not in mesh.node_sets:
            raise FlexmbsError(f"{mesh.source}: no node set {name}. {near_names(name, mesh.node_sets)}")
    if names:
        return list(names)
    own = {name: nodes for name, nodes in mesh.node_sets.items() if name not in mesh.element_sets}
    telling = [name for name, nodes in own.items() if 0 < len(nodes) < _MOST * len(mesh.points)]
    return telling[: len(SET_COLORS)]


def _parts(mesh: Mesh) -> list[str]:
    """Element sets that distinguish parts of the body."""
    total = len(mesh.element_ids)
    telling = [name for name, elements in mesh.element_sets.items() if 0 < len(elements) < _MOST * total]
    return telling[: len(PART_COLORS)]


def part_of_elements(mesh: Mesh) -> tuple[list[str], np.ndarray]:
    """Element sets that distinguish parts, and for each element the smallest of them that has it (index, or -1)."""
    parts = _parts(mesh)
    part_of = np.full(len(mesh.element_ids), -1)
    for name in sorted(parts, key=lambda name: -len(mesh.element_sets[name])):
        part_of[mesh.element_sets[name]] = parts.index(name)
    return parts, part_of


def _plotter(mesh: Mesh, sets: list[str]):
    import pyvista

    plotter = pyvista.Plotter(off_screen=True, window_size=[1280, 880])
    plotter.set_background(BACKGROUND)
    _add_faces(plotter, pyvista, mesh)
    _add_lines(plotter, pyvista, mesh)
    _add_couplings(plotter, pyvista, mesh)
    for row, name in enumerate(sets):
        _add_set(plotter, pyvista, mesh, name, SET_COLORS[row % len(SET_COLORS)])
    labels = _legend(mesh, sets)
    for row, (label, color) in enumerate(labels):
        plotter.add_text(label, position=(0.74, 0.955 - 0.03 * row), viewport=True, font_size=9, color=color)
    title = plotter.add_text(" ", position=(0.015, 0.985), viewport=True, font_size=11, color=INK)
    title.GetTextProperty().SetVerticalJustificationToTop()
    title.input = fitted(mesh_title(mesh), 0.7 * plotter.window_size[0], text_width(title))
    plotter.add_axes(color=INK)
    plotter.enable_parallel_projection()
    plotter.view_isometric()
    if labels:  # the legend takes the right quarter, so move the body to the left
        plotter.camera.zoom(0.8)
        plotter.camera.SetWindowCenter(0.22, 0.06)
    return plotter


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


def _add_faces(plotter, pyvista, mesh: Mesh) -> None:
    """The outer faces, in the colour of the smallest part (element set) that contains their element."""
    _, part_of = part_of_elements(mesh)
    polygons: dict[int, list[np.ndarray]] = {}
    count = 0
    for kind, rows, elements in outer_faces(mesh):
        around = rows[:, ring(kind)]
        count += len(rows)
        for number in np.unique(part_of[elements]):
            own = around[part_of[elements] == number]
            polygons.setdefault(int(number), []).append(_polygons(own))
    look = {"edge_color": EDGE, "line_width": 1, "ambient": 0.35, "diffuse": 0.65}
    for number, faces in polygons.items():
        surface = pyvista.PolyData(mesh.points, faces=np.concatenate(faces))
        color = BODY if number < 0 else PART_COLORS[number]
        plotter.add_mesh(surface, color=color, show_edges=count <= _EDGES_UP_TO, **look)


def _polygons(rings: np.ndarray) -> np.ndarray:
    """Rings of nodes (k, n) in VTK format: n, node, node, ..., n, ..."""
    return np.column_stack([np.full(len(rings), rings.shape[1]), rings]).ravel()


def _add_lines(plotter, pyvista, mesh: Mesh) -> None:
    ends = [block.nodes[:, :2] for block in mesh.blocks if KINDS[block.kind].dimension == 1 and len(block.nodes)]
    if ends:
        pairs = np.concatenate(ends)
        lines = pyvista.PolyData(mesh.points, lines=np.column_stack([np.full(len(pairs), 2), pairs]).ravel())
        plotter.add_mesh(lines, color="#4b5563", line_width=4)
    masses = [point.node for point in mesh.point_masses]
    if masses:
        _add_points(plotter, pyvista, mesh.points[masses], INK, 14)


def _add_couplings(plotter, pyvista, mesh: Mesh) -> None:
    pairs = [
        np.column_stack([np.full(len(coupling.nodes), coupling.reference), coupling.nodes])
        for coupling in mesh.couplings
        if len(coupling.nodes)
    ]
    if pairs:
        joined = np.concatenate(pairs)
        lines = pyvista.PolyData(mesh.points, lines=np.column_stack([np.full(len(joined), 2), joined]).ravel())
        plotter.add_mesh(lines, color=COUPLING, line_width=1)


def _add_set(plotter, pyvista, mesh: Mesh, name: str, color: str) -> None:
    """The faces of the set if the file defines it as a surface, otherwise its nodes."""
    surface = mesh.surfaces.get(name)
    kinds = [kind for kind in surface.faces if KINDS.get(kind) and len(surface.faces[kind])] if surface else []
    if not kinds:
        _add_points(plotter, pyvista, mesh.points[mesh.node_sets[name]], color, 8)
        return
    polygons = [_polygons(surface.faces[kind][:, ring(kind)]) for kind in kinds]
    faces = pyvista.PolyData(mesh.points, faces=np.concatenate(polygons))
    edges = {"show_edges": faces.n_cells <= _EDGES_UP_TO, "edge_color": EDGE, "line_width": 1}
    actor = plotter.add_mesh(faces, color=color, ambient=0.5, diffuse=0.5, **edges)
    # The same faces are drawn as part of the body; draw these on top.
    actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()
    actor.mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(-4.0, -4.0)


def _add_points(plotter, pyvista, points: np.ndarray, color: str, size: int) -> None:
    """Points drawn through the body, so that a set on the far side is visible too."""
    look = {"ambient": 0.6, "point_size": size, "render_points_as_spheres": True}
    actor = plotter.add_mesh(pyvista.PolyData(points), color=color, **look)
    actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()
    actor.mapper.SetRelativeCoincidentTopologyPointOffsetParameter(-1e5)


_EDGES_OF_FIELD = 12_000  # faces; with more, edges would blacken the picture
_SIZE = (1280, 880)
_MARK = "#c8252b"


def save_field(
    path: str | Path,
    points: np.ndarray,
    faces: np.ndarray,
    values: np.ndarray,
    *,
    title: str,
    bar: str,
    marked: int | None = None,
    force: bool = False,
) -> Path:
    """Write a picture (.png) of a surface in the colours of ``values`` (m,) at its points (m, 3).

    Parameters
    ----------
    faces : VTK style [count, i, j, ...]; bar : title of the colour bar; marked : a point to mark

    Raises
    ------
    FlexmbsError
        Another file ending, or a file that exists, without ``force``; RenderingUnavailable without OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise FlexmbsError(f"{path}: the file name of a picture must end in .png")
    refuse_existing(path, force)
    prepare_offscreen()
    with replacing_in_folder(path) as temporary:
        plotter = _field_plotter(points, faces, values, title, bar, marked)
        plotter.show(auto_close=False, interactive=False)
        plotter.render()
        plotter.screenshot(str(temporary))
        plotter.close()
    return path


def _field_plotter(points: np.ndarray, faces: np.ndarray, values: np.ndarray, title: str, bar: str, marked: int | None):
    import pyvista

    plotter = pyvista.Plotter(off_screen=True, window_size=list(_SIZE))
    plotter.set_background(BACKGROUND)
    surface = pyvista.PolyData(np.asarray(points, dtype=float), faces)
    surface.point_data["value"] = values
    low, high = float(values.min()), float(values.max())
    limits = (min(low, 0.0), high) if high > 0.0 else (low, 0.0)
    look = {
        "title": bar,
        "color": INK,
        "vertical": True,
        "position_x": 0.87,
        "position_y": 0.2,
        "height": 0.6,
        "width": 0.06,
        "title_font_size": 18,
        "label_font_size": 17,
        "fmt": "%.4g",
        "n_labels": 5,
    }
    plotter.add_mesh(
        surface,
        scalars="value",
        cmap="turbo",
        clim=limits if limits[1] > limits[0] else (0.0, 1.0),
        ambient=0.4,
        scalar_bar_args=look,
        show_edges=surface.n_cells <= _EDGES_OF_FIELD,
        edge_color="#3b4350",
        edge_opacity=0.35,
    )
    if marked is not None:
        mark = plotter.add_mesh(
            pyvista.PolyData(surface.points[marked][None]), color=_MARK, point_size=14, render_points_as_spheres=True
        )
        mark.mapper.SetResolveCoincidentTopologyToPolygonOffset()
        mark.mapper.SetRelativeCoincidentTopologyPointOffsetParameter(-1e5)  # seen through the body
    label = plotter.add_text(" ", position=(0.02, 0.985), viewport=True, font_size=11, color=INK)
    label.GetTextProperty().SetVerticalJustificationToTop()
    label.input = fitted(title, 0.9 * _SIZE[0], text_width(label))
    plotter.add_axes(color=INK)
    plotter.enable_parallel_projection()
    _look_at(plotter, np.asarray(points, dtype=float))
    return plotter


def _look_at(plotter, points: np.ndarray) -> None:
    """The longest axis of the box around the body points right, its flattest side faces the viewer."""
    longest, middle, flattest = np.argsort(-np.ptp(points, axis=0), kind="stable")
    axes = np.eye(3)
    towards = np.cross(axes[longest], axes[middle])
    direction = -0.3 * axes[longest] + 0.45 * axes[middle] + 0.84 * towards
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    plotter.camera_position = [tuple(center + direction), tuple(center), tuple(axes[middle])]
    plotter.reset_camera()
    plotter.camera.zoom(1.15)
    plotter.camera.SetWindowCenter(0.12, 0.03)  # room for the colour bar
