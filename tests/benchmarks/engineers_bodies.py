"""The bodies that engineers bring, in flexmbs and beside Exudyn on the same matrices: accuracy and speed, one thread.

    python tests/benchmarks/engineers_bodies.py [--only swing ...] [--modes 8 16 24 50] [--save] [--json FILE]

swing: meshes/pendulum_hex20.inp released horizontally, 1 s, without damping and with damping="adams"; founding: the
swing of compare_exudyn.py; residual: cost of a residual; rod: the connecting rod of docs/engine.md at 3000 rpm; stiff:
a block that friction brings to rest, a ball on a damped stop.

Both codes have the same modes, mass, stiffness, damping and markers.  Each is compared with its own converged solution
at the end; settings count if the next tighter ones reach the limits as well, and the loosest such settings of each
family are timed: the quickest of several runs, codes in turn.  A row whose runs fail, take longer than their budget or
do not reach the limits says so, with the errors of the tightest settings that ran.  --save writes the tables into
docs/benchmarks.md; --quick runs everything once on small models.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

if "flexmbs" not in sys.modules:
    os.environ.setdefault("FLEXMBS_NUMBA_KERNELS", "1")  # the residual is called in a compiled loop
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba  # noqa: E402
import numpy as np  # noqa: E402
from accuracy import End, end_error, first_reaching  # noqa: E402
from engineers_systems import (  # noqa: E402
    PENDULUM_SETS,
    PISTON_MASS,
    RADIUS,
    ROD_SETS,
    SPEED,
    ball_on_floor,
    ball_on_stop,
    engine,
    middle_node,
    pendulum_body,
    pendulum_mesh,
    rod_body,
    rod_mesh,
    sliding_block,
    small_bar,
)
from pages import write_into  # noqa: E402
from systems import bar, pendulum  # noqa: E402

import flexmbs as fm  # noqa: E402
from flexmbs.analysis.prepare.prepare import ready  # noqa: E402
from flexmbs.core.equations.residual import residual  # noqa: E402
from flexmbs.core.layout.tables import history_size, make_workspace  # noqa: E402

PAGE = "benchmarks.md"


@dataclass
class Scope:
    """How much is run: sizes, scans of settings, seconds."""

    mesh: Callable[[], fm.Mesh] = pendulum_mesh
    modes: tuple[int, ...] = (8, 16, 24, 50)
    residual_modes: tuple[int, ...] = (8, 24, 50, 100)
    rod_modes: tuple[int, ...] = (4, 20)
    t_end: float = 1.0
    rod_t_end: float = 0.16
    tolerances: tuple[float, ...] = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7)
    reference: float = 1e-7  # rtol of flexmbs's converged solution; it is compared with the one of ten times that
    steps: tuple[int, ...] = (
        100,
        200,
        350,
        500,
        700,
        1000,
        1400,
        2000,
        2800,
        4000,
        5600,
        8000,
        11200,
        16000,
        22400,
        32000,
        45000,
        64000,
    )
    reference_steps: int = 128000
    rod_steps: tuple[int, ...] = (125, 250, 500, 1000, 2000)
    rod_reference_steps: int = 4000
    budget: float = 60.0  # s of one run in a scan
    repeats: int = 7
    timing: float = 10.0  # s of repetitions of one run


class OutOfTime(Exception):
    """A run took longer than its budget."""


@dataclass
class Table:
    """One table of the page."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *row: object) -> None:
        self.rows.append(tuple(shown(value) for value in row))
        print("|", " | ".join(self.rows[-1]), "|", flush=True)

    def remark(self, text: str) -> None:
        self.notes.append(text)
        print(text, flush=True)

    def markdown(self) -> str:
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join([f"**{self.title}**", "", *lines, *(f"\n{note}" for note in self.notes)])


def shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


# -- runs ---------------------------------------------------------------------------------------------------------


def stop_after(seconds: float) -> Callable:
    """A ``progress`` of ``simulate`` that ends a run with OutOfTime."""
    begin = time.perf_counter()

    def check(_progress) -> None:
        if time.perf_counter() - begin > seconds:
            raise OutOfTime(f"longer than {seconds:g} s")

    return check


