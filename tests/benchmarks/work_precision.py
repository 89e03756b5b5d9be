"""Error against time and against evaluations, of our integrators and of other codes: docs/work_precision.md.

    python tests/benchmarks/work_precision.py [--only NAME ...] [--save]

Cases: work_precision_systems.py; how they are scanned: work_precision_scan.py.  With --save the tables and pictures of
the documentation are written.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("FLEXMBS_NUMBA_KERNELS", "1")  # kernels are called in compiled loops
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
from pages import ROOT, write_into  # noqa: E402
from work_precision_scan import Measured, measure, seconds_for  # noqa: E402
from work_precision_systems import CASES  # noqa: E402

PICTURES = ROOT / "docs" / "images"
ACCURACIES = [10.0**-k for k in range(2, 9)]
OURS = "flexmbs"
STYLES = {OURS: "-", "SUNDIALS": "--", "SciPy": ":", "Exudyn": "-."}
MARKERS = "osD^v<>PX*"


def ahead(found: Measured) -> list[str]:
    """Markdown rows: per accuracy our quickest integrator, the quickest other code, and the ratio of their times."""
    lines = []
    for accuracy in ACCURACIES:
        seconds = {code: seconds_for(points, accuracy) for code, points in found.curves.items()}
        ours = {code: value for code, value in seconds.items() if code.startswith(OURS)}
        others = {code: value for code, value in seconds.items() if not code.startswith(OURS)}
        us, them = min(ours, key=ours.get), min(others, key=others.get)
        ratio = others[them] / ours[us] if np.isfinite(ours[us]) else 0.0
        cells = [f"{accuracy:.0e}", *cell(us, ours[us]), *cell(them, others[them])]
        verdict = f"{ratio:.2f}" if np.isfinite(ratio) else "not reached by others"
        lines.append("| " + " | ".join([*cells, verdict if ratio >= 1.0 else f"**{verdict}**"]) + " |")
    return lines


def cell(code: str, seconds: float) -> tuple[str, str]:
    return (code, f"{1e3 * seconds:.2f}") if np.isfinite(seconds) else ("none", "")


def tables(measured: dict[str, Measured]) -> str:
    parts = []
    for found in measured.values():
        parts += [
            f"### {found.case.title}",
            "",
            "| accuracy | our quickest | ms | quickest other | ms | other / ours |",
            "| --- | --- | --- | --- | --- | --- |",
            *ahead(found),
            "",
        ]
        if found.distance:
            apart = ", ".join(f"{code} {value:.1e}" for code, value in found.distance.items())
            parts += [f"Distance of converged ends from ours (relative): {apart}.", ""]
    return "\n".join(parts)


def draw(measured: dict[str, Measured]) -> None:
    """One panel a case: error over time, and error over evaluations, in two pictures."""
    from matplotlib.figure import Figure

    for what, label in (("seconds", "solve time [ms]"), ("evaluations", "evaluations of the residual [-]")):
        columns = 2
        rows = -(-len(measured) // columns)
        figure = Figure(figsize=(13.0, 4.6 * rows), dpi=90, layout="constrained")
        panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
        for axis, found in zip(panels, measured.values(), strict=False):
            panel(axis, found, what)
            axis.set_xlabel(label)
        for axis in panels[len(measured) :]:
            axis.set_visible(False)
        figure.savefig(PICTURES / f"work_precision_{what}.png")


def panel(axis, found: Measured, what: str) -> None:
    factor = 1e3 if what == "seconds" else 1.0
    for number, (code, curves) in enumerate(found.curves.items()):
        group = code.split()[0]
        if what == "evaluations" and group == "Exudyn":
            continue  # Newton iterations there are not evaluations
        label = code
        for points in curves:
            points = [point for point in points if np.isfinite(point.error)]
            if points:
                axis.loglog(
                    [factor * getattr(point, what) for point in points],
                    [max(point.error, 1e-12) for point in points],
                    STYLES[group],
                    color=f"C{number % 10}",
                    marker=MARKERS[number % len(MARKERS)],
                    markersize=4,
                    linewidth=1.8 if group == OURS else 1.1,
                    label=label,
                )
                label = None
    axis.set_ylim(1e-10, 1.0)
    axis.set_title(found.case.title, fontsize="medium")
    axis.set_ylabel("error of the end state, relative [-]")
    axis.grid(True, which="major", alpha=0.3)
    axis.legend(fontsize="x-small", ncols=2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--save", action="store_true", help="write the documentation's tables and pictures")
    chosen = parser.parse_args()
    measured = {}
    for name in chosen.only:
        begin = time.perf_counter()
        measured[name] = measure(CASES[name])
        print(tables({name: measured[name]}), flush=True)
        print(f"({time.perf_counter() - begin:.0f} s)\n", flush=True)
    if chosen.save:
        write_into("work_precision.md", "tests/benchmarks/work_precision.py", tables(measured))
    if chosen.save or chosen.only != list(CASES):
        draw(measured)


if __name__ == "__main__":
    main()
