"""Pictures and animations: something is drawn, it moves, it is coloured, and it fits into the picture."""

import numpy as np
import pytest
import swinging_bar as bar

from flexmbs.errors import FlexmbsError
from flexmbs.result import Result
from flexmbs.view import gl
from flexmbs.view.extent import colour_range, motion_bounds, view_direction
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


def picture(scene, time, since=None):
    scene.show_time(time, since=since)
    return scene.picture().astype(int)


def red_pixels(image):
    return int(((image[..., 0] > 120) & (image[..., 1] < 80) & (image[..., 2] < 80)).sum())


def test_bounds_hold_the_motion(result):
    low, high = motion_bounds(result, 1.0)
    tip = np.stack([result[f"pendulum.tip.position.{axis}"] for axis in "xyz"], axis=1)
    # sampled times may miss the extreme by a little: 1 mm of 1 m
    assert np.all(tip.min(axis=0) > low - 1e-3) and np.all(tip.max(axis=0) < high + 1e-3)


def test_colour_ranges(result):
    # largest |q| is 0.03: outer fibre stress E h/2 q (pi/2)^2 at the root, tip displacement about 0.03 m
    stress = bar.YOUNGS_MODULUS * 0.002 * 0.03 * (np.pi / 2) ** 2
    assert colour_range(result, "von_mises") == pytest.approx(stress, rel=1e-3)
    assert colour_range(result, "displacement") == pytest.approx(0.03, rel=1e-2)


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
    with pytest.raises(FlexmbsError, match="time 3 s is outside of the run: 0 to 0.75 s"):
        result.animate(tmp_path / "late.png", time=3.0)


def test_plot_has_title_units_and_all_lines(result, tmp_path):
    figure = plot_histories(result, ["hinge.angle", "energy.kinetic", "energy.gravity"], title="Swing")
    assert figure.get_suptitle() == "Swing"
    assert [axis.get_ylabel() for axis in figure.axes] == ["hinge.angle [rad]", "energy [J]"]
    assert [len(axis.lines) for axis in figure.axes] == [1, 2]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    result.plot("stop.force", save=tmp_path / "force.png")
    assert (tmp_path / "force.png").stat().st_size > 5000
