"""The probability of passing a limit, against closed forms."""

from math import erfc, sqrt

import numpy as np
import pytest
from study_tables import table_of

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.reliability import reliability


def table(values):
    return table_of({"x": np.arange(len(values))}, {"force": values}, {"force": "N"})


def test_tail_of_a_normal_distribution():
    values = np.random.default_rng(0).normal(size=20_000)
    found = reliability(table(values), "force", above=2.0)
    true = 0.5 * erfc(sqrt(2.0))
    assert found.exact[0] < true < found.exact[1]
    assert found.probability == pytest.approx(true, rel=0.1)  # its deviation is 5 % of it
    below = reliability(table(-values), "force", below=-2.0)
    assert below.probability == found.probability and below.exact == found.exact


def test_intervals_cover_the_probability():
    """Clopper-Pearson at least in 95 of 100 samples, Wilson about so; 200 samples with a probability of 5.5 %."""
    random = np.random.default_rng(5)
    limit, true = 1.6, 0.5 * erfc(1.6 / sqrt(2.0))
    exact = wilson = 0
    for _ in range(200):
        found = reliability(table(random.normal(size=200)), "force", above=limit)
        exact += found.exact[0] <= true <= found.exact[1]
        wilson += found.wilson[0] <= true <= found.wilson[1]
    assert exact >= 184  # binomial of 0.95: fewer with a probability of 2 %; the true coverage is higher
    assert 181 <= wilson <= 199


def test_no_run_beyond_the_limit():
    found = reliability(table(np.zeros(100)), "force", above=1.0)
    assert found.probability == 0.0
    assert found.exact == (0.0, pytest.approx(1.0 - 0.025**0.01, rel=1e-12))  # closed form of Clopper and Pearson
    assert any("Only 0 of the runs" in note for note in found.notes)


def test_failed_runs_count_both_ways():
    values = np.r_[np.ones(30), np.zeros(50), np.full(20, np.nan)]
    found = reliability(table(values), "force", above=0.5)
    assert (found.runs, found.hits, found.unknown) == (80, 30, 20)
    assert found.bounds[0] == reliability(table(np.r_[np.ones(30), np.zeros(70)]), "force", above=0.5).exact[0]
    assert found.bounds[1] == reliability(table(np.r_[np.ones(50), np.zeros(50)]), "force", above=0.5).exact[1]


def test_failed_runs_without_a_row_count_too():
    full = table(np.r_[np.ones(30), np.zeros(50), np.full(20, np.nan)])
    skipped = full.select(rows=full.finished)
    assert reliability(skipped, "force", above=0.5).bounds == reliability(full, "force", above=0.5).bounds


def test_what_is_exact_and_what_is_not():
    data = table(np.arange(100.0))
    assert reliability(data, "force", above=50.0, sampler="random").notes == ()
    for sampler, said in (("lhs", "conservative"), ("sobol", "not exact"), ("halton", "not exact")):
        assert said in reliability(data, "force", above=50.0, sampler=sampler).notes[0]
    for sampler in ("grid", "list", "sobol-indices", "morris"):
        with pytest.raises(StudyError, match="no probability"):
            reliability(data, "force", above=50.0, sampler=sampler)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one limit"),
        ({"above": 1.0, "below": 2.0}, "one limit"),
        ({"above": float("nan")}, "finite number"),
        ({"above": 1.0, "confidence": 95.0}, "between 0 and 1"),
    ],
)
def test_wrong_limits(options, message):
    with pytest.raises(StudyError, match=message):
        reliability(table(np.arange(10.0)), "force", **options)


def test_unknown_figures_and_figures_without_values():
    with pytest.raises(StudyError, match="Did you mean force"):
        reliability(table(np.arange(10.0)), "forse", above=1.0)
    with pytest.raises(StudyError, match="no run has a finite value"):
        reliability(table(np.full(10, np.nan)), "force", above=1.0)


def test_as_text():
    text = str(reliability(table(np.arange(100.0)), "force", above=89.5))
    assert text.startswith("P(force > 89.5 N) = 0.1   (10 of 100 runs)")