@dataclass(frozen=True)
class Ours:
    """Runs of a system in flexmbs; ``observe``: result -> position and velocity at the end."""

    system: fm.System
    t_end: float
    observe: Callable[[fm.Result], tuple[np.ndarray, np.ndarray]]
    budget: float
    options: dict = field(default_factory=dict)

    def __call__(self, rtol: float, integrator="auto") -> End:
        """NaN at the end where flexmbs stops with an error, as a loose tolerance may have it."""
        begin, nothing = time.perf_counter(), np.full(3, np.nan)
        try:
            result = self.system.simulate(
                self.t_end, rtol=rtol, integrator=integrator, progress=stop_after(self.budget), **self.options
            )
        except fm.SimulationError:
            return End(nothing, nothing, np.nan, 0, 0)
        except OutOfTime as error:
            raise OutOfTime(f"rtol {rtol:g}: {error}") from None
        stats = result.stats
        wall = time.perf_counter() - begin - stats["compile_seconds"]
        return End(*self.observe(result), stats["loop_seconds"], stats["steps_accepted"], stats["residual_evaluations"], wall)

    def family(self, integrator, tolerances) -> list[tuple]:
        return [(f"rtol {r:g}", partial(self, r, integrator)) for r in tolerances]


def tip_of(result: fm.Result) -> tuple[np.ndarray, np.ndarray]:
    position, velocity = (np.array([result[f"rod.tip.{what}.{axis}"][-1] for axis in "xyz"]) for what in ("position", "velocity"))
    return position, velocity


def exudyn_family(run, radius: float, counts, newton: float) -> list[tuple]:
    """Generalised-alpha with more and more steps; ``radius``: spectral radius, 1 without numerical damping."""
    from exudyn_systems.solver import Choice

    return [(f"{n} steps, Newton {newton:g}", partial(run, Choice("GeneralizedAlpha", n, newton, radius))) for n in counts]


INTEGRATORS = {"auto (default)": "auto", "radau, order 5": fm.Radau(max_order=5), "radau": "radau"}
RADII = {"numerical damping, radius 0.9": 0.9, "numerical damping, radius 0.5": 0.5, "no numerical damping": 1.0}
ALL_PAIRS = 50  # modes; second-order fields of more are compressed
NEWTON = 1e-5  # looser tolerances of Newton's iteration save nothing, tighter ones cost


def timed(runs: dict[str, tuple], scope: Scope) -> dict[str, tuple]:
    """name -> (least seconds of the solve, least seconds of the call, the last end); runs in turn."""
    best: dict[str, tuple] = {}
    spent = dict.fromkeys(runs, 0.0)
    for _ in range(scope.repeats):
        for name, (_settings, run) in runs.items():
            if spent[name] > scope.timing:
                continue
            begin = time.perf_counter()
            end = run()
            spent[name] += time.perf_counter() - begin
            before = best.get(name, (np.inf, np.inf, None))
            best[name] = min(before[0], end.seconds), np.fmin(before[1], getattr(end, "wall_seconds", np.nan)), end
    return best


def compare_to_limits(table: Table, case: str, families: dict, references: dict, limits, scope: Scope) -> None:
    """One row for each family: the loosest settings that reach ``limits`` (m, m/s) of its code's reference."""
    found, missed = {}, {}
    tried: dict[str, list] = {name: [] for name in families}
    for name, (code, family) in families.items():
        try:
            first = first_reaching(family, references[code], limits, tried[name])
            found |= {} if first is None else {name: first}
            missed |= {name: "not reached"} if first is None else {}
        except Exception as error:  # one row must not stop the others
            missed[name] = failure(error)
    times = timed(found, scope)
    for name, (code, _) in families.items():
        if name in missed:
            table.add(case, name, *unreached(missed[name], tried[name], len(table.columns) - 2))
            continue
        seconds, wall, end = times[name]
        position, velocity = end_error(end, references[code])
        call = "-" if np.isnan(wall) or np.isinf(wall) else 1e3 * float(wall)
        table.add(case, name, found[name][0], position, velocity, 1e3 * seconds, call, end.steps, end.evaluations)


def unreached(why: str, tried: list, width: int) -> list:
    """What stands in a row without settings that reach the limits: why, and how near the tightest of them came."""
    if not tried:
        return [why, *["-"] * (width - 1)]
    last = tried[-1]
    return [
        f"{why}; last: {last.settings}",
        last.position_error,
        last.velocity_error,
        1e3 * last.seconds,
        "-",
        last.steps,
        last.evaluations,
    ]


def failure(error: Exception) -> str:
    return f"failed: {type(error).__name__}: {str(error).splitlines()[0][:100] if str(error) else ''}"


COLUMNS = (
    "case",
    "integrator",
    "settings",
    "error m",
    "error m/s",
    "loop or solve ms",
    "call ms",
    "steps",
    "residuals or Newton iterations",
)


