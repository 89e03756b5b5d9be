"""Camera position: a parallel projection that shows the whole motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.extent import view_direction

_NAMED = {
    sign + letter: (1.0 if not sign else -1.0) * direction
    for letter, direction in zip("xyz", np.eye(3), strict=True)
    for sign in ("", "-")
} | {"iso": np.ones(3)}


def place_camera(
    plotter, bounds: tuple[np.ndarray, np.ndarray], gravity: np.ndarray,
    camera: str | Sequence[float] | None = None, zoom: float = 1.0, below: float = 0.0,
) -> None:  # fmt: skip
    """Point the camera of a pyvista plotter at the motion and the world axes, with room for the colour bar.

    Parameters
    ----------
    bounds : smallest and largest coordinates (3,) of the motion, m
    camera : view direction: "x", "-x", "y", "-y", "z", "-z", "iso" or a vector (3,) from the motion towards the camera;
        None: along the horizontal direction in which the motion is flattest, slightly from above and from the side
    zoom : magnification
    below : fraction of the height that is kept free at the bottom
    """
    if not (np.isfinite(zoom) and zoom > 0.0):
        raise FlexmbsError(f"zoom is {zoom!r}; it must be a positive number")
    size = float(max(np.linalg.norm(bounds[1] - bounds[0]), 1e-9))
    arm = 0.09 * size  # length of the drawn world axes
    low, high = np.minimum(bounds[0], 0.0), np.maximum(bounds[1], arm)
    direction, up = view_direction(*bounds, gravity)
    if camera is not None:
        direction, up = chosen_direction(camera, up)
    right = np.cross(up, direction)
    right /= np.linalg.norm(right)
    upward = np.cross(direction, right)
    upward /= np.linalg.norm(upward)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    across, along = corners @ right, corners @ upward
    aspect = plotter.window_size[0] / plotter.window_size[1]
    half = max(0.5 * np.ptp(along) / (0.8 - below), 0.5 * np.ptp(across) / (0.72 * aspect))
    center = corners.mean(axis=0)
    center = center + right * (0.5 * (across.min() + across.max()) - center @ right + 0.08 * half * aspect)
    center = center + upward * (0.5 * (along.min() + along.max()) - center @ upward - below * half)
    plotter.camera_position = [center + 3.0 * size * direction, center, up]
    plotter.enable_parallel_projection()
    plotter.camera.parallel_scale = half / zoom
    plotter.reset_camera_clipping_range()


def chosen_direction(camera: str | Sequence[float], up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vector towards the camera, and its up vector: ``up``, unless the camera looks along that."""
    try:
        direction = _NAMED[camera] if isinstance(camera, str) else np.asarray(camera, dtype=float)
    except (KeyError, TypeError, ValueError):
        direction = np.zeros(0)
    if direction.shape != (3,) or not np.all(np.isfinite(direction)) or not np.any(direction):
        raise FlexmbsError(f"unknown camera {camera!r}; choose one of {', '.join(_NAMED)}, or give three numbers")
    direction = direction / np.linalg.norm(direction)
    if abs(direction @ up) > 0.99:
        up = np.eye(3)[int(np.argmin(np.abs(direction)))]
    return direction, up
