"""An interactive window: play and pause, time, deformation scale, colours."""

from __future__ import annotations

import time as clock

from flexmbs.view.colours import next_choice
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.look import INK
from flexmbs.view.opengl import prepare_window
from flexmbs.view.plot_curves import time_window
from flexmbs.view.scene import Scene
from flexmbs.view.slow_motion import FilmTime, film_time

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
    ``slow_motion`` as in :func:`flexmbs.view.animate.animate`.

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
        self.start, self.end = film.first, film.last
        self.playing = True
        self._time, self._clock = self.start, clock.perf_counter()
        self._slider = None

    def connect(self) -> None:
        """Attach sliders, keys and the timer to the scene's plotter."""
        plotter = self.scene.plotter
        self._slider = self._add_slider(self.move_to, [self.start, self.end], self.start, "Time, s", "%.4f", 0.05)
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
        if self.playing and self._time >= self.end:
            self._time = self.start
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
        if time >= self.end:
            self.playing = False
        self.move_to(time)
        self._slider.GetRepresentation().SetValue(time)
        self.scene.plotter.render()
