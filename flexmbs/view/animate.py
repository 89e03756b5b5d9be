"""A result in motion: films and pictures of it, their options, and an interactive window."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import refuse_existing, require_writable
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.common.progress import on_progress, stage
from flexmbs.view.canvas import save_canvas
from flexmbs.view.colours import check_shown, next_choice
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.look import INK, Look
from flexmbs.view.opengl import prepare_offscreen, prepare_window
from flexmbs.view.plot_curves import time_window
from flexmbs.view.scene import Scene
from flexmbs.view.slow_motion import FilmTime, film_time

#: Limits of width and height in pixels: still legible, and possible for OpenGL without a graphics card.
MIN_PIXELS, MAX_PIXELS = 64, 8192
#: Options of :class:`flexmbs.view.look.Look`: how a scene is shown.
OF_SCENES = tuple(one.name for one in fields(Look) if one.init)
#: Options of films and pictures besides: those of single pictures, and of all that moves.
OF_FILES = ("time", "frames_per_second")
OF_MOTIONS = ("start", "end", "duration", "slow_motion", "window_size")
ALL = (*OF_SCENES, *OF_FILES, *OF_MOTIONS)


def check_view(options: object, where: str) -> None:
    """FlexmbsError unless ``options`` are ones that ``Result.animate`` takes; ``where`` begins the message."""
    if not isinstance(options, Mapping):
        raise FlexmbsError(f"{where}: expected options of Result.animate, such as {{'color': 'von_mises'}}")
    for name in options:
        if name not in ALL:
            raise FlexmbsError(f"{where}: no option {name!r}. {near_names(str(name), ALL)}")
    try:
        Look(**{name: value for name, value in options.items() if name in OF_SCENES})
        check_film(options.get("duration", 1.0), options.get("frames_per_second", 25), options.get("window_size", (640, 480)))
    except FlexmbsError as error:
        raise FlexmbsError(f"{where}: {error}") from None


def check_film(duration: object, frames_per_second: object, window_size: object) -> None:
    """FlexmbsError unless these can be of a film."""
    if not (_positive(duration) and _positive(frames_per_second) and float(frames_per_second) >= 1):  # type: ignore[arg-type]
        raise FlexmbsError(f"duration {duration!r} s and frames_per_second {frames_per_second!r}: both must be positive")
    try:
        fits = len(window_size) == 2 and all(n in range(MIN_PIXELS, MAX_PIXELS + 1) for n in window_size)  # type: ignore[arg-type, attr-defined]
    except TypeError:
        fits = False
    if not fits:
        raise FlexmbsError(
            f"window_size is {window_size!r}; width and height must be whole numbers from {MIN_PIXELS} to {MAX_PIXELS}"
        )


def fitting(result: DrawableResult, view: Mapping[str, Any]) -> dict[str, Any]:
    """Those options of a case that suit this result: times within the run, a stress that its bodies have.

    A case states them for its usual parameters; what a user asks for is checked instead.
    """
    found = dict(view)
    for name in ("time", "start", "end"):
        if name in found and not result.t[0] <= found[name] <= result.t[-1]:
            del found[name]
    if not found.get("start", result.t[0]) < found.get("end", result.t[-1]):  # of a shorter run
        found = {name: value for name, value in found.items() if name not in ("start", "end")}
    try:
        check_shown(result, found.get("color", "body"))
    except FlexmbsError:
        del found["color"]
    return found


def _positive(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(np.isfinite(value)) and value > 0


FORMATS = (".png", ".gif", ".mp4")


def checked_format(path: str | Path) -> Path:
    """FlexmbsError unless the file name ends as that of a picture or film."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise FlexmbsError(f"{path}: the file name must end in {', '.join(FORMATS)}; to_html writes a page (.html)")
    return path


