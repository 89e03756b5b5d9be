"""Measure what truncating the second-order displacement field costs: the tables of docs/truncation.md.

python docs/make_truncation_table.py [--runs]      # --runs: only what runs leave out by themselves
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import flexmbs as fm
from flexmbs.analysis.run import simulate as simulation
from flexmbs.model.second_order_terms import run_tolerance

PENDULUM = fm.load_case("flexible_pendulum_impact").module
SPIN_UP = fm.load_case("spin_up_beam").module
LIMIT = 5.0  # m, half of the spinning beam: beyond it the motion has diverged
HITS = (0.48, 0.60)  # s, from just before the first hit: where the choices part
RTOLS, PRECISE = (1e-3, 1e-4, 1e-6), 1e-10  # of runs, and of what shows the effect of terms alone
PICTURE = Path(__file__).parent / "images" / "truncation.png"


def choices(bending: int, axial: int) -> dict[str, object]:
    """Name of a truncation -> second_order of fm.reduce; the bending modes come first."""
    every = [(a, b) for a in range(bending + axial) for b in range(a, bending + axial)]
    return {
        "all pairs (default)": "full",
        "tolerance=1e-13, deflection=None": fm.SecondOrder(tolerance=1e-13, deflection=None),
        "tolerance=1e-3, deflection=None": fm.SecondOrder(tolerance=1e-3, deflection=None),
        "tolerance=1e-6": fm.SecondOrder(tolerance=1e-6),
        "tolerance=1e-3": fm.SecondOrder(tolerance=1e-3),
        "tolerance=1e-2": fm.SecondOrder(tolerance=1e-2),
        "pairs of bending modes": fm.SecondOrder(pairs=[pair for pair in every if pair[1] < bending]),
        "diagonal pairs": fm.SecondOrder(pairs=[pair for pair in every if pair[0] == pair[1]]),
        "first pair": fm.SecondOrder(pairs=[(0, 0)]),
        "none": "none",
    }


def pendulum_body(p, second_order, axial: int):
    """The bar of the case flexible_pendulum_impact."""
    return fm.reduce(
        fm.read_mesh(fm.find_mesh(p.mesh)),
        interfaces={"hinge": "ROOT", "tip": "TIP"},
        modes=fm.ClampedFree(at="hinge", bending=(p.bending_modes, 0), axial=axial),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
        second_order=second_order,
    )


def pendulum(p, body) -> fm.System:
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    bar = system.add(body, name="pendulum")
    hanging = system.ground.marker("hinge", rotation=PENDULUM.HANGING)
    system.revolute(hanging, bar["hinge"], axis="z", angle=p.start_angle, name="hinge")
    wall = fm.Plane(hanging, normal=(0.0, 1.0, 0.0))
    system.contact(fm.Point(bar["tip"]), wall, law=fm.Hertz(p.contact_stiffness), name="stop")
    return system


def spin_up_body(p, second_order, axial: int):
    """The beam of the case spin_up_beam."""
    section, material = fm.section_from_rigidities(
        p.axial_rigidity, p.bending_rigidity, p.bending_rigidity, p.bending_rigidity, p.mass_per_length
    )
    return fm.reduce(
        fm.line_mesh(p.length, SPIN_UP.ELEMENTS, section, material),
        interfaces={"root": "ROOT", "tip": "TIP"},
        modes=fm.ClampedFree(at="root", bending=(p.modes, 0), axial=axial),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
        second_order=second_order,
    )


def spin_up(p, body) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = system.add(body, name="beam")
    joint = system.revolute(system.ground.marker("axle"), beam["root"], axis="z", name="spin")
    joint.prescribe(*SPIN_UP.spin_up(p.spin_rate, p.spin_up_time))
    return system


def run(system: fm.System, p) -> tuple[fm.Result, str]:
    """The result as far as it went, and how it ended."""
    try:
        return system.simulate(p.t_end, rtol=p.rtol, atol=p.atol), "end reached"
    except fm.SimulationError as error:
        return error.result, f"dies at {error.result.t[-1]:.4f} s"


def pendulum_row(p, name: str, second_order, axial: int) -> tuple[list[str], fm.Result]:
    body = pendulum_body(p, second_order, axial)
    result, ending = run(pendulum(p, body), p)
    found = fm.contact_figures(result)
    reached = ending == "end reached"
    cells = [
        name,
        f"{body.inertia.X.shape[1]}",
        f"{body.inertia.compression_error:.0e}" if body.inertia.compression_error > 1e-12 else "0",
        *(
            "none" if found[key] is None else f"{found[key]:.{digits}f}"
            for key, digits in (("first_contact_time", 7), ("first_impulse", 5))
        ),
        f"{found['contact_count']}",
        f"{result['hinge.angle'][-1]:.5f}" if reached else "-",
        f"{fm.energy_error(result):.1e}",
        ending,
    ]
    return cells, result


def spin_up_row(p, name: str, second_order, axial: int) -> tuple[list[str], fm.Result]:
    body = spin_up_body(p, second_order, axial)
    result, ending = run(spin_up(p, body), p)
    deflection = result["beam.tip.displacement.y"]
    beyond = np.flatnonzero(np.abs(deflection) > LIMIT)
    if len(beyond):
        time, value = "-", "-"
        ending = f"beyond {LIMIT:g} m at {result.t[beyond[0]]:.2f} s"
    else:
        time, value = (f"{x:.5f}" for x in result.extreme("beam.tip.displacement.y"))
    end = f"{deflection[-1]:.5f}" if ending == "end reached" else "-"
    return [name, f"{body.inertia.X.shape[1]}", value, time, end, ending], result


def swinging(second_order="full", **start) -> fm.System:
    """The pendulum of 20 hex20 with 24 damped modes, released horizontally or with a start."""
    body = fm.reduce(
        fm.read_mesh(fm.find_mesh("pendulum_hex20.inp")),
        interfaces={"root": fm.Interface(set="ROOT", kind="rigid"), "tip": "TIP"},
        modes=fm.ClampedFree(at="root", count=24),
        second_order=second_order,
        damping=fm.Rayleigh(0.0, 2e-4),
    )
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(body, name="pendulum")
    system.revolute(system.ground.marker("hinge"), rod["root"], axis="z", name="hinge", **start)
    return system


def four_bar() -> fm.System:
    """A driven crank, a coupler and a rocker, both flexible strips: a loop whose bodies bend out of its plane too."""
    steel = fm.Material("steel", 210e9, 0.3, 7850.0)

    def strip(length: float) -> fm.FlexibleBody:
        mesh = fm.line_mesh(length, 8, fm.rectangle(0.004, 0.02), steel)
        modes = fm.ClampedFree(at="near", count=6)
        return fm.reduce(mesh, interfaces={"near": "ROOT", "far": "TIP"}, modes=modes, damping=0.02)

    system = fm.System(gravity=(0.0, 0.0, -9.81))
    crank = system.add(fm.RigidBody.box(7850.0, (0.1, 0.01, 0.02), center=(0.05, 0.0, 0.0)), name="crank")
    coupler, rocker = system.add(strip(0.5), name="pendulum"), system.add(strip(0.3), name="rocker")
    turning = system.revolute(system.ground.marker("a"), crank["origin"], axis="z", name="motor")
    turning.prescribe(lambda t: 20.0 * t)
    system.revolute(crank.marker("end", position=(0.1, 0.0, 0.0)), coupler["near"], axis="z", name="knee", angle=1.0)
    support = system.ground.marker("b", position=(0.5, 0.0, 0.0))
    system.revolute(support, rocker["near"], axis="z", name="support", angle=1.8)
    system.spherical(coupler["far"], rocker["far"], name="closing")
    return system


def runs_leave_out() -> str:
    """Errors at the end by the terms that are left out alone, and by the steps alone."""
    p = PENDULUM.resolve(PENDULUM.Parameters())
    s = SPIN_UP.Parameters()
    systems = {
        "flexible_pendulum_impact, 4 contacts": (lambda: pendulum(p, pendulum_body(p, "full", 1)), p.t_end, "pendulum.tip"),
        "spin_up_beam": (lambda: spin_up(s, spin_up_body(s, "full", 0)), 20.0, "beam.tip"),
        "pendulum_hex20, 24 modes": (swinging, 0.2, "pendulum.tip"),
        "pendulum_hex20 at 30 rad/s": (lambda: swinging(rate=30.0), 0.1, "pendulum.tip"),
        "four-bar of strips": (four_bar, 0.5, "pendulum.far"),
    }
    lines = []
    for name, (make, t_end, marker) in systems.items():
        system = make()
        precise = dict(rtol=PRECISE, atol=PRECISE, integrator="radau", progress=False)
        best = end_of(system.simulate(t_end, second_order="all", **precise), marker)
        for rtol in RTOLS:
            plain = system.simulate(t_end, rtol=rtol, integrator="radau", progress=False)
            whole = system.simulate(t_end, rtol=rtol, integrator="radau", progress=False, second_order="all")
            try:
                simulation.run_tolerance = lambda _rtol, contacts, rtol=rtol: run_tolerance(rtol, contacts)
                fewer = system.simulate(t_end, **precise)
            finally:
                simulation.run_tolerance = run_tolerance
            stats = plain.stats
            apart = [np.abs(end_of(run, marker) - best).reshape(2, 3).max(axis=1) for run in (fewer, whole)]
            lines.append(
                [
                    name,
                    f"{rtol:.0e}",
                    f"{stats['second_order_terms']} of {stats['second_order_terms_in_all']}",
                    f"{stats['second_order_error']:.0e}",
                    f"{stats['second_order_reach']:.2g}",
                    *(", ".join(f"{value:.0e}" for value in pair) for pair in apart),
                ]
            )
            print(lines[-1], file=sys.stderr, flush=True)
    header = [
        "run",
        "rtol",
        "coefficients kept",
        "bound of the error",
        "largest deformation, of that assumed",
        "end by the terms left out [m, m/s]",
        "by the steps of rtol, all terms [m, m/s]",
    ]
    return table(header, lines)


def end_of(result: fm.Result, marker: str) -> np.ndarray:
    """(6,) position and velocity of a marker at the end of a run."""
    return np.array([result[f"{marker}.{what}.{k}"][-1] for what in ("position", "velocity") for k in "xyz"])


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def draw(pendulums: dict[str, fm.Result], beams: dict[str, fm.Result]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.0), dpi=120, layout="constrained")
    upper, lower = figure.subplots(2, 1)
    for axis, results, name, label in (
        (upper, pendulums, "pendulum.tip.displacement.y", "pendulum: tip deflection [m]"),
        (lower, beams, "beam.tip.displacement.y", "spin-up: tip deflection [m]"),
    ):
        for (title, result), style in zip(results.items(), ("-", "--", ":", "-."), strict=False):
            axis.plot(result.t, result[name], style, linewidth=1.2, label=title)
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize="small")
    upper.set_xlim(*HITS)
    upper.set_ylim(-0.17, 0.3)
    lower.set_ylim(-2.0, 0.3)
    lower.set_xlabel("time [s]")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE)


def main() -> None:
    if "--runs" in sys.argv:
        print(runs_leave_out())
        return
    p = PENDULUM.resolve(PENDULUM.Parameters())
    rows = {name: pendulum_row(p, name, second_order, 1) for name, second_order in choices(3, 1).items()}
    rows["no axial mode, all pairs"] = pendulum_row(p, "no axial mode, all pairs", "full", 0)
    rows["no axial mode, none"] = pendulum_row(p, "no axial mode, none", "none", 0)
    header = [
        "kept",
        "R",
        "error of an integral",
        "first contact [s]",
        "first impulse [N s]",
        "contacts",
        "angle at the end [rad]",
        "energy error",
        "run",
    ]
    print(table(header, [cells for cells, _ in rows.values()]))
    s = replace(SPIN_UP.Parameters(), t_end=20.0)
    beams = {
        name: spin_up_row(s, name, second_order, 0)
        for name, second_order in choices(3, 0).items()
        if name != "pairs of bending modes"
    }
    beams["one axial mode, all pairs"] = spin_up_row(s, "one axial mode, all pairs", "full", 1)
    beams["one axial mode, none"] = spin_up_row(s, "one axial mode, none", "none", 1)
    header = ["kept", "R", "extreme [m]", "at [s]", "at the end [m]", "run"]
    print("\n" + table(header, [cells for cells, _ in beams.values()]))
    print("\n" + runs_leave_out())
    shown = ("all pairs (default)", "diagonal pairs", "first pair", "none")
    draw({name: rows[name][1] for name in shown}, {name: beams[name][1] for name in shown})
    print(f"\nwrote {PICTURE}", file=sys.stderr)


if __name__ == "__main__":
    main()
