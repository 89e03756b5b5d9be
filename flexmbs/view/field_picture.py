"""A picture of values on the surface of a body."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.view.colour_bar import fitted, text_width
from flexmbs.view.mesh_picture import BACKGROUND, INK
from flexmbs.view.opengl import prepare_offscreen

_EDGES_UP_TO = 12_000  # faces; with more, edges would blacken the picture
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
        plotter = _plotter(points, faces, values, title, bar, marked)
        plotter.show(auto_close=False, interactive=False)
        plotter.render()
        plotter.screenshot(str(temporary))
        plotter.close()
    return path


def _plotter(points: np.ndarray, faces: np.ndarray, values: np.ndarray, title: str, bar: str, marked: int | None):
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
        show_edges=surface.n_cells <= _EDGES_UP_TO,
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
