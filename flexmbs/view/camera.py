"""Where the camera stands: by default a parallel projection in which the whole motion fills the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import FlexmbsError

_NAMED = {
    sign + letter: (1.0 if not sign else -1.0) * direction
    for letter, direction in zip("xyz", np.eye(3), strict=True)
    for sign in ("", "-")
} | {"iso": np.ones(3)}
_VIEW_ANGLE = 30.0  # deg, of a camera at a given position


class Basis(NamedTuple):
    """Unit vectors (3,): to the right and upwards in the picture, and towards the camera."""

    right: np.ndarray
    upward: np.ndarray
    towards: np.ndarray


class Frame(NamedTuple):
    """The part of the picture that the motion fills: fractions of width and height, from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


def view_basis(towards: np.ndarray, up: np.ndarray) -> Basis:
    """The basis of a view from the direction ``towards`` with ``up`` pointing upwards in the picture."""
    towards = towards / np.linalg.norm(towards)
    if abs(towards @ up) > 0.99 * np.linalg.norm(up):
        up = np.eye(3)[int(np.argmin(np.abs(towards)))]
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    return Basis(right, np.cross(towards, right), towards)


def chosen_direction(camera: str | Sequence[float]) -> np.ndarray:
    """(3,) towards the camera of a named side, or as given; FlexmbsError for anything else."""
    try:
        direction = _NAMED[camera] if isinstance(camera, str) else np.asarray(camera, dtype=float)
    except (KeyError, TypeError, ValueError):
        direction = np.zeros(0)
    if direction.shape != (3,) or not np.all(np.isfinite(direction)) or not np.any(direction):
        raise FlexmbsError(f"unknown camera {camera!r}; choose one of {', '.join(_NAMED)}, or give three numbers")
    return direction / np.linalg.norm(direction)


def checked_point(point: Sequence[float], name: str) -> np.ndarray:
    """(3,) m; FlexmbsError for anything but three finite numbers."""
    try:
        found = np.asarray(point, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (3,) or not np.all(np.isfinite(found)):
        raise FlexmbsError(f"{name} is {point!r}; it must be three finite numbers in m")
    return found


def fit(points: np.ndarray, basis: Basis, frame: Frame, aspect: float) -> tuple[np.ndarray, float]:
    """Centre of the picture (3,) m and half of its height (m) with which points (k, 3) just fill the frame."""
    across, along = points @ basis.right, points @ basis.upward
    width, height = float(np.ptp(across)), float(np.ptp(along))
    half = max(0.5 * height / (frame.top - frame.bottom), 0.5 * width / ((frame.right - frame.left) * aspect), 1e-9)
    shift_across = (frame.left + frame.right - 1.0) * half * aspect
    shift_along = (frame.bottom + frame.top - 1.0) * half
    middle = points.mean(axis=0)
    center = middle + basis.right * (0.5 * (across.min() + across.max()) - middle @ basis.right - shift_across)
    return center + basis.upward * (0.5 * (along.min() + along.max()) - middle @ basis.upward - shift_along), half


def place_parallel(plotter, center: np.ndarray, half: float, basis: Basis, distance: float, zoom: float) -> None:
    """Parallel projection onto a picture of height ``2 half / zoom`` (m) around ``center``."""
    plotter.camera_position = [center + distance * basis.towards, center, basis.upward]
    plotter.enable_parallel_projection()
    plotter.camera.parallel_scale = half / zoom
    plotter.reset_camera_clipping_range()


def place_perspective(plotter, position: np.ndarray, target: np.ndarray, up: np.ndarray, zoom: float) -> None:
    """A camera at ``position`` that looks at ``target``, both (3,) m."""
    if np.allclose(position, target):
        raise FlexmbsError(f"camera_position and camera_target are the same point {position.tolist()}: give two points")
    basis = view_basis(position - target, up)
    plotter.disable_parallel_projection()  # first: it moves the camera
    plotter.camera_position = [position, target, basis.upward]
    plotter.camera.view_angle = np.degrees(2.0 * np.arctan(np.tan(np.radians(0.5 * _VIEW_ANGLE)) / zoom))
    plotter.reset_camera_clipping_range()
