"""Bands of histories: quantiles over the runs at common times."""

import numpy as np
import pytest

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.plots.history_band import history_band, plot_histories_as_band

T = np.linspace(0.0, 2.0, 41)


def test_quantiles_at_each_time():
    runs = [(T, factor * (1.0 + T)) for factor in np.linspace(0.0, 1.0, 101)]
    band = history_band("angle", runs, "rad", times=T)
    for quantile, values in zip((0.05, 0.25, 0.5, 0.75, 0.95), band.quantiles, strict=True):
        assert np.allclose(values, quantile * (1.0 + T), rtol=1e-12)
    assert (band.runs, band.used) == (101, 101)


def test_runs_with_other_times_are_interpolated():
    band = history_band("x", [(np.array([0.0, 0.7, 2.0]), np.array([0.0, 0.7, 2.0])), (T, T)], times=T)
    assert np.allclose(band.quantiles, T, atol=1e-14)


def test_after_its_end_a_run_has_no_value():
    band = history_band("x", [(T, np.zeros(41)), (T[:21], np.ones(21))])
    assert band.times[-1] == 2.0
    assert band.running[0] == 2 and band.running[-1] == 1
    assert band.quantiles[2][0] == 0.5 and band.quantiles[2][-1] == 0.0
    figure = plot_histories_as_band([band])
    assert "at some times 1 of them" in figure.get_supxlabel()


def test_of_many_runs_some_are_kept_at_random():
    """Each with equal probability: their mean index is that of all, deviation 0.29 / sqrt(500)."""
    runs = ((T[:2], np.full(2, place / 5000.0)) for place in range(5000))
    band = history_band("x", runs, times=T[:2], most_runs=500)
    assert (band.runs, band.used) == (5000, 500)
    assert band.quantiles[2][0] == pytest.approx(0.5, abs=0.08)
    assert band.quantiles[4][0] == pytest.approx(0.95, abs=0.05)
    assert "500 of 5000 runs" in plot_histories_as_band([band]).get_supxlabel()


def test_values_that_are_not_finite_are_left_out():
    band = history_band("x", [(T, np.full(41, np.inf)), (T, T)], times=T)
    assert np.allclose(band.quantiles[2], T)


def test_a_panel_for_each_history_with_its_unit():
    bands = [history_band(name, [(T, T), (T, 2.0 * T)], unit) for name, unit in (("hinge.angle", "rad"), ("gap", "m"))]
    figure = plot_histories_as_band(bands)
    assert [axes.get_ylabel() for axes in figure.axes] == ["hinge.angle [rad]", "gap [m]"]
    median = next(line for line in figure.axes[0].lines if line.get_label() == "median")
    assert np.allclose(median.get_ydata(), 1.5 * bands[0].times)


def test_no_histories():
    with pytest.raises(StudyError, match="no run has a history 'angle'"):
        history_band("angle", [])
