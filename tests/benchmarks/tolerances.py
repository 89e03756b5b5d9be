"""Error of the motion against the tolerance asked for, all integrators: docs/images/tolerances.png and two tables.

    python tests/benchmarks/tolerances.py [--save]

Smooth motions (tests/smooth_motions.py): the error in parts of rtol. Others (impacts, long runs): slope and constant
of error = constant * rtol^slope, by least squares. References are runs of Radau IIA at rtol 1e-12.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from pages import write_into

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from smooth_motions import CONSTRAINED, MOTIONS, Motion, double_pendulum, top  # noqa: E402

import flexmbs as fm  # noqa: E402
from flexmbs.case.cases import load_case  # noqa: E402

TIGHTEST = {"radau": 9, "explicit": 9, "bdf": 9, "generalised_alpha": 6}  # -log10 of rtol
PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "tolerances.png"
STYLES = {"radau": ("o", "C0"), "explicit": ("s", "C1"), "bdf": ("^", "C2"), "generalised_alpha": ("v", "C3")}


def impacts() -> fm.System:
    """The flexible pendulum that hits its stop, without an axial mode."""
    case = load_case("flexible_pendulum_impact").module
    return case.build(case.resolve(replace(case.Parameters(), bending_modes=2, axial_modes=0)))


OTHERS = {
    "four impacts": Motion(impacts, 0.75, ("hinge.angle",), (1.0,)),
    "top for 5 s": Motion(top, 5.0, tuple(f"top.center.position.{axis}" for axis in "xyz"), (1.0, 1.0, 1.0)),
    "double pendulum for 5 s": Motion(double_pendulum, 5.0, ("upper.angle", "lower.angle"), (1.0, 1.0)),
}


def errors(motion: Motion, integrator: str) -> tuple[np.ndarray, np.ndarray]:
    """Tolerances and errors at the end, in parts of the size of what is observed."""
    exact = motion.end(motion.build().simulate(motion.t_end, rtol=1e-12, atol=1e-14, integrator="radau"))
    tolerances = 10.0 ** -np.arange(2, TIGHTEST[integrator] + 1)
    system = motion.build()
    ends = [motion.end(system.simulate(motion.t_end, rtol=rtol, integrator=integrator)) for rtol in tolerances]
    return tolerances, np.array([float(np.abs(end - exact).max()) for end in ends])


def suits(integrator: str, name: str) -> bool:
    """Whether the integrator is one for that motion: explicit ones know no constraints."""
    return integrator != "explicit" or name not in (*CONSTRAINED, "four impacts")


def smooth_table(found: dict) -> str:
    lines = ["| motion | integrator | " + " | ".join(f"1e-{k}" for k in range(2, 10)) + " |", "|---" * 10 + "|"]
    for (name, integrator), (tolerances, values) in found.items():
        cells = [f"{value:.1g}" for value in values / tolerances] + ["" for _ in range(9 - TIGHTEST[integrator])]
        lines.append(f"| {name} | {integrator} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def other_table(found: dict) -> str:
    lines = ["| motion | integrator | slope | error at rtol 1e-4, in parts of it |", "|---|---|---|---|"]
    for (name, integrator), (tolerances, values) in found.items():
        slope, constant = np.polyfit(np.log10(tolerances), np.log10(values), 1)
        lines.append(f"| {name} | {integrator} | {slope:.2f} | {10.0 ** (constant - 4.0 * slope + 4.0):.2g} |")
    return "\n".join(lines)


def draw(smooth: dict, others: dict, path: Path) -> None:
    from matplotlib.figure import Figure

    names = [*MOTIONS, *OTHERS]
    figure = Figure(figsize=(12.0, 9.6), dpi=120, layout="constrained")
    axes = dict(zip(names, figure.subplots(3, 3, sharex=True, sharey=True).flat, strict=True))
    for (name, integrator), (tolerances, values) in {**smooth, **others}.items():
        marker, color = STYLES[integrator]
        style = {"marker": marker, "color": color, "markersize": 4, "linewidth": 1.1, "label": integrator}
        axes[name].loglog(tolerances, values, **style)
    line = np.array([1e-9, 1e-2])
    for name, axis in axes.items():
        axis.loglog(line, line, "k:", linewidth=0.9, label="error = rtol")
        axis.loglog(line, 10.0 * line, "k--", linewidth=0.7, label="error = 10 rtol")
        axis.set_title(name, fontsize="medium")
        axis.grid(True, which="major", alpha=0.3)
        axis.invert_xaxis() if not axis.xaxis_inverted() else None
    figure.supxlabel("rtol asked for")
    figure.supylabel("error at the end, in parts of the size of the motion")
    handles, labels = axes["double pendulum"].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=6, fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true", help="write the documentation's tables and picture")
    chosen = parser.parse_args()
    found = [
        {(name, i): errors(motion, i) for name, motion in group.items() for i in TIGHTEST if suits(i, name)}
        for group in (MOTIONS, OTHERS)
    ]
    tables = f"{smooth_table(found[0])}\n\n{other_table(found[1])}"
    print(tables)
    if chosen.save:
        write_into("work_precision.md", "tests/benchmarks/tolerances.py", tables)
        draw(*found, PICTURE)


if __name__ == "__main__":
    main()
