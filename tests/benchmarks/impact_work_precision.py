"""Error of event times against time: located events beside Moreau's time stepping, and Siconos: docs/time_stepping.md.

    python tests/benchmarks/impact_work_precision.py [--only NAME ...] [--repeat R] [--siconos PYTHON] [--save]

Problems: impact_systems.py. Error: the largest distance of an exact event from the nearest one found. Seconds: of the
loop of steps, the quickest of ``--repeat`` runs. ``--siconos``: a Python that has it, which is called as a process and
times its own loop, one of Python around compiled steps. With --save the table and the picture of the page are written.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from impact_systems import PROBLEMS, Problem  # noqa: E402
from pages import ROOT, write_into  # noqa: E402

import flexmbs as fm  # noqa: E402

PICTURE = ROOT / "docs" / "images" / "impact_work_precision.png"
RTOLS = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
EVENTS, MOREAU, SICONOS = "located events", "fm.Moreau", "Siconos"
STYLES = {EVENTS: "o-", MOREAU: "s--", SICONOS: "^:"}
PEER = Path(__file__).parent / "peer_systems" / "siconos_impacts.py"
OF_PEER = ("table", "oscillator")


@dataclass(frozen=True)
class Point:
    """One run: its tolerance or step, seconds of its loop, error of its events (s), and number of steps."""

    parameter: float
    seconds: float
    error: float
    steps: int


def ours(problem: Problem, repeat: int, **options) -> Point:
    parameter = options["integrator"].step if "integrator" in options else options["rtol"]
    results = [
        problem.build().simulate(problem.t_end, progress=False, storage_limit=None, energy_ledger=False, **options)
        for _ in range(repeat)
    ]
    error = problem.error(results[0].t, *(results[0][name] for name in problem.columns))
    seconds = min(result.stats["loop_seconds"] for result in results)
    return Point(parameter, seconds, error, int(results[0].stats["steps_accepted"]))


def siconos(name: str, problem: Problem, repeat: int, step: float, python: str) -> Point:
    found = []
    for _ in range(repeat):
        said = subprocess.run([python, str(PEER), name, repr(step)], capture_output=True, text=True, check=True).stdout
        found.append(json.loads(said.strip().splitlines()[-1]))
    t, speed = np.array(found[0]["t"]), np.array(found[0]["speed"])
    return Point(step, min(one["seconds"] for one in found), problem.error(t, speed), len(t) - 1)


def measure(name: str, repeat: int, rtols, steps, python: str | None) -> dict[str, list[Point]]:
    """Points of every way through a problem."""
    problem = PROBLEMS[name]
    curves = {
        EVENTS: [ours(problem, repeat, rtol=rtol, atol=1e-3 * rtol) for rtol in rtols],
        MOREAU: [ours(problem, repeat, integrator=fm.Moreau(step)) for step in steps or problem.steps],
    }
    if python and name in OF_PEER:
        curves[SICONOS] = [siconos(name, problem, repeat, step, python) for step in steps or problem.steps]
    return curves


def table(name: str, curves: dict[str, list[Point]]) -> str:
    lines = [f"### {PROBLEMS[name].title.capitalize()}", ""]
    lines += ["| | rtol or step | steps | ms | error of event times, s |", "|---|---|---|---|---|"]
    for way, points in curves.items():
        for p in points:
            lines.append(f"| {way} | {p.parameter:.0e} | {p.steps} | {1e3 * p.seconds:.2g} | {p.error:.1e} |")
    return "\n".join([*lines, ""])


def draw(measured: dict[str, dict[str, list[Point]]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0 * len(measured), 4.4), dpi=90, layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(measured)))
    for axis, (name, curves) in zip(panels, measured.items(), strict=True):
        for way, points in curves.items():
            axis.loglog([1e3 * p.seconds for p in points], [max(p.error, 1e-16) for p in points], STYLES[way], label=way)
        axis.set_title(PROBLEMS[name].title, fontsize="medium")
        axis.set_xlabel("time of the steps [ms]")
        axis.set_ylabel("error of event times [s]")
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize="small")
    figure.savefig(PICTURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--rtols", type=float, nargs="*", default=RTOLS)
    parser.add_argument("--steps", type=float, nargs="*", help="s, of time stepping (default: of each problem)")
    parser.add_argument("--siconos", help="a Python with Siconos")
    parser.add_argument("--save", action="store_true", help="write the documentation's table and picture")
    chosen = parser.parse_args()
    measured = {}
    for name in chosen.only:
        measured[name] = measure(name, chosen.repeat, chosen.rtols, chosen.steps, chosen.siconos)
        print(table(name, measured[name]), flush=True)
    if chosen.save:
        text = "\n".join(table(name, curves) for name, curves in measured.items())
        write_into("time_stepping.md", "tests/benchmarks/impact_work_precision.py", text)
        draw(measured)


if __name__ == "__main__":
    main()
