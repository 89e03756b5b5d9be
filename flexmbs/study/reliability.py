"""Reliability: the probability that a figure passes a limit, with its confidence interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.study.checks import ensure, number_of
from flexmbs.study.table import finished, numbers

if TYPE_CHECKING:
    from pandas import DataFrame

SAMPLERS = ("random", "lhs", "sobol", "halton")  # whose points are drawn from the distributions of the parameters
#: Of Latin hypercubes: the estimate varies at most n / (n - 1) times as much as with random points (Owen 1997).
NOT_RANDOM = "The points are no random sample: the interval is that of random points, usually too wide, and not exact."
LEAST_HITS = 10  # for a probability that is worth more than its interval


@dataclass(frozen=True)
class Reliability:
    """Probability of passing a limit."""

    statement: str  # what was asked: "P(peak_force > 2000 N)"
    runs: int  # with a finite value
    hits: int  # those of them that are beyond the limit
    unknown: int  # runs that failed or have no finite value
    exact: tuple[float, float]  # confidence interval after Clopper and Pearson
    wilson: tuple[float, float]  # after Wilson
    bounds: tuple[float, float]  # the interval if no unknown run were beyond the limit (lower end) and if all were (upper end)
    confidence: float  # of all intervals
    notes: tuple[str, ...] = ()  # what limits them

    @property
    def probability(self) -> float:
        """hits / runs: it takes the unknown ones to be like the others."""
        return self.hits / self.runs

    def __str__(self) -> str:
        share = f"{100.0 * self.confidence:g} %"
        lines = [f"{self.statement} = {self.probability:.4g}   ({self.hits} of {self.runs} runs)"]
        for name, (low, high) in {"Clopper-Pearson": self.exact, "Wilson": self.wilson}.items():
            lines.append(f"{share} interval, {name}: {low:.4g} to {high:.4g}")
        if self.unknown:
            ends = f"{self.bounds[0]:.4g} if none of them is beyond the limit, {self.bounds[1]:.4g} if all are"
            lines.append(f"{self.unknown} runs failed or have no finite value: {ends} (ends of the {share} interval)")
        return "\n".join([*lines, *self.notes]) + "\n"


def reliability(
    table: DataFrame,
    figure: str,
    *,
    above: float | None = None,
    below: float | None = None,
    confidence: float = 0.95,
    sampler: str = "random",
) -> Reliability:
    """Estimate the probability that a figure is above, or below, a limit.

    ``table``: with failed runs as rows or with their number in its attrs; ``sampler``: its name.

    StudyError for samples that are not drawn from the distributions of the space (grids, lists, samples for
    sensitivities), an unknown figure, a limit that is not finite, both or neither, and if no run has a finite value.
    """
    from scipy.stats import binomtest

    ensure((above is None) != (below is None), "reliability: give one limit, above= or below=")
    limit = number_of(below if above is None else above, "limit of a reliability")
    right = 0.0 < number_of(confidence, "confidence of a reliability") < 1.0
    ensure(right, f"reliability: confidence must be between 0 and 1, not {confidence!r}")
    wrong = f"so the share of runs beyond a limit is no probability; use one of the samplers {', '.join(SAMPLERS)}"
    drawn = sampler in SAMPLERS
    ensure(drawn, f"reliability: the points ({sampler}) are not drawn from the distributions of the parameters, {wrong}")
    values = numbers(table, figure)
    known = values[np.isfinite(values)]
    ensure(len(known), f"reliability: no run has a finite value of {figure}")
    runs, without_row = len(known), table.attrs["failed"] - int((~finished(table)).sum())
    unknown = len(values) - runs + without_row
    hits = int((known < limit).sum() if above is None else (known > limit).sum())

    def interval(hits: int, runs: int, method: str = "exact") -> tuple[float, float]:
        low, high = binomtest(hits, runs).proportion_ci(confidence, method)
        return float(low), float(high)

    notes = [] if sampler == "random" else [NOT_RANDOM]
    if hits < LEAST_HITS:
        notes.append(f"Only {hits} of the runs are beyond the limit: trust the interval, not the estimate.")
    if table.attrs["not_run"]:
        notes.append(f"{table.attrs['not_run']} points of the sample have not been run.")
    statement = f"P({figure} {'<' if above is None else '>'} {limit:g} {table.attrs['units'].get(figure, '')}".rstrip() + ")"
    bounds = interval(hits, runs + unknown)[0], interval(hits + unknown, runs + unknown)[1]
    exact, wilson = interval(hits, runs), interval(hits, runs, "wilson")
    return Reliability(statement, runs, hits, unknown, exact, wilson, bounds, confidence, tuple(notes))
