"""Where the time of a step goes, and what bounds it: the flexible pendulum with 8 modes, 1 s of swinging.

    python tests/benchmarks/step_profile.py [--save]

Parts are timed alone, in compiled loops, and multiplied by how often they ran; their sum is set against the measured
time of the whole.  The arithmetic of the inertia is counted and compared with what this machine does in a plain dot
product.  With --save the tables go into docs/work_precision.md.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("FLEXMBS_NUMBA_KERNELS", "1")  # kernels are called in compiled loops
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba  # noqa: E402
import numpy as np  # noqa: E402
from pages import write_into  # noqa: E402
from step_parts import PARTS, calls, part_loops, parts_alone, quickest_together  # noqa: E402
from systems import bar, pendulum  # noqa: E402

import flexmbs as fm  # noqa: E402
from flexmbs.analysis.prepare.prepare import ready  # noqa: E402
from flexmbs.core.layout.tables import make_workspace  # noqa: E402
from flexmbs.core.mechanics.inertia import add_forces_of_block, deform  # noqa: E402
from flexmbs.machine_code.numba_types import FASTMATH  # noqa: E402

T_END = 1.0
TOLERANCES = [(1e-2, 1e-4), (1e-4, 1e-6), (1e-6, 1e-8)]
RUNS = 60  # the quickest counts
DEPTH = 32
IN_CACHE = 2000  # numbers; two such arrays lie in the first cache of any processor of today


@numba.njit(fastmath=FASTMATH)
def repeat_dot(x, y, count):
    total = 0.0
    for k in range(count):
        x[0] = k  # the sum is not the same twice
        for i in range(len(x)):
            total += x[i] * y[i]
    return total


@numba.njit
def repeat_deform(tables, work, count):
    for _ in range(count):
        deform(tables, 1, work)


@numba.njit
def repeat_forces(tables, work, count):
    body = tables.bodies[1]
    for _ in range(count):
        for j in range(body.block_start, body.block_end):
            add_forces_of_block(tables, body, j, work)


@numba.njit(fastmath={"contract"})
def repeat_polynomial(x, count):
    """``DEPTH`` multiply-adds per number loaded and stored (in that order: nothing may be folded)."""
    for _ in range(count):
        for i in range(len(x)):
            y = x[i]
            for _k in range(DEPTH):
                y = y * 0.5 + 0.25
            x[i] = y


def quickest(system: fm.System, rtol: float, atol: float, runs: int = RUNS) -> fm.Result:
    found = [system.simulate(T_END, rtol=rtol, atol=atol, integrator=fm.Radau(max_order=5)) for _ in range(runs)]
    return min(found, key=lambda run: run.stats["solve_seconds"])


def profile(system: fm.System) -> tuple[str, fm.Result]:
    """Markdown of the steps at several tolerances and of their parts, and the run that was taken apart."""
    lines = [
        "| rtol, atol | steps a second of motion | residuals | us a step | ms a second of motion | us a residual |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    results = [quickest(system, *tolerances) for tolerances in TOLERANCES]
    for (rtol, atol), result in zip(TOLERANCES, results, strict=True):
        stats = result.stats
        seconds, steps, residuals = stats["solve_seconds"], stats["steps_accepted"], stats["residual_evaluations"]
        lines.append(
            f"| {rtol:.0e}, {atol:.0e} | {steps / T_END:.0f} | {residuals} | {1e6 * seconds / steps:.1f} "
            f"| {1e3 * seconds / T_END:.2f} | {1e6 * seconds / residuals:.2f} |"
        )
    middle = results[1]
    solves = []

    def whole(_count):
        solves.append(quickest(system, *TOLERANCES[1], runs=1).stats["solve_seconds"])

    alone, called = parts_alone(system, middle, whole=whole), calls(middle)
    steps, total = middle.stats["steps_accepted"], 1e6 * min(solves)
    lines += ["", "| part | us alone | times a step | us a step | share |", "| --- | --- | --- | --- | --- |"]
    for name in PARTS:
        part = called[name] * alone[name]
        often = f"{alone[name]:.3f} | {called[name] / steps:.3f}"
        lines.append(f"| {name} | {often} | {part / steps:.2f} | {100 * part / total:.1f} % |")
    parts = sum(called[name] * alone[name] for name in PARTS)
    lines.append(f"| all of these | | | {parts / steps:.2f} | {100 * parts / total:.1f} % |")
    lines.append(f"| measured | | | {total / steps:.2f} | 100 % |")
    return "\n".join(lines), middle


def bounds(system: fm.System, result: fm.Result) -> str:
    """The inertia's arithmetic against a dot product's, and the numbers that it reads against the caches."""
    model, residual_loop = ready(system), part_loops(system, result)["residual"]
    tables, work = model.tables, make_workspace(model.tables)
    part = tables.bodies[1]
    rank, entries = int(part["rank"]), len(model.layouts["rod"].coefficients)
    random = np.random.default_rng(1)
    x, y = random.random(IN_CACHE), random.random(IN_CACHE)
    z, work.weight[:3] = x.copy(), random.random((3, work.weight.shape[1]))
    found = quickest_together(
        {
            "deform": lambda count: repeat_deform(tables, work, count),
            "modal": lambda count: repeat_forces(tables, work, count),
            "residual": residual_loop,
            "dot": lambda count: repeat_dot(x, y, count),
            "registers": lambda count: repeat_polynomial(z, count),
        }
    )
    deform_us, modal_us, residual_us = found["deform"], found["modal"], found["residual"]
    dot, registers = 1e3 * found["dot"] / IN_CACHE, 1e3 * found["registers"] / (DEPTH * IN_CACHE)
    table = {
        "functions of the inertia basis, R": f"{rank}",
        "coefficients, read once per residual": f"{entries} ({8e-3 * entries:.0f} kB)",
        "motion of the basis (3 multiply-adds a coefficient)": f"{deform_us:.3f} us",
        "forces on fields (1 multiply-add a coefficient)": f"{modal_us:.3f} us",
        "all of the residual": f"{residual_us:.3f} us",
        "multiply-adds per ns, motion of the basis": f"{3e-3 * entries / deform_us:.2f}",
        "multiply-adds per ns, forces on fields": f"{1e-3 * entries / modal_us:.2f}",
        f"multiply-adds per ns, dot product of {IN_CACHE} numbers": f"{1.0 / dot:.2f}",
        "multiply-adds per ns, in registers": f"{1.0 / registers:.2f}",
    }
    return "\n".join(["| inertia | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in table.items())])


def main() -> None:
    begin = time.perf_counter()
    system = pendulum(bar())
    text, run = profile(system)
    text += "\n\n" + bounds(system, run)
    print(text)
    print(f"\n{time.perf_counter() - begin:.0f} s", file=sys.stderr)
    if "--save" in sys.argv:
        write_into("work_precision.md", "tests/benchmarks/step_profile.py", text)


if __name__ == "__main__":
    main()
