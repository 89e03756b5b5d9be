"""A window that shows a run while it is computed: its newest state, at most so many times a second."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.opengl import RenderingUnavailable, prepare_window
from flexmbs.view.scene import Scene

FRAMES_PER_SECOND = 20.0
LARGEST_SHARE = 0.3  # of the time, for drawing: a slow graphics card slows the run by so much at most
BEYOND = 0.15  # of the size of the picture: so much more is shown when something leaves it
TITLE = "flexmbs: running"


def checked_options(live: bool | Mapping[str, object]) -> dict[str, Any] | None:
    """Options of the scene for ``live=`` of a run; None: no window. A window can then be opened.

    FlexmbsError for what is neither True nor False nor options, or an unknown one; RenderingUnavailable without a
    display or OpenGL.
    """
    if live is False:
        return None
    if live is not True and not isinstance(live, Mapping):
        raise FlexmbsError(f'live = {live!r}: expected True, False, or options such as {{"color": "von_mises"}}')
    options = {} if live is True else dict(live)
    known = [name for name in inspect.signature(Scene).parameters if name not in ("result", "off_screen")]
    for name in options:
        if name not in known:
            raise FlexmbsError(f"live: no option {name!r}; options: {', '.join(known)}")
    try:
        prepare_window()
    except RenderingUnavailable as error:
        raise RenderingUnavailable(f"live: {error}; without live= the run needs no display") from error
    return options


class LiveWindow:
    """Shows states of a run until it is closed; closing it does not stop the run."""

    def __init__(
        self,
        start: DrawableResult,
        options: Mapping[str, Any],
        *,
        make_scene: Callable[..., Any] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """``start``: the state at the start, at the times of start and end of the run; ``options`` of the scene.

        ``make_scene``: what takes them in place of a scene on the screen; ``clock``: s.
        """
        self._clock = clock
        self.scene = (make_scene or _on_screen)(start, **options)
        plotter = self.scene.plotter
        self.is_open = True
        self._low, self._high = _bounds(plotter)
        plotter.show(title=TITLE, interactive_update=True, auto_close=False)
        if getattr(plotter, "iren", None) is not None:
            plotter.iren.add_observer("ExitEvent", self._closed_by_user)
        self._view = _view(plotter)
        self._next = self._clock()

    @property
    def is_due(self) -> bool:
        """Whether it is time for another frame."""
        return self.is_open and self._clock() >= self._next

    def show(self, newest: DrawableResult) -> None:
        """Show a one-time result, and answer mouse and keys."""
        if not self.is_open:
            return
        begin = self._clock()
        scene, plotter = self.scene, self.scene.plotter
        scene.include(newest)
        scene.show_time(float(newest.t[-1]))
        self._follow(plotter)
        plotter.update()
        spent = self._clock() - begin
        self._next = begin + max(1.0 / FRAMES_PER_SECOND, spent / LARGEST_SHARE)
        if not self.is_open:
            self.close()

    def close(self) -> None:
        """Close the window."""
        self.is_open = False
        self.scene.close()

    def _closed_by_user(self, *_event: object) -> None:
        self.is_open = False  # it is closed when the frame has been drawn

    def _follow(self, plotter: Any) -> None:
        """Move the camera back when something leaves the picture, unless the user has moved it."""
        low, high = _bounds(plotter)
        if np.all(low >= self._low) and np.all(high <= self._high):
            return
        margin = BEYOND * float(np.linalg.norm(self._high - self._low))
        self._low = np.where(low < self._low, low - margin, self._low)
        self._high = np.where(high > self._high, high + margin, self._high)
        if _view(plotter) == self._view:
            plotter.reset_camera(bounds=np.column_stack([self._low, self._high]).ravel())
        self._view = _view(plotter)


def _on_screen(start: DrawableResult, **options: Any) -> Scene:
    return Scene(start, off_screen=False, **options)


def _bounds(plotter: Any) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest coordinates (3,) of what is shown."""
    bounds = np.array(plotter.bounds, dtype=float).reshape(3, 2)
    return bounds[:, 0], bounds[:, 1]


def _view(plotter: Any) -> tuple[tuple[float, ...], ...]:
    """Position, target and upward direction of the camera."""
    return tuple(tuple(part) for part in plotter.camera_position)
