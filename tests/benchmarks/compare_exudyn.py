"""flexmbs beside Exudyn on identical systems, one thread each: accuracy and speed from the same settings.

    python tests/benchmarks/compare_exudyn.py [--only a b c d e] [--long] [--json FILE]

(a) flexible pendulum with 8 modes, swinging 1 s; (b) the same hitting an elastic stop; (c) a chain of 10 rigid links,
2 s; (d) cost per step and (e) start times of flexmbs alone (step_costs.py, start_times.py).

Each code is compared with its own converged solution at the end.  "absolute" asks for 1e-4 m and 1e-4 m/s at the tip,
"relative" for 1e-4 of the length and of the largest speed of the tip.  Seconds are of the solve alone, the quickest
of several, both codes in turn; ours store every step and have geometric stiffness and error control on.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("FLEXMBS_NUMBA_KERNELS", "1")  # kernels are called in compiled loops
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from accuracy import REPEATS, End, Measured, as_row, end_error, loosest, measure, measure_together  # noqa: E402
from exudyn_systems.chain import chain  # noqa: E402
from exudyn_systems.pendulum import Load  # noqa: E402
from exudyn_systems.pendulum import pendulum as exudyn_pendulum  # noqa: E402
from exudyn_systems.solver import Choice  # noqa: E402
from start_times import start_times  # noqa: E402
from step_costs import step_costs  # noqa: E402
from systems import bar, pendulum, rigid_chain  # noqa: E402

import flexmbs as fm  # noqa: E402

TOLERANCES = [3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8]
RATIOS = [1e-2, 1e-1, 1.0]  # atol / rtol
SWING_STEPS = [350, 500, 700, 1000, 1400, 2000, 2800, 4000, 5600]
# Second-order fields compressed: error 1e-5 of the body's inertia while the tip deflects by 5 % of the length.
COMPRESSED = fm.SecondOrder(tolerance=1e-5, deflection=0.05)
# The same for large deflections: an impact magnifies what was left out.
COMPRESSED_FINELY = fm.SecondOrder(tolerance=1e-10, deflection=0.3)


def flexmbs_run(system: fm.System, t_end: float, rtol: float, atol: float, out=None, integrator="radau") -> End:
    begin = time.perf_counter()
    result = system.simulate(t_end, rtol=rtol, atol=atol, out=out, integrator=integrator)
    wall = time.perf_counter() - begin - result.stats["compile_seconds"]
    position, velocity = (np.array([result[f"rod.tip.{what}.{axis}"][-1] for axis in "xyz"]) for what in ("position", "velocity"))
    stats = result.stats
    return End(position, velocity, stats["solve_seconds"], stats["steps_accepted"], stats["residual_evaluations"], wall)


def tolerance_families(system: fm.System, t_end: float, integrators=("radau",)):
    return [
        [
            (f"{name}, rtol {r:g}, atol {r * r_a:g}", partial(flexmbs_run, system, t_end, r, r * r_a, integrator=name))
            for r in TOLERANCES
        ]
        for name in integrators
        for r_a in RATIOS
    ]


def step_families(run, counts, newton_tolerances=(1e-5, 1e-8)):
    name = lambda n, e: f"{n} steps" + (f", Newton {e:g}" if e else "")  # noqa: E731
    return [[(name(n, e), partial(run, n, e)) for n in counts] for e in newton_tolerances]


def implicit(steps: int, newton: float) -> Choice:
    return Choice("GeneralizedAlpha", steps, newton)


def compare(title: str, families: dict, references: dict, speed: float, size: float) -> list[dict]:
    """Both codes at both limits; prints as it goes."""
    rows = []
    for limit, bounds in {"relative": (1e-4 * size, 1e-4 * speed), "absolute": (1e-4, 1e-4)}.items():
        found = {code: loosest(families[code], references[code], bounds) for code in families}
        reached = {code: best for code, best in found.items() if best is not None}
        timed = measure_together(reached, references)
        for code in families:
            what = as_row(timed[code]) if code in timed else {"settings": "not reached"}
            rows.append({"case": title, "limit": limit, "code": code, **what})
            print(describe(rows[-1]), flush=True)
        if len(timed) == 2:
            rows[-1]["ratio"] = timed["exudyn"].seconds / timed["flexmbs"].seconds
            print(f"    Exudyn / flexmbs, solve time: {rows[-1]['ratio']:.2f}")
    return rows


def describe(row: dict) -> str:
    head = f"{row['case']:<36} {row['limit']:<9} {row['code']:<8} {row['settings']:<36}"
    if "seconds" not in row:
        return head
    return (
        f"{head} error {row['position_error']:.1e} m {row['velocity_error']:.1e} m/s  {1e3 * row['seconds']:9.3f} ms"
        f" {row['steps']:7d} steps {row['evaluations']:8d} evaluations"
    )


def swing(long: bool) -> list[dict]:
    theirs = lambda n, e: exudyn_pendulum(1.0, implicit(n, e), Load())  # noqa: E731
    finest = theirs(64000 if long else 32000, 1e-8)
    exact = flexmbs_run(pendulum(bar()), 1.0, 1e-10, 1e-12)
    speed = largest_speed(pendulum(bar()), 1.0)
    print(
        f"(a) converged to (m, m/s): Exudyn {end_error(theirs(16000, 1e-8), finest)} (16000 steps), flexmbs "
        f"{end_error(flexmbs_run(pendulum(bar()), 1.0, 1e-9, 1e-11), exact)} (rtol 1e-9)"
    )
    print(f"    largest speed {speed:.3f} m/s")
    rows = []
    for name, choice in (("all second-order terms", "full"), ("compressed to 1e-5", COMPRESSED)):
        system = pendulum(bar(choice))
        reference = flexmbs_run(system, 1.0, 1e-10, 1e-12)
        print(f"    {name}: change of the end {end_error(reference, exact)}")
        families = {"flexmbs": tolerance_families(system, 1.0), "exudyn": step_families(theirs, SWING_STEPS)}
        rows += compare(f"(a) swing, {name}", families, {"flexmbs": reference, "exudyn": finest}, speed, 1.0)
        rows.append({"case": f"(a) swing, {name}, storage", **storage(system)})
    return [*rows, second_order_costs(exact), same_physics()]


def storage(system: fm.System) -> dict:
    """Solve time and time of the whole call (ms), steps kept in memory or written to disk."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {
            "memory": [flexmbs_run(system, 1.0, 1e-2, 1e-4) for _ in range(REPEATS)],
            "disk": [flexmbs_run(system, 1.0, 1e-2, 1e-4, Path(folder) / str(i)) for i in range(REPEATS)],
        }
    found = {}
    for where, runs in kept.items():
        found[f"{where}_solve_ms"] = 1e3 * min(run.seconds for run in runs)
        found[f"{where}_call_ms"] = 1e3 * min(run.wall_seconds for run in runs)
    print("    rtol 1e-2, atol 1e-4:", ", ".join(f"{name} {value:.2f}" for name, value in found.items()))
    return found