@on_progress()
def animate(
    result: DrawableResult,
    path: str | Path,
    *,
    time: float | None = None,
    start: float | None = None,
    end: float | None = None,
    duration: float = 6.0,
    frames_per_second: int = 25,
    window_size: tuple[int, int] = (1120, 840),
    slow_motion: bool | float = False,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **look: Any,
) -> Path:
    """Write a picture (.png, at ``time``, default: ``end``) or an animation (.gif, .mp4) of all or part of the run.

    Parameters
    ----------
    color : "displacement" (default), "von_mises", "principal_max" or "principal_min" of flexible bodies, or "body": each
        body in its own colour
    scale : factor on the deformation (1); bodies are moved so that their joints stay closed
    start, end : s, part of the run that an animation shows (None: from the start, to the end); the camera and the
        range of the colours are fitted to this part, also for a picture
    duration : s, length of the animation, over which the run is stretched
    window_size : width and height in pixels
    color_range : (low, high) of the colours in m or Pa; None: what the run reaches
    color_map : name of one of matplotlib's colour maps ("turbo")
    camera : view direction: "x", "-x", "y", "-y", "z", "-z", "iso" or a vector (3,) towards the camera; None:
        along the horizontal direction in which the motion is flattest, slightly from above and from the side
    camera_position : (3,) m, where the camera stands (perspective projection); None: the motion fills the picture
        (parallel projection)
    camera_target : (3,) m, what is in the middle of the picture; None: the middle of the motion
    follow : name of a body with which the camera moves
    zoom : magnification (1)
    title : shown above the picture
    background : name of a colour ("white"), or "#rrggbb"
    hide : what is not shown: names of bodies, "bodies", "joints", "tracks", "springs", "cables", "contacts", "contact shapes",
        "floor", "shadows", "axes", "scale bar", "color bar"
    force_scale : "linear" (default), "sqrt" or "log": how the length of an arrow grows with its contact force
    stick_speed : m/s, contacts that slide more slowly are shown as sticking; None: 1 % of the largest speed in contacts
    slow_motion : True: an animation slows down around the strongest impacts, which get 60 % of it; a number k above 1:
        every impact is shown at 1/k of the speed of the rest. The picture then shows the speed relative to real time.
    force : replace the file if there is one
    progress : called with the number of frames done and their total

    Raises FlexmbsError for another file extension, an existing or unwritable file or an invalid option,
    RenderingUnavailable without OpenGL.
    """
    path = checked_format(path)
    for name in look.keys() - set(OF_SCENES):
        raise FlexmbsError(f"animate: there is no option {name!r}. {near_names(name, ALL)}")
    shown = Look(**look)
    shown.check_names(result)
    check_shown(result, shown.color)
    first, last = time_window(result, start, end, time)
    check_film(duration, frames_per_second, window_size)
    refuse_existing(path, force)
    if path.parent.is_dir():
        require_writable(path)
    film = film_time(result, first, last, duration, slow_motion)
    is_picture = path.suffix.lower() == ".png"

    def drawn() -> Scene:
        scene = Scene(result, shown, start=start, end=end, window_size=window_size, smooth=is_picture)
        if is_picture:
            scene.show_time(last if time is None else time)
        return scene

    def frames(scene: Scene) -> Iterator[None]:
        """The speed is written into those of a film in slow motion."""
        scene.told_for = round(frames_per_second)  # one second
        since, count = None, max(1, round(duration * frames_per_second))
        if film.stretched:
            scene.time_digits = film.digits(count)
        for done, now in enumerate(film.frames(count).tolist(), start=1):
            yield scene.show_time(now, since=since, speed=film.shown_speed(now))
            since = now
            stage("rendering", done, count, long=True)
            if progress is not None:
                progress(done, count)

    return save_canvas(path, drawn, frames, frames_per_second)


