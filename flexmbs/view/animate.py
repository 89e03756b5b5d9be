"""Render a result to a picture, pictures of several times, or an animation file, without a display."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder, require_writable
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.progress import on_progress, stage
from flexmbs.view.colours import check_shown
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.film_options import check_film, require_whole_film, time_window
from flexmbs.view.look import Look
from flexmbs.view.opengl import prepare_offscreen
from flexmbs.view.scene import Scene
from flexmbs.view.slow_motion import FilmTime, film_time

FORMATS = (".png", ".gif", ".mp4")


@on_progress()
def animate(
    result: DrawableResult,
    path: str | Path,
    *,
    time: float | None = None,
    color: str = "displacement",
    scale: float = 1.0,
    start: float | None = None,
    end: float | None = None,
    duration: float = 6.0,
    frames_per_second: int = 25,
    window_size: tuple[int, int] = (1120, 840),
    color_range: tuple[float, float] | None = None,
    color_map: str = "turbo",
    camera: str | Sequence[float] | None = None,
    camera_position: Sequence[float] | None = None,
    camera_target: Sequence[float] | None = None,
    follow: str | None = None,
    zoom: float = 1.0,
    title: str = "",
    background: str = "white",
    hide: Sequence[str] = (),
    force_scale: str = "linear",
    stick_speed: float | None = None,
    slow_motion: bool | float = False,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a picture (.png, at ``time``, default: ``end``) or an animation (.gif, .mp4) of all or part of the run.

    Parameters
    ----------
    color : "displacement", "von_mises", "principal_max" or "principal_min" of flexible bodies, or "body": each body in
        its own colour
    scale : factor on the deformation; bodies are moved so that their joints stay closed
    start, end : s, part of the run that an animation shows (None: from the start, to the end); the camera and the
        range of the colours are fitted to this part, also for a picture
    duration : s, length of the animation, over which the run is stretched
    window_size : width and height in pixels
    color_range : (low, high) of the colours in m or Pa; None: what the run reaches
    color_map : name of one of matplotlib's colour maps
    camera : view direction: "x", "-x", "y", "-y", "z", "-z", "iso" or a vector (3,) towards the camera; None:
        along the horizontal direction in which the motion is flattest, slightly from above and from the side
    camera_position : (3,) m, where the camera stands (perspective projection); None: the motion fills the picture
        (parallel projection)
    camera_target : (3,) m, what is in the middle of the picture; None: the middle of the motion
    follow : name of a body with which the camera moves
    zoom : magnification
    title : shown above the picture
    background : name of a colour, or "#rrggbb"
    hide : what is not shown: names of bodies, "bodies", "joints", "tracks", "springs", "cables", "contacts", "floor",
        "shadows", "axes", "scale bar", "color bar"
    force_scale : "linear", "sqrt" or "log": how the length of an arrow grows with its contact force
    stick_speed : m/s, contacts that slide more slowly are shown as sticking; None: 1 % of the largest speed in contacts
    slow_motion : True: an animation slows down around the strongest impacts, which get 60 % of it; a number k above 1:
        every impact is shown at 1/k of the speed of the rest. The picture then shows the speed relative to real time.
    force : replace the file if there is one
    progress : called with the number of frames done and their total

    Raises FlexmbsError for another file extension, an existing or unwritable file or an invalid option,
    RenderingUnavailable without OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise FlexmbsError(f"{path}: the file name must end in {', '.join(FORMATS)}; to_html writes a page (.html)")
    look = Look(
        color,
        scale,
        color_range,
        color_map,
        camera,
        camera_position,
        camera_target,
        follow,
        zoom,
        title,
        background,
        hide,
        force_scale,
        stick_speed,
    )
    look.check_names(result)
    check_shown(result, color)
    first, last = time_window(result, start, end, time)
    check_film(duration, frames_per_second, window_size)
    refuse_existing(path, force)
    if path.parent.is_dir():
        require_writable(path)
    film = film_time(result, first, last, duration, slow_motion)
    prepare_offscreen()
    import imageio.v2 as imageio

    is_picture = path.suffix.lower() == ".png"
    with replacing_in_folder(path) as temporary:
        scene = Scene(result, **look.options(), start=start, end=end, window_size=window_size, smooth=is_picture)
        try:
            if is_picture:
                scene.show_time(last if time is None else time)
                imageio.imwrite(temporary, scene.picture())
            else:
                with open_writer(imageio, temporary, frames_per_second) as writer:
                    _write_frames(scene, writer, film, max(1, round(duration * frames_per_second)), progress)
                if path.suffix.lower() == ".mp4":
                    require_whole_film(temporary)
        finally:
            scene.close()
    return path


def open_writer(imageio, path: Path, frames_per_second: int):
    """imageio's writer for a looping .gif or an .mp4."""
    if path.suffix.lower() == ".gif":
        return imageio.get_writer(path, mode="I", duration=1000.0 / frames_per_second, loop=0)
    return imageio.get_writer(path, fps=frames_per_second, codec="libx264", quality=7, macro_block_size=8)


def _write_frames(scene: Scene, writer, film: FilmTime, count: int, progress) -> None:
    """Append ``count`` frames; the speed is written into those of a film in slow motion."""
    since = None
    if film.stretched:
        scene.time_digits = film.digits(count)
    for done, time in enumerate(film.frames(count).tolist(), start=1):
        scene.show_time(time, since=since, speed=film.shown_speed(time))
        writer.append_data(scene.picture())
        since = time
        stage("rendering", done, count, long=True)
        if progress is not None:
            progress(done, count)


def of_scenes(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the ``options`` of a picture or film that decide how one picture looks."""
    known = inspect.signature(Scene).parameters
    return {name: value for name, value in options.items() if name in known and name not in ("result", "off_screen")}


def stills(result: DrawableResult, times: Iterable[float], **options: Any) -> list[bytes]:
    """A PNG for each of ``times`` (s); options as in :class:`flexmbs.view.scene.Scene`.

    FlexmbsError for an invalid option, RenderingUnavailable without OpenGL.
    """
    prepare_offscreen()
    import imageio.v2 as imageio

    times, found = list(times), []
    scene = Scene(result, **options)
    try:
        for done, time in enumerate(times):
            stage("pictures", done, len(times), long=True)
            scene.show_time(time)
            content = io.BytesIO()
            imageio.imwrite(content, scene.picture(), format="png")
            found.append(content.getvalue())
    finally:
        scene.close()
    return found
