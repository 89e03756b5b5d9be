"""Response surfaces: known functions are found, and R2 is that of runs that the fit has not seen."""

import numpy as np
import pytest

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.plots.surface_fit import fit_surface


def points(count, seed=0):
    return np.random.default_rng(seed).random((count, 2))


def test_a_quadratic_is_found():
    at = points(40)
    fit = fit_surface(at, 3.0 + at[:, 0] - 2.0 * at[:, 0] * at[:, 1] + at[:, 1] ** 2)
    assert fit.r2 == pytest.approx(1.0, abs=1e-9)
    assert fit.value_at(np.array([[0.25, 0.5]])) == pytest.approx(3.25, abs=1e-9)


def test_what_is_no_polynomial_is_fitted_by_splines():
    at = points(300)
    fit = fit_surface(at, np.sin(9.0 * at[:, 0]) * at[:, 1])
    assert fit.name == "thin-plate spline" and fit.r2 > 0.98


def test_r2_of_noise_is_not_positive():
    """A fit through all points would have an R2 of its own points of 1."""
    assert fit_surface(points(200), np.random.default_rng(1).normal(size=200)).r2 < 0.05


def test_r2_is_the_share_that_the_two_parameters_explain():
    at = points(1500)
    noise = np.random.default_rng(1).normal(size=1500) * np.sqrt(1.0 / 12.0)  # as large as the variance of the first
    assert fit_surface(at, at[:, 0] + noise).r2 == pytest.approx(0.5, abs=0.05)


def test_too_few_points():
    with pytest.raises(StudyError, match="at least 4"):
        fit_surface(points(3), np.arange(3.0))
