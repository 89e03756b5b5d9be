"""Plots show what they say: positions, labels, what is left out."""

import numpy as np
import pytest
from study_tables import UNITS, pendulum_like, table_of

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.plots.main_effects import grouped, main_effects
from flexmbs.study.evaluation.plots.plot import KINDS, plot
from flexmbs.study.evaluation.plots.scale import broken, number_text, scale_of, short_texts
from flexmbs.study.evaluation.plots.sensitivity_bars import plot_sensitivities
from flexmbs.study.evaluation.sensitivity.sensitivity import sensitivity


def notes(figure):
    return figure.get_supxlabel()


def tick_texts(axis):
    return [axis.get_major_formatter()(value, place) for place, value in enumerate(axis.get_majorticklocs())]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_written(kind, tmp_path):
    """Without a warning of matplotlib about letters, limits or layouts."""
    assert plot(pendulum_like(80), kind, save=tmp_path / "plot.png") is None
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_with_five_runs(kind):
    figure = plot(pendulum_like(5, failing=0.0), kind)
    figure.draw_without_rendering()
    assert figure.axes


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "surface"])
def test_one_parameter_and_constant_columns(kind):
    table = table_of({"length": np.full(9, 2.0)}, {"force": np.full(9, 1e7), "deflection": np.zeros(9)}, UNITS)
    plot(table, kind).draw_without_rendering()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_draw(kind):
    table = table_of({"length": np.arange(4.0)}, {"force": np.full(4, np.nan)}, UNITS, not_run=3)
    with pytest.raises(StudyError, match="0 finished runs, 4 failed, 3 points not run"):
        plot(table, kind)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("scater", {}, "Did you mean scatter"),
        ("histogram", {"names": ["forse"]}, "Did you mean force"),
        ("histogram", {"response": "force"}, "has no response"),
        ("effects", {"color": "force"}, "not coloured"),
        ("effects", {"response": "mesh"}, "mesh is text"),
        ("surface", {"names": ["length"]}, "two parameters, not 1"),
        ("surface", {"names": ["length", "mesh"]}, "mesh is text"),
        ("scatter", {"names": ["force"] * 9}, "at most 8"),
        ("parallel", {"names": []}, "at least one"),
    ],
)
def test_wrong_options(kind, options, message):
    with pytest.raises(StudyError, match=message):
        plot(pendulum_like(30), kind, **options)


def test_a_surface_needs_two_parameters_that_vary_independently():
    x = np.linspace(0.0, 1.0, 30)
    with pytest.raises(StudyError, match="this study has 1"):
        plot(table_of({"a": x}, {"y": x}), "surface")
    with pytest.raises(StudyError, match="on a line"):
        plot(table_of({"a": x, "b": 2.0 * x}, {"y": x}), "surface")


def test_main_effects_need_a_parameter():
    with pytest.raises(StudyError, match="varies no parameter"):
        plot(table_of({}, {"force": np.arange(5.0)}), "effects")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["scatter", "parallel"])
def test_colours_by_text(kind):
    table = table_of({"mesh": [f"mesh_{k:02d}.inp" for k in range(40)]}, {"force": np.arange(40.0)})
    figure = plot(table, kind, color="mesh")
    figure.draw_without_rendering()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [f"mesh_{k:02d}.inp" for k in range(0, 40, 4)]


def test_scatter_matrix_thins_many_runs_and_says_so():
    figure = plot(pendulum_like(20_000), "scatter", ["length", "force"])
    drawn = figure.axes[2].collections[0].get_offsets()
    assert len(np.unique(drawn, axis=0)) == len(drawn) == 3000
    assert "3000 of " in notes(figure) and "chosen at random" in notes(figure)
    assert f"of {20_000} runs failed" in notes(figure)
    heights = [patch.get_height() for patch in figure.axes[0].patches]
    assert sum(heights) == 20_000  # histograms count all


def test_scatter_matrix_marks_failed_runs_at_the_axis():
    table = table_of({"length": [1.0, 2.0, 3.0, 4.0]}, {"force": [5.0, np.nan, 6.0, np.nan]}, UNITS)
    figure = plot(table, "scatter")
    marks = [line for line in figure.axes[2].lines if line.get_marker() == "|"]
    assert marks[0].get_xdata().tolist() == [2.0, 4.0]
    assert "2 of 4 runs failed" in notes(figure)
    assert figure.axes[2].get_xlabel() == "length\n[m]"


