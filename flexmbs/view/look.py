"""How a scene is shown: options, checked before any work is done, and where the camera stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.view.colours import check_color, checked_range, mixed, rgb
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.scene_parts import GROUPS

INK, PAPER = "#20242a", "#f2f4f7"
_PLAIN = {"white": "#ffffff", "black": "#000000"}
#: How the length of an arrow grows with its force: in proportion, with the square root, or over six decades.
FORCE_SCALES = ("linear", "sqrt", "log")
#: What can be hidden besides bodies: groups of parts, and what lies around them.
HIDEABLE = (*GROUPS, "contacts", "floor", "shadows", "axes", "scale bar", "color bar")


@dataclass(frozen=True)
class Look:
    """How a scene is shown; parameters as in :func:`flexmbs.view.animate.animate`. FlexmbsError for wrong values."""

    color: str = "displacement"
    scale: float = 1.0
    color_range: tuple[float, float] | None = None
    color_map: str = "turbo"
    camera: str | Sequence[float] | None = None
    camera_position: Sequence[float] | None = None
    camera_target: Sequence[float] | None = None
    follow: str | None = None
    zoom: float = 1.0
    title: str = ""
    background: str = "white"
    hide: Sequence[str] = ()
    force_scale: str = "linear"
    stick_speed: float | None = None
    paper: str = field(init=False, default="#ffffff")  # the background as "#rrggbb"

    def __post_init__(self) -> None:
        check_color(self.color)
        check_number("scale", self.scale, "the factor on the deformation")
        check_number("zoom", self.zoom, "the magnification", positive=True)
        if self.color_range is not None:
            object.__setattr__(self, "color_range", checked_range(self.color_range))
        if self.camera is not None:
            chosen_direction(self.camera)
        for name in ("camera_position", "camera_target"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _checked_point(getattr(self, name), name))
        if self.force_scale not in FORCE_SCALES:
            raise FlexmbsError(f"unknown force_scale {self.force_scale!r}; choose one of {', '.join(FORCE_SCALES)}")
        object.__setattr__(self, "hide", (self.hide,) if isinstance(self.hide, str) else tuple(self.hide))
        object.__setattr__(self, "paper", _checked_background(self.background))
        _check_color_map(self.color_map)

    def check_names(self, result: DrawableResult) -> None:
        """FlexmbsError if ``follow`` or ``hide`` name what the result does not have."""
        bodies = [body.name for body in result.structure.bodies[1:]]
        if self.follow is not None and self.follow not in bodies:
            raise FlexmbsError(f"follow={self.follow!r}: no such body. {near_names(self.follow, bodies)}")
        for name in self.hide:
            if name not in HIDEABLE and name not in bodies:
                raise FlexmbsError(f"hide: nothing is called {name!r}. {near_names(name, [*HIDEABLE, *bodies])}")

    @property
    def ink(self) -> str:
        """Colour of letters: dark on light backgrounds, light on dark ones."""
        return INK if rgb(self.paper) @ [0.3, 0.59, 0.11] > 120.0 else PAPER

    @property
    def shadow(self) -> str:
        """Colour of shadows on the floor: darker than the floor."""
        return self.tint(0.16) if self.ink == INK else mixed(self.paper, "#000000", 0.6)

    def tint(self, share: float) -> str:
        """A colour between the background (0) and that of letters (1)."""
        return mixed(self.paper, self.ink, share)


def check_number(name: str, value: object, meaning: str, *, positive: bool = False) -> None:
    """FlexmbsError unless ``value`` is a finite number, and above 0 if ``positive``."""
    right = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and np.isfinite(value)
    if not right or (positive and value <= 0.0):  # type: ignore[operator]
        raise FlexmbsError(f"{name} is {value!r}; it must be a {'positive' if positive else 'finite'} number, {meaning}")


def _checked_background(name: str) -> str:
    if name in _PLAIN:  # without importing matplotlib
        return _PLAIN[name]
    from matplotlib.colors import to_hex

    try:
        return str(to_hex(name))
    except ValueError:
        raise FlexmbsError(f"background is {name!r}; it must be the name of a colour, such as 'white', or '#rrggbb'") from None


def _check_color_map(name: str) -> None:
    if name == "turbo":
        return
    from matplotlib import colormaps

    if name not in colormaps:
        raise FlexmbsError(f"unknown color_map {name!r}. {near_names(str(name), sorted(colormaps))}")


_NAMED = {sign + name: float(f"{sign}1") * axis for name, axis in zip("xyz", np.eye(3), strict=True) for sign in ("", "-")}
_NAMED["iso"] = np.ones(3)
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
    direction = _NAMED.get(camera) if isinstance(camera, str) else _three_numbers(camera)
    if direction is None or not np.any(direction):
        raise FlexmbsError(f"unknown camera {camera!r}; choose one of {', '.join(_NAMED)}, or give three numbers")
    return direction / np.linalg.norm(direction)


def _checked_point(point: Sequence[float], name: str) -> np.ndarray:
    found = _three_numbers(point)
    if found is None:
        raise FlexmbsError(f"{name} is {point!r}; it must be three finite numbers in m")
    return found


def _three_numbers(values: Sequence[float]) -> np.ndarray | None:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return None
    return found if found.shape == (3,) and np.all(np.isfinite(found)) else None


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
