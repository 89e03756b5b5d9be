"""A window that shows a run while it is computed: what it shows, when, and what its closing changes."""

import types

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.view import live_window, opengl
from flexmbs.view.live_window import LARGEST_SHARE, LiveWindow
from flexmbs.view.scene import Scene


def swinging():
    """A pendulum of two rods: 1 m and 0.6 m."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    first = system.add(fm.RigidBody.box(2.0, (1.0, 0.05, 0.05)), "first")
    second = system.add(fm.RigidBody.box(1.0, (0.6, 0.05, 0.05)), "second")
    first.marker("left", (-0.5, 0.0, 0.0)), first.marker("right", (0.5, 0.0, 0.0))
    second.marker("left", (-0.3, 0.0, 0.0))
    system.revolute(system.ground["origin"], first["left"], axis="z", name="top")
    system.revolute(first["right"], second["left"], axis="z", name="middle")
    return system


class Plotter:
    """What a window needs of one: it has no actors, and grows with the simulated time."""

    iren = None
    actors: dict = {}
    camera_position = [(0.0, 0.0, 5.0), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)]

    def __init__(self):
        self.bounds, self.updates, self.fitted = (-1.0, 1.0, -1.0, 1.0, 0.0, 0.1), 0, []

    def show(self, **options):
        assert options["interactive_update"] and not options["auto_close"]

    def update(self):
        self.updates += 1

    def reset_camera(self, bounds):
        self.fitted.append(bounds)


class PlainScene:
    """Notes what it is told to show."""

    def __init__(self, result, **options):
        self.start, self.options, self.plotter = result, options, Plotter()
        self.result, self.shown, self.closed = result, [], False

    def include(self, newest):
        self.result = newest

    def show_time(self, time):
        self.shown.append((time, self.result))

    def close(self):
        self.closed = True


@pytest.fixture
def scenes(monkeypatch):
    """Scenes that runs make, without a display, and with a frame after every chunk of steps."""
    made = []

    def make(start, **options):
        made.append(PlainScene(start, **options))
        return made[-1]

    monkeypatch.setattr(live_window, "_on_screen", make)
    monkeypatch.setattr(live_window, "prepare_window", lambda: None)
    monkeypatch.setattr(live_window, "FRAMES_PER_SECOND", 1e9)
    monkeypatch.setattr(live_window, "LARGEST_SHARE", 1e9)
    return made


def test_a_run_shows_its_newest_accepted_states(scenes):
    result = swinging().simulate(1.0, max_step=1e-3, live={"scale": 2.0})
    (scene,) = scenes
    assert scene.options == {"scale": 2.0} and scene.closed
    assert scene.start.t.tolist() == [0.0, 1.0]
    place = scene.start.resampled([0.0, 0.5]).trajectory.body_position
    assert np.array_equal(place[0], place[1])  # nothing moves before the first step
    times = [time for time, _ in scene.shown]
    assert len(times) >= 2 and times[-1] == 1.0 and np.all(np.diff(times) > 0.0)
    for time, state in scene.shown:
        row = int(np.flatnonzero(result.t == time)[0])
        assert np.array_equal(state.trajectory.body_position[0], result.trajectory.body_position[row])


def test_a_window_changes_no_digit_and_closing_it_stops_nothing(scenes):
    seen = []

    class ClosedAtOnce(PlainScene):
        def show_time(self, time):
            seen.append(time)
            self.owner.is_open = False

    made = LiveWindow.__init__

    def connected(self, *arguments, **options):
        made(self, *arguments, **options)
        self.scene.owner = self

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_window, "_on_screen", ClosedAtOnce)
        patch.setattr(LiveWindow, "__init__", connected)
        watched = swinging().simulate(1.0, live=True)
    assert len(seen) == 1
    plain = swinging().simulate(1.0)
    assert watched.status == "finished" and np.array_equal(watched.t, plain.t)
    assert np.array_equal(watched["top.angle"], plain["top.angle"])


def test_frames_come_at_a_rate_and_take_a_share_of_the_time(scenes, monkeypatch):
    monkeypatch.setattr(live_window, "FRAMES_PER_SECOND", 20.0)
    monkeypatch.setattr(live_window, "LARGEST_SHARE", LARGEST_SHARE)
    result, now = swinging().simulate(1e-3), [0.0]
    window = LiveWindow(result, {}, make_scene=PlainScene, clock=lambda: now[0])
    assert window.is_due
    window.show(result)
    assert not window.is_due
    now[0] = 0.051
    assert window.is_due
    window.scene.plotter.update = lambda: now.__setitem__(0, now[0] + 0.3)  # a slow graphics card
    window.show(result)
    now[0] += 0.5
    assert not window.is_due
    now[0] = 0.051 + 0.3 / LARGEST_SHARE + 1e-9
    assert window.is_due


def test_the_camera_follows_what_leaves_the_picture_until_the_user_moves_it(scenes):
    result = swinging().simulate(1e-3)
    window = LiveWindow(result, {}, make_scene=PlainScene)
    plotter = window.scene.plotter
    window.show(result)
    assert plotter.fitted == []
    plotter.bounds = (-1.0, 1.5, -1.0, 1.0, 0.0, 0.1)
    window.show(result)
    (bounds,) = plotter.fitted
    assert bounds[1] > 1.5 and bounds[[0, 2, 3, 4, 5]].tolist() == [-1.0, -1.0, 1.0, 0.0, 0.1]
    plotter.camera_position = [(3.0, 0.0, 5.0), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    plotter.bounds = (-1.0, 9.0, -1.0, 1.0, 0.0, 0.1)
    window.show(result)
    assert len(plotter.fitted) == 1


def test_wrong_options_are_refused_before_anything_is_computed(scenes):
    system = types.SimpleNamespace()  # is not even looked at
    with pytest.raises(fm.FlexmbsError, match="live: no option 'colour'; options: color, scale"):
        fm.simulate(system, 1.0, live={"colour": "von_mises"})
    with pytest.raises(fm.FlexmbsError, match="live = 3: expected True, False, or options"):
        fm.simulate(system, 1.0, live=3)
    assert scenes == []


@pytest.mark.skipif("not __import__('sys').platform.startswith('linux')", reason="other systems always have a display")
def test_without_a_display_nothing_is_run(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False), monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(fm.RenderingUnavailable, match="live: there is no display"):
        fm.simulate(types.SimpleNamespace(), 1.0, live=True)


def test_the_real_scene_takes_new_states_off_screen(monkeypatch):
    """A ball that falls on a plate: its picture moves, arrows and colours have what they need."""
    try:
        opengl.prepare_offscreen()
    except fm.RenderingUnavailable as error:
        pytest.skip(str(error))
    pictures = []

    class Seen(Scene):
        def __init__(self, start, **options):
            super().__init__(start, off_screen=True, window_size=(160, 120), smooth=False, **options)

        def show_time(self, time, **options):
            super().show_time(time, **options)
            if time > 0.0:
                pictures.append(self.plotter.screenshot(None, return_img=True))

    monkeypatch.setattr(live_window, "_on_screen", Seen)
    monkeypatch.setattr(live_window, "prepare_window", lambda: None)
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(1.0, 0.1), "ball", position=(0.0, 0.0, 0.3))
    system.contact(
        fm.Sphere(ball["origin"], 0.1), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), fm.LinearContact(1e4), "floor"
    )
    result = system.simulate(0.4, live=True)
    assert result.contacts and len(pictures) >= 1
    assert pictures[-1].std() > 1.0


def test_ranges_of_colours_and_forces_grow_with_the_run(monkeypatch):
    """A bar that falls and bends: no state is outside of the range that is shown."""
    try:
        opengl.prepare_offscreen()
    except fm.RenderingUnavailable as error:
        pytest.skip(str(error))
    import swinging_bar as bar

    result = fm.Result(bar.structure(), bar.trajectory())
    scene = Scene(result.resampled([0.0]), window_size=(160, 120), smooth=False)
    tops = []
    for time in np.linspace(0.0, float(result.t[-1]), 6):
        newest = result.resampled([time])
        scene.include(newest)
        scene.show_time(float(time))
        tops.append(scene._range()[1])
        shown = np.linalg.norm(newest.displacement("pendulum", time), axis=1).max()
        assert shown <= tops[-1] * (1.0 + 1e-9)
    scene.close()
    assert tops == sorted(tops) and tops[-1] > tops[0]
