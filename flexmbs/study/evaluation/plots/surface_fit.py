"""A response over two parameters: polynomials and radial basis functions, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.columns import Numbers

FOLDS = 5
MOST_CENTRES = 800  # of radial basis functions, whose cost grows with the third power of their number
SMOOTHING = (1e-6, 1e-3, 1e-1, 10.0)
Fit = Callable[[Numbers, Numbers], Callable[[Numbers], Numbers]]


@dataclass(frozen=True)
class SurfaceFit:
    """The best of several fits.

    ``value_at``: (k, 2) points in the unit square -> (k,) values; ``r2``: share of the variance of points left out of
    the fit that it predicts (cross-validation); it is negative if the mean predicts better.
    """

    name: str
    r2: float
    runs: int
    value_at: Callable[[Numbers], Numbers]


def fit_surface(points: Numbers, values: Numbers) -> SurfaceFit:
    """Fit (n,) values at (n, 2) points in the unit square.

    Candidates: plane, quadratic polynomial, thin-plate splines with several smoothings.  The one with the highest
    cross-validated R2 (five folds; leave-one-out for fewer than ten points) is fitted to all points.  StudyError for
    fewer than four points and for points on a line.
    """
    if len(values) < 4:
        raise StudyError(f"a response surface needs at least 4 finished runs, not {len(values)}")
    if np.linalg.matrix_rank(np.column_stack([np.ones(len(points)), points]), tol=1e-6 * np.sqrt(len(points))) < 3:
        raise StudyError("a response surface needs two parameters that vary independently: these points are on a line")
    candidates: dict[str, Fit] = {"plane": _polynomial(1)}
    if len(values) >= 10:
        candidates["quadratic polynomial"] = _polynomial(2)
        candidates.update({"thin-plate spline" + " " * k: _spline(s) for k, s in enumerate(SMOOTHING)})
    scores = {name: _cross_validated(fit, points, values) for name, fit in candidates.items()}
    best = max(scores, key=lambda name: scores[name])
    return SurfaceFit(best.strip(), scores[best], len(values), candidates[best](points, values))


def _cross_validated(fit: Fit, points: Numbers, values: Numbers) -> float:
    """R2 of predictions for points that the fit has not seen; -inf if it cannot be made without them."""
    count = len(values)
    folds = np.random.default_rng(0).permutation(count) % (FOLDS if count >= 2 * FOLDS else count)
    missed = 0.0
    for fold in np.unique(folds):
        out = folds == fold
        try:
            predicted = fit(points[~out], values[~out])(points[out])
        except np.linalg.LinAlgError:
            return float("-inf")
        missed += float(((predicted - values[out]) ** 2).sum())
    total = float(((values - values.mean()) ** 2).sum())
    return 1.0 - missed / total if total > 0.0 else 1.0


def _polynomial(degree: int) -> Fit:
    def terms(points: Numbers) -> Numbers:
        x, y = 2.0 * points.T - 1.0
        columns = [np.ones(len(points)), x, y] + ([x * x, x * y, y * y] if degree == 2 else [])
        return np.column_stack(columns)

    def fit(points: Numbers, values: Numbers) -> Callable[[Numbers], Numbers]:
        factors = np.linalg.lstsq(terms(points), values, rcond=None)[0]
        return lambda at: terms(at) @ factors

    return fit


def _spline(smoothing: float) -> Fit:
    def fit(points: Numbers, values: Numbers) -> Callable[[Numbers], Numbers]:
        from scipy.interpolate import RBFInterpolator

        if len(values) > MOST_CENTRES:
            chosen = np.random.default_rng(0).choice(len(values), MOST_CENTRES, replace=False)
            points, values = points[chosen], values[chosen]
        middle, spread = float(values.mean()), float(values.std()) or 1.0
        spline = RBFInterpolator(points, (values - middle) / spread, kernel="thin_plate_spline", smoothing=smoothing)
        return lambda at: middle + spread * np.asarray(spline(at))

    return fit
