"""The picture of a mode: it bends the way it should, and says what it shows."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import ClampedFree, FlexmbsError, FreeFree, Material, box_mesh, line_mesh, rectangle, reduce
from flexmbs.view import opengl as gl

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture(autouse=True, scope="module")
def rendering():
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def bar():
    """A strip along x that bends first along z, then along y."""
    mesh = box_mesh((0.4, 0.04, 0.02), (10, 2, 2), STEEL)
    return reduce(mesh, interfaces={"clamp": "ROOT", "tip": "TIP"}, modes=ClampedFree("clamp", count=4), name="bar")


@pytest.fixture
def scene():
    from flexmbs.view.body_view import BodyScene

    made = []

    def make(body, *arguments, **options):
        made.append(BodyScene(body, *arguments, window_size=(560, 420), **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_title_says_body_mode_frequency_and_how_it_is_drawn(bar, scene):
    made = scene(bar, 2)
    lines = made._label.input.splitlines()
    assert lines[0] == "bar, held at 'clamp'"
    assert lines[1] == f"mode 2 of 4: bending y 1, {bar.frequencies[1]:.6g} Hz"
    size = np.linalg.norm([0.4, 0.04, 0.02])
    # a quadratic mode has its largest displacement on a node of the surface: 1 m at q = 1
    assert lines[2] == f"largest displacement drawn: {100.0 * size:.3g} mm (scale 1)"
    assert made._actor.mapper.scalar_range[1] == pytest.approx(100.0 * size, rel=1e-6)
    assert next(iter(made.plotter.scalar_bars.values())).GetTitle().split() == ["Displacement", "[mm]"]


def test_surface_and_markers_move_with_the_mode(bar, scene):
    made = scene(bar, 1, scale=0.5)
    amplitude = 0.05 * made.size
    assert made.amplitude == pytest.approx(amplitude, rel=1e-6)
    tip, points = made._markers[1]
    assert points.points[0] == pytest.approx(tip.position + amplitude * tip.Phi[0], abs=1e-12)
    made.show_phase(0.75)
    shape = bar.surface.points - amplitude * bar.surface.modes[0]
    assert made._surface.points == pytest.approx(shape, abs=1e-7)  # VTK keeps single precision
    made.show_phase(0.0)
    assert np.abs(made._surface.point_data["value"]).max() == 0.0
    made.show_mode(4)
    assert made.mode == 4 and f"{bar.frequencies[3]:.6g} Hz" in made._label.input


def test_torsion_is_drawn_without_tearing_the_body(scene):
    """A mode whose displacements are small beside its rotations: sections turn by half a radian at most."""
    strip = line_mesh(1.0, 20, rectangle(0.02, 0.02), STEEL)
    body = reduce(strip, interfaces={"clamp": "ROOT"}, modes=ClampedFree("clamp", torsion=1), second_order="none")
    made = scene(body)
    moved = made._surface.points - body.surface.points
    assert 0.2 < np.linalg.norm(moved, axis=1).max() / np.hypot(0.01, 0.01) < 0.6


def test_stress_in_place_of_displacement(bar, scene):
    from flexmbs.fem.stress_field import von_mises

    made = scene(bar, 1, color="von_mises")
    largest = von_mises(made.amplitude * bar.surface.stress_modes[0]).max()
    assert made._actor.mapper.scalar_range[1] == pytest.approx(1e-6 * largest)
    assert "[MPa]" in next(iter(made.plotter.scalar_bars.values())).GetTitle()


def test_picture_shows_the_body_its_colours_and_its_markers(bar, scene):
    pixels = scene(bar, 1).picture().astype(int)
    saturated = np.ptp(pixels, axis=2) > 60
    assert 0.01 < saturated[100:, :450].mean() < 0.5  # the coloured bar
    assert saturated[100:340, 480:].sum() > 500  # the scale
    ink = pixels.sum(axis=2) < 300
    assert ink[:60, :350].sum() > 300  # the title
    gray = (np.ptp(pixels, axis=2) < 30) & (pixels.sum(axis=2) < 650)
    assert gray[70:].sum() > 200  # the undeformed outline


def test_nodes_without_elements_are_points(scene):
    """A body of another tool: nothing but nodes."""
    from flexmbs import body_from_arrays

    points = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])
    shape = np.array([[[0.0, 0, 0], [0, 0.3, 0], [0, 1.0, 0]]])
    made = scene(body_from_arrays(points=points, modes=shape, K=[[1e4]], M=[1.0, 2.0, 1.0], name="rod"))
    assert made._surface.points[2] == pytest.approx([1.0, 0.1, 0.0]) and "rod, free" in made._label.input
    pixels = made.picture().astype(int)
    assert ((np.ptp(pixels, axis=2) > 60)[100:, :450]).sum() > 60  # points and names in their colours


def test_files(bar, tmp_path):
    import imageio.v2 as imageio

    from flexmbs.view.body_view import save_mode

    picture = imageio.imread(save_mode(bar, tmp_path / "folder" / "mode.png"))[..., :3].astype(int)
    assert (
        picture.shape[:2] == (840, 1120) and (np.ptp(picture, axis=2) > 60)[200:, :900].mean() > 0.01
    )  # at its largest displacement
    frames = imageio.mimread(save_mode(bar, tmp_path / "mode.gif", 2, frames_per_second=2), memtest=False)
    assert len(frames) == 4
    assert np.abs(frames[0].astype(int) - frames[1].astype(int)).max() > 100  # it moves
    assert save_mode(bar, tmp_path / "mode.mp4", frames_per_second=2).stat().st_size > 2000


def test_what_cannot_be_shown_is_said(bar, tmp_path):
    from flexmbs.view.body_view import save_mode

    with pytest.raises(FlexmbsError, match="'bar' has no mode 5; its modes are 1 to 4"):
        save_mode(bar, tmp_path / "mode.png", 5)
    with pytest.raises(FlexmbsError, match="no mode 0"):
        save_mode(bar, tmp_path / "mode.png", 0)
    with pytest.raises(FlexmbsError, match="end in .png, .gif, .mp4"):
        save_mode(bar, tmp_path / "mode.jpg")
    with pytest.raises(FlexmbsError, match="scale is -1; it must be a factor above 0"):
        save_mode(bar, tmp_path / "mode.png", scale=-1.0)
    rigid = reduce(line_mesh(1.0, 4, rectangle(0.02, 0.02), STEEL), interfaces={}, modes=FreeFree(count=0))
    with pytest.raises(FlexmbsError, match="has no modes: it is rigid"):
        save_mode(replace(rigid, name="link"), tmp_path / "mode.png")
