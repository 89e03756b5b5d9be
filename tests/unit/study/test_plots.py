"""Plots show what they say: positions, labels, what is left out."""

from pathlib import Path

import numpy as np
import pytest
from study_tables import UNITS, pendulum_like, table_of

from flexmbs.common.errors import StudyError
from flexmbs.study.history_band import history_band, plot_bands
from flexmbs.study.plot_axes import scale_of, short_texts
from flexmbs.study.plots import KINDS, plot
from flexmbs.study.sensitivity import given_data_indices, plot_sensitivities

TABLES = {
    "usual": pendulum_like(80),
    "five runs": pendulum_like(5, failing=0.0),
    "one run": table_of({"length": [2.0], "mesh": ["a"]}, {"force": [1e7]}, UNITS),
    "constant": table_of({"length": np.full(9, 2.0)}, {"force": np.full(9, 1e7), "deflection": np.zeros(9)}, UNITS),
    "text": table_of({"mesh": [f"mesh_{k:02d}.inp" for k in range(40)]}, {"end": ["a", "b"] * 20, "force": np.arange(40.0)}),
    "infinite": table_of({"length": np.arange(9.0)}, {"force": np.full(9, np.inf)}, UNITS),
    "dollars": table_of({r"$\l$": [1.0, 2.0, 3.0], "mesh": [r"$\m$", "b", "b"]}, {r"$\f$": [0.0, 1.0, 2.0]}, {r"$\f$": "$^$"}),
    "huge": table_of({"length": [1.7e308, -1.7e308, 0.0, 1e300, -1e300]}, {"force": 1e16 + 2.0 * np.arange(5)}, UNITS),
    "tiny": table_of({"length": 5e-324 * np.arange(9.0)}, {"force": 1e-300 * np.arange(9.0)}, UNITS),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TABLES)
def test_each_kind_is_written(name, kind, tmp_path):
    """Without a warning of matplotlib about letters, limits or layouts."""
    if kind == "surface" and name not in ("usual", "five runs"):
        with pytest.raises(StudyError, match="a response surface needs"):
            plot(TABLES[name], kind)
        return
    assert plot(TABLES[name], kind, save=tmp_path / "plot.png") is None
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


LINE = np.linspace(0.0, 1.0, 30)
WRONG = [
    ("scater", {}, "Did you mean scatter"),
    ("histogram", {"names": ["forse"]}, "Did you mean force"),
    ("histogram", {"response": "force"}, "has no response"),
    ("effects", {"color": "force"}, "not coloured"),
    ("effects", {"response": "mesh"}, "mesh is text"),
    ("surface", {"names": ["length"]}, "two parameters, not 1"),
    ("surface", {"names": ["length", "mesh"]}, "mesh is text"),
    ("surface", {"response": "fixed"}, "a figure that varies; fixed does not"),
    ("scatter", {"names": ["force"] * 9}, "at most 8"),
    ("parallel", {"names": []}, "at least one"),
    ("effects", {"table": table_of({}, {"force": LINE})}, "varies no parameter"),
    ("surface", {"table": table_of({"a": LINE, "b": 2.0 * LINE}, {"y": LINE})}, "on a line"),
    ("surface", {"table": table_of({}, {"y": [np.nan] * 4}, not_run=3)}, "0 finished runs, 4 failed, 3 points not run"),
    ("scatter", {"save": Path("plot.txt")}, "plot.txt: a plot is written as"),
]


@pytest.mark.parametrize(("kind", "options", "message"), WRONG)
def test_wrong_wishes(kind, options, message):
    with pytest.raises(StudyError, match=message):
        plot(**{"table": TABLES["usual"], **options}, kind=kind)


@pytest.mark.parametrize("kind", ["scatter", "parallel"])
def test_colours_by_text(kind):
    bar = next(axes for axes in plot(TABLES["text"], kind, color="mesh").axes if axes.get_label() == "<colorbar>")
    assert [text.get_text() for text in bar.get_yticklabels()] == [f"mesh_{k:02d}.inp" for k in range(0, 40, 4)]


def test_scatter_matrix_says_which_runs_are_left_out_or_lost():
    figure = plot(pendulum_like(20_000), "scatter", ["length", "force"])
    drawn = figure.axes[2].collections[0].get_offsets()
    assert len(np.unique(drawn, axis=0)) == len(drawn) == 3000
    assert "3000 of " in figure.get_supxlabel() and "of 20000 runs failed" in figure.get_supxlabel()
    assert sum(patch.get_height() for patch in figure.axes[0].patches) == 20_000  # histograms count all
    table = table_of({"length_of_the_rod": [1.0, 2.0, 3.0, 4.0]}, {"force": [5.0, np.nan, 6.0, np.inf]}, {"length_of_the_rod": "m"})
    figure = plot(table, "scatter", ["length_of_the_rod", "force", "length_of_the_rod"])
    marks = next(line for line in figure.axes[2].lines if line.get_marker() == "|")
    assert marks.get_xdata().tolist() == [2.0, 4.0] and "2 of 4 runs failed" in figure.get_supxlabel()
    assert figure.axes[2].get_xlabel() == "length_of_the_\nrod\n[m]"


