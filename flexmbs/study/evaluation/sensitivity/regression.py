"""Standardised regression coefficients, of values and of ranks, and rank correlations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.study.evaluation.columns import Numbers

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Regression:
    """Linear regression in standardised variables: (D,) coefficients, half widths of their 95 % intervals, and R2."""

    coefficients: Numbers
    half_widths: Numbers
    r2: float


def standardised_regression(inputs: Numbers, values: Numbers) -> Regression:
    """Regress (n,) values on (n, D) inputs, all scaled to mean 0 and deviation 1; constant inputs get nan.

    Intervals are those of ordinary least squares with normal errors of equal variance.
    """
    from scipy.stats import t

    varies = np.ptp(inputs, axis=0) > 0.0
    z = _standardised(inputs[:, varies])
    y = _standardised(values[:, None])[:, 0]
    beta = np.linalg.lstsq(z, y, rcond=None)[0]
    unexplained = float(((y - z @ beta) ** 2).sum())
    freedom = len(y) - int(varies.sum()) - 1
    covariance = np.linalg.pinv(z.T @ z) * unexplained / max(freedom, 1)
    width = t.ppf(0.5 + CONFIDENCE / 2.0, max(freedom, 1)) * np.sqrt(np.diag(covariance))
    coefficients, widths = np.full(inputs.shape[1], np.nan), np.full(inputs.shape[1], np.nan)
    coefficients[varies], widths[varies] = beta, width
    return Regression(coefficients, widths, 1.0 - unexplained / float((y**2).sum()))


def ranks(values: Numbers) -> Numbers:
    """Ranks along the first axis, mean ranks for equal values."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=0))


def rank_correlations(inputs: Numbers, values: Numbers) -> Numbers:
    """(D,) Spearman's rank correlation of each input with the values; nan for constant inputs."""
    found = np.full(inputs.shape[1], np.nan)
    varies = np.ptp(inputs, axis=0) > 0.0
    x, y = _standardised(ranks(inputs[:, varies])), _standardised(ranks(values)[:, None])[:, 0]
    found[varies] = x.T @ y / len(y)
    return found


def largest_correlation(inputs: Numbers) -> tuple[float, int, int]:
    """The largest rank correlation between two inputs (by size), and which they are; 0 if there are no two."""
    if inputs.shape[1] < 2:
        return 0.0, 0, 0
    x = _standardised(ranks(inputs))
    matrix = np.triu(x.T @ x / len(x), k=1)
    first, second = np.unravel_index(np.abs(matrix).argmax(), matrix.shape)
    return float(matrix[first, second]), int(first), int(second)


def _standardised(values: Numbers) -> Numbers:
    deviation = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0))
