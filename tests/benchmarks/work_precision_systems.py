"""The cases of the work-precision diagram: a system, what is observed of it, and how every code runs it.

All codes are compared by the position and velocity of one point at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
from accuracy import End
from first_order import FirstOrder
from peer_systems import rotating_bodies
from planar_four_bar import four_bar
from systems import bar, pendulum, rigid_chain

import flexmbs as fm
from flexmbs import Result, load_case
from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.analysis.recording.log_records import described_steps
from flexmbs.analysis.recording.result_structure import result_structure
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.method_table import METHODS
from flexmbs.result.storage import RunWriter

TOLERANCES = [10.0 ** (-0.5 * k) for k in range(3, 25)]  # 3e-2 to 1e-12
RATIOS = (1.0, 1e-2)  # atol / rtol
FINEST = 1e-12
STEPS = [round(50 * 2.0 ** (0.5 * k)) for k in range(23)]  # 50 to 100 000
Family = list[tuple[str, Callable[[], End]]]  # of settings from loose to tight


def integrators() -> list[str]:
    """Names that ``simulate(integrator=...)`` takes, without "auto", which is one of them."""
    return list(METHODS)


@dataclass(frozen=True)
class Case:
    """``point``: name of the marker that is observed; ``top``: equations of a single turning body, by hand."""

    title: str
    build: Callable[[], fm.System]
    t_end: float
    point: str
    exudyn: Callable[[], dict[str, Family]] = field(default=dict)
    top: rotating_bodies.Body | None = None
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the point, in the axes of the body ``top``
    ordinary: bool = True  # without constraints: SciPy can run it
    stiff: bool = True  # whether explicit methods would be out of place


def observe(result: fm.Result, point: str) -> tuple[np.ndarray, np.ndarray]:
    position, velocity = (np.array([result[f"{point}.{what}.{axis}"][-1] for axis in "xyz"]) for what in ("position", "velocity"))
    return position, velocity


def our_run(system: fm.System, case: Case, integrator: str, rtol: float, atol: float) -> End:
    result = system.simulate(case.t_end, rtol=rtol, atol=atol, integrator=integrator)
    stats = result.stats
    return End(*observe(result, case.point), stats["loop_seconds"], stats["steps_accepted"], stats["residual_evaluations"])


def tolerances(run: Callable[[float, float], End], ratios: Iterable[float] = RATIOS) -> list[Family]:
    """Families of ``run(rtol, atol)``, one a ratio."""
    name = "rtol {:.0e}, atol {:.0e}".format
    return [[(name(r, r * ratio), partial(run, r, r * ratio)) for r in TOLERANCES] for ratio in ratios]


class Point:
    """Position and velocity of the observed point at coordinates and velocities that another code has found."""

    def __init__(self, system: fm.System, case: Case, equations: FirstOrder):
        self.case, self.equations, self.model = case, equations, ready(system)
        self.driven = imposed(self.model, case.t_end)
        self.structure, self.work = result_structure(system, self.model), make_workspace(self.model.tables)

    def __call__(self, y) -> tuple[np.ndarray, np.ndarray]:
        n, contacts = len(self.model.coordinate_names), len(self.model.contact_names)
        q, v = self.driven.q.copy(), self.driven.v.copy()
        own = self.equations.own
        q[own], v[own] = self.equations.split(y)
        row = np.concatenate([[self.case.t_end], q, v, np.zeros(n), np.zeros(contacts)])
        writer = RunWriter(None, self.structure)
        writer.append(described_steps(self.model, self.work, row[None, :]), [], {})
        return observe(Result(self.structure, writer.finish("finished", {}, [], None), None), self.case.point)


def ida_families(system: fm.System, case: Case) -> list[Family]:
    from peer_systems import ida

    if case.top is not None:
        right_side, y = rotating_bodies.right_side(case.top), case.top.start()
        callback, counts = ida.ordinary_callback(right_side, len(y))
        rate = np.zeros(len(y))
        right_side(0.0, y, rate)

        def turning(rtol: float, atol: float) -> End:
            counts[0] = 0
            end, seconds, steps = ida.Ida(callback, y, rate, rtol, atol).solve(case.t_end)
            return End(*rotating_bodies.point_motion(end, case.at), seconds, steps, int(counts[0]))

        return tolerances(turning)
    equations = FirstOrder(system)
    place, callback = Point(system, case, equations), ida.equations_callback(equations)
    root = ida.gap_callback(equations, 0) if len(equations.active) else None

    def run(rtol: float, atol: float) -> End:
        y, seconds, evaluations = ida.solve_model(equations, callback, case.t_end, rtol, atol, root)
        return End(*place(y), seconds, 0, evaluations)

    return tolerances(run)


def scipy_families(system: fm.System, case: Case, method: str) -> list[Family]:
    from peer_systems import scipy_runs

    if case.top is not None:
        compiled, y = rotating_bodies.right_side(case.top), case.top.start()

        def right_side(t: float, at) -> np.ndarray:
            result = np.empty(len(at))
            compiled(t, at, result)
            return result

        def turning(rtol: float, atol: float) -> End:
            end, seconds, calls = scipy_runs.solve_ordinary(right_side, y, case.t_end, method, rtol, atol)
            return End(*rotating_bodies.point_motion(end, case.at), seconds, 0, calls)

        return tolerances(turning, RATIOS[1:])
    equations = FirstOrder(system)
    place = Point(system, case, equations)

    def run(rtol: float, atol: float) -> End:
        y, seconds, evaluations = scipy_runs.solve_model(equations, case.t_end, method, rtol, atol)
        return End(*place(y), seconds, 0, evaluations)

    return tolerances(run, RATIOS[1:])


@cache
def eight_modes() -> fm.FlexibleBody:
    return bar()


def exudyn_pendulum_families(case_end: float, stop: bool) -> dict[str, Family]:
    from exudyn_systems.pendulum import Load
    from exudyn_systems.pendulum import pendulum as run
    from exudyn_systems.solver import Choice

    return {
        f"Exudyn generalised-alpha ({rho:g})": [
            (f"{n} steps", partial(run, case_end, Choice("GeneralizedAlpha", n, 1e-8, rho), Load(stop=stop))) for n in STEPS[4:]
        ]
        for rho in (0.9,)
    }


def exudyn_explicit_families(run: Callable) -> dict[str, Family]:
    """``run(choice)`` with Exudyn's best explicit solvers."""
    from exudyn_systems.solver import Choice

    return {
        "Exudyn RK44": [(f"{n} steps", partial(run, Choice("RK44", n))) for n in STEPS],
        "Exudyn RK67": [(f"{n} steps", partial(run, Choice("RK67", n))) for n in STEPS],
        "Exudyn DOPRI5": [(f"tolerance {r:.0e}", partial(run, Choice("DOPRI5", tolerance=r))) for r in TOLERANCES],
    }


