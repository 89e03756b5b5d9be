"""Where runs are computed: whatever it is, the figures are those of the run alone."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psutil
import pytest
from short_studies import ShortStudy

from flexmbs.common.errors import StudyError
from flexmbs.study.execution import compute_run, messages
from flexmbs.study.execution.compute_run import RunComputer
from flexmbs.study.execution.run_points import run_points
from flexmbs.study.execution.run_tasks import task_of
from flexmbs.study.execution.stop_requests import StopRequests
from flexmbs.study.execution.study_outcome import StudyInterrupted

POINTS = [{"length": 0.5 + 0.1 * index} for index in range(4)]


def test_dask_in_this_process(tmp_path):
    study = ShortStudy(tmp_path, keep="figures", histories=("hinge.angle",), history_times=5)
    outcome = study.run(POINTS, executor="dask", workers=1)
    assert outcome.computed == 4 and outcome.parallel == 1
    study.check(POINTS)
    folder = study.store.files_of(study.key(POINTS[0]))
    assert sorted(path.name for path in folder.iterdir()) == ["histories.npz", "run.json"]


@pytest.mark.slow
def test_executor_of_the_user_stays_theirs(tmp_path):
    study = ShortStudy(tmp_path)
    with ThreadPoolExecutor(1) as threads:
        outcome = study.run(POINTS, executor=threads)
        assert outcome.computed == 4 and outcome.parallel == 1
        assert threads.submit(os.getpid).result() == os.getpid()
    assert not [child for child in psutil.Process().children() if "worker" in " ".join(child.cmdline())]
    study.check(POINTS)
    folder = study.store.files_of(study.key(POINTS[0]))
    assert {"run.json", "result.h5", "summary.json"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "slurm"}, "executor='slurm': it is 'local', 'dask', the address"),
        ({"executor": 4}, "executor=4: it is 'local'"),
        ({"on_error": "ignore"}, "on_error='ignore': it is one of skip, stop, nan"),
        ({"retries": -1}, "retries=-1: it is a whole number, at least 0"),
        ({"workers": 0}, "workers=0: it is a whole number, at least 1"),
        ({"workers": 1.5}, "workers=1.5: it is a whole number"),
        ({"shard": "5/4"}, "the number of a part runs from 1"),
    ],
)
def test_wrong_options(options, message, tmp_path):
    study = ShortStudy(tmp_path)
    with pytest.raises(StudyError, match=message):
        run_points(POINTS, study.store, study.spec, **options)


def test_histories_that_the_case_does_not_have_stop_the_study(tmp_path, monkeypatch):
    study = ShortStudy(tmp_path, histories=("hinge.angel",))
    task = task_of(study.case, study.spec, POINTS[0])
    computer = RunComputer(study.store, study.case, study.spec, StopRequests())
    monkeypatch.setattr(compute_run, "begin_output", lambda: None)  # which empties the file that is stderr
    before = signal.getsignal(signal.SIGINT)
    try:
        answer = computer.run(task, last=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert answer.status == messages.STUDY
    assert "no history 'hinge.angel'. Did you mean hinge.angle?" in answer.message
    assert not study.store.failed_keys()


@pytest.mark.slow
def test_dask_workers_that_are_killed(tmp_path):
    """A cluster of processes, one of which is killed: its runs are computed by the other."""
    from distributed import Client, LocalCluster

    study = ShortStudy(tmp_path)
    points = [{"length": 0.5 + 0.1 * index, "what": "slow"} for index in range(12)]
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            pids = list(client.run(os.getpid).values())

            def kill():
                while len(list(study.store.records())) < 3:
                    time.sleep(0.05)
                os.kill(pids[0], signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            outcome = study.run(points, executor=client)
            killer.join()
    assert outcome.failed == 0 and outcome.done == 12
    study.check(points)


@pytest.mark.slow
@pytest.mark.parametrize("executor", [None, "dask"])
def test_interrupt_leaves_no_process(executor, tmp_path):
    study = ShortStudy(tmp_path)
    points = [{"length": 0.5 + 0.1 * index, "what": "slow"} for index in range(12)]
    seen = []

    def interrupt(progress):
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                seen.extend([child] if "flexmbs.study.execution.worker" in child.cmdline() else [])
        if progress.computed >= 2:
            raise KeyboardInterrupt

    with pytest.raises(StudyInterrupted):
        study.run(points, executor=executor, workers=2, progress=interrupt)
    assert seen and not any(child.is_running() for child in seen)
    assert study.run(points, executor=executor, workers=2).done == 12
    study.check(points)
