"""Cost of one residual of a flexible body with many modes, beside what the processor needs to read and to multiply.

    python tests/benchmarks/residual_costs.py [--modes 8 16 24 50 100] [--save]

The pendulum of meshes/pendulum_hex20.inp with clamped-free modes, in compiled loops: with all second-order terms, and
with those that runs keep by default at rtol 1e-6 and 1e-4.  "read" is the time of a sum over as many numbers as the
inertia has coefficients (from the same cache), "multiplied" that of its multiply-adds at the rate of registers.  More
than 50 modes are reduced with SecondOrder(field_tolerance=1e-6).  With --save the table goes into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("FLEXMBS_NUMBA_KERNELS", "1")  # kernels are called in compiled loops
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba  # noqa: E402
import numpy as np  # noqa: E402
from pages import write_into  # noqa: E402
from step_parts import quickest_together  # noqa: E402

import flexmbs as fm  # noqa: E402
from flexmbs.analysis.prepare.prepare import ready  # noqa: E402
from flexmbs.core.equations.residual import residual  # noqa: E402
from flexmbs.core.layout.tables import make_workspace  # noqa: E402
from flexmbs.core.mechanics.inertia import add_inertia  # noqa: E402
from flexmbs.machine_code.numba_types import FASTMATH  # noqa: E402
from flexmbs.model.fewer_terms import with_fewer_terms  # noqa: E402
from flexmbs.model.second_order_terms import run_tolerance  # noqa: E402

MODES = (8, 16, 24, 50)
KEPT = {"all terms": 0.0, "rtol 1e-6": 1e-6, "rtol 1e-4": 1e-4}
PER_COEFFICIENT = 4  # multiply-adds: position, velocity, acceleration; force
DEPTH, FEW = 64, 512  # multiply-adds per pair of numbers that is loaded, and how many pairs: in the first cache
ALL_PAIRS = 50  # modes


@numba.njit
def repeat_residual(tables, active, history, q, v, a, reference, work, out, count):
    for _ in range(count):
        residual(tables, active, history, q, v, a, reference, work, out)


@numba.njit
def repeat_inertia(tables, work, count):
    for _ in range(count):
        add_inertia(tables, 1, work)


@numba.njit(fastmath=FASTMATH)
def repeat_sum(x, count):
    total = 0.0
    for k in range(count):
        x[0] = k  # the sum is not the same twice
        for i in range(len(x)):
            total += x[i]
    return total


@numba.njit(fastmath={"contract"})
def repeat_products(x, y, count):
    """``DEPTH`` multiply-adds for each pair of numbers loaded and stored: two chains, so that no unit waits."""
    for _ in range(count):
        for i in range(len(x)):
            u, w = x[i], y[i]
            for _k in range(DEPTH // 2):
                u = u * 0.5 + 0.25
                w = w * 0.25 + 0.5
            x[i], y[i] = u, w


def pendulum(modes: int) -> fm.System:
    fields = "full" if modes <= ALL_PAIRS else fm.SecondOrder(field_tolerance=1e-6)
    body = fm.reduce(
        fm.read_mesh(fm.find_mesh("pendulum_hex20.inp")),
        interfaces={"root": fm.Interface(set="ROOT", kind="rigid"), "tip": "TIP"},
        modes=fm.ClampedFree(at="root", count=modes),
        second_order=fields,
    )
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(body, name="rod")
    system.revolute(system.ground.marker("hinge"), rod["root"], axis="z", name="hinge")
    return system


def costs(model, rounds: int) -> dict[str, float]:
    """Microseconds of a residual and of its parts at a random state."""
    tables, work, out = model.tables, make_workspace(model.tables), np.zeros(len(model.q))
    q, v, a = 1e-4 * np.random.default_rng(1).normal(size=(3, len(model.q)))
    active, numbers = np.zeros(0, dtype=np.int64), np.zeros(len(model.layouts["rod"].coefficients))
    x, y = np.zeros(FEW), np.zeros(FEW)
    found = quickest_together(
        {
            "residual": lambda n: repeat_residual(tables, active, np.zeros(0), q, v, a, model.reference, work, out, n),
            "inertia": lambda n: repeat_inertia(tables, work, n),
            "read": lambda n: repeat_sum(numbers, n),
            "multiplied": lambda n: repeat_products(x, y, n),
        },
        rounds,
    )
    return {**found, "multiplied": found["multiplied"] / (FEW * DEPTH) * PER_COEFFICIENT * len(numbers)}


def rows(modes: int, rounds: int) -> list[str]:
    """A line of the table for each choice of terms."""
    system = pendulum(modes)
    whole = ready(system)
    lines = []
    for name, rtol in KEPT.items():
        model = with_fewer_terms(system, whole, run_tolerance(rtol)) if rtol else whole
        layout, found = model.layouts["rod"], costs(model, rounds)
        stored = len(layout.coefficients)
        times = " | ".join(f"{found[part]:.2f}" for part in ("residual", "inertia", "read", "multiplied"))
        lines.append(
            f"| {modes} | {name} | {len(layout.form_order)} | {layout.kept} | {stored} ({8e-3 * stored:.0f} kB) | "
            f"{layout.error:.0e} | {times} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modes", type=int, nargs="+", default=MODES)
    parser.add_argument("--rounds", type=int, default=100, help="of each round the quickest counts")
    parser.add_argument("--save", action="store_true", help="write the table into docs/benchmarks.md")
    chosen = parser.parse_args()
    lines = [
        "| modes | kept | pairs | second-order coefficients | all that are stored | error | residual [us] "
        "| inertia alone [us] | read [us] | multiplied [us] |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    print("\n".join(lines), flush=True)
    for modes in chosen.modes:
        lines += rows(modes, chosen.rounds)
        print("\n".join(lines[-len(KEPT) :]), flush=True)
    if chosen.save:
        write_into("benchmarks.md", "tests/benchmarks/residual_costs.py", "\n".join(lines))


if __name__ == "__main__":
    main()
