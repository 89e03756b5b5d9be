"""The probability of passing a limit, against closed forms."""

from math import erfc, sqrt

import numpy as np
import pytest
from study_tables import table_of

from flexmbs.common.errors import StudyError
from flexmbs.study.reliability import reliability


def table(values):
    return table_of({"x": np.arange(len(values))}, {"force": values}, {"force": "N"})


def test_tail_of_a_normal_distribution():
    values, true = np.random.default_rng(0).normal(size=20_000), 0.5 * erfc(sqrt(2.0))
    found, below = reliability(table(values), "force", above=2.0), reliability(table(-values), "force", below=-2.0)
    assert found.exact[0] < true < found.exact[1] and found.wilson[0] < true < found.wilson[1]
    assert found.probability == pytest.approx(true, rel=0.1)  # its deviation is 5 % of it
    assert below.probability == found.probability and below.exact == found.exact and found.notes == ()
    for sampler in ("lhs", "sobol", "halton"):
        assert "not exact" in reliability(table(values), "force", above=2.0, sampler=sampler).notes[0]


def test_no_run_beyond_the_limit():
    found = reliability(table(np.zeros(100)), "force", above=1.0)
    assert found.exact == (0.0, pytest.approx(1.0 - 0.025**0.01, rel=1e-12))  # closed form of Clopper and Pearson
    assert str(found).startswith("P(force > 1 N) = 0   (0 of 100 runs)") and "Only 0 of the runs" in found.notes[0]


def test_failed_runs_count_both_ways_with_and_without_a_row():
    full = table(np.r_[np.ones(30), np.zeros(50), np.full(20, np.nan)])
    found = reliability(full, "force", above=0.5)
    assert (found.runs, found.hits, found.unknown) == (80, 30, 20)
    assert found.bounds[0] == reliability(table(np.r_[np.ones(30), np.zeros(70)]), "force", above=0.5).exact[0]
    assert found.bounds[1] == reliability(table(np.r_[np.ones(50), np.zeros(50)]), "force", above=0.5).exact[1]
    assert reliability(full.dropna(subset="force"), "force", above=np.float32(0.5)).bounds == found.bounds


WRONG = [
    ({}, "one limit"),
    ({"above": 1.0, "below": 2.0}, "one limit"),
    ({"above": float("nan")}, "finite number"),
    ({"above": "1"}, "finite number"),
    ({"above": 1.0, "confidence": 95.0}, "between 0 and 1"),
    ({"above": 1.0, "figure": "forse"}, "Did you mean force"),
    *(({"above": 1.0, "sampler": sampler}, "no probability") for sampler in ("grid", "list", "sobol-indices", "morris")),
    ({"above": 1.0, "table": table(np.full(10, np.nan))}, "no run has a finite value"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_questions(options, message):
    with pytest.raises(StudyError, match=message):
        reliability(**{"table": table(np.arange(10.0)), "figure": "force", **options})