def test_histograms_have_quantiles_with_their_values_and_bars_at_whole_numbers():
    values = np.arange(1001.0) / 2.0
    axes = plot(table_of({"x": values}, {"force": values}, UNITS), "histogram").axes[0]
    assert [line[0, 0] for line in axes.collections[0].get_segments()] == [25.0, 250.0, 475.0]
    assert axes.get_title() == "5 %: 25   median: 250   95 %: 475" and axes.get_xlabel() == "force [N]"
    assert sum(patch.get_height() for patch in axes.patches) == 1001
    counts = np.repeat([2.0, 3.0, 5.0], [4, 7, 1])
    axes = plot(table_of({"x": np.arange(12.0)}, {"contacts": counts}), "histogram").axes[0]
    bars = {round(patch.get_x() + patch.get_width() / 2.0, 6): patch.get_height() for patch in axes.patches}
    assert bars == {2.0: 4, 3.0: 7, 5.0: 1}


def test_main_effects_are_means_over_levels_and_bins():
    modes, fine, x = np.tile([2, 3], 600), np.repeat([0.0, 1.0], 600), np.arange(1200.0)
    mesh = np.where(fine, "fine", "coarse")
    figure = plot(table_of({"modes": modes, "mesh": mesh, "x": x}, {"force": 100.0 * modes + fine}), "effects")
    lines = [axes.lines[0].get_xydata() for axes in figure.axes]
    assert np.allclose(lines[0], [[2, 200.5], [3, 300.5]]) and np.allclose(lines[1], [[0, 250], [1, 251]])
    assert np.allclose(lines[2][:, 0], 49.5 + 100.0 * np.arange(12)) and np.allclose(lines[2][:, 1], np.repeat([250, 251], 6))


def test_parallel_coordinates_end_where_failed_runs_have_no_value():
    table = table_of({"length": [1.0, 2.0, 3.0]}, {"force": [5.0, np.nan, 6.0]}, UNITS)
    lost, drawn = ([len(line) for line in part.get_segments()] for part in plot(table, "parallel").axes[0].collections)
    assert (lost, drawn) == ([1], [2, 2])


def test_surfaces_join_the_runs_in_logarithms_where_values_spread_over_decades():
    """At b = 1 the contour y = 10 of y = a^2 b is at a = sqrt(10), between runs; two runs at each point count as their mean."""
    a, b = (np.tile(part.ravel(), 2) for part in np.meshgrid(np.logspace(0, 3, 6), [1.0, 2.0]))
    axes, bar = plot(table_of({"a": a, "b": b}, {"y": a**2 * b * np.repeat([0.5, 2.0], 12)}, UNITS), "surface").axes
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_xlabel()) == ("log", "linear", "a")
    ticks = [bar.yaxis.get_major_formatter()(value) for value in axes.collections[0].levels]
    assert ticks == ["1", "10", "100", "1000", "10000", "100000", "1e+06", "1e+07"]
    band = axes.collections[0].get_paths()[0].vertices  # 1 to 10, from (0, 0) to (1, 1) on the axes
    low, high = np.log10(axes.get_xlim())
    end = band[np.isclose(band[:, 1], band[:, 1].min()), 0].max()
    assert low + end * (high - low) == pytest.approx(0.5, abs=1e-9)


def test_scales():
    table = table_of({"mesh": ["b", "a", "b"]}, {"low": [1.0, 5.0, 100.0], "high": [1.0, 60.0, 100.0]})
    assert scale_of(table, "low").log and not scale_of(table, "high").log  # logarithms would crowd it at the upper end
    assert (scale_of(table, "mesh").categories, scale_of(table, "mesh").values.tolist()) == (("a", "b"), [1.0, 0.0, 1.0])
    assert short_texts(["pendulum_beam.inp", "pendulum_hex20.inp"]) == ["pendul…eam.inp", "pendul…x20.inp"]


def test_bars_of_sensitivities_are_the_indices():
    found = given_data_indices(pendulum_like(300), "deflection")
    axes = plot_sensitivities(found).axes[0]
    widths = [patch.get_width() for patch in axes.patches[: len(found.indices)]]
    assert np.allclose(widths, found.indices["S1"].fillna(0.0))
    assert [label.get_text() for label in axes.get_yticklabels()] == list(found.indices.index)


T = np.linspace(0.0, 2.0, 41)


def test_bands_are_quantiles_at_each_time_in_panels_with_units():
    band = history_band("angle", [(T, factor * (1.0 + T)) for factor in np.linspace(0.0, 1.0, 101)], "rad", runs=500)
    assert np.allclose(band.quantiles, np.outer([0.05, 0.25, 0.5, 0.75, 0.95], 1.0 + band.times), rtol=1e-12)
    figure = plot_bands([band, history_band("gap", [(T, T)])])
    assert [axes.get_ylabel() for axes in figure.axes] == ["angle [rad]", "gap"]
    assert "101 of 500 runs, at random" in figure.get_supxlabel()
    assert np.allclose(figure.axes[0].lines[-1].get_ydata(), 0.5 * (1.0 + band.times))  # the median, above all others


def test_histories_with_other_times_are_interpolated_and_end():
    coarse = np.array([0.0, 0.7, 2.0])
    band = history_band("x", [(coarse, coarse), (T[:21], T[:21] + 1.0), (T, np.full(41, np.inf))])
    assert band.times[-1] == 2.0 and (band.running[0], band.running[-1]) == (2, 1)
    assert np.allclose(band.quantiles[2], band.times + np.where(band.times <= 1.0 + 1e-12, 0.5, 0.0), atol=1e-14)
    assert "at some times 2 of them" in plot_bands([band]).get_supxlabel()
    with pytest.raises(StudyError, match="no run has a history 'angle'"):
        history_band("angle", [])
