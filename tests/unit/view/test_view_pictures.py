"""Pictures and animations: something is drawn, it moves, it is coloured, and it fits into the picture."""

import dataclasses

import numpy as np
import pytest
import swinging_bar as bar

from flexmbs import FlexmbsError, Result
from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.result.structure import ContactPair, MarkerRecord
from flexmbs.view import opengl as gl
from flexmbs.view.colours import colour_range, sample_times
from flexmbs.view.extent import motion_bounds, motion_points, view_direction
from flexmbs.view.plots import plot_histories

WHITE = 250


@pytest.fixture(scope="module")
def result():
    return Result(bar.structure(), bar.trajectory())


@pytest.fixture(scope="module")
def scene(result):
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))
    from flexmbs.view.scene import Scene

    made = Scene(result, window_size=(480, 360))
    yield made
    made.close()


@pytest.fixture
def scene_of():
    """Scenes of other results, closed at the end of the test."""
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))
    from flexmbs.view.scene import Scene

    made = []

    def make(result):
        made.append(Scene(result, window_size=(160, 120)))
        return made[-1]

    yield make
    for scene in made:
        scene.close()


def picture(scene, time, since=None):
    scene.show_time(time, since=since)
    return scene.picture().astype(int)


def red_pixels(image):
    return int(((image[..., 0] > 120) & (image[..., 1] < 80) & (image[..., 2] < 80)).sum())


def test_bounds_hold_the_motion(result):
    low, high = motion_bounds(result.structure, motion_points(result, 1.0))
    tip = np.stack([result[f"pendulum.tip.position.{axis}"] for axis in "xyz"], axis=1)
    # sampled times may miss the extreme by a little: 1 mm of 1 m
    assert np.all(tip.min(axis=0) > low - 1e-3) and np.all(tip.max(axis=0) < high + 1e-3)


def test_colour_ranges(result):
    # largest |q| is 0.03: outer fibre stress E h/2 q (pi/2)^2 at the root, tip displacement about 0.03 m
    stress = bar.YOUNGS_MODULUS * 0.002 * 0.03 * (np.pi / 2) ** 2
    assert colour_range(result, "von_mises") == (0.0, pytest.approx(stress, rel=1e-3))
    assert colour_range(result, "displacement") == (0.0, pytest.approx(0.03, rel=1e-2))


@pytest.mark.parametrize("color", ["von_mises", "principal_max", "displacement"])
def test_colour_ranges_reach_every_step(result, color):
    """One step bends twice as far as all others, between the times at which ranges are sampled."""
    run = bar.trajectory()
    q = run.q.copy()
    farthest = np.abs(run.t[:, None] - sample_times(result)).min(axis=1).argmax()
    q[farthest, result.structure.bodies[1].coordinates] = 0.06
    peaked = Result(bar.structure(), dataclasses.replace(run, q=q))
    assert colour_range(peaked, color)[1] == pytest.approx(2.0 * colour_range(result, color)[1], rel=1e-2)


def test_camera_looks_along_the_flattest_horizontal_direction():
    direction, up = view_direction(np.array([-1.0, -1.0, 0.0]), np.array([1.0, 0.0, 0.02]), np.array([0.0, -9.81, 0.0]))
    assert up == pytest.approx([0.0, 1.0, 0.0])
    assert int(np.argmax(np.abs(direction))) == 2


def test_pictures_move_and_nothing_is_cut_off(scene):
    first, later = picture(scene, 0.0), picture(scene, 0.5)
    assert (np.abs(first - later).sum(axis=2) > 60).sum() > 200
    for image in (first, later):
        border = np.concatenate([image[:3].ravel(), image[-3:].ravel(), image[:, :3].ravel(), image[:, -3:].ravel()])
        assert border.min() >= WHITE


def test_same_time_gives_the_same_picture(scene):
    first = picture(scene, 0.2)
    picture(scene, 0.6)
    assert np.array_equal(picture(scene, 0.2), first)


def test_force_arrow_is_shown_in_contact_and_for_contacts_just_passed(scene):
    before, inside, after = picture(scene, 0.45), picture(scene, 0.52), picture(scene, 0.6)
    passed = picture(scene, 0.6, since=0.5)
    assert red_pixels(inside) > red_pixels(before) + 50
    assert red_pixels(passed) > red_pixels(after) + 50


def test_label_tells_a_passed_peak_from_a_force_that_acts_now(scene):
    scene.show_time(0.52)
    assert scene._label.input.endswith("contact force 2000 N")
    scene.show_time(0.6, since=0.5)
    assert scene._label.input.endswith("contact force 2000 N (peak since last frame)")
    scene.show_time(0.6)
    assert "force" not in scene._label.input


@pytest.mark.parametrize(("part", "shown"), [(0.5e-6, False), (2e-6, True)])
def test_forces_of_rounding_are_not_shown(scene_of, part, shown):
    run = bar.trajectory()
    force = run.contact_force.copy()
    force[20] = part * force.max()
    push = force[:, :, None] * np.array([1.0, 0.0, 0.0])
    scene = scene_of(Result(bar.structure(), dataclasses.replace(run, contact_force=force, contact_push=push)))
    scene.show_time(float(run.t[20]))
    assert bool(scene.contacts._actors[0].visibility) is shown
    assert ("contact force" in scene._label.input) is shown


