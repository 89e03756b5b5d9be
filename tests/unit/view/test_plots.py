"""Plots of histories: units, windows, contacts, files."""

import dataclasses
import os

import numpy as np
import pytest
import sliding_ball as ball
import swinging_bar as bar

from flexmbs import ContactRecord, FlexmbsError, Result, UnknownHistoryError
from flexmbs.view.plot_curves import curves
from flexmbs.view.plot_scales import time_scale, value_scale
from flexmbs.view.plots import common_name


@pytest.fixture(scope="module")
def result():
    return Result(bar.structure(), bar.trajectory())


@pytest.mark.parametrize(
    ("unit", "values", "label", "drawn"),
    [
        ("N", [0.0, 26814.0], "F [kN]", 26.814),
        ("N", [0.0, 4800.0], "F [N]", 4800.0),
        ("Pa", [0.0, 2.5e8], "F [MPa]", 250.0),
        ("m", [-3e-5, 2e-5], "F [µm]", 20.0),
        ("m", [0.0, 0.05], "F [mm]", 50.0),
        ("m", [0.0, 1e-17], "F [m]", 1e-17),  # rounding
        ("N m", [0.0, 8e3], "F [kN m]", 8.0),
        ("m/s2", [0.0, 2.0], "F [m/s²]", 2.0),
        ("kg", [0.0, 1e6], "F [kg]", 1e6),  # no prefix of a prefix
        ("m2", [0.0, 1e-6], "F [m²]", 1e-6),  # whose prefix would be squared
        ("rad/s", [0.0, 1e4], "F [rad/s]", 1e4),
        ("", [0.0, 1e5], "F", 1e5),
        ("J", [5.386, 5.386002], "F − 5.386 J [µJ]", 2.0),
    ],
)
def test_units_take_the_prefix_that_makes_numbers_short(unit, values, label, drawn):
    scale = value_scale(unit, [np.array(values)])
    assert scale.label("F") == label
    assert scale(values)[-1] == pytest.approx(drawn, rel=1e-6)


def test_degrees():
    scale = value_scale("rad/s", [np.array([0.0, np.pi])], degrees=True)
    assert scale.label("w") == "w [°/s]" and scale(np.pi) == pytest.approx(180.0)


@pytest.mark.parametrize(
    ("window", "label", "first"),
    [
        ((0.0, 0.75), "time [s]", 0.0),
        ((0.48, 0.49), "time [ms]", 480.0),
        ((0.0, 2.4e-4), "time [µs]", 0.0),
        ((0.48325, 0.48365), "time − 0.4832 s [µs]", 50.0),
        ((100.0, 5000.0), "time [s]", 100.0),
    ],
)
def test_short_windows_are_in_milliseconds_or_less(window, label, first):
    scale = time_scale(*window)
    assert scale.label("time") == label and scale(window[0]) == pytest.approx(first, abs=1e-6)


def test_axes_carry_prefixes_and_the_curve_is_scaled(result):
    axis = result.plot("stop.force", start=0.5, end=0.54).axes[0]
    line = axis.lines[0]
    t, columns = curves(result, ["stop.force"], 0.5, 0.54)
    assert axis.get_ylabel() == "stop.force [N]" and axis.get_xlabel() == "time [ms]"
    assert np.array_equal(line.get_xdata(), 1e3 * t) and line.get_ydata() == pytest.approx(columns["stop.force"])


def test_a_window_begins_and_ends_between_steps(result):
    low, high = 0.1003, 0.2008  # no step is there
    t, columns = curves(result, ["hinge.angle"], low, high)
    assert (t[0], t[-1]) == (low, high) and np.all(np.diff(t) > 0.0) and len(t) >= 1000
    assert columns["hinge.angle"] == pytest.approx(bar.motion(t)[0][:, 0], abs=1e-6)
    inside = result.t[(result.t > low) & (result.t < high)]
    assert np.all(np.isin(inside, t))
    left, right = result.plot("hinge.angle", start=low, end=high).axes[0].get_xlim()
    assert left == pytest.approx(low, abs=0.003) and right == pytest.approx(high, abs=0.003)


def test_a_window_inside_one_step(result):
    t, columns = curves(result, ["hinge.angle"], 0.1001, 0.1009)
    assert len(t) >= 1000 and columns["hinge.angle"] == pytest.approx(bar.motion(t)[0][:, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"start": 0.3, "end": 0.3}, "start 0.3 s is the end: nothing is between them"),
        ({"start": 0.5, "end": 0.4}, "start 0.5 s is after end 0.4 s"),
        ({"start": 0.8}, "start 0.8 s is outside the run: 0 to 0.75 s"),
        ({"end": -1.0}, "end -1 s is outside"),
        ({"start": "soon"}, "start is 'soon'; it must be a time in s"),
        ({"size": (8.0, 0.0)}, "size is .* in inches"),
        ({"size": "large"}, "size is 'large'"),
    ],
)
def test_windows_and_sizes_that_are_none(result, options, text):
    with pytest.raises(FlexmbsError, match=text):
        result.plot("hinge.angle", **options)


def test_unknown_histories_are_answered_with_near_ones(result):
    for plot in (result.plot, result.plot_spectrum, result.plot_phase, result.spectrum):
        with pytest.raises(UnknownHistoryError, match="^no history named 'hinge.angel'; near names: hinge.angle"):
            plot("hinge.angel")
    with pytest.raises(KeyError):  # as a mapping
        result["hinge.angel"]
    with pytest.raises(FlexmbsError, match="name at least one history"):
        result.plot()


