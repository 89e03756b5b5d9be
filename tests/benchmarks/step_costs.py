"""Cost of a step for chains of 1, 2, 10 and 50 flexible bodies with 4 modes each, and what it is made of.

    python tests/benchmarks/step_costs.py [--json FILE]

The solver's counters say how often each part runs; the parts are timed alone, in compiled loops, at the
state of the end.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba  # noqa: E402
import numpy as np  # noqa: E402
from systems import flexible_chain  # noqa: E402

import flexmbs as fm  # noqa: E402
from flexmbs.integrate.methods import METHODS  # noqa: E402
from flexmbs.integrate.radau import factorise_newton, newton_update  # noqa: E402
from flexmbs.integrate.state import make_scratch, make_state  # noqa: E402
from flexmbs.integrate.tangent import consistent_accelerations, update_tangent  # noqa: E402
from flexmbs.kernels.energy import energies  # noqa: E402
from flexmbs.kernels.residual import residual  # noqa: E402
from flexmbs.kernels.tables import make_workspace  # noqa: E402
from flexmbs.model.compile import compile_system  # noqa: E402

# bodies: end time (s), short, so that the quickest of many runs is undisturbed
CHAINS = {1: 0.2, 2: 0.1, 10: 0.05, 50: 0.02}
BUDGET = 2.0  # s of repetitions
STEP = 1e-3


@numba.njit
def repeat_residual(tables, state, scratch, work, count):
    for _ in range(count):
        residual(tables, state.active, state.q, state.v, state.a, state.reference, work, scratch.residual)


@numba.njit
def repeat_tangent(tables, state, scratch, work, count):
    for _ in range(count):
        update_tangent(tables, state, scratch, work, 3)


@numba.njit
def repeat_factorise(tables, state, scratch, work, count):
    for _ in range(count):
        factorise_newton(tables, state, scratch, work, STEP)


@numba.njit
def repeat_solve(tables, state, scratch, work, count):
    for _ in range(count):
        newton_update(tables, state, scratch, work, STEP)


@numba.njit
def repeat_describe(tables, state, scratch, work, count):
    for _ in range(count):
        energies(tables, state.active, state.q, state.v, state.a, state.reference, work, scratch.residual)


PARTS = {
    "residual": repeat_residual,
    "tangent": repeat_tangent,
    "factorise": repeat_factorise,
    "solve": repeat_solve,
    "describe": repeat_describe,
}


def microseconds(loop, *arguments) -> float:
    """Quickest of forty, each of about 2 ms."""
    loop(*arguments, 1)
    begin = time.perf_counter()
    loop(*arguments, 1)
    count = int(np.clip(0.002 / max(time.perf_counter() - begin, 1e-7), 1, 10000))
    best = np.inf
    for _ in range(40):
        begin = time.perf_counter()
        loop(*arguments, count)
        best = min(best, (time.perf_counter() - begin) / count)
    return 1e6 * best


def parts(system: fm.System, result: fm.Result) -> dict[str, float]:
    """Microseconds of one call of each part, at the state of the end."""
    model = compile_system(system)
    tables = model.tables
    method = METHODS["radau"]
    state, scratch, work = make_state(tables, 0, method.history), make_scratch(tables, method), make_workspace(tables)
    state.q[:], state.v[:] = result.trajectory.q[-1], result.trajectory.v[-1]
    consistent_accelerations(tables, state, scratch, work)
    scratch.weight_q[:], scratch.weight_v[:] = 1.0, 1.0
    return {name: microseconds(loop, tables, state, scratch, work) for name, loop in PARTS.items()}


def cost(bodies: int, t_end: float, rtol: float = 1e-4, atol: float = 1e-6) -> dict:
    system = flexible_chain(bodies)
    runs, begin = [], time.perf_counter()
    while len(runs) < 3 or time.perf_counter() - begin < BUDGET and len(runs) < 50:
        runs.append(system.simulate(t_end, rtol=rtol, atol=atol))
    result = min(runs, key=lambda run: run.stats["solve_seconds"])
    stats, alone = result.stats, parts(system, result)
    seconds, steps = stats["solve_seconds"], stats["steps_accepted"]
    tangents = stats["tangent_evaluations"]
    # a tangent is made of residuals, which the counter of residuals holds too
    per_tangent = 1 + 3 * len(result.trajectory.q[0])
    calls = {
        "residual": stats["residual_evaluations"] - tangents * per_tangent,
        "tangent": tangents,
        "factorise": stats["factorisations"],
        "solve": stats["newton_iterations"] + steps + stats["steps_rejected"],
        "describe": steps,
    }
    share = {name: calls[name] * alone[name] * 1e-6 / seconds for name in PARTS}
    return {
        "bodies": bodies, "coordinates": len(result.trajectory.q[0]), "steps": steps,
        "rejected": stats["steps_rejected"], "residuals": stats["residual_evaluations"], "tangents": tangents,
        "factorisations": stats["factorisations"], "seconds": seconds,
        "us_per_step": 1e6 * seconds / steps, "steps_per_second": steps / seconds,
        "us_per_residual_all_in": 1e6 * seconds / stats["residual_evaluations"], "alone_us": alone, "share": share,
    }  # fmt: skip


def step_costs() -> list[dict]:
    rows = []
    for bodies, t_end in CHAINS.items():
        rows.append(cost(bodies, t_end))
        row = rows[-1]
        alone = ", ".join(f"{name} {value:.2f}" for name, value in row["alone_us"].items())
        share = ", ".join(f"{name} {100 * value:.0f} %" for name, value in row["share"].items())
        print(f"(d) {bodies:2d} bodies, {row['coordinates']:3d} coordinates: {row['us_per_step']:9.1f} us a step"
              f" ({row['steps_per_second']:8.0f} steps/s), {row['us_per_residual_all_in']:7.2f} us per residual all in;"
              f" {row['steps']} steps, {row['rejected']} rejected, {row['tangents']} tangents")  # fmt: skip
        print(f"    alone (us): {alone};  share of the time: {share}", flush=True)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write all rows to this file")
    chosen = parser.parse_args()
    found = step_costs()
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=2) + "\n")
