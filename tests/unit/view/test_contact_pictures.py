"""Contacts in pictures: points in the colour of their phase, arrows of their forces, shapes, legend, bad input."""

import dataclasses

import numpy as np
import pytest
import sliding_ball as ball
import swinging_bar as bar

from flexmbs import FlexmbsError, Result
from flexmbs.view import opengl as gl
from flexmbs.view.contact_phases import APPROACHING, FREE, PHASES, SLIDING, STICKING
from flexmbs.view.contact_scene import LONGEST, SHORTEST, ForceScale, arrows, force_text

SLIDES, STICKS, HITS = 0.4, 0.9, 0.5 * (ball.LANDS + ball.BACK)


@pytest.fixture
def scene_of():
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))
    from flexmbs.view.scene import Scene

    made = []

    def make(result, **options):
        made.append(Scene(result, **({"window_size": (320, 240), "smooth": False} | options)))
        return made[-1]

    yield make
    for scene in made:
        scene.close()


def count(image, color):
    """Pixels of exactly this colour: dots are drawn without light and shade."""
    return int((image == np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])).all(axis=2).sum())


def arrow(scene):
    """Tail (3,) and tip (3,) of the only arrow."""
    points = np.asarray(scene.contacts._arrows.points, dtype=float)
    rings = points.reshape(4, -1, 3).mean(axis=1)
    return rings[0], rings[3]


def test_dot_has_the_colour_of_the_phase_and_is_not_there_while_free(scene_of):
    scene = scene_of(ball.result())
    phases = {0.1: FREE, ball.LANDS - 0.01: APPROACHING, SLIDES: SLIDING, STICKS: STICKING}
    legend = {}
    scene.show_time(0.1)
    for phase in (APPROACHING, SLIDING, STICKING):
        legend[phase] = count(scene.picture(), PHASES[phase].color)
        assert legend[phase] > 5  # in the legend always
    for time, phase in phases.items():
        scene.show_time(time)
        image = scene.picture()
        for other, there in legend.items():
            assert (count(image, PHASES[other].color) > there + 5) is (other == phase)


def test_arrow_ends_in_the_contact_point_and_leans_by_the_friction(scene_of):
    scene = scene_of(ball.result())
    scene.show_time(SLIDES)
    tail, tip = arrow(scene)
    here = scene.result.at(SLIDES)
    assert tip == pytest.approx([here[f"floor.point.{axis}"] for axis in "xyz"], abs=1e-5)  # single precision
    assert (tip - tail)[0] / (tip - tail)[1] == pytest.approx(-ball.FRICTION, rel=1e-3)
    scene.show_time(STICKS)
    tail, tip = arrow(scene)
    assert (tip - tail)[0] == pytest.approx(0.0, abs=1e-6)


def test_arrows_are_as_long_as_the_largest_of_the_run_says(scene_of):
    largest, weight = (np.hypot(1.0, ball.FRICTION) * force for force in (ball.PEAK, ball.WEIGHT))
    expected = {"linear": 1.0, "sqrt": 0.5, "log": None}
    for kind, power in expected.items():
        scene = scene_of(ball.result(), force_scale=kind)
        lengths = []
        for time in (HITS, SLIDES):
            scene.show_time(time)
            tail, tip = arrow(scene)
            lengths.append(np.linalg.norm(tip - tail) / scene.size)
        part = 1.0 + np.log10(weight / largest) / 6.0 if power is None else (weight / largest) ** power
        assert lengths == pytest.approx([LONGEST, LONGEST * part], rel=1e-3)


def test_short_arrows_stay_visible_and_tiny_forces_have_none():
    scale = ForceScale("linear", 1000.0)
    assert scale.length(1.0) == SHORTEST and not scale.shows(0.9e-3) and scale.shows(1.1e-3)
    assert [ForceScale(kind, 740.0).examples() for kind in ("linear", "sqrt", "log")] == [
        [500.0],
        [500.0, 50.0],
        [500.0, 5.0, 0.05],
    ]
    assert ForceScale("linear", 0.0).examples() == []