def exudyn_chain_families(links: int, t_end: float) -> dict[str, Family]:
    from exudyn_systems.chain import chain

    return exudyn_explicit_families(lambda choice: chain(links, t_end, choice))


def exudyn_four_bar_families(t_end: float) -> dict[str, Family]:
    from exudyn_systems.four_bar import four_bar as run
    from exudyn_systems.solver import Choice

    start = four_bar().simulate(1e-6)
    pins = {
        "B": np.array([start[f"crank.end.position.{axis}"][0] for axis in "xy"]),
        "C": np.array([start[f"coupler.end.position.{axis}"][0] for axis in "xy"]),
    }
    return {
        f"Exudyn {name}": [(f"{n} steps", partial(run, pins, t_end, Choice(solver, n))) for n in STEPS]
        for name, solver in (("generalised-alpha (0.9)", "GeneralizedAlpha"), ("trapezoidal, index 2", "TrapezoidalIndex2"))
    }


TOP = rotating_bodies.Body((15.234375, 0.46875, 15.234375), (0.0, 15.0, 0.0), 9.81, (0.0, 150.0, -4.61538))
TOP_POINT = (0.2, 1.0, 0.1)  # off the axis, so that the spin is seen
FREE = rotating_bodies.Body((1.0, 2.0, 3.0), (0.0, 0.0, 0.0), 0.0, (0.7, 1.1, -0.8))
FREE_POINT = (0.6, 0.6, 0.6)


