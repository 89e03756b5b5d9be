"""Whatever happens to workers and schedulers, each run is there once, equal in every digit to the run alone.

Cases are in short_studies.py. Each run that is begun leaves a line in the journal.
"""

import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import distributed
import psutil
import pytest
import short_studies
from short_studies import PENDULUM, ShortStudy, worker_processes

import flexmbs as fm
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.study.run_key import sources_digest
from flexmbs.study.run_tasks import RunLimits
from flexmbs.study.study_outcome import StudyInterrupted


@pytest.fixture
def journal(tmp_path, monkeypatch):
    """Lines that runs have left, each the length of its pendulum."""
    path = tmp_path / "journal"
    monkeypatch.setenv("STUDY_JOURNAL", str(path))
    return lambda: path.read_text().split() if path.exists() else []


@pytest.fixture(params=[None, pytest.param("dask", marks=pytest.mark.slow)], ids=["loky", "Dask"])
def executor(request):
    """Processes of this machine, or a cluster of eight Dask workers, which nannies may have made daemonic."""
    if request.param is None:
        yield None
        return
    with distributed.LocalCluster(n_workers=8, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def lengths(count, **more):
    return [{"length": 0.5 + 0.1 * index, **more} for index in range(count)]


MISBEHAVING = {"raise": "ValueError", "sys.exit": "SystemExit", "loop": "WallTime", "memory": "Memory"}
#: These end their processes, too.
DEADLY = {"sleep": "WallTime", "native": "WallTime", "exit": "WorkerDied", "abort": "WorkerDied"}


@pytest.mark.parametrize("odd", [MISBEHAVING, pytest.param(MISBEHAVING | DEADLY, marks=pytest.mark.slow)])
def test_misbehaving_runs_end_alone(odd, executor, tmp_path, journal):
    """Each is recorded as what it is, with what it printed; the others are finished, and nothing is begun again."""
    study = ShortStudy(tmp_path)
    once = tmp_path / "begun"
    fine = lengths(4)
    points = [*fine, {"what": f"once {once}"}, {"what": "nan"}, *({"what": what} for what in odd)]
    with pytest.warns(StudyWarning) as issued:
        limits = RunLimits(wall_time=4.0, memory=500e6, grace=1.0)
        outcome = study.run(points, executor=executor, workers=1, retries=1, limits=limits)
    assert (outcome.computed, outcome.failed, outcome.not_finite) == (len(points), len(odd), 1)
    told = " ".join(str(warning.message) for warning in issued)
    assert f"{len(odd)} of {len(points)} runs failed" in told and "1 runs with figures that are not finite: angle" in told
    for what, kind in odd.items():
        record = study.record({"what": what})
        assert (record.status, record.failure.kind) == ("failed", kind), what
        log = (study.store.files_of(record.key) / "log.txt").read_text()
        assert "printed by the case" in log and kind in log, what
    assert study.record({"what": "raise"}).failure.message == "this case does not like its parameters"
    if "exit" in odd:
        assert "exit code 3 (2 attempts)" in study.record({"what": "exit"}).failure.message
        assert study.record({"what": "exit"}).attempts == study.record({"what": "abort"}).attempts == 2
        assert "SIGSEGV" in study.record({"what": "abort"}).failure.message
    assert study.record({"what": f"once {once}"}).status == "finished"
    figures = study.record({"what": "nan"}).figures
    assert math.isnan(figures["angle"]) and figures["speed"] == study.alone({})["speed"]
    for values in fine:
        assert repr(dict(study.record(values).figures)) == repr(study.alone(values))
    begun = len(journal())
    with pytest.warns(StudyWarning):
        again = study.run(points, workers=2)
    assert (again.computed, again.present, again.failed) == (0, len(points), len(odd))
    assert len(journal()) == begun


def killed_at_random(study, points, kills, pause, seed, busy=1, **options):
    """Run a study whose workers are killed at random moments, while ``busy`` runs are computed; how many were."""
    draw, done, struck = random.Random(seed), threading.Event(), []

    def kill():
        while len(struck) < kills and not done.wait(draw.uniform(0.0, pause)):
            with suppress(OSError, ValueError):  # the lock of a run, which names its process, has just gone
                computing = [json.loads(path.read_bytes())["pid"] for path in study.folder.glob("work/*.lock")]
                if len(computing) >= busy:
                    os.kill(draw.choice(computing), signal.SIGKILL)
                    struck.append(study)
                    time.sleep(0.2)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        outcome = study.run(points, retries=1000, **options)
    finally:
        done.set()
        killer.join()
    assert outcome.computed == len(points) and outcome.failed == 0
    return len(struck)


def test_worker_that_is_killed_takes_only_its_own_run_with_it(executor, tmp_path):
    study = ShortStudy(tmp_path)
    points = lengths(8, what="slow")
    assert killed_at_random(study, points, 1, 0.1, 1, busy=2, executor=executor, workers=2) == 1
    assert sorted(study.record(values).attempts for values in points) == 7 * [1] + [2]
    study.check(points)


@pytest.mark.slow
def test_workers_killed_a_hundred_times(executor, tmp_path):
    """Flexible pendulums that hit their stop: killed runs go on from their last chunk."""
    study = ShortStudy(tmp_path, fm.load_case("flexible_pendulum_impact").path)
    points, struck = [], 0
    while struck < 100:
        more = [{"start_angle": 1.0 + 0.01 * (len(points) + index), "t_end": 1.2} for index in range(8)]
        struck += killed_at_random(study, more, 100 - struck, 2.0, len(points), executor=executor, workers=2)
        points += more
    assert sum(record.attempts - 1 for record in study.store.records()) <= struck
    assert any(record.attempts > 1 for record in study.store.records())
    study.check(points)


@pytest.mark.slow
def test_dask_worker_that_is_killed(tmp_path):
    """Its worker processes end with it, and its runs are computed by another one."""
    study, points, killed = ShortStudy(tmp_path), lengths(12, what="slow"), []
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        pid = min(client.run(os.getpid).values())

        def kill(progress):
            if progress.computed >= 3 and not killed:
                killed.extend(worker_processes(pid))
                os.kill(pid, signal.SIGKILL)

        outcome = study.run(points, executor=client, progress=kill)
        assert killed and not psutil.wait_procs(killed, timeout=20.0)[1]
    assert outcome.failed == 0 and outcome.done == 12
    study.check(points)


SCHEDULER = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from short_studies import ShortStudy
study = ShortStudy(Path({folder!r}))
study.run([{{"length": 0.5 + 0.1 * index, "what": what}} for index, what in enumerate({what})], workers=1)
"""


def scheduler(folder, *what):
    """A scheduler in a process of its own, which has finished a run and begun another one."""
    tests = str(Path(short_studies.__file__).parent)
    program = SCHEDULER.format(tests=tests, folder=str(folder), what=what)
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (list(folder.glob("study/runs/*/*")) and list(folder.glob("study/work/*.lock"))):
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(
    "what",
    [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow), pytest.param(signal.SIGINT, marks=pytest.mark.slow)],
    ids=["killed", "told to end", "Ctrl-C"],
)
def test_scheduler_ends_and_another_one_goes_on(what, tmp_path, journal):
    process = scheduler(tmp_path, *5 * ["slow"])
    workers = worker_processes(process.pid)
    assert len(workers) == 1
    process.send_signal(what)
    told = process.communicate(timeout=60)[1]
    if what != signal.SIGKILL:
        assert "of 5 runs are done" in told and "the same command goes on" in told
    points = lengths(5, what="slow")
    study = ShortStudy(tmp_path)
    outcome = study.run(points, workers=1)  # what the first one's worker is computing is waited for, or taken over
    psutil.wait_procs(workers, timeout=20.0)
    assert not any(worker.is_running() for worker in workers)
    assert 1 <= outcome.present <= 4 and outcome.present + outcome.computed == 5
    assert len(journal()) <= 6  # one that was interrupted
    study.check(points)


def test_second_interrupt_does_not_wait(tmp_path):
    """A run that does not heed the first Ctrl-C would have ten seconds to save its state; at the second it is killed."""
    process = scheduler(tmp_path, "", "stubborn")
    workers = worker_processes(process.pid)
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1] and time.monotonic() - begin < 5.0
    assert workers and not psutil.wait_procs(workers, timeout=5.0)[1]
    assert len(ShortStudy(tmp_path).store.finished_keys()) == 1 and list(tmp_path.glob("study/work/*.lock"))


GATE = """
_build = build


def build(p):
    system, gate = _build(p), os.environ["STUDY_GATE"]

    def torque(t):
        if t > 0.9 * p.t_end and not os.path.exists(gate):
            open(gate + ".reached", "w").close()
            while not os.path.exists(gate):
                time.sleep(0.01)
        return 0.0

    system.torque(system.bodies["bob"].marker("end", (0.0, 0.0, 0.0)), (0.0, 0.0, torque), name="gate")
    return system
"""


def test_interrupted_runs_go_on_from_their_state(tmp_path, monkeypatch):
    """Ctrl-C while a pendulum swings: its state is saved, and the digits are those of an uninterrupted run."""
    gate = tmp_path / "gate"
    monkeypatch.setenv("STUDY_GATE", str(gate))
    study = ShortStudy(tmp_path, PENDULUM + GATE)
    point = {"t_end": 25.0}

    def interrupt(progress):
        if (tmp_path / "gate.reached").exists():
            raise KeyboardInterrupt

    with pytest.raises(StudyInterrupted, match="0 of 1 runs are done"):
        study.run([point], workers=1, progress=interrupt)
    (folder,) = [path for path in (tmp_path / "study/work").iterdir() if path.is_dir()]
    assert 0.0 < fm.load_state(folder).t <= 22.5
    gate.touch()
    outcome = study.run([point], workers=1)
    assert outcome.computed == 1 and study.record(point).attempts == 1  # an interrupted attempt does not count
    study.check([point])


CLOCK = """
import random
time.time = lambda: random.uniform(-1e9, 1e10)
"""


@pytest.mark.parametrize(("shard", "count"), [("1/1", 3), pytest.param("2/2", 2, marks=pytest.mark.slow)])
def test_schedulers_on_one_study_at_once(shard, count, tmp_path, journal, monkeypatch):
    """Each counts what it has computed itself. Also with clocks that jump: they decide nothing."""
    study = ShortStudy(tmp_path, PENDULUM + CLOCK)
    monkeypatch.setattr(time, "time", lambda: random.uniform(-1e9, 1e10))
    points, outcomes = lengths(24), []
    part = points[1::2] if shard == "2/2" else points
    threads = [threading.Thread(target=lambda: outcomes.append(study.run(points, shard=shard, workers=1))) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcome.done for outcome in outcomes] == count * [len(part)]
    assert sum(outcome.computed for outcome in outcomes) == len(part)
    assert sorted(journal()) == sorted(repr(values["length"]) for values in part)
    assert all(study.record(values).attempts == 1 for values in part)
    study.check(part)


def test_disk_full_stops_the_study_and_no_run_fails(tmp_path):
    study = ShortStudy(tmp_path)
    points = [*lengths(2), {"what": "full"}]
    with pytest.raises(StudyError, match=r"no space is left on the disk.*free some space, and run the study again"):
        study.run(points, workers=1)
    assert not study.store.failed_keys() and len(study.store.finished_keys()) == 2


@pytest.mark.slow
def test_files_that_cannot_be_written_whole(tmp_path):
    """The limit on the size of files, which worker processes inherit, in place of a full disk."""
    study = ShortStudy(tmp_path, fm.load_case("flexible_pendulum_impact").path)
    points = [{"t_end": 0.3, "start_angle": 0.3 + 0.1 * index} for index in range(4)]
    study.run(points[:2], workers=1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(StudyError, match="maximum file size"):
            study.run(points, workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not study.store.failed_keys()
    assert study.run(points, workers=1).computed == 2
    study.check(points)


def test_case_that_changes_while_the_study_runs(tmp_path):
    """New workers refuse it, naming the difference; the study stops, and no run counts as failed."""
    study = ShortStudy(tmp_path)
    study.path.write_text(PENDULUM.replace("(0.0, -9.81, 0.0)", "(0.0, -1.62, 0.0)"))
    with pytest.raises(StudyError, match=r"(?s)has changed since this study began.*-.*-9\.81.*\+.*-1\.62"):
        study.run(lengths(2), workers=1)
    assert not list(study.store.records())


def test_workers_with_another_flexmbs_are_refused(tmp_path):
    """On another machine, or because it has changed since the study began: no run of it gets into the store."""
    study = ShortStudy(tmp_path)
    path = study.folder / "study.json"
    path.write_text(path.read_text().replace(sources_digest(), "0" * 32))
    with pytest.raises(StudyError, match=f"have another flexmbs .*{sources_digest()}.*{'0' * 32}"):
        study.run(lengths(1), workers=1)
    assert not list(study.store.records())


FORKING = """
    if p.what == "fork":
        if os.fork() == 0:
            time.sleep(1000.0)
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_process_that_a_killed_worker_has_forked_does_not_hold_its_run(tmp_path):
    study = ShortStudy(tmp_path, PENDULUM.replace("    if p.what:\n", FORKING + "    if p.what:\n", 1))
    done = []
    thread = threading.Thread(target=lambda: done.append(study.run([{"what": "fork"}], workers=1, retries=0)), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)
        thread.start()
        thread.join(30.0)
    assert done and study.record({"what": "fork"}).failure.kind == "WorkerDied"


@pytest.mark.slow
def test_failed_runs_are_tried_again_when_asked_for(tmp_path):
    """The first failure stops the study if it is to; a failed run is tried again once its reason has gone."""
    study = ShortStudy(tmp_path)
    flag = tmp_path / "flag"
    point = {"what": f"once {flag}"}
    with pytest.raises(StudyError, match="a run failed.*point 0, run .*OSError.*Input/output error"):
        study.run([point, *lengths(50)], workers=1, retries=0, on_error="stop")
    assert len(study.store.finished_keys()) < 10
    assert study.run([point], workers=1, retry_failed=True).computed == 1
    assert study.record(point).status == "finished" and flag.exists()
    assert os.listdir(study.folder / "failed" / study.key(point)[:2]) == []