def test_mesh_of_arrows_is_closed_and_has_the_directions_asked_for():
    starts = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    vectors = np.array([[0.0, 0.5, 0.0], [0.1, -0.2, 0.3]])
    points, faces = arrows(starts, vectors, 1.0)
    triangles = faces.reshape(-1, 4)[:, 1:]
    assert len(points) == 2 * (triangles.max() + 1) / 2 and set(faces.reshape(-1, 4)[:, 0]) == {3}
    half = triangles[: len(triangles) // 2]  # of the first one
    a, b, c = (points[half[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert 0.0 < volume < 0.5 * np.pi * 0.01**2  # outward, thinner than its tip is wide
    tips = points.reshape(2, 4, -1, 3)[:, 3].mean(axis=1)
    assert tips == pytest.approx(starts + vectors)


def test_arrows_and_balls_are_within_the_picture(scene_of):
    scene = scene_of(ball.result(), window_size=(480, 360))
    for time in (0.0, HITS, 1.0):
        scene.show_time(time)
        image = scene.picture()
        border = np.concatenate([image[:2].ravel(), image[-2:].ravel(), image[:, :2].ravel(), image[:, -2:].ravel()])
        assert border.min() >= 250


def test_peak_since_the_last_frame_is_shown_where_it_was(scene_of):
    scene = scene_of(ball.result())
    scene.show_time(SLIDES, since=0.1)
    _, tip = arrow(scene)
    assert tip[0] == pytest.approx(scene.result.at(HITS)["floor.point.x"], abs=1e-3)
    assert scene._label.input.endswith("contact force 60 N (peak since last frame)")


def test_exaggerated_deformation_moves_points_with_their_markers(scene_of):
    """The stored point stays on the tip of the bar, which is drawn elsewhere."""
    run = bar.trajectory()
    tip = np.stack([Result(bar.structure(), run)[f"pendulum.tip.position.{axis}"] for axis in "xyz"], axis=1)
    push = run.contact_force[..., None] * [1.0, 0.0, 0.0]
    result = Result(bar.structure(), dataclasses.replace(run, contact_point=tip[:, None], contact_push=push))
    scene = scene_of(result)
    for scale in (1.0, 6.0):
        scene.rescale(scale)
        scene.show_time(0.52)
        from flexmbs.view.exaggerated_motion import drawing, marker_in_world

        place, _ = marker_in_world(drawing(result.resampled([0.52]), scale).here, 1, scale)
        assert arrow(scene)[1] == pytest.approx(place, abs=1e-5)


def test_outlines_move_with_their_markers(scene_of):
    scene = scene_of(ball.result())
    (actor,) = (one.actor for one in scene._parts.shown if len(one.part.points) == len(ball.CORNERS))
    local = np.asarray(actor.mapper.dataset.points)
    world = local @ np.asarray(actor.user_matrix)[:3, :3].T + np.asarray(actor.user_matrix)[:3, 3]
    corners = ball.CORNERS + [2.0, 0.15, 0.0]
    assert world.min(axis=0) == pytest.approx(corners.min(axis=0), abs=1e-6)
    assert world.max(axis=0) == pytest.approx(corners.max(axis=0), abs=1e-6)


def test_plane_reaches_as_far_as_the_ball_slides(scene_of):
    scene = scene_of(ball.result())
    (actor,) = (one.actor for one in scene._parts.shown if len(one.part.points) == 4)
    x = np.asarray(actor.mapper.dataset.points)[:, 0]
    path = Result(ball.structure(), ball.trajectory())["floor.point.x"]
    assert x.min() < path[ball.times() >= ball.LANDS].min() and x.max() > path.max()


@pytest.mark.parametrize(("hide", "dots"), [("contacts", False), ("contact shapes", True)])
def test_shapes_are_hidden_with_contacts_or_alone(scene_of, hide, dots):
    scene = scene_of(ball.result(), hide=hide)
    assert "contact shapes" not in {one.part.group for one in scene._parts.shown} and (scene.contacts is not None) is dots


def test_film_in_slow_motion_says_its_speed(scene_of, monkeypatch, tmp_path):
    from flexmbs.view.scene import Scene

    scene_of(ball.result()).close()  # skips without OpenGL
    labels, show = [], Scene.show_time

    def noted(self, *times, **options):
        show(self, *times, **options)
        labels.append(self._label.input)

    monkeypatch.setattr(Scene, "show_time", noted)
    small = {"duration": 0.4, "window_size": (64, 64), "frames_per_second": 25}
    ball.result().animate(tmp_path / "slow.gif", slow_motion=40, **small)
    assert len(labels) == 11 and all("speed" in "".join(label.split("\n")) for label in labels[1:])
    labels.clear()
    ball.result().animate(tmp_path / "even.gif", **small)
    assert not any("speed" in label for label in labels)


def test_wrong_options_are_named(tmp_path):
    result = ball.result()
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))
    for options, message in (
        ({"force_scale": "cubic"}, "unknown force_scale 'cubic'; choose one of linear, sqrt, log"),
        ({"stick_speed": -1.0}, "stick_speed is -1.0; it must be a speed in m/s, 0 or more"),
        ({"stick_speed": float("nan")}, "stick_speed is nan"),
        ({"slow_motion": 0.5}, "slow_motion is 0.5; it must be True or a number above 1"),
    ):
        with pytest.raises(FlexmbsError, match=message):
            result.animate(tmp_path / "a.png", **options)


@pytest.mark.parametrize(("force", "text"), [(50.0, "50 N"), (2e4, "20 kN"), (0.5, "500 mN"), (5e6, "5 MN"), (1.0, "1 N")])
def test_text_of_a_force(force, text):
    assert force_text(force) == text