# -- tables -------------------------------------------------------------------------------------------------------


def swing(scope: Scope, table: Table, damping: str | None, exudyn: bool = True) -> None:
    mesh = scope.mesh()
    for modes in scope.modes:
        case = f"{modes} modes"
        try:
            begin = time.perf_counter()
            body = pendulum_body(mesh, modes, damping)
            reduced = time.perf_counter() - begin
            ours = Ours(pendulum(body), scope.t_end, tip_of, scope.budget)
            finest = Ours(ours.system, scope.t_end, tip_of, 10.0 * scope.budget)
            reference, nearly = finest(scope.reference, "radau"), finest(10.0 * scope.reference, "radau")
            speed = largest_tip_speed(ours)
            families = {f"flexmbs, {n}": ("ours", ours.family(i, scope.tolerances)) for n, i in INTEGRATORS.items()}
            references = {"ours": reference}
            said = f"flexmbs converged to {apart(nearly, reference)}"
            if exudyn:
                theirs = exudyn_pendulum(mesh, body, scope.t_end)
                references["exudyn"], coarser = (
                    exudyn_family(theirs, 0.9, [n], 1e-8)[0][1]() for n in (scope.reference_steps, scope.reference_steps // 2)
                )
                said += f", Exudyn to {apart(coarser, references['exudyn'])} ({scope.reference_steps // 2} steps)"
                families |= {
                    f"Exudyn, {name}": ("exudyn", exudyn_family(theirs, radius, scope.steps, NEWTON))
                    for name, radius in RADII.items()
                }
            table.remark(
                f"{case}: {body.frequencies[0]:.3g} to {body.frequencies[-1]:.4g} Hz, largest speed of the "
                f"tip {speed:.3g} m/s; {said}; reduced in {reduced:.2g} s."
            )
            compare_to_limits(table, case, families, references, (1e-4, 1e-4 * speed), scope)
        except Exception as error:
            table.add(case, failure(error), *["-"] * (len(table.columns) - 2))


def apart(run, reference) -> str:
    return "{:.1e} m, {:.1e} m/s".format(*end_error(run, reference))


def largest_tip_speed(ours: Ours) -> float:
    result = ours.system.simulate(ours.t_end, rtol=1e-5, integrator="radau")
    return float(np.sqrt(sum(result[f"rod.tip.velocity.{axis}"] ** 2 for axis in "xyz")).max())


def exudyn_pendulum(mesh: fm.Mesh, body: fm.FlexibleBody, t_end: float):
    from exudyn_systems.reduced_body import Pendulum, reduced_body

    return Pendulum(reduced_body(mesh, body, PENDULUM_SETS), t_end)


def undamped_swing(scope: Scope) -> Table:
    table = Table("pendulum_hex20 swinging 1 s, no damping: the loosest settings that reach 1e-4", COLUMNS)
    swing(scope, table, None)
    return table


def damped_swing(scope: Scope) -> Table:
    table = Table('The same with damping="adams" in both codes', COLUMNS)
    swing(scope, table, "adams")
    return table


def founding(scope: Scope) -> Table:
    from exudyn_systems.pendulum import Load
    from exudyn_systems.pendulum import pendulum as their_pendulum

    table = Table("Founding swing (8 modes, stiffness-proportional damping), relative 1e-4", COLUMNS)
    ours = Ours(pendulum(bar()), scope.t_end, tip_of, scope.budget)
    theirs = lambda choice: their_pendulum(scope.t_end, choice, Load())  # noqa: E731
    references = {
        "ours": ours(scope.reference, "radau"),
        "exudyn": exudyn_family(theirs, 0.9, [scope.reference_steps // 2], 1e-8)[0][1](),
    }
    families = {f"flexmbs, {n}": ("ours", ours.family(i, scope.tolerances)) for n, i in INTEGRATORS.items()}
    families |= {
        f"Exudyn, {name}": ("exudyn", exudyn_family(theirs, radius, scope.steps, NEWTON)) for name, radius in RADII.items()
    }
    limits = (1e-4, 1e-4 * largest_tip_speed(ours))
    compare_to_limits(table, "8 damped modes", families, references, limits, scope)
    return table


@numba.njit
def repeat_residual(tables, active, history, q, v, a, reference, work, out, count):
    for _ in range(count):
        residual(tables, active, history, q, v, a, reference, work, out)


def residual_costs(scope: Scope) -> Table:
    """Residuals alone in a compiled loop, with modal coordinates, rates and accelerations that are not zero."""
    title = f"A residual of pendulum_hex20, all second-order terms (above {ALL_PAIRS} modes: field_tolerance=1e-6)"
    table = Table(title, ("modes", "us", "functions", "reduced in s"))
    mesh = scope.mesh()
    for modes in scope.residual_modes:
        try:
            begin = time.perf_counter()
            second_order = "full" if modes <= ALL_PAIRS else fm.SecondOrder(field_tolerance=1e-6)
            body = pendulum_body(mesh, modes, second_order=second_order)
            reduced = time.perf_counter() - begin
            table.add(modes, residual_microseconds(body, 20 * scope.repeats), body.inertia.X.shape[1], reduced)
        except Exception as error:
            table.add(modes, failure(error), "-", "-")
    return table


def residual_microseconds(body: fm.FlexibleBody, rounds: int) -> float:
    """The quickest of ``rounds`` loops of about 2 ms."""
    model = ready(pendulum(body))
    tables = model.tables
    q, v, a = (1e-3 * np.cos(np.arange(len(model.q)) + phase) for phase in range(3))
    active, out = np.zeros(len(tables.contacts), dtype=np.int64), np.zeros(len(q))
    given = tables, active, np.zeros(history_size(tables)), q, v, a, model.reference, make_workspace(tables), out
    count = 1
    while True:
        begin = time.perf_counter()
        repeat_residual(*given, count)
        best = time.perf_counter() - begin
        if best > 2e-3 and count > 1:
            break
        count *= 2
    for _ in range(rounds):
        begin = time.perf_counter()
        repeat_residual(*given, count)
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / count


def rod(scope: Scope) -> Table:
    title = (
        f"Connecting rod of docs/engine.md at 3000 rpm, {scope.rod_t_end:g} s, no damping, quasi-static start; errors "
        "are of the deflection in the middle of the shank"
    )
    table = Table(title, COLUMNS)
    mesh = rod_mesh()
    for modes in scope.rod_modes:
        case = f"{modes} normal and 6 static modes"
        try:
            body = rod_body(mesh, modes)
            rod_rows(scope, table, case, mesh, body)
        except Exception as error:
            table.add(case, failure(error), *["-"] * (len(table.columns) - 2))
    return table


def rod_rows(scope: Scope, table: Table, case: str, mesh: fm.Mesh, body: fm.FlexibleBody) -> None:
    shape = body.modes[:, middle_node(body)].T

    def motion(result: fm.Result) -> tuple[np.ndarray, np.ndarray]:
        """(3, rows) deflection, m, and its rate."""
        q, rates = (np.array([result[f"rod.{name}{end}"] for name in body.mode_labels]) for end in ("", ".rate"))
        return shape @ q, shape @ rates

    def at_the_end(result):
        deflection, rate = motion(result)
        return deflection[:, -1], rate[:, -1]

    quasi_static = {"quasi_static_start": True}
    ours = Ours(engine(body), scope.rod_t_end, at_the_end, scope.budget, quasi_static)
    finest = ours.system.simulate(scope.rod_t_end, rtol=scope.reference, integrator="radau", **quasi_static)
    limits = tuple(0.01 * float(np.linalg.norm(part, axis=0).max()) for part in motion(finest))
    references = {"ours": End(*at_the_end(finest), 0.0, 0, 0)}
    families = {f"flexmbs, {n}": ("ours", ours.family(i, scope.tolerances)) for n, i in INTEGRATORS.items()}
    try:
        theirs = exudyn_rod(mesh, body, finest, shape, scope.rod_t_end)
        for name, radius in (("radius 0.5", 0.5), ("radius 0", 0.0)):
            references[name] = exudyn_family(theirs, radius, [scope.rod_reference_steps], 1e-8)[0][1]()
            family = exudyn_family(theirs, radius, scope.rod_steps, NEWTON)
            families[f"Exudyn, numerical damping, {name}"] = name, family
        exudyn_says = apart(references["radius 0"], references["radius 0.5"])
    except Exception as error:
        exudyn_says = failure(error)
    default = timed({"default": ("rtol 1e-6", partial(ours, 1e-6))}, scope)["default"]
    table.add(
        case,
        "flexmbs, default settings",
        "rtol 1e-6",
        *end_error(default[2], references["ours"]),
        1e3 * default[0],
        1e3 * float(default[1]),
        default[2].steps,
        default[2].evaluations,
    )
    table.remark(
        f"{case}: {body.frequencies[0]:.4g} to {body.frequencies[-1]:.4g} Hz; limits of the other rows: 1 % "
        f"of the largest deflection and rate, {limits[0]:.1e} m and {limits[1]:.1e} m/s. Exudyn's finest runs "
        f"with {scope.rod_reference_steps} steps, radius 0 and 0.5: {exudyn_says} apart."
    )
    compare_to_limits(table, case, families, references, limits, scope)


def exudyn_rod(mesh: fm.Mesh, body: fm.FlexibleBody, result: fm.Result, shape: np.ndarray, t_end: float):
    from exudyn_systems.reduced_body import Crank, SliderCrank, reduced_body

    start = tuple(np.array([result[f"rod.{name}{end}"][0] for name in body.mode_labels]) for end in ("", ".rate"))
    spin = SPEED + result["crank pin.angle.rate"][0]
    crank = Crank(RADIUS, SPEED, PISTON_MASS)
    return SliderCrank(reduced_body(mesh, body, ROD_SETS), crank, t_end, start, spin, shape)


def stiff(scope: Scope) -> Table:
    table = Table("Stiff forces, 1 s of motion, rtol 1e-6", ("system", "integrator", "steps", "residuals", "call ms", "result"))
    block, end = sliding_block()
    start = 0.05  # m, of the ball on the floor
    systems = {
        "block sliding to rest, transition 1e-6 m/s": (block, "slide.displacement", end),
        "ball on a damped stop, 1e8 N/m, 1e6 N s/m": (ball_on_stop(), "guide.displacement", 0.0),
        "ball on a damped contact, 1e8 N/m, 1e6 s/m": (ball_on_floor(), "guide.displacement", start),
    }
    for name, (system, channel, rest) in systems.items():
        for choice in ("auto", "radau"):
            try:
                begin = time.perf_counter()
                result = system.simulate(scope.t_end, integrator=choice, progress=stop_after(scope.budget))
                call, stats = time.perf_counter() - begin - result.stats["compile_seconds"], result.stats
                chosen = stats["integrator"] if choice == "auto" else ""
                table.add(
                    name,
                    f"{choice} ({chosen})" if chosen else choice,
                    stats["steps_accepted"],
                    stats["residual_evaluations"],
                    1e3 * call,
                    f"{result[channel][-1] - rest:.2e}",
                )
            except Exception as error:
                table.add(name, choice, failure(error), "-", "-", "-")
    return table


TABLES: dict[str, tuple[Callable[[Scope], Table], ...]] = {
    "swing": (undamped_swing, damped_swing),
    "founding": (founding,),
    "residual": (residual_costs,),
    "rod": (rod,),
    "stiff": (stiff,),
}


def made(names, scope: Scope) -> Iterator[Table]:
    """Each table; a table that cannot be made says why."""
    for name in names:
        for make in TABLES[name]:
            print(f"\n{name}: {make.__name__}", flush=True)
            try:
                yield make(scope)
            except Exception as error:
                yield Table(f"{name}: {failure(error)}", ("not made",))


def quick() -> Scope:
    """Everything once, on small models."""
    return Scope(
        mesh=small_bar,
        modes=(2,),
        residual_modes=(2,),
        rod_modes=(2,),
        t_end=0.05,
        rod_t_end=1e-3,
        tolerances=(1e-4, 1e-5),
        reference=1e-7,
        steps=(200, 400),
        reference_steps=800,
        rod_steps=(10, 20),
        rod_reference_steps=40,
        budget=np.inf,
        repeats=1,
        timing=0.0,
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--modes", nargs="+", type=int, help="of the pendulum (default: swing 8 16 24 50, residual 8 24 50 100)")
    parser.add_argument("--quick", action="store_true", help="everything once, on small models")
    parser.add_argument("--save", action="store_true", help=f"write the tables into docs/{PAGE}")
    parser.add_argument("--json", type=Path, help="write the tables to this file")
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    scope = quick() if chosen.quick else Scope()
    if chosen.modes:
        scope.modes = scope.residual_modes = tuple(chosen.modes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.BasisWarning)
        warnings.simplefilter("ignore", fm.BodyWarning)
        warnings.simplefilter("ignore", fm.MechanismWarning)  # of rtol 0.1
        tables = list(made(chosen.only, scope))
    text = "\n\n".join(table.markdown() for table in tables)
    print("\n" + text)
    if chosen.json:
        rows = [{"title": t.title, "columns": t.columns, "rows": t.rows, "notes": t.notes} for t in tables]
        chosen.json.write_text(json.dumps(rows, indent=2) + "\n")
    if chosen.save:
        write_into(PAGE, "engineers_bodies.py", text)


if __name__ == "__main__":
    main()
