"""Statistics of columns: how many values, and their quantiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from flexmbs.study.evaluation.columns import Column

#: What tables and histograms show of a distribution, between its smallest and largest value.
SHOWN_QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class ColumnStatistics:
    """Of the finite values of a column; nan if there are none.

    ``quantiles``: smallest value, 5 %, median, 95 %, largest value; ``missing``: rows without a finite value.
    """

    name: str
    unit: str
    count: int
    missing: int
    mean: float
    deviation: float
    quantiles: tuple[float, float, float, float, float]


def statistics_of(columns: Iterable[Column]) -> list[ColumnStatistics]:
    """Statistics of all columns of numbers; the deviation is that of a sample (n - 1)."""
    return [_statistics(column) for column in columns if not column.is_text]


def _statistics(column: Column) -> ColumnStatistics:
    values = column.values.astype(float, copy=False)
    finite = values[np.isfinite(values)]
    missing = len(values) - len(finite)
    if not len(finite):
        nothing = float("nan")
        return ColumnStatistics(column.name, column.unit, 0, missing, nothing, nothing, (nothing,) * 5)
    low, middle, high = np.quantile(finite, SHOWN_QUANTILES)
    with np.errstate(over="ignore"):  # infinite then
        mean, deviation = float(finite.mean()), float(finite.std(ddof=1)) if len(finite) > 1 else float("nan")
    five = (float(finite.min()), float(low), float(middle), float(high), float(finite.max()))
    return ColumnStatistics(column.name, column.unit, len(finite), missing, mean, deviation, five)
