"""What goes between processes and into records: limits, messages, shards, plain values, progress."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from flexmbs.common.errors import CaseError, StudyError
from flexmbs.study.execution.failures import is_finite, plain, plain_mapping, scalars
from flexmbs.study.execution.limits import RunLimits
from flexmbs.study.execution.messages import Answer, WorkerSettings
from flexmbs.study.execution.shards import Shard, shard_of
from flexmbs.study.execution.study_progress import StudyProgress, study_progress
from flexmbs.study.run_key import RunSpec


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


def test_shards_are_all_points_each_once():
    found = [index for number in range(1, 8) for index in Shard(number, 7).indices(100)]
    assert sorted(found) == list(range(100))
    assert list(shard_of("3/40").indices(100)) == [2, 42, 82] and shard_of((3, 40)) == shard_of(Shard(3, 40))
    assert list(shard_of("7/40").indices(5)) == []


@pytest.mark.parametrize("given", ["3", "3/", "a/b", "0/4", "5/4", (1, 2, 3), 7, "1/2/3"])
def test_wrong_shards(given):
    with pytest.raises(StudyError, match="1/40|3/40"):
        shard_of(given)


def test_settings_and_answers_survive_as_json():
    spec = RunSpec("case.py", "abc", {"axis": [0.0, 1.0, 0.0]}, {"storage_limit": None}, "figures", ("hinge.angle",), 11)
    settings = WorkerSettings("/study", spec, RunLimits(1.5, 1e9), 4, 2, "/here", ("/a", "/b"))
    assert WorkerSettings.from_json(settings.to_json()) == settings
    answer = Answer("ab", "finished", {"a": math.nan, "b": 0.1 + 0.2, "c": "x"}, ("a",), 1.0, 10)
    assert repr(Answer.from_json(answer.to_json())) == repr(answer)


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
    found = plain_mapping(given, "figure")
    assert found["f"] == 1.0 / 3.0 and type(found["f"]) is float and found["single"] == float(single)
    assert found["i"] == 2**53 + 1 and type(found["i"]) is int and found["b"] is True and type(found["s"]) is str
    assert found["list"] == [1, 1.0 / 3.0] and found["array"] == [[1.0, math.inf]] and found["n"] == {"m": 1.0 / 3.0}
    assert repr(json.loads(json.dumps(found))) == repr(found)
    assert [name for name, value in found.items() if not is_finite(value)] == ["nan", "array"]
    assert "list" not in scalars(found) and "n" not in scalars(found) and scalars(found)["none"] is None


@pytest.mark.parametrize("value", [1j, object(), {"a": [1j]}, np.array([1j]), [object()], b"x"])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(CaseError, match="figure 'peak'.* is a "):
        plain(value, "figure 'peak'")


def test_plain_lines_of_progress(capsys):
    with study_progress("study", plain=True) as line:
        line(StudyProgress(done=1, total=10, failed=1, running=2, rate=2.0, left=4.5, size=3_000_000))
        line(StudyProgress(done=2, total=10))  # within ten seconds of the last one
        line(StudyProgress(done=10, total=10, rate=2.0, not_finite=3))
    assert capsys.readouterr().err.splitlines() == [
        "study: 1/10 runs, 1 failed, 2 running, 2 runs/s, 3 MB, 4.5 s left",
        "study: 10/10 runs, 3 not finite, 2 runs/s",
    ]
    with study_progress("study") as line:
        line(StudyProgress(done=10, total=10))
    assert capsys.readouterr().err == ""
