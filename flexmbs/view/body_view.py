"""A mode of a reduced body as a picture, an animation or in a window, as shown by ``flexmbs view BODY.h5``."""

from __future__ import annotations

import time as clock
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.animate import FORMATS, open_writer
from flexmbs.view.body_scene import BodyScene, check_mode
from flexmbs.view.film_options import require_whole_film
from flexmbs.view.opengl import prepare_offscreen, prepare_window

HELP = "space: play or pause    left, right: mode    q: close"
PERIOD = 2.0  # s of one oscillation on the screen


def save_mode(
    body: FlexibleBody,
    path: str | Path,
    mode: int = 1,
    *,
    scale: float = 1.0,
    color: str = "displacement",
    frames_per_second: int = 25,
) -> Path:
    """Write a picture (.png, at maximum displacement) or an animation (one oscillation as .gif, two as .mp4).

    Parameters
    ----------
    mode : from 1
    scale : factor on the amplitude; with 1 the largest displacement is at most a tenth of the body's size
    color : "displacement" or "von_mises"

    Raises FlexmbsError for another file extension or an unknown mode, RenderingUnavailable without OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise FlexmbsError(f"{path}: the file name must end in {', '.join(FORMATS)}; to_html writes a page (.html)")
    check_mode(body, mode)
    prepare_offscreen()
    import imageio.v2 as imageio

    is_picture = path.suffix.lower() == ".png"
    with replacing_in_folder(path) as temporary:
        scene = BodyScene(body, mode, scale=scale, color=color, smooth=is_picture)
        try:
            if is_picture:
                imageio.imwrite(temporary, scene.picture())
            else:
                cycles = 1 if path.suffix.lower() == ".gif" else 2  # a .gif loops
                with open_writer(imageio, temporary, frames_per_second) as writer:
                    for phase in np.arange(cycles * round(PERIOD * frames_per_second)) / (PERIOD * frames_per_second):
                        scene.show_phase(float(phase))
                        writer.append_data(scene.picture())
                if path.suffix.lower() == ".mp4":
                    require_whole_film(temporary)
        finally:
            scene.close()
    return path


def show_body(body: FlexibleBody, mode: int = 1, *, scale: float = 1.0, color: str = "displacement") -> None:
    """Open a window with an oscillating mode and return when it is closed; arrow keys change the mode.

    Raises RenderingUnavailable without a display or OpenGL.
    """
    check_mode(body, mode)
    prepare_window()
    scene = BodyScene(body, mode, scale=scale, color=color, off_screen=False)
    ModePlayer(scene).connect()
    scene.plotter.show(title=f"flexmbs: {body.name}")
    scene.close()


class ModePlayer:
    """Makes a scene oscillate, and changes its mode and scale."""

    def __init__(self, scene) -> None:
        self.scene = scene
        self.playing = True
        self._phase, self._clock = 0.25, clock.perf_counter()

    def connect(self) -> None:
        """Attach keys, the scale slider and the timer to the scene's plotter."""
        plotter = self.scene.plotter
        plotter.add_slider_widget(
            self.scene.rescale,
            [0.1, max(3.0, 2.0 * self.scene.scale)],
            value=self.scene.scale,
            title="Scale",
            fmt="%.1f",
            pointa=(0.3, 0.1),
            pointb=(0.7, 0.1),
            color="#20242a",
            title_height=0.018,
            slider_width=0.018,
            tube_width=0.004,
            style="modern",
            interaction_event="always",
        )
        plotter.add_text(HELP, position=(0.02, 0.02), viewport=True, font_size=9, color="#60656d")
        plotter.add_key_event("space", self.toggle)
        plotter.add_key_event("Right", lambda: self.step(1))
        plotter.add_key_event("Left", lambda: self.step(-1))
        plotter.add_timer_event(max_steps=2**31 - 1, duration=20, callback=self.tick)

    def toggle(self) -> None:
        """Play or pause."""
        self.playing = not self.playing
        self._clock = clock.perf_counter()

    def step(self, by: int) -> None:
        """Go to another mode, cyclically."""
        count = self.scene.body.mode_count
        self.scene.show_mode((self.scene.mode - 1 + by) % count + 1)
        self.scene.plotter.render()

    def tick(self, _step: int) -> None:
        """Advance by the time elapsed since the last call."""
        now = clock.perf_counter()
        passed, self._clock = now - self._clock, now
        if not self.playing:
            return
        self._phase = (self._phase + passed / PERIOD) % 1.0
        self.scene.show_phase(self._phase)
        self.scene.plotter.render()
