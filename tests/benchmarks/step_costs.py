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

os.environ.setdefault("FLEXMBS_NUMBA_KERNELS", "1")  # kernels are called in compiled loops
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from step_parts import PARTS, calls, parts_alone  # noqa: E402
from systems import flexible_chain  # noqa: E402

import flexmbs as fm  # noqa: E402

# bodies: end time (s), short, so that the quickest of many runs is undisturbed
CHAINS = {1: 0.2, 2: 0.1, 10: 0.05, 50: 0.02}
BUDGET = 2.0  # s of repetitions


def cost(bodies: int, t_end: float, rtol: float = 1e-4, atol: float = 1e-6) -> dict:
    system = flexible_chain(bodies)
    runs, begin = [], time.perf_counter()
    while len(runs) < 3 or time.perf_counter() - begin < BUDGET and len(runs) < 50:
        runs.append(system.simulate(t_end, rtol=rtol, atol=atol, integrator=fm.Radau(max_order=5)))
    result = min(runs, key=lambda run: run.stats["solve_seconds"])
    stats, called, alone = result.stats, calls(result), parts_alone(system, result)
    seconds, steps, tangents = stats["solve_seconds"], stats["steps_accepted"], stats["tangent_evaluations"]
    share = {name: called[name] * alone[name] * 1e-6 / seconds for name in PARTS}
    return {
        "bodies": bodies,
        "coordinates": len(result.trajectory.q[0]),
        "steps": steps,
        "rejected": stats["steps_rejected"],
        "residuals": stats["residual_evaluations"],
        "tangents": tangents,
        "factorisations": stats["factorisations"],
        "seconds": seconds,
        "us_per_step": 1e6 * seconds / steps,
        "steps_per_second": steps / seconds,
        "us_per_residual_all_in": 1e6 * seconds / stats["residual_evaluations"],
        "alone_us": alone,
        "share": share,
    }


def step_costs() -> list[dict]:
    rows = []
    for bodies, t_end in CHAINS.items():
        rows.append(cost(bodies, t_end))
        row = rows[-1]
        alone = ", ".join(f"{name} {value:.2f}" for name, value in row["alone_us"].items())
        share = ", ".join(f"{name} {100 * value:.0f} %" for name, value in row["share"].items())
        print(
            f"(d) {bodies:2d} bodies, {row['coordinates']:3d} coordinates: {row['us_per_step']:9.1f} us a step"
            f" ({row['steps_per_second']:8.0f} steps/s), {row['us_per_residual_all_in']:7.2f} us per residual all in;"
            f" {row['steps']} steps, {row['rejected']} rejected, {row['tangents']} tangents"
        )
        print(f"    alone (us): {alone};  share of the time: {share}", flush=True)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write all rows to this file")
    chosen = parser.parse_args()
    found = step_costs()
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=2) + "\n")
