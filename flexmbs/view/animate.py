"""Render a result to a picture or an animation file, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from flexmbs.errors import FlexmbsError
from flexmbs.files import replacing_picture
from flexmbs.result import Result
from flexmbs.view.gl import prepare_offscreen

FORMATS = (".png", ".gif", ".mp4")


def animate(
    result: Result,
    path: str | Path,
    *,
    time: float | None = None,
    color: str = "displacement",
    scale: float = 1.0,
    duration: float = 6.0,
    frames_per_second: int = 25,
    window_size: tuple[int, int] = (1120, 840),
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a picture (.png, at ``time``, by default the end) or an animation (.gif, .mp4) of the whole run.

    Parameters
    ----------
    color : "displacement" or "von_mises"
    scale : factor on the deformation
    duration : s, length of the animation; the run is stretched to it
    progress : called with the frames done and their number

    Raises FlexmbsError for another file ending, RenderingUnavailable when there is no OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise FlexmbsError(f"{path}: pictures and animations end in {', '.join(FORMATS)}")
    if time is not None and not result.t[0] <= time <= result.t[-1]:
        raise FlexmbsError(f"time {time:g} s is outside of the run: {result.t[0]:g} to {result.t[-1]:g} s")
    prepare_offscreen()
    import imageio.v2 as imageio

    from flexmbs.view.scene import Scene

    is_picture = path.suffix.lower() == ".png"
    with replacing_picture(path) as temporary:
        scene = Scene(result, color=color, scale=scale, window_size=window_size, smooth=is_picture)
        try:
            if is_picture:
                scene.show_time(float(result.t[-1]) if time is None else time)
                imageio.imwrite(temporary, scene.picture())
            else:
                with open_writer(imageio, temporary, frames_per_second) as writer:
                    _write_frames(scene, writer, result, round(duration * frames_per_second), progress)
        finally:
            scene.close()
    return path


def open_writer(imageio, path: Path, frames_per_second: int):
    """imageio's writer of a .gif that repeats, or an .mp4."""
    if path.suffix.lower() == ".gif":
        return imageio.get_writer(path, mode="I", duration=1000.0 / frames_per_second, loop=0)
    return imageio.get_writer(path, fps=frames_per_second, codec="libx264", quality=7, macro_block_size=8)


def _write_frames(scene, writer, result: Result, count: int, progress) -> None:
    since = None
    for done, time in enumerate(np.linspace(result.t[0], result.t[-1], count), start=1):
        scene.show_time(float(time), since=since)
        writer.append_data(scene.picture())
        since = float(time)
        if progress is not None:
            progress(done, count)