def structure_with_plate(fields, rotation):
    """The bar with a plane at its end, against a point of ground."""
    base = bar.structure()
    plate = MarkerRecord("plate", "pendulum", fields=fields, position=np.array([1.0, 0.0, 0.0]), rotation=rotation)
    point = MarkerRecord("point", "ground", position=np.array([0.3, -0.8, 0.2]))
    pair = ContactPair("stop", marker_a=3, marker_b=2, normal=np.array([0.0, 1.0, 0.0]))
    return dataclasses.replace(base, markers=(*base.markers, plate, point), contacts=(pair,))


def plate_in_world(scene):
    """Centre and unit normal of the drawn plate."""
    actor = next(one.actor for one in scene._parts.shown if one.part.group == "contact shapes")
    local = np.asarray(actor.mapper.dataset.points)
    world = (np.c_[local, np.ones(len(local))] @ np.asarray(actor.user_matrix).T)[:, :3]
    sides = np.linalg.svd(world - world.mean(axis=0))[2]
    return world.mean(axis=0), sides[2]


@pytest.mark.parametrize("flexible", [True, False])
def test_plate_of_a_contact_moves_and_turns_with_its_marker(scene_of, flexible):
    tilt = matrices_of_vectors(np.array([0.2, 0.1, 0.4]))
    fields = bar.point_fields(1.0) if flexible else None
    result = Result(structure_with_plate(fields, tilt), bar.trajectory())
    scene = scene_of(result)
    centres = []
    for time in (0.0, 0.3, 0.7):
        scene.show_time(time)
        (angle, q), *_ = (part[0] for part in bar.motion(np.array([time])))
        turn = matrices_of_vectors(np.array([0.0, 0.0, angle - 0.5 * np.pi]))
        bend = 0.5 * np.pi * q if flexible else 0.0  # slope of the mode at the tip
        tip = turn @ [1.0 - np.pi**2 / 16.0 * q * q, q, 0.0] if flexible else turn @ [1.0, 0.0, 0.0]
        axes = turn @ matrices_of_vectors(np.array([0.0, 0.0, bend])) @ tilt
        centre, normal = plate_in_world(scene)
        # points are kept in single precision; coordinates between steps are good to 1e-8
        assert abs(normal @ axes[:, 1]) == pytest.approx(1.0, abs=1e-6)
        assert (centre - tip) @ axes[:, 1] == pytest.approx(0.0, abs=1e-6)
        centres.append(axes.T @ (centre - tip))
    assert centres[1] == pytest.approx(centres[0], abs=1e-5) and centres[2] == pytest.approx(centres[0], abs=1e-5)
    assert np.linalg.norm(centres[0]) > 1e-3  # put where the bodies meet, not at the marker


def test_plate_on_ground_lies_under_the_first_contact(scene, result):
    touching = result.at(0.51)
    expected = [0.0, touching["pendulum.tip.position.y"], touching["pendulum.tip.position.z"]]
    centre, normal = plate_in_world(scene)
    assert centre == pytest.approx(expected, abs=1e-6)  # single precision
    assert abs(normal[0]) == pytest.approx(1.0, abs=1e-6)


def test_colour_and_scale_can_be_changed(scene):
    plain = picture(scene, 0.25)
    scene.recolor("von_mises")
    stress = scene.picture().astype(int)
    scene.recolor("displacement")
    scene.rescale(8.0)
    large = scene.picture().astype(int)
    scene.rescale(1.0)
    assert not np.array_equal(plain, stress)
    assert not np.array_equal(plain, large)
    assert np.array_equal(picture(scene, 0.25), plain)


def test_files(scene, result, tmp_path):
    imageio = pytest.importorskip("imageio.v2")
    result.animate(tmp_path / "end.png", window_size=(320, 240))
    assert imageio.imread(tmp_path / "end.png").shape[:2] == (240, 320)
    result.animate(tmp_path / "short.gif", duration=0.2, window_size=(160, 120))
    assert len(imageio.mimread(tmp_path / "short.gif")) == 5
    result.animate(tmp_path / "short.mp4", duration=0.2, window_size=(160, 120))
    with imageio.get_reader(tmp_path / "short.mp4") as reader:
        assert reader.count_frames() == 5


def test_wrong_requests(result, tmp_path):
    with pytest.raises(FlexmbsError, match=r"end in \.png, \.gif, \.mp4"):
        result.animate(tmp_path / "film.avi")
    with pytest.raises(FlexmbsError, match="time 3 s is outside the run: 0 to 0.75 s"):
        result.animate(tmp_path / "late.png", time=3.0)


def test_plot_has_title_units_and_all_lines(result, tmp_path):
    figure = plot_histories(result, ["hinge.angle", "energy.kinetic", "energy.gravity"], title="Swing")
    assert figure.get_suptitle() == "Swing"
    assert [axis.get_ylabel() for axis in figure.axes] == ["hinge.angle [rad]", "energy [J]"]
    assert [len(axis.lines) for axis in figure.axes] == [1, 2]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    result.plot("stop.force", save=tmp_path / "force.png")
    assert (tmp_path / "force.png").stat().st_size > 5000


def test_plot_title_is_the_names_when_they_fit(result):
    assert plot_histories(result, ["hinge.angle", "stop.force"]).get_suptitle() == "hinge.angle, stop.force"
    assert plot_histories(result, [name for name in result.names if "position" in name]).get_suptitle() == ""
