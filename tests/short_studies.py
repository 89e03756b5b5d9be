"""Small studies for tests: cases of a few milliseconds that do what a test asks of them, and runs of their points."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil

from flexmbs.case.case_source import source_of
from flexmbs.case.cases import load_case, run_case
from flexmbs.study.run_key import RunSpec
from flexmbs.study.run_tasks import RunLimits, WorkerSettings, task_of
from flexmbs.study.scheduler import run_points
from flexmbs.study.statement import Statement
from flexmbs.study.store import Store

#: A rigid pendulum. ``what`` says how its run misbehaves; every run that is begun leaves a line in $STUDY_JOURNAL.
PENDULUM = '''"""A rigid pendulum that may misbehave."""

import ctypes, math, os, signal, time
from dataclasses import dataclass
import flexmbs as fm


@dataclass(frozen=True)
class Parameters:
    length: float = fm.parameter(1.0, "m", "length", minimum=0.0)
    angle: float = fm.parameter(0.5, "rad", "angle at the start")
    what: str = fm.parameter("", "", "how the run misbehaves")
    t_end: float = fm.parameter(0.2, "s", "end time")


def build(p):
    journal = os.environ.get("STUDY_JOURNAL")
    if journal:
        with open(journal, "a") as file:
            file.write(f"{p.length!r}\\n")
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    bob = system.add(fm.RigidBody(mass=1.0, inertia=(0.1, 0.1, 0.1)), name="bob")
    hanging = system.ground.marker("hanging", rotation=[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    system.revolute(hanging, bob.marker("pivot", (-p.length, 0.0, 0.0)), axis="z", angle=p.angle, name="hinge")
    return system


def figures(result, p):
    if p.what:
        print("printed by the case")
    if p.what == "raise":
        raise ValueError("this case does not like its parameters")
    if p.what == "nan":
        return {"angle": float("nan"), "speed": float(result["hinge.angle.rate"][-1])}
    if p.what == "loop":
        while True:
            time.sleep(1e-3)
    if p.what == "sleep":
        time.sleep(1000.0)
    while p.what == "stubborn":
        try:
            time.sleep(1000.0)
        except KeyboardInterrupt:
            pass
    if p.what == "native":  # holds the lock of the interpreter, so no Python code runs any more
        ctypes.PyDLL(None).sleep(1000)
    if p.what == "memory":
        hoard = []
        for _ in range(200):
            hoard.append(bytearray(os.urandom(1000)) * 20_000)
            time.sleep(0.01)
    if p.what == "exit":
        os._exit(3)
    if p.what == "sys.exit":
        raise SystemExit("leaving")
    if p.what == "abort":
        os.kill(os.getpid(), signal.SIGSEGV)
    if p.what.startswith("once "):  # fails at the first attempt: the file is there at the second
        path = p.what.partition(" ")[2]
        if not os.path.exists(path):
            open(path, "w").close()
            raise OSError(5, "Input/output error")
    if p.what == "full":
        raise OSError(28, "No space left on device", "result.h5")
    if p.what == "slow":
        time.sleep(0.5)
    return {"angle": result["hinge.angle"][-1], "speed": result["hinge.angle.rate"][-1], "steps": len(result.t)}
'''


class ShortStudy:
    """A study of a case file in ``folder``."""

    def __init__(self, folder: Path, case: str | Path = PENDULUM, **spec: object) -> None:
        """``case``: content of the case file, which is written unless it is there, or the path of one."""
        self.path = case if isinstance(case, Path) else folder / "pendulum.py"
        if not self.path.exists():
            self.path.write_text(case)
        self.folder = folder / "study"
        source = source_of(self.path)
        self.store = Store(self.folder)
        self.case = load_case(self.path)
        self.spec: RunSpec = self.store.create_or_open(Statement.of(self.case, source, {}, {}, **spec)).spec

    def run(self, points, **options):
        return run_points(points, self.store, self.spec, case=self.case, **options)

    def key(self, values) -> str:
        return task_of(self.case, self.spec, values).key

    def record(self, values):
        return self.store.record(self.key(values))

    def alone(self, values) -> dict[str, object]:
        """Figures of the same run without a study, in this process."""
        return {name: _number(value) for name, value in run_case(self.case, values).figures.items()}

    def check(self, points) -> None:
        """Every point is there once and nothing else, and equals the run alone in every digit."""
        keys = {self.key(values) for values in points}
        records = list(self.store.records())
        assert sorted(record.key for record in records) == sorted(keys)
        for values in points:
            record = self.record(values)
            assert record.status == "finished"
            assert repr(dict(record.figures)) == repr(self.alone(values))
        assert not list((self.folder / "work").iterdir())
        assert not list((self.folder / "failed").glob("*/*"))


def _number(value):
    return value.item() if hasattr(value, "item") else value


def settings_of(study: ShortStudy) -> WorkerSettings:
    return WorkerSettings(str(study.folder), study.spec, "", RunLimits(), 2, 1, ())


def worker_processes(pid: int | None = None) -> list[psutil.Process]:
    """Worker processes that a process (None: this one) and its children have started, ended ones left out."""
    found = []
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            if any("popen_loky" in part for part in child.cmdline()):
                found.append(child)
    return found
