"""Error of the result against the tolerance asked for and the work done: docs/images/work_precision.png.

    python tests/benchmarks/work_precision.py

Three problems: (a) the flexible pendulum just before it hits the stop, (b) through its first impact, (c) a rigid double
pendulum.  Errors are those of the end state against the same model at rtol 1e-12, and against figures of independent
programs (exact equations of that one system, DOP853 at 1e-12) where there are such figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path

import numpy as np

import flexmbs as fm
from flexmbs.cases import load_case

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "work_precision.png"
TOLERANCES = [10.0**-k for k in range(3, 10)]
REFERENCE_TOLERANCE = 1e-12
REPEATS = 15  # of each run: the quickest counts
PENDULUM = load_case("flexible_pendulum_impact").module


@dataclass(frozen=True)
class Problem:
    """What is run, what of it is compared (m, rad), and what an independent program gives for one figure of it."""

    title: str
    build: Callable[[], fm.System]
    t_end: float
    observed: tuple[str, ...]
    figure: Callable[[fm.Result], float]
    figure_name: str
    independent: float | None = None


@dataclass(frozen=True)
class Run:
    rtol: float
    error: float
    figure_error: float
    seconds: float
    evaluations: int
    steps: int


def pendulum(modes: int = 3) -> fm.System:
    return PENDULUM.build(PENDULUM.resolve(replace(PENDULUM.Parameters(), bending_modes=modes)))


def double_pendulum() -> fm.System:
    """Two thin rods of 1 kg and 1 m, released horizontally."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    first = system.add(fm.RigidBody.rod(1.0, 1.0), name="first")
    second = system.add(fm.RigidBody.rod(1.0, 1.0), name="second")
    hanging = system.ground.marker("hinge", rotation=PENDULUM.HANGING)
    system.revolute(hanging, first["origin"], axis="z", angle=pi / 2, name="upper")
    end = first.marker("end", position=(1.0, 0.0, 0.0))
    system.revolute(end, second["origin"], axis="z", name="lower")
    second.marker("end", position=(1.0, 0.0, 0.0))
    return system


def first_impulse(result: fm.Result) -> float:
    return result.contacts[0].impulse


PENDULUM_STATE = ("hinge.angle", "pendulum.tip.displacement.x", "pendulum.tip.displacement.y")
PROBLEMS = (
    Problem(
        "flexible pendulum until 0.48 s, before the hit", pendulum, 0.48, PENDULUM_STATE,
        lambda result: result["hinge.angle"][-1], "angle at 0.48 s", 2.02788772441e-02,
    ),
    Problem(
        "flexible pendulum until 0.49 s, through the first impact", pendulum, 0.49, PENDULUM_STATE,
        first_impulse, "first impulse", 0.5232293079176192,
    ),
    Problem(
        "rigid double pendulum until 2 s", double_pendulum, 2.0, ("upper.angle", "lower.angle"),
        lambda result: result["upper.angle"][-1], "upper angle at 2 s", -0.08275830682058068,
    ),
)  # fmt: skip


def end_state(result: fm.Result, names: tuple[str, ...]) -> np.ndarray:
    return np.array([result[name][-1] for name in names])


def measure(problem: Problem) -> tuple[list[Run], float]:
    """Runs at all tolerances, and how far our own sharpest run is from the independent figure (NaN without one)."""
    system = problem.build()
    exact = system.simulate(problem.t_end, rtol=REFERENCE_TOLERANCE, atol=REFERENCE_TOLERANCE)
    target = end_state(exact, problem.observed)
    own = problem.figure(exact)
    wanted = own if problem.independent is None else problem.independent
    runs = []
    for rtol in TOLERANCES:
        results = [system.simulate(problem.t_end, rtol=rtol, atol=1e-2 * rtol) for _ in range(REPEATS)]
        result = results[0]
        runs.append(
            Run(
                rtol=rtol,
                error=float(np.abs(end_state(result, problem.observed) - target).max()),
                figure_error=abs(problem.figure(result) / wanted - 1.0),
                seconds=min(r.stats["solve_seconds"] for r in results),
                evaluations=int(result.stats["residual_evaluations"]),
                steps=int(result.stats["steps_accepted"]),
            )
        )
    return runs, float("nan") if problem.independent is None else abs(own / problem.independent - 1.0)


def show(problem: Problem, runs: list[Run], agreement: float) -> None:
    print(f"\n{problem.title}\n")
    print(f"| rtol | error of the end state | relative error of the {problem.figure_name} | steps | residuals | ms |")
    print("| --- | --- | --- | --- | --- | --- |")
    for run in runs:
        print(
            f"| {run.rtol:.0e} | {run.error:.1e} | {run.figure_error:.1e} | {run.steps} | {run.evaluations} "
            f"| {1e3 * run.seconds:.2f} |"
        )
    if np.isfinite(agreement):
        print(f"\nrtol {REFERENCE_TOLERANCE:.0e} against the independent program: {agreement:.1e}")


def draw(measured: list[tuple[Problem, list[Run]]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 4.4), dpi=120, layout="constrained")
    by_tolerance, by_time, by_work = figure.subplots(1, 3, sharey=True)
    for (problem, runs), marker in zip(measured, ("o", "s", "^"), strict=True):
        errors = [run.error for run in runs]
        style = {"marker": marker, "linewidth": 1.2, "markersize": 5, "label": problem.title}
        by_tolerance.loglog([run.rtol for run in runs], errors, **style)
        by_time.loglog([1e3 * run.seconds for run in runs], errors, **style)
        by_work.loglog([run.evaluations for run in runs], errors, **style)
    by_tolerance.loglog(TOLERANCES, TOLERANCES, "k:", linewidth=0.8, label="error = rtol")
    by_tolerance.invert_xaxis()
    by_tolerance.set_xlabel("rtol (atol = rtol / 100)")
    by_tolerance.set_ylabel("error of the end state [m, rad]")
    by_time.set_xlabel("solve time [ms]")
    by_work.set_xlabel("residual evaluations")
    for axis in (by_tolerance, by_time, by_work):
        axis.grid(True, which="major", alpha=0.3)
    figure.legend(*by_tolerance.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize="small")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE)


def main() -> None:
    measured = []
    for problem in PROBLEMS:
        runs, agreement = measure(problem)
        show(problem, runs, agreement)
        measured.append((problem, runs))
    draw(measured)
    print("\n" + json.dumps({"picture": str(PICTURE.relative_to(ROOT))}))


if __name__ == "__main__":
    main()
