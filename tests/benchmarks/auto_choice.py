"""What ``integrator="auto"`` costs beside the best choice, over thirty models and three tolerances.

    OMP_NUM_THREADS=1 python tests/benchmarks/auto_choice.py [--save]

Each integrator runs at the same rtol; the best choice is the quickest one that is not less accurate than "auto" by more
than a factor of 3 (of the coordinates at the end, relative to their largest values, against a run at rtol 1e-9).
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from auto_models import MODELS
from pages import write_into

import flexmbs as fm

TOLERANCES = (1e-3, 1e-5, 1e-7)
CHOICES = ("radau", "explicit", "bdf", "generalised_alpha")
LIMIT_SECONDS = 20.0  # of a run; what takes longer is not the best choice


class TooSlow(Exception):
    """A run took longer than the limit."""


def run(system: fm.System, t_end: float, rtol: float, integrator, limit: float = LIMIT_SECONDS):
    """(seconds in the step loop, result); raises TooSlow, MechanismError or SimulationError."""
    began = time.perf_counter()

    def watch(_progress) -> None:
        if time.perf_counter() - began > limit:
            raise TooSlow

    result = system.simulate(t_end, rtol=rtol, integrator=integrator, progress=watch)
    return result.stats["loop_seconds"], result


def end_of(result: fm.Result, names: list[str]) -> np.ndarray:
    return np.array([result[name][-1] for name in names])


def observed(result: fm.Result) -> tuple[list[str], np.ndarray]:
    """Positions and velocities of the centres or markers of all bodies, and their largest values."""
    names = [name for name in result.names if ".position." in name or ".velocity." in name]
    sizes = np.array([np.abs(result[name]).max() for name in names])
    kinds = np.array([".position." in name for name in names])
    for kind in (True, False):  # components that hardly move count against the largest of their kind
        sizes[kinds == kind] = sizes[kinds == kind].max(initial=1e-12)
    return names, sizes


def judge(name: str, rtol: float, repeat: int) -> dict:
    build, t_end = MODELS[name]
    system = build()
    _seconds, fine = run(system, t_end, 1e-9, "radau", 10.0 * LIMIT_SECONDS)
    names, sizes = observed(fine)
    exact = end_of(fine, names)
    found: dict[str, tuple[float, float]] = {}
    chosen = ""
    for integrator in ("auto", *CHOICES):
        limit = LIMIT_SECONDS if integrator == "auto" else max(2.0, 3.0 * found["auto"][0])
        try:
            seconds, result = run(system, t_end, rtol, integrator, limit)
            for _ in range(repeat - 1):
                if seconds < 0.3:
                    seconds = min(seconds, run(system, t_end, rtol, integrator, limit)[0])
        except (TooSlow, fm.MechanismError, fm.SimulationError):
            if integrator == "auto":
                return {"model": name, "rtol": rtol, "failed": True}
            continue
        error = float((np.abs(end_of(result, names) - exact) / sizes).max())
        found[integrator] = seconds, error
        if integrator == "auto":
            chosen = result.stats["integrator"]
    auto_seconds, auto_error = found.pop("auto")
    allowed = {key: value for key, value in found.items() if value[1] <= 3.0 * max(auto_error, rtol)}
    best = min(allowed, key=lambda key: allowed[key][0], default=chosen)
    seconds = min(allowed[best][0], auto_seconds) if allowed else auto_seconds
    ratio = 1.0 if best == chosen else auto_seconds / seconds  # the same twice: noise
    return {
        "model": name,
        "rtol": rtol,
        "auto": chosen,
        "seconds": auto_seconds,
        "error": auto_error,
        "best": best,
        "best_seconds": seconds,
        "ratio": ratio,
        "all": found,
    }


def table(rows: list[dict]) -> str:
    lines = ["| model | rtol | auto took | ms | error | best choice | ms | auto / best |", "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        if row.get("failed"):
            lines.append(f"| {row['model']} | {row['rtol']:.0e} | stopped, or took longer than {LIMIT_SECONDS:g} s |" + " |" * 5)
            continue
        lines.append(
            f"| {row['model']} | {row['rtol']:.0e} | {row['auto']} | {1e3 * row['seconds']:.3g} | {row['error']:.1g} | "
            f"{row['best']} | {1e3 * row['best_seconds']:.3g} | {row['ratio']:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true", help="write the table into docs/integrators.md")
    parser.add_argument("--only", nargs="*", help="names of models, or parts of them")
    parser.add_argument("--rtol", nargs="*", type=float, default=TOLERANCES)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--details", action="store_true", help="print seconds and errors of every integrator")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in MODELS:
        if chosen.only and not any(part in name for part in chosen.only):
            continue
        for rtol in chosen.rtol:
            try:
                row = judge(name, rtol, chosen.repeat)
            except (fm.MechanismError, fm.SimulationError, TooSlow) as error:
                print(f"{name}: {error!r}", flush=True)
                break
            rows.append(row)
            print(table([row]).splitlines()[-1], flush=True)
            if chosen.details and "all" in row:
                print("   ", {key: f"{s * 1e3:.3g} ms, {e:.1g}" for key, (s, e) in row["all"].items()}, flush=True)
    over = [row for row in rows if not row.get("failed") and row["ratio"] > 1.5]
    text = f"{table(rows)}\n\n{len(rows)} runs; {len(over)} cost more than 1.5 times the best choice."
    print(text)
    if chosen.save:
        write_into("integrators.md", "tests/benchmarks/auto_choice.py", text)


if __name__ == "__main__":
    main()
