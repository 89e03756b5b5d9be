"""Render a result to a picture or an animation file, without a display."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.progress import on_progress, stage
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.film_checks import require_whole_film
from flexmbs.view.opengl import prepare_offscreen
from flexmbs.view.scene import Scene
from flexmbs.view.slow_motion import FilmTime, film_time

FORMATS = (".png", ".gif", ".mp4")
#: Limits of width and height in pixels: still legible, and possible for OpenGL without a graphics card.
LEAST_PIXELS, MOST_PIXELS = 64, 8192


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
    camera: str | Sequence[float] | None = None,
    zoom: float = 1.0,
    title: str = "",
    force_scale: str = "linear",
    stick_speed: float | None = None,
    slow_motion: bool | float = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a picture (.png, at ``time``, default: the end) or an animation (.gif, .mp4) of all or part of the run.

    Parameters
    ----------
    color : "displacement" or "von_mises"
    scale : factor on the deformation; bodies are moved so that their joints stay closed
    start, end : s, part of the run that an animation shows (None: from the start, to the end)
    duration : s, length of the animation, over which the run is stretched
    color_range : (low, high) of the colours in m or Pa; None: 0 to the largest value of the run
    camera : view direction: "x", "-x", "y", "-y", "z", "-z", "iso" or a vector (3,) towards the camera; None:
        along the horizontal direction in which the motion is flattest, slightly from above and from the side
    zoom : magnification
    title : shown above the picture
    force_scale, stick_speed : of contacts, see :class:`flexmbs.view.scene.Scene`
    slow_motion : True: an animation slows down around the strongest impacts, which get 60 % of it; a number k above 1:
        every impact is shown at 1/k of the speed of the rest. The picture then shows the speed relative to real time.
    progress : called with the number of frames done and their total

    Raises FlexmbsError for another file extension or an invalid option, RenderingUnavailable without OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise FlexmbsError(f"{path}: the file name of a picture or animation must end in {', '.join(FORMATS)}")
    for name, value in (("time", time), ("start", start), ("end", end)):
        if value is not None and not result.t[0] <= value <= result.t[-1]:
            raise FlexmbsError(f"{name} {value:g} s is outside the run: {result.t[0]:g} to {result.t[-1]:g} s")
    first, last = float(result.t[0]) if start is None else start, float(result.t[-1]) if end is None else end
    if not first <= last:
        raise FlexmbsError(f"start {first:g} s is after end {last:g} s")
    if not (duration > 0.0 and frames_per_second >= 1):
        raise FlexmbsError(
            f"duration {duration!r} s and frames_per_second {frames_per_second!r}: both must be positive"
        )
    if not (len(window_size) == 2 and all(n in range(LEAST_PIXELS, MOST_PIXELS + 1) for n in window_size)):
        raise FlexmbsError(
            f"window_size is {window_size!r}; width and height must be whole numbers from {LEAST_PIXELS} to"
            f" {MOST_PIXELS}"
        )
    film = film_time(result, first, last, duration, slow_motion)
    prepare_offscreen()
    import imageio.v2 as imageio

    is_picture = path.suffix.lower() == ".png"
    with replacing_in_folder(path) as temporary:
        scene = Scene(
            result, color=color, scale=scale, color_range=color_range, camera=camera, zoom=zoom, title=title,
            force_scale=force_scale, stick_speed=stick_speed, window_size=window_size, smooth=is_picture,
        )  # fmt: skip
        try:
            if is_picture:
                scene.show_time(float(result.t[-1]) if time is None else time)
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
