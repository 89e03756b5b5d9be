"""What goes to workers and into records: limits, shards, plain values; progress as lines."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from flexmbs.common.errors import CaseError, StudyError
from flexmbs.study.run_tasks import RunLimits, is_finite, plain
from flexmbs.study.scheduler import shard_of
from flexmbs.study.study_outcome import StudyProgress, study_progress


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "10 s", True])
@pytest.mark.parametrize("name", ["wall_time", "memory", "disk", "grace"])
def test_limits_are_positive_numbers(name, value):
    with pytest.raises(StudyError, match=f"limits: {name} must be a positive number"):
        RunLimits(**{name: value})


def test_first_limit_that_is_exceeded():
    limits = RunLimits(wall_time=10.0, memory=1e9, disk=1e6)
    assert limits.exceeded(10.0, 1e9, 1e6) is None and RunLimits().exceeded(1e9, 1e15, 1e15) is None
    assert limits.exceeded(11.0, 2e9, 0.0) == ("WallTime", "the run took longer than its limit of 10 s")
    assert limits.exceeded(1.0, 2e9, 2e6) == ("Memory", "the run used 2 GB of memory; its limit is 1 GB")
    assert limits.exceeded(1.0, 0.0, 2e6) == ("DiskSpace", "the run's folder grew to 2 MB; its limit is 1 MB")


def test_shards():
    assert shard_of("3/40") == shard_of((3, 40)) == (3, 40)
    for given in ("3", "3/", "a/b", "0/4", "5/4", (1, 2, 3), 7, "1/2/3"):
        with pytest.raises(StudyError, match="1/40|3/40"):
            shard_of(given)


def test_plain_values_keep_every_digit():
    third, single = np.float64(1.0) / 3.0, np.float32(0.1)
    given = {
        "f": third,
        "single": single,
        "i": np.int64(2**53 + 1),
        "b": np.True_,
        "nan": math.nan,
        "s": np.str_("a"),
        "list": (1, third),
        "array": np.array([[1.0, math.inf]]),
        "path": Path("a"),
        "none": None,
        "n": {"m": third},
    }
    found = plain(given, "figure")
    assert found["f"] == 1.0 / 3.0 and type(found["f"]) is float and found["single"] == float(single)
    assert found["i"] == 2**53 + 1 and type(found["i"]) is int and found["b"] is True and type(found["s"]) is str
    assert found["list"] == [1, 1.0 / 3.0] and found["array"] == [[1.0, math.inf]] and found["n"] == {"m": 1.0 / 3.0}
    assert found["path"] == "a" and repr(json.loads(json.dumps(found))) == repr(found)
    assert [name for name, value in found.items() if not is_finite(value)] == ["nan", "array"]


@pytest.mark.parametrize("value", [1j, object(), {"a": [1j]}, np.array([1j]), [object()], b"x"])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(CaseError, match=r"figure\['peak'\].* is a "):
        plain({"peak": value}, "figure")


def test_plain_lines_of_progress(capsys):
    with study_progress("study") as line:
        line(StudyProgress(done=1, total=10, failed=1, running=2, rate=2.0, left=4.5, size=3_000_000))
        line(StudyProgress(done=2, total=10))  # within ten seconds of the last one
        line(StudyProgress(done=10, total=10, rate=2.0, not_finite=3))
    assert capsys.readouterr().err.splitlines() == [
        "study: 1/10 runs, 1 failed, 2 running, 2 runs/s, 3 MB, 4.5 s left",
        "study: 10/10 runs, 3 not finite, 2 runs/s",
    ]