def largest_speed(system: fm.System, t_end: float) -> float:
    result = system.simulate(t_end, rtol=1e-6, atol=1e-8)
    return float(np.sqrt(sum(result[f"rod.tip.velocity.{axis}"] ** 2 for axis in "xyz")).max())


def second_order_costs(exact: End) -> dict:
    """Cloud size, error at the end and solve time over the tolerance of the second-order fields."""
    choices = [("none", "none"), ("full", "full")]
    choices += [(f"tolerance {t:g}", fm.SecondOrder(tolerance=t)) for t in (1e-10, 1e-8, 1e-6, 1e-4)]
    choices += [
        (f"tolerance {t:g}, deflection {d:g}", fm.SecondOrder(tolerance=t, deflection=d))
        for d in (0.05, 0.3)
        for t in (1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)
    ]
    table = []
    for name, choice in choices:
        body = bar(choice)
        system, rank = pendulum(body), body.inertia.X.shape[1]
        position, velocity = end_error(flexmbs_run(system, 1.0, 1e-9, 1e-11), exact)
        ms = 1e3 * min(flexmbs_run(system, 1.0, 1e-2, 1e-4).seconds for _ in range(REPEATS))
        table.append(dict(second_order=name, functions=rank, position_error=position, velocity_error=velocity, ms=ms))
        print(f"    {name:<34} R {rank:4d}  error {position:.1e} m {velocity:.1e} m/s {ms:8.3f} ms")
    return {"case": "(a) second-order tolerance", "rows": table}


