"""Ten thousand short runs of a flexible pendulum impact: efficiency, overhead per run, memory, files.

    OMP_NUM_THREADS=1 python tests/benchmarks/study_throughput.py [--runs 10000] [--executor dask] [--brief]

The efficiency is the sum of what the same runs take alone, over what the study takes of the processors: wall time times
workers. "Alone" are ``run_case`` calls in one process, one after the other, in memory, of a sample of the points,
before and after the study, since machines change their speed. The sum of the times that the workers have measured
themselves gives a second figure.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import threading
import time
import warnings
from pathlib import Path

import psutil
from pages import write_into

import flexmbs as fm

#: Case, what is varied, end of a run in s: runs of some 150 ms; and brief ones of 20 ms, without flexible bodies.
USUAL = (
    "flexible_pendulum_impact",
    {
        "start_angle": (0.05, 0.15),
        "start_speed": (-4.0, -2.0),
        "thickness": fm.Normal(0.004, 1e-4, low=3.5e-3),
        "contact_stiffness": fm.Range(1e9, 1e11, log=True),
    },
    0.1,
)
BRIEF = ("double_pendulum_rigid_stop", {"length1": (0.5, 0.7), "mass1": (1.0, 1.4)}, 0.1)


class Memory(threading.Thread):
    """Resident memory of this process and of the largest of its children, MB, twenty times in a study."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.rows: list[tuple[float, float, float]] = []
        self._end = threading.Event()

    def run(self) -> None:
        here = psutil.Process()
        while not self._end.wait(2.0):
            children = []
            for child in here.children(recursive=True):
                try:
                    children.append(child.memory_info().rss / 1e6)
                except psutil.NoSuchProcess:
                    continue
            self.rows.append((time.perf_counter(), here.memory_info().rss / 1e6, max(children, default=0.0)))

    def stop(self) -> None:
        self._end.set()
        self.join()

    def at(self, share: float) -> tuple[float, float]:
        """Of this process and of the largest child after a share of the time."""
        if not self.rows:
            return 0.0, 0.0
        _, own, child = self.rows[min(int(share * len(self.rows)), len(self.rows) - 1)]
        return own, child


def alone(study: fm.Study, count: int) -> float:
    """Mean time of runs of the study's case in this process, s."""
    chosen = random.Random(0).sample(range(len(study)), min(count, len(study)))
    study.run_alone(chosen[0])  # loads the kernels
    total = 0.0
    for index in chosen:
        begin = time.perf_counter()
        study.run_alone(index)
        total += time.perf_counter() - begin
    return total / len(chosen)


def throughput(runs: int, brief: bool, executor: str, keep: str, folder: Path, workers: int, sample: int) -> dict[str, float]:
    case, space, end = BRIEF if brief else USUAL
    study = fm.Study(case, space, fm.RandomSample(runs), seed=1, fixed={"t_end": end}, keep=keep, folder=folder)
    before = alone(study, sample)
    memory = Memory()
    memory.start()
    processors = time.process_time() + _children()
    begin = time.perf_counter()
    outcome = study.run(workers=workers, executor=executor)
    wall = time.perf_counter() - begin
    processors = time.process_time() + _children() - processors
    memory.stop()
    after = alone(study, sample)
    begin = time.perf_counter()
    again = study.run(workers=workers, executor=executor, progress=False)
    looked = time.perf_counter() - begin
    mean = 0.5 * (before + after)
    status = study.status()
    begin = time.perf_counter()
    table = study.table()
    table_seconds = time.perf_counter() - begin
    assert outcome.computed == len(table) == runs and again.computed == 0 and status.finished == runs
    return {
        "runs": runs,
        "workers": workers,
        "wall": wall,
        "alone_before": before,
        "alone_after": after,
        "efficiency": mean * runs / (wall * workers),
        "efficiency_own": outcome.run_seconds / (wall * workers),
        "overhead": (wall * workers - mean * runs) / runs,
        "overhead_own": (wall * workers - outcome.run_seconds) / runs,
        "processor_share": processors / (wall * workers),
        "own_10": memory.at(0.1)[0],
        "own_100": memory.at(1.0)[0],
        "worker_10": memory.at(0.1)[1],
        "worker_100": memory.at(1.0)[1],
        "files": status.files,
        "bytes": status.bytes,
        "again": looked,
        "table": table_seconds,
    }


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table_of(name: str, found: dict[str, float]) -> str:
    """The figures of one study, a line each."""
    own, largest, MB = ("own_10", "own_100"), ("worker_10", "worker_100"), 1e6
    lines = [
        ("runs, workers, wall time", f"{found['runs']:,.0f}, {found['workers']:.0f}, {found['wall']:.0f} s"),
        ("a run alone, before and after", " and ".join(f"{1e3 * found[key]:.1f} ms" for key in ("alone_before", "alone_after"))),
        ("efficiency against runs alone", f"{100 * found['efficiency']:.1f} %"),
        ("efficiency against the workers' own times", f"{100 * found['efficiency_own']:.1f} %"),
        (
            "overhead per run, against runs alone and own times",
            " and ".join(f"{1e3 * found[key]:.1f} ms" for key in ("overhead", "overhead_own")),
        ),
        ("share of the processors in use", f"{100 * found['processor_share']:.1f} %"),
        ("memory of the scheduler, after a tenth and at the end", " and ".join(f"{found[k]:.0f} MB" for k in own)),
        ("memory of a worker, after a tenth and at the end", " and ".join(f"{found[k]:.0f} MB" for k in largest)),
        ("files, size", f"{found['files']:,.0f}, {found['bytes'] / MB:.1f} MB"),
        ("the same study again (nothing to compute)", f"{found['again']:.1f} s"),
        ("table of all runs", f"{found['table']:.1f} s"),
    ]
    return "\n".join([f"| {name} | |", "|---|---|", *(f"| {what} | {value} |" for what, value in lines)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--brief", action="store_true", help="runs of 20 ms")
    parser.add_argument("--executor", choices=("local", "dask"), default="local")
    parser.add_argument("--keep", choices=("figures", "results"), default="figures")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sample", type=int, default=100, help="runs computed alone, before and after")
    parser.add_argument("--folder", help="of the study; default: a temporary one")
    parser.add_argument("--save", action="store_true", help="write the row into docs/studies.md")
    given = parser.parse_args()
    warnings.simplefilter("ignore", fm.FlexmbsWarning)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.folder or temporary) / "study"
        found = throughput(given.runs, given.brief, given.executor, given.keep, folder, given.workers, given.sample)
    name = f"{given.executor}, {given.keep}" + (", brief" if given.brief else "")
    text = table_of(name, found)
    print(text)
    if given.save:
        write_into("studies.md", f"study_throughput.py {name}", text)


if __name__ == "__main__":
    main()