PLOTS = {
    "plot": lambda result, **options: result.plot("hinge.angle", **options),
    "contacts": lambda result, **options: result.plot_contacts(**options),
    "spectrum": lambda result, **options: result.plot_spectrum("hinge.angle", **options),
    "phase": lambda result, **options: result.plot_phase("hinge.angle", **options),
    "contact": lambda result, **options: result.plot_contact("stop", **options),
}


@pytest.mark.parametrize("kind", PLOTS)
def test_files_are_not_replaced_unless_told(result, tmp_path, kind):
    path = tmp_path / "there.svg"
    path.write_text("mine")
    with pytest.raises(FlexmbsError, match=r"there.svg exists: give force=True"):
        PLOTS[kind](result, save=path)
    assert path.read_text() == "mine"
    with pytest.raises(FlexmbsError, match=r"must end in .svg, .pdf \(vector graphics\) or .png"):
        PLOTS[kind](result, save=tmp_path / "plot.docx")
    assert PLOTS[kind](result, save=path, force=True) is None
    assert path.read_text().lstrip().startswith("<?xml") and os.listdir(tmp_path) == ["there.svg"]


def test_vector_files_have_equal_bytes_each_time(result, tmp_path):
    for name in ("a.pdf", "b.pdf", "a.svg", "b.svg"):
        result.plot("hinge.angle", save=tmp_path / name)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    for ending in ("pdf", "svg"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_folders_without_write_permission(result, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FlexmbsError, match="you have no write permission"):
            result.plot("hinge.angle", save=tmp_path / "plot.png")
    finally:
        tmp_path.chmod(0o700)


def test_legends_stand_outside_of_the_curves(result):
    names = ["hinge.angle", "energy.kinetic", "energy.gravity", "energy.elastic", "stop.force"]
    figure = result.plot(*names)
    figure.draw_without_rendering()
    axes = figure.axes
    legends = [axis.get_legend() for axis in axes if axis.get_legend() is not None]
    assert legends
    for legend in legends:
        box = legend.get_window_extent()
        assert not any(box.overlaps(axis.patch.get_window_extent().padded(-2)) for axis in axes)
        assert 0 <= box.x0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1


def panels(figure):
    return [[line.get_label() for line in axis.lines if not line.get_label().startswith("_")] for axis in figure.axes]


def test_small_curves_of_another_kind_have_their_own_panel(result):
    run = result.trajectory
    small = Result(bar.structure(), run.replaced(q=run.q * [1.0, 0.01], energy=run.energy * [1.0, 1e-6, 1.0]))
    bending, gap = "pendulum.bending y 1", "stop.gap"
    assert panels(result.plot(bending, gap)) == [[bending, gap]]  # 60 mm beside 2 m
    assert panels(small.plot(bending, gap)) == [[bending], [gap]]  # 0.6 mm
    assert panels(small.plot("energy.kinetic", "energy.gravity")) == [["energy.kinetic", "energy.gravity"]]


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        (["pin.reaction.force.x", "pin.reaction.force.y"], "pin reaction force"),
        (["hinge1.angle", "hinge2.angle"], "angle"),
        (["rod.bending y 1", "rod.torsion 1"], "rod"),
        (["stop.gap", "rod.torsion 1"], ""),
        (["stop.gap"], "stop.gap"),
    ],
)
def test_panels_are_named_by_what_their_curves_share(names, shared):
    assert common_name(names) == shared


def touched(count):
    """The sliding ball with ``count`` short contacts."""
    times = np.linspace(0.05, 0.9, count)
    records = tuple(ContactRecord("floor", t, t + 1e-6, 5.0 + k, t, 1.0, 0.0, None, 0.0) for k, t in enumerate(times))
    return Result(ball.structure(), dataclasses.replace(ball.trajectory(), contacts=records)), times


@pytest.mark.parametrize("count", [1, 7, 900])
def test_contacts_are_marked_where_they_are(count):
    result, times = touched(count)
    axis = result.plot("energy.kinetic").axes[0]
    (shade,) = axis.collections
    found = np.array([path.vertices[:, 0] for path in shade.get_paths()])
    assert np.stack([found.min(axis=1), found.max(axis=1)]) == pytest.approx(np.stack([times, times + 1e-6]))
    assert shade.get_label() == f"contact floor closed, {'once' if count == 1 else f'{count} times'}"
    assert shade.get_alpha() <= 0.3 and (count < 100 or shade.get_alpha() < 0.1)  # curves stay visible among many
    assert not result.plot("energy.kinetic", contacts=False).axes[0].collections
    early = result.plot("energy.kinetic", start=0.0, end=0.04).axes[0]
    assert not early.collections and early.get_legend() is None


def test_peaks_of_contact_forces_are_marked_and_the_largest_is_said():
    result, times = touched(7)
    axis = result.plot("floor.force").axes[0]
    dots = next(line for line in axis.lines if line.get_marker() == "o")
    assert sorted(dots.get_xdata()) == pytest.approx(times) and max(dots.get_ydata()) == 11.0
    assert [text.get_text() for text in axis.texts] == ["11 N at 0.9 s"]


def test_constant_histories_are_level_lines(result):
    run = result.trajectory
    noise = 1e-15 * np.sin(1e4 * run.t)
    energy = np.stack([5.0 + noise, 0.0 * noise, 0.0 * noise], axis=1)
    axis = Result(bar.structure(), run.replaced(energy=energy)).plot("energy.total").axes[0]
    low, high = axis.get_ylim()
    assert high - low > 0.5 and low < 5.0 < high and axis.get_ylabel() == "energy.total [J]"
