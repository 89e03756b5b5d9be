"""The tables of docs/run_times.md: OMP_NUM_THREADS=1 python docs/make_run_times_table.py [--quick].

The strip of meshes/pendulum_hex20.inp (steel, 1 m x 20 mm x 4 mm), clamped at its hinge, swings 0.5 s from horizontal.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import flexmbs as fm

PAGE = Path(__file__).parent / "run_times.md"
REPEAT = 3


def strip(modes: int, damping, second_order="full") -> fm.FlexibleBody:
    return fm.reduce(
        fm.read_mesh(fm.find_mesh("pendulum_hex20.inp")),
        interfaces={"hinge": fm.Interface(set="ROOT", kind="rigid"), "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", count=modes),
        damping=damping,
        second_order=second_order,
    )


def swing(body: fm.FlexibleBody, t_end: float, out: Path | None = None, **options) -> fm.Result:
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(body, name="rod")
    system.revolute(system.ground.marker("hinge"), rod["hinge"], axis="z", name="hinge")
    repeat = REPEAT if out is None else 1  # a run replaces the result in its folder
    results = [system.simulate(t_end, out=out, force=True, progress=False, **options) for _ in range(repeat)]
    return min(results, key=lambda result: result.stats["solve_seconds"])


def row(name: str, result: fm.Result, reference: float) -> str:
    stats = result.stats
    seconds = stats["solve_seconds"]
    return (
        f"| {name} | {stats['steps_accepted']} | {stats['residual_evaluations']} | {1e3 * seconds:.3g} | "
        f"{seconds / reference:.2g} | {stats['step_size_decided_by'].split(',')[0]} |"
    )


HEAD = "| {} | steps | residuals | ms | relative | decided most steps |\n|---|---|---|---|---|---|"


def tables(t_end: float, counts: tuple[int, ...], tolerances: tuple[float, ...]) -> str:
    first = swing(strip(counts[0], None), t_end, rtol=1e-4).stats["solve_seconds"]
    parts = [HEAD.format("modes, rtol 1e-4, no damping")]
    parts += [row(str(n), swing(strip(n, None), t_end, rtol=1e-4), first) for n in counts]
    middle = counts[len(counts) // 2]
    parts += ["", HEAD.format(f"tolerance, {middle} modes, no damping")]
    parts += [row(f"rtol {rtol:.0e}", swing(strip(middle, None), t_end, rtol=rtol), first) for rtol in tolerances]
    parts += ["", HEAD.format(f"damping, {middle} modes, rtol 1e-4")]
    for name, damping in (
        ("none", None),
        ("0.1 %", 0.001),
        ("1 %", 0.01),
        ('"adams"', "adams"),
        ("Rayleigh(0, 1e-5)", fm.Rayleigh(0.0, 1e-5)),
    ):
        parts.append(row(name, swing(strip(middle, damping), t_end, rtol=1e-4), first))
    parts += ["", HEAD.format(f"second-order terms, {middle} modes, rtol 1e-4")]
    for name, choice in (
        ('"full"', "full"),
        ("SecondOrder(tolerance=1e-6)", fm.SecondOrder(tolerance=1e-6)),
        ('"none" (wrong here)', "none"),
    ):
        parts.append(row(name, swing(strip(middle, None, choice), t_end, rtol=1e-4), first))
    return "\n".join(parts)


def storage_table(t_end: float, modes: int) -> str:
    lines = ["| storage | rows | result.h5, kB | whole call, ms |", "|---|---|---|---|"]
    body = strip(modes, None)
    for name, options in (("default", {}), ("store_every=10", {"store_every": 10}), ("output_step=0.005", {"output_step": 0.005})):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run"
            result = swing(body, t_end, out, rtol=1e-4, **options)
            size = sum(path.stat().st_size for path in out.rglob("result.h5"))
            lines.append(f"| {name} | {len(result.t)} | {size / 1e3:.0f} | {1e3 * result.stats['solve_seconds']:.3g} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a shorter run with few modes; prints only")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.quick:
        print(tables(0.02, (2, 3), (1e-3, 1e-4)), storage_table(0.02, 2), sep="\n\n")
        return
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "benchmarks"))
    from pages import write_into

    text = f"{tables(0.5, (4, 8, 16, 24, 50), (1e-3, 1e-4, 1e-5, 1e-6, 1e-7))}\n\n{storage_table(0.5, 16)}"
    print(text)
    write_into("run_times.md", "make_run_times_table.py", text)


if __name__ == "__main__":
    main()