def heavy_top() -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -TOP.gravity))
    top = system.add(fm.RigidBody(15.0, (0.234375, 0.46875, 0.234375), center=(0.0, 1.0, 0.0)), name="top")
    top.marker("rim", position=TOP_POINT)
    system.spherical(system.ground.marker("tip"), top["origin"], angular_velocity=TOP.omega, name="ball")
    return system


def free_body() -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody(1.0, FREE.inertia), name="body", angular_velocity=FREE.omega)
    body.marker("rim", position=FREE_POINT)
    return system


def exudyn_turning(body: rotating_bodies.Body, mass: float, point, t_end: float) -> dict[str, Family]:
    from exudyn_systems.rotating_bodies import turning_body

    return exudyn_explicit_families(partial(turning_body, body, mass, point, t_end))


def flexible_four_bar() -> fm.System:
    """Run up to 30 rad/s, within the smooth part of the run-up."""
    case = load_case("flexible_four_bar").module
    return case.build(case.resolve(replace(case.Parameters())))


CASES = {
    "pendulum": Case(
        "flexible pendulum, 8 modes, until 0.45 s",
        lambda: pendulum(eight_modes()),
        0.45,
        "rod.tip",
        lambda: exudyn_pendulum_families(0.45, False),
    ),
    "impact": Case(
        "flexible pendulum through two impacts, until 0.488 s",
        lambda: pendulum(eight_modes(), stop=True),
        0.488,
        "rod.tip",
        lambda: exudyn_pendulum_families(0.488, True),
    ),
    "double": Case(
        "two rigid links, 2 s", lambda: rigid_chain(2), 2.0, "rod.tip", lambda: exudyn_chain_families(2, 2.0), stiff=False
    ),
    "chain": Case(
        "ten rigid links, 2 s", lambda: rigid_chain(10), 2.0, "rod.tip", lambda: exudyn_chain_families(10, 2.0), stiff=False
    ),
    "top": Case(
        "heavy top, fast, 1 s",
        heavy_top,
        1.0,
        "top.rim",
        lambda: exudyn_turning(TOP, 15.0, TOP_POINT, 1.0),
        top=TOP,
        at=TOP_POINT,
        stiff=False,
    ),
    "body": Case(
        "free rigid body, 10 s",
        free_body,
        10.0,
        "body.rim",
        lambda: exudyn_turning(FREE, 1.0, FREE_POINT, 10.0),
        top=FREE,
        at=FREE_POINT,
        stiff=False,
    ),
    "four-bar": Case(
        "rigid four-bar linkage, 1 s",
        four_bar,
        1.0,
        "coupler.end",
        lambda: exudyn_four_bar_families(1.0),
        ordinary=False,
        stiff=False,
    ),
    "flexible four-bar": Case("flexible four-bar linkage, 0.1 s", flexible_four_bar, 0.1, "coupler.tip", ordinary=False),
}


def families(case: Case, system: fm.System) -> dict[str, list[Family]]:
    """All codes that run the case; those that are not installed are left out."""
    found = {f"flexmbs {name}".strip(): tolerances(partial(our_run, system, case, name)) for name in integrators()}
    methods = ("Radau", "BDF") if case.stiff else ("Radau", "BDF", "DOP853")
    model = " (equations by hand)" if case.top is not None else ""
    tasks = {f"SUNDIALS IDA{model}": lambda: ida_families(system, case)}
    if case.ordinary:
        tasks |= {f"SciPy {name}{model}": partial(scipy_families, system, case, name) for name in methods}
    for name, task in tasks.items():
        try:
            found[name] = task()
        except ImportError:
            continue
    try:
        found |= {name: [family] for name, family in case.exudyn().items()}
    except ImportError:
        pass
    return found
