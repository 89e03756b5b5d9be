"""What a scheduler and a store bear: runs that take no time, up to a million.

    python tests/benchmarks/study_scale.py [--runs 10000 100000 1000000] [--stored 10000 100000] [--save]

First the scheduler alone: an executor answers at once, in messages like those of workers, and nothing is stored. What
it takes per run bounds the number of workers that it can keep busy. Then the store: records are finished by one
process, looked up, listed, packed and listed again.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
import warnings
from concurrent.futures import Future
from pathlib import Path

import psutil
from pages import write_into

import flexmbs as fm
from flexmbs.study.run_record import FINISHED, RunRecord
from flexmbs.study.run_tasks import Answer, Task, task_of
from flexmbs.study.scheduler import Scheduler

SPACE = {"start_angle": (0.05, 0.15), "start_speed": (-4.0, -2.0), "thickness": (0.0035, 0.0045)}
FIGURES = {
    "first_contact_time": 0.0371234567891234,
    "first_contact_duration": 5.2731234567e-05,
    "contact_count": 4,
    "first_peak_force": 29281.2123456789,
    "first_impulse": 0.8357551234567,
    "energy_error": 1.571312345678e-08,
    "angle_end": 0.0927361234567,
    "tip_deflection_end": 0.0181612345678,
    "tip_deflection_max": 0.4237241234567,
}


class AtOnce:
    """Answers each task at once, as the messages of a worker would."""

    def __init__(self) -> None:
        self.bytes = 0

    def count(self) -> int:
        return 64

    def submit(self, task: Task) -> Future[Answer]:
        sent, answer = pickle.dumps(task), pickle.dumps(Answer(task.key, FINISHED, seconds=0.1))
        self.bytes += len(sent) + len(answer)
        future: Future[Answer] = Future()
        future.set_result(pickle.loads(answer))
        return future


def study_of(runs: int, folder: Path) -> fm.Study:
    return fm.Study("flexible_pendulum_impact", SPACE, fm.RandomSample(runs), keep="figures", folder=folder)


def schedule(runs: int, folder: Path) -> dict[str, float]:
    """Time, memory and bytes of messages per run, of the scheduler alone."""
    study = study_of(runs, folder)
    spec = study.store.create_or_open(study._statement).spec
    executor = AtOnce()
    scheduler = Scheduler(study.store, executor, lambda values: task_of(study.case, spec, values))
    before = psutil.Process().memory_info().rss
    begin = time.process_time()
    outcome = scheduler.run(study.points, range(runs))
    seconds = time.process_time() - begin
    assert outcome.computed == runs
    memory = psutil.Process().memory_info().rss - before
    return {"runs": runs, "seconds": seconds / runs, "memory": memory, "bytes": executor.bytes / runs}


def store(runs: int, folder: Path) -> dict[str, float]:
    """Times of the store with so many runs, not packed and packed."""
    study = study_of(runs, folder)
    stored = study.store
    spec = stored.create_or_open(study._statement).spec
    begin = time.perf_counter()
    for values in study.points:
        task = task_of(study.case, spec, values)
        claim = stored.claim(task.key)
        assert claim is not None
        with claim:
            claim.finish(RunRecord(task.key, FINISHED, task.values, FIGURES, 0.1), "figures")
    found = {"runs": runs, "finish": (time.perf_counter() - begin) / runs}
    for name in ("loose", "packed"):
        if name == "packed":
            begin = time.perf_counter()
            assert study.pack() == runs
            found["pack"] = time.perf_counter() - begin
        begin = time.perf_counter()
        size = study.status()
        found |= {f"{name}_files": size.files, f"{name}_bytes": size.bytes, f"{name}_size": time.perf_counter() - begin}
        begin = time.perf_counter()
        table = study.table()
        found[f"{name}_table"] = time.perf_counter() - begin
        begin = time.perf_counter()
        keys = stored.finished_keys()
        found[f"{name}_keys"] = time.perf_counter() - begin
        assert len(table) == len(keys) == runs
    return found


def schedule_table(rows: list[dict[str, float]]) -> str:
    lines = [
        "| runs | processor time per run | workers kept busy with runs of 1 s | memory | messages per run |",
        "|---|---|---|---|---|",
    ]
    for found in rows:
        lines.append(
            f"| {found['runs']:,} | {1e6 * found['seconds']:.0f} us | {1.0 / found['seconds']:,.0f} | "
            f"{found['memory'] / 1e6:.0f} MB | {found['bytes']:.0f} bytes |"
        )
    return "\n".join(lines)


def store_table(rows: list[dict[str, float]]) -> str:
    lines = [
        "| runs | claim and finish | files, size | listing | table | packing | files, size | listing | table |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for found in rows:
        cells = [f"{found['runs']:,}", f"{1e3 * found['finish']:.2f} ms"]
        for name in ("loose", "packed"):
            cells += [f"{found['pack']:.1f} s"] if name == "packed" else []
            cells += [
                f"{found[f'{name}_files']:,}, {found[f'{name}_bytes'] / 1e6:.1f} MB",
                f"{found[f'{name}_keys']:.1f} s",
                f"{found[f'{name}_table']:.1f} s",
            ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="*", default=[10_000, 100_000, 1_000_000], help="of the scheduler")
    parser.add_argument("--stored", type=int, nargs="*", default=[10_000, 100_000], help="of the store")
    parser.add_argument("--save", action="store_true", help="write the tables into docs/studies.md")
    given = parser.parse_args()
    warnings.simplefilter("ignore", fm.StudyWarning)
    tables = {}
    for name, function, counts, table in (
        ("scheduler", schedule, given.runs, schedule_table),
        ("store", store, given.stored, store_table),
    ):
        rows = []
        for count in counts:
            with tempfile.TemporaryDirectory() as folder:
                rows.append(function(count, Path(folder)))
        tables[name] = table(rows)
        print(tables[name])
        if given.save:
            write_into("studies.md", f"study_scale.py {name}", tables[name])


if __name__ == "__main__":
    main()