def test_histogram_shows_the_quantiles_with_their_values():
    values = np.arange(1001.0) / 2.0
    figure = plot(table_of({"x": values}, {"force": values}, UNITS), "histogram")
    axes = figure.axes[0]
    assert [line.get_xdata()[0] for line in axes.lines] == [25.0, 250.0, 475.0]
    assert axes.get_title() == "5 %: 25   median: 250   95 %: 475"
    assert sum(patch.get_height() for patch in axes.patches) == 1001
    assert axes.get_xlabel() == "force [N]"


def test_bars_of_whole_numbers_stand_at_them():
    counts = np.repeat([2.0, 3.0, 5.0], [4, 7, 1])
    axes = plot(table_of({"x": np.arange(12.0)}, {"contacts": counts}), "histogram").axes[0]
    bars = {round(patch.get_x() + patch.get_width() / 2.0, 6): patch.get_height() for patch in axes.patches}
    assert bars == {2.0: 4, 3.0: 7, 4.0: 0, 5.0: 1}


def test_main_effects_are_means_over_levels_and_bins():
    table = pendulum_like(2000, failing=0.0)
    table.columns["force"].values[:] = 100.0 * table["modes"] + (table["mesh"] == "rod_fine.inp")
    figure = main_effects(table, "force", ["modes", "mesh"])
    means = [axes.lines[0].get_xydata() for axes in figure.axes[:2]]
    fine = (table["mesh"] == "rod_fine.inp").astype(float)
    expected = [[m, 100.0 * m + fine[table["modes"] == m].mean()] for m in (2, 3, 4, 5)]
    assert np.allclose(means[0], expected)
    assert means[1][:, 1].argmax() == 1  # coarse, fine, medium
    assert "5 % to 95 %" in notes(figure)


def test_bins_hold_equal_numbers_of_runs():
    groups = grouped(scale_of(pendulum_like(1200, failing=0.0).column("length")))
    assert np.bincount(groups.group).tolist() == [100] * 12


def test_parallel_coordinates_start_at_the_first_axis_and_end_where_failed_runs_have_no_value():
    table = table_of({"length": [1.0, 2.0, 3.0]}, {"force": [5.0, np.nan, 6.0]}, UNITS)
    failed, finished = plot(table, "parallel").axes[0].collections
    assert [len(line) for line in failed.get_segments()] == [1]
    assert [len(line) for line in finished.get_segments()] == [2, 2]


def test_scales():
    stiffness = scale_of(pendulum_like(200).column("stiffness"))
    assert stiffness.log and stiffness.label == "stiffness [Pa]"
    force = scale_of(table_of({"x": [1, 2]}, {"force": [2.1e5, 4.3e5]}, UNITS).column("force"))
    assert (force.log, force.label, force.text(2.1e5)) == (False, "force [10³ N]", "210")
    small = scale_of(table_of({"x": [1, 2]}, {"gap": [2.1e-7, 4e-7]}).column("gap"))
    assert small.label == "gap [10⁻⁹]"
    text = scale_of(table_of({"mesh": ["b", "a", "b"]}, {}).column("mesh"))
    assert (text.categories, text.positions.tolist()) == (("a", "b"), [1.0, 0.0, 1.0])


def test_ticks_are_round_numbers():
    table = table_of({"length": np.linspace(0.83, 1.19, 50)}, {"force": np.linspace(21.3e3, 43.9e3, 50)}, UNITS)
    axes = plot(table, "effects").axes[0]
    inside = [text for text in tick_texts(axes.yaxis) if text in ("25", "30", "35", "40")]
    assert inside == ["25", "30", "35", "40"]
    assert axes.get_ylabel() == "force [10³ N]"


def test_texts_of_numbers_and_labels():
    assert [number_text(value) for value in (0.0, 14200.0, 0.00213, 3e-7, 1e11, -2.5e9)] == [
        "0",
        "14200",
        "0.00213",
        "3×10⁻⁷",
        "10¹¹",
        "-2.5×10⁹",
    ]
    assert broken("tip_deflection_max [m]") == "tip_deflection_\nmax\n[m]"
    assert short_texts(["pendulum_beam.inp", "pendulum_hex20.inp"]) == ["…beam.inp", "…hex20.inp"]
    assert short_texts(["mesh_number_01.inp", "mesh_number_02.inp"]) == ["…01.inp", "…02.inp"]


def test_bars_of_sensitivities_are_the_indices():
    table = pendulum_like(300)
    found = sensitivity(table, "deflection")
    axes = plot_sensitivities(found).axes[0]
    widths = [patch.get_width() for patch in axes.patches[: len(found.names)]]
    assert np.allclose(widths, found["SRC"][found.order], equal_nan=True)
    assert [label.get_text() for label in axes.get_yticklabels()] == [found.names[place] for place in found.order]
