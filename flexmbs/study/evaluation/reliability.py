"""Reliability: the probability that a figure passes a limit, with its confidence interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.table import StudyTable

#: Sampler -> what the interval is for its points.
SAMPLES = {
    "random": "",
    "lhs": "The points are a Latin hypercube: the estimate varies no more than n / (n - 1) times as much as with "
    "random points (Owen 1997), so the interval is conservative, not exact.",
    "sobol": "The points are a scrambled Sobol sequence: the interval is that of random points, usually wider than "
    "needed, and not exact.",
    "halton": "The points are a scrambled Halton sequence: the interval is that of random points, usually wider than "
    "needed, and not exact.",
}
LEAST_HITS = 10  # for a probability that is worth more than its interval


@dataclass(frozen=True)
class Reliability:
    """Probability of passing a limit.

    Attributes
    ----------
    figure, unit, limit : ``figure > limit`` (``above``) or ``figure < limit``
    runs, hits : runs with a finite value, and those of them beyond the limit
    unknown : runs that failed or have no finite value
    probability : hits / runs: it takes the unknown ones to be like the others
    exact : confidence interval after Clopper and Pearson
    wilson : confidence interval after Wilson
    bounds : the interval if no unknown run were beyond the limit (lower end) and if all were (upper end)
    confidence : of all intervals
    notes : what limits them
    """

    figure: str
    unit: str
    limit: float
    above: bool
    runs: int
    hits: int
    unknown: int
    probability: float
    exact: tuple[float, float]
    wilson: tuple[float, float]
    bounds: tuple[float, float]
    confidence: float
    notes: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """What was asked: "P(peak_force > 2000 N)"."""
        return f"P({self.figure} {'>' if self.above else '<'} {self.limit:g}{f' {self.unit}' if self.unit else ''})"

    def __str__(self) -> str:
        share = f"{100.0 * self.confidence:g} %"
        lines = [
            f"{self.statement} = {self.probability:.4g}   ({self.hits} of {self.runs} runs)",
            f"{share} interval, Clopper-Pearson: {self.exact[0]:.4g} to {self.exact[1]:.4g}",
            f"{share} interval, Wilson: {self.wilson[0]:.4g} to {self.wilson[1]:.4g}",
        ]
        if self.unknown:
            lines.append(
                f"{self.unknown} runs failed or have no finite value: {self.bounds[0]:.4g} if none of them is beyond "
                f"the limit, {self.bounds[1]:.4g} if all are (ends of the {share} interval)"
            )
        return "\n".join([*lines, *self.notes]) + "\n"


def reliability(
    table: StudyTable,
    figure: str,
    *,
    above: float | None = None,
    below: float | None = None,
    confidence: float = 0.95,
    sampler: str = "random",
) -> Reliability:
    """Estimate the probability that a figure exceeds, or falls below, a limit.

    Parameters
    ----------
    table : with failed runs as rows (``on_error="nan"``), so that they are counted
    above, below : the limit, one of them
    sampler : how the points were drawn: "random", "lhs", "sobol" or "halton"

    The probability is over the distributions of the space: it means something if those are the real ones.  StudyError
    for samples whose points are not drawn from the distributions (grids, lists, samples for sensitivities), for an
    unknown figure, a limit that is not finite, both or neither limit, and if no run has a finite value.
    """
    limit = _checked_limit(above, below, confidence)
    if sampler not in SAMPLES:
        raise StudyError(
            f"reliability: the points ({sampler}) are not drawn from the distributions of the parameters, "
            f"so the share of runs beyond a limit is no probability; use the sampler random, lhs, sobol or halton"
        )
    values = table.numbers(figure)
    known = values[np.isfinite(values)]
    unknown = len(values) - len(known) + (table.failed - int((~table.finished).sum()))
    if not len(known):
        raise StudyError(f"reliability: no run has a finite value of {figure}")
    hits = int((known > limit).sum() if above is not None else (known < limit).sum())
    notes = [SAMPLES[sampler]] if SAMPLES[sampler] else []
    if hits < LEAST_HITS:
        notes.append(f"Only {hits} of the runs are beyond the limit: trust the interval, not the estimate.")
    if table.not_run:
        notes.append(f"{table.not_run} points of the sample have not been run.")
    return Reliability(
        figure,
        table.column(figure).unit,
        limit,
        above is not None,
        len(known),
        hits,
        unknown,
        hits / len(known),
        _interval(hits, len(known), confidence, "exact"),
        _interval(hits, len(known), confidence, "wilson"),
        (
            _interval(hits, len(known) + unknown, confidence, "exact")[0],
            _interval(hits + unknown, len(known) + unknown, confidence, "exact")[1],
        ),
        confidence,
        tuple(notes),
    )


def _checked_limit(above: float | None, below: float | None, confidence: float) -> float:
    if (above is None) == (below is None):
        raise StudyError("reliability: give one limit, above= or below=")
    limit = above if above is not None else below
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not np.isfinite(limit):
        raise StudyError(f"reliability: the limit must be a finite number, not {limit!r}")
    if not 0.0 < confidence < 1.0:
        raise StudyError(f"reliability: confidence must be between 0 and 1, not {confidence!r}")
    return float(limit)


def _interval(hits: int, runs: int, confidence: float, method: str) -> tuple[float, float]:
    from scipy.stats import binomtest

    found = binomtest(hits, runs).proportion_ci(confidence, method)
    return float(found.low), float(found.high)