def of_scenes(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the ``options`` of a picture or film that decide how one picture looks."""
    return {name: value for name, value in options.items() if name in (*OF_SCENES, "start", "end", "window_size")}


def stills(result: DrawableResult, times: Iterable[float], **options: Any) -> list[bytes]:
    """A PNG for each of ``times`` (s); options as in :class:`flexmbs.view.scene.Scene`.

    FlexmbsError for an invalid option, RenderingUnavailable without OpenGL.
    """
    prepare_offscreen()
    import imageio.v2 as imageio

    times, found = list(times), []
    with closing(Scene(result, **options)) as scene:
        for done, time in enumerate(times):
            stage("pictures", done, len(times), long=True)
            scene.show_time(time)
            found.append(imageio.imwrite("<bytes>", scene.picture(), format="png"))
    return found


HELP = "space: play or pause    c: colour    q: close"


def show(
    result: DrawableResult,
    *,
    duration: float = 8.0,
    slow_motion: bool | float = False,
    start: float | None = None,
    end: float | None = None,
    **options,
) -> None:
    """Open a window and return when it is closed; playing from ``start`` to ``end`` once takes ``duration``, all in s.

    Options are those of :class:`flexmbs.view.scene.Scene`: color, scale, color_range, color_map, camera,
    camera_position, camera_target, follow, zoom, title, background, hide, force_scale, stick_speed, window_size.
    ``slow_motion`` as in :func:`animate`.

    Raises RenderingUnavailable without a display or OpenGL.
    """
    first, last = time_window(result, start, end)
    film = film_time(result, first, last, duration, slow_motion)
    prepare_window()
    scene = Scene(result, off_screen=False, start=start, end=end, **options)
    if film.stretched:
        scene.time_digits = film.digits(round(25 * duration))
    player = Player(scene, film)
    player.connect()
    scene.plotter.show(title="flexmbs")
    scene.close()


class Player:
    """Moves a scene in time: automatically while playing, as ``film`` says, or by its sliders."""

    def __init__(self, scene, film: FilmTime) -> None:
        self.scene, self.film = scene, film
        self.playing = True
        self._time, self._clock = film.first, clock.perf_counter()
        self._slider = None

    def connect(self) -> None:
        """Attach sliders, keys and the timer to the scene's plotter."""
        plotter, limits = self.scene.plotter, [self.film.first, self.film.last]
        self._slider = self._add_slider(self.move_to, limits, self.film.first, "Time, s", "%.4f", 0.05)
        scale = self.scene.scale
        self._add_slider(self.scene.rescale, [0.0, max(20.0, 2.0 * scale)], scale, "Deformation scale", "%.1f", 0.5)
        plotter.add_text(HELP, position=(0.02, 0.02), viewport=True, font_size=9, color="#60656d")
        plotter.add_key_event("space", self.toggle)
        plotter.add_key_event("c", self.next_color)
        plotter.add_timer_event(max_steps=2**31 - 1, duration=20, callback=self.tick)

    def _add_slider(self, changed, limits: list[float], value: float, title: str, digits: str, left: float):
        place = {"pointa": (left, 0.1), "pointb": (left + 0.33, 0.1), "title_height": 0.018}
        look = {"slider_width": 0.018, "tube_width": 0.004, "style": "modern", "color": INK, "interaction_event": "always"}
        return self.scene.plotter.add_slider_widget(changed, limits, value=value, title=title, fmt=digits, **place, **look)

    def toggle(self) -> None:
        """Play or pause; at the end, play again from the start."""
        self.playing = not self.playing
        if self.playing and self._time >= self.film.last:
            self._time = self.film.first
        self._clock = clock.perf_counter()

    def next_color(self) -> None:
        """Show the next quantity of those that the bodies have."""
        self.scene.recolor(next_choice(self.scene.result, self.scene.color))
        self.scene.plotter.render()

    def move_to(self, time: float) -> None:
        """Show ``time`` (s), as set by the time slider; contacts since the last picture show their peak force."""
        since = self._time if self.playing and time > self._time else None
        self._time = float(time)
        self.scene.show_time(self._time, since=since, speed=self.film.shown_speed(self._time))

    def tick(self, _step: int) -> None:
        """Advance by the time elapsed since the last call."""
        now = clock.perf_counter()
        passed, self._clock = now - self._clock, now
        if not self.playing:
            return
        time = float(self.film.run(self.film.film(self._time) + passed))
        self.playing = time < self.film.last
        self.move_to(time)
        self._slider.GetRepresentation().SetValue(time)
        self.scene.plotter.render()
