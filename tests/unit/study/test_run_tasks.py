"""What goes to workers and into records: limits, shards, plain values; outcomes as lines."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from flexmbs.common.errors import CaseError, StudyError
from flexmbs.study.run_tasks import RunLimits, is_finite, plain
from flexmbs.study.scheduler import shard_of
from flexmbs.study.study_outcome import StudyOutcome, study_progress


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "10 s", True])
@pytest.mark.parametrize("name", ["wall_time", "memory", "grace"])
def test_limits_are_positive_numbers(name, value):
    with pytest.raises(StudyError, match=rf"the limit {name} \(.*\) of a run must be"):
        RunLimits(**{name: value})


def test_a_third_limit_is_refused():
    """It was the disk space of a run in version 0.1.0."""
    with pytest.raises(TypeError, match="positional"):
        RunLimits(600.0, 4e9, 1e9)


def test_shards():
    assert shard_of("3/40") == shard_of((3, 40)) == (3, 40)
    for given in ("3", "3/", "a/b", "0/4", "5/4", (1, 2, 3), 7, "1/2/3"):
        with pytest.raises(StudyError, match="1/40|3/40"):
            shard_of(given)


def test_plain_values_keep_every_digit():
    third, single = np.float64(1.0) / 3.0, np.float32(0.1)
    values = {
        "f": (third, 1.0 / 3.0),
        "single": (single, float(single)),
        "i": (np.int64(2**53 + 1), 2**53 + 1),
        "b": (np.True_, True),
        "nan": (math.nan, math.nan),
        "s": (np.str_("a"), "a"),
        "list": ((1, third), [1, 1.0 / 3.0]),
        "array": (np.array([[1.0, math.inf]]), [[1.0, math.inf]]),
        "path": (Path("a"), "a"),
        "none": (None, None),
        "n": ({"m": third}, {"m": 1.0 / 3.0}),
    }
    found = plain({name: given for name, (given, _) in values.items()}, "figure")
    assert repr(found) == repr({name: right for name, (_, right) in values.items()}) == repr(json.loads(json.dumps(found)))
    assert [name for name, value in found.items() if not is_finite(value)] == ["nan", "array"]


@pytest.mark.parametrize("value", [1j, object(), {"a": [1j]}, np.array([1j]), [object()], b"x"])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(CaseError, match=r"figure\['peak'\].* is a "):
        plain({"peak": value}, "figure")


def test_lines_of_progress(capsys):
    with study_progress("study") as line:
        line(StudyOutcome(total=10, computed=1, failed=1, running=2, awaited=1, run_seconds=1.0, wall_seconds=0.6, parallel=2))
        line(StudyOutcome(total=10, computed=2))  # within ten seconds of the last one
        line(StudyOutcome(total=10, computed=9, present=1, not_finite=3, run_seconds=9.0, wall_seconds=5.0, parallel=2))
    assert capsys.readouterr().err.splitlines() == [
        "study: 1 of 10 runs: 1 computed, 1 failed, 2 running, 1 running elsewhere; 0.6 s, 4.5 s left",
        "study: 10 of 10 runs: 9 computed, 1 were there, 3 with figures that are not finite; 5 s",
    ]
