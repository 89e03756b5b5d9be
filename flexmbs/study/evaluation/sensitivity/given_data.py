"""Sensitivities from any sample: regression, rank correlations, first-order indices of given data."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.versions import require
from flexmbs.study.evaluation.columns import Column, Numbers
from flexmbs.study.evaluation.sensitivity.regression import largest_correlation, rank_correlations, ranks, standardised_regression
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities, varying_response
from flexmbs.study.evaluation.table import StudyTable

MOST_LEVELS = 12  # up to here first-order indices come from the means of the levels
LEAST_RUNS = 200  # below this first-order indices are noise
MOST_RUNS = 50_000  # chosen at random of more; the intervals are narrow by then
RESAMPLES, SEED = 100, 1
CORRELATED, EXPLAINED = 0.3, 0.7

MEANINGS = {
    "SRC": "standardised regression coefficient: deviations of the figure for one deviation of the parameter, if the "
    "dependence were linear",
    "SRRC": "the same with ranks instead of values: for dependences that rise or fall throughout",
    "rank": "Spearman's rank correlation",
    "S1": "share of the variance that vanishes if this parameter alone is fixed (first order, from given data)",
}


def given_data_indices(table: StudyTable, response: str) -> Sensitivities:
    """Indices of all varied parameters that any sample of independent parameters gives.

    SRC, SRRC and rank correlations are for numbers only.  S1: from the means of the levels for text and for up to
    twelve values, else by RBD-FAST of SALib, from 200 runs on.  Runs without a finite value are left out.  The notes
    say where indices are not sound.
    StudyError with fewer than 2 (D + 1) runs for D parameters.
    """
    values = varying_response(table, response)
    columns = [table.columns[name] for name in table.parameters if name != response]
    known = np.isfinite(values)
    for column in columns:
        known &= column.values != "" if column.is_text else np.isfinite(column.values.astype(float))
    rows = np.flatnonzero(known)
    if len(rows) < 2 * (len(columns) + 1) or np.ptp(values[rows]) == 0.0:
        raise StudyError(
            f"sensitivity of {response}: {len(rows)} runs with finite values are too few for {len(columns)} "
            f"parameters; at least {2 * (len(columns) + 1)} are needed"
        )
    left_out = len(table) - len(rows)
    rows = np.random.default_rng(SEED).permutation(rows)[:MOST_RUNS]
    columns = [column.taken(rows) for column in columns]
    values = values[rows]
    regressions, r2, notes = _regressions(columns, values)
    indices = {**regressions, **_shares(columns, values, notes)}
    if left_out:
        notes.append(f"{left_out} of {len(table)} runs have no finite value and are left out.")
    return Sensitivities(
        response,
        table.column(response).unit,
        "regression and given-data indices",
        tuple(c.name for c in columns),
        indices,
        {name: text for name, text in MEANINGS.items() if name in indices},
        len(rows),
        left_out,
        r2,
        tuple(notes),
    )


def _regressions(columns: list[Column], values: Numbers) -> tuple[dict[str, Numbers], dict[str, float], list[str]]:
    """SRC, SRRC and rank correlations; nan for text."""
    places = [place for place, column in enumerate(columns) if not column.is_text]
    nothing = np.full(len(columns), np.nan)
    notes: list[str] = []
    if not places:
        return {}, {}, notes
    inputs = np.column_stack([columns[place].values.astype(float) for place in places])
    plain, ranked = standardised_regression(inputs, values), standardised_regression(ranks(inputs), ranks(values))
    found = {
        "SRC": plain.coefficients,
        "SRC_conf": plain.half_widths,
        "SRRC": ranked.coefficients,
        "SRRC_conf": ranked.half_widths,
        "rank": rank_correlations(inputs, values),
    }
    indices = {}
    for name, part in found.items():
        indices[name] = nothing.copy()
        indices[name][places] = part
    if plain.r2 < EXPLAINED:
        monotonic = "SRRC describe it" if ranked.r2 >= EXPLAINED else "nor do ranks explain it: rely on S1"
        notes.append(f"SRC explain {plain.r2:.0%} of the variance only: the dependence is not linear; {monotonic}.")
    correlation, one, other = largest_correlation(inputs)
    if abs(correlation) > CORRELATED:
        first, second = columns[places[one]].name, columns[places[other]].name
        notes.append(
            f"{first} and {second} are correlated in this sample ({correlation:+.2f}): what the one does and what the "
            f"other does cannot be told apart, and all indices count it for both."
        )
    return indices, {"SRC": plain.r2, "SRRC": ranked.r2}, notes


def _shares(columns: list[Column], values: Numbers, notes: list[str]) -> dict[str, Numbers]:
    """S1 with its confidence."""
    if len(values) < LEAST_RUNS:
        notes.append(f"First-order indices of given data need at least {LEAST_RUNS} runs.")
        return {}
    first, width = np.full(len(columns), np.nan), np.full(len(columns), np.nan)
    for place, column in enumerate(columns):
        levels, codes = np.unique(column.values, return_inverse=True)
        if len(levels) < 2:
            continue
        if len(levels) <= MOST_LEVELS:
            first[place], width[place] = _from_levels(codes, values)
        elif not column.is_text:
            first[place], width[place] = _rbd_fast(column.values.astype(float), values)
    return {"S1": first, "S1_conf": width}


def _from_levels(codes: npt.NDArray[np.intp], values: Numbers) -> tuple[float, float]:
    """Share of the variance between the means of levels (epsilon squared, free of bias), and its 95 % half width."""
    random = np.random.default_rng(SEED)
    resampled = []
    for _ in range(RESAMPLES):
        chosen = random.integers(len(values), size=len(values))
        resampled.append(_share_between(codes[chosen], values[chosen]))
    return _share_between(codes, values), 1.96 * float(np.std(resampled, ddof=1))


def _share_between(codes: npt.NDArray[np.intp], values: Numbers) -> float:
    members = np.bincount(codes)
    used = members > 0
    means = np.bincount(codes, values) / np.maximum(members, 1)
    within = float(((values - means[codes]) ** 2).sum()) / max(len(values) - int(used.sum()), 1)
    return 1.0 - within / float(values.var(ddof=1))


def _rbd_fast(inputs: Numbers, values: Numbers) -> tuple[float, float]:
    """First-order index by RBD-FAST (Tarantola, Gatelli and Mara 2006; bias correction of Tissot and Prieur 2012)."""
    require("SALib", "a first-order index of given data", StudyError, "studies")
    from SALib.analyze import rbd_fast

    problem = {"num_vars": 1, "names": ["x"], "bounds": [[0.0, 1.0]]}
    found = rbd_fast.analyze(problem, inputs[:, None], values, num_resamples=RESAMPLES, seed=SEED)
    return float(found["S1"][0]), float(found["S1_conf"][0])
