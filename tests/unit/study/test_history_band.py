"""Bands of histories: quantiles over the runs at common times."""

import numpy as np
import pytest

from flexmbs.common.errors import StudyError
from flexmbs.study.history_band import history_band, plot_bands

T = np.linspace(0.0, 2.0, 41)


def test_quantiles_at_each_time_of_a_panel_with_its_unit():
    band = history_band("angle", [(T, factor * (1.0 + T)) for factor in np.linspace(0.0, 1.0, 101)], "rad", runs=500)
    for quantile, values in zip((0.05, 0.25, 0.5, 0.75, 0.95), band.quantiles, strict=True):
        assert np.allclose(values, quantile * (1.0 + band.times), rtol=1e-12)
    figure = plot_bands([band, history_band("gap", [(T, T)])])
    assert [axes.get_ylabel() for axes in figure.axes] == ["angle [rad]", "gap"]
    assert "101 of 500 runs, at random" in figure.get_supxlabel()
    assert np.allclose(figure.axes[0].lines[-1].get_ydata(), 0.5 * (1.0 + band.times))  # the median, above all others


def test_runs_with_other_times_are_interpolated_and_end():
    band = history_band("x", [(np.array([0.0, 0.7, 2.0]), np.array([0.0, 0.7, 2.0])), (T[:21], T[:21] + 1.0)])
    assert band.times[-1] == 2.0 and (band.running[0], band.running[-1]) == (2, 1)
    assert np.allclose(band.quantiles[2], band.times + np.where(band.times <= 1.0 + 1e-12, 0.5, 0.0), atol=1e-14)
    assert "at some times 1 of them" in plot_bands([band]).get_supxlabel()
    # values that are not finite are left out
    assert np.allclose(history_band("x", [(T, np.full(41, np.inf)), (T, T)]).quantiles[2], np.linspace(0.0, 2.0, 201))
    with pytest.raises(StudyError, match="no run has a history 'angle'"):
        history_band("angle", [])