def same_physics() -> dict:
    """First-order displacements in both codes: distance of the tips after 0.5 s."""
    body, table = bar("none"), {}
    for name, load in (("gravity", Load()), ("tip force 2 N instead", Load(gravity=0.0, tip_force=-2.0))):
        theirs = exudyn_pendulum(0.5, implicit(16000, 1e-8), load)
        ours = flexmbs_run(pendulum(body, gravity=load.gravity, tip_force=load.tip_force), 0.5, 1e-10, 1e-12)
        table[name] = end_error(ours, theirs)
        print(f"    same physics, {name}: {table[name][0]:.2e} m, {table[name][1]:.2e} m/s apart after 0.5 s")
    return {"case": "(a) distance between the codes, first-order fields", **table}


def impact(long: bool) -> list[dict]:
    counts = [8000, 16000, 32000, 64000] + ([128000] if long else [])
    rows, theirs = [], [exudyn_pendulum(1.0, implicit(n, 1e-8), Load(stop=True)) for n in counts]
    for n, run in zip(counts[:-1], theirs[:-1], strict=True):
        measured = Measured(f"{n} steps", *end_error(run, theirs[-1]), run.seconds, run.steps, run.evaluations)
        rows.append({"case": "(b) impact", "code": "exudyn", "limit": f"to {counts[-1]}", **as_row(measured)})
    exact = None
    for name, choice in (("full", "full"), ("compressed", COMPRESSED_FINELY)):
        system = pendulum(bar(choice), stop=True)
        finest = flexmbs_run(system, 1.0, 1e-11, 1e-13)
        exact = exact or finest
        print(f"(b) {name}: change of the end {end_error(finest, exact)}")
        for rtol in (1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
            run = partial(flexmbs_run, system, 1.0, rtol, 1e-2 * rtol)
            measured = measure(f"rtol {rtol:g}, atol {1e-2 * rtol:g}", run, finest)
            rows.append({"case": f"(b) impact, {name}", "code": "flexmbs", "limit": "to 1e-11", **as_row(measured)})
    for row in rows:
        print(describe(row), flush=True)
    return rows


def rigid(long: bool) -> list[dict]:
    system = rigid_chain(10)
    theirs = lambda n, _e: chain(10, 2.0, Choice("RK44", n))  # noqa: E731
    reference = flexmbs_run(system, 2.0, 1e-11, 1e-13)
    finest = theirs(6400, None)
    print(f"(c) distance between the codes' converged ends: {end_error(reference, finest)}")
    families = {
        "flexmbs": tolerance_families(system, 2.0, ("radau", "explicit")),
        "exudyn": step_families(theirs, [50, 70, 100, 140, 200, 280, 400, 800], (None,)),
    }
    return compare(
        "(c) chain of 10 rigid links", families, {"flexmbs": reference, "exudyn": finest}, largest_speed(system, 2.0), 10.0
    )


PARTS = {"a": swing, "b": impact, "c": rigid, "d": lambda _long: step_costs(), "e": lambda _long: [start_times()]}


def machine() -> dict:
    packages = {name: version(name) for name in ("exudyn", "numba", "numpy")}
    return {"python": platform.python_version(), "processor": platform.machine(), "cores": os.cpu_count(), **packages}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--long", action="store_true", help="finer Exudyn references (a minute more)")
    parser.add_argument("--json", type=Path, help="write all rows to this file")
    chosen = parser.parse_args()
    print(machine())
    rows = [row for part in chosen.only for row in PARTS[part](chosen.long)]
    if chosen.json:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
