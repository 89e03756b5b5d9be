"""Time of reduction in phases, of bodies as engineers have them: solids, frames of beams, a connecting rod.

    OMP_NUM_THREADS=1 python tests/benchmarks/reduce_bodies.py [--only NAME ...] [--repeat 3] [--profile]

Every row is ``reduce`` without the cache, on a mesh in memory: checks of the mesh, assembly, modes, second-order
fields, inertia integrals, markers, surface with stress; the quickest of some repetitions. The phases are those that
the progress line shows, in seconds of the processor; the last column is the time on the clock, which is longer where
the machine has other work. The table is that of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import reduce_sizes

import flexmbs as fm
from flexmbs.common.progress import Stage
from flexmbs.fem.solvers.factor import chosen_solver
from flexmbs.mesh.mesh import Mesh
from flexmbs.reduction.flexible_body import FlexibleBody

STEEL = fm.Material("STEEL", 210e9, 0.3, 7850.0)
PHASES = ("assemble", "modes", "second-order fields", "inertia", "recovery")
# Phases by the beginning of the text of a stage; what comes before the first of them is assembly.
STAGES = {
    "factorising": "modes",
    "modes": "modes",
    "second-order": "second-order fields",
    "inertia": "inertia",
    "markers and surface": "recovery",
}
ROD_EDGE = 3.6e-3  # m: 20,461 nodes


@dataclass
class Row:
    """A body: what makes its mesh, and the options of ``reduce``."""

    mesh: Callable[[], Mesh]
    options: dict = field(default_factory=dict)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS), metavar="NAME", help=", ".join(ROWS))
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--profile", action="store_true", help="the functions that take the time, of each row")
    chosen = arguments.parse_args()
    print("| body | nodes | modes | pairs | fields | functions | " + " | ".join(PHASES) + " | all, s | clock, s |")
    print("|---" * (len(PHASES) + 8) + "|")
    for name in chosen.only:
        mesh = ROWS[name].mesh()
        body, times = min((measured(mesh, ROWS[name].options) for _ in range(chosen.repeat)), key=lambda m: m[1]["all"])
        sizes = (len(body.points), body.mode_count, len(body.pairs), len(body.quadratic), body.inertia.X.shape[1])
        figures = [f"{size:,}" for size in sizes] + [f"{times[phase]:.3f}" for phase in (*PHASES, "all", "clock")]
        print(f"| {name} | " + " | ".join(figures) + " |", flush=True)
        if chosen.profile:
            profile(mesh, ROWS[name].options)
    threads, load = os.environ.get("OMP_NUM_THREADS", "unset"), os.getloadavg()
    print(f"\nSolver {chosen_solver()}, OMP_NUM_THREADS={threads}, {os.cpu_count()} processors, load {load[0]:.1f}")


def measured(mesh: Mesh, options: dict) -> tuple[FlexibleBody, dict[str, float]]:
    """The body and the seconds of the processor in every phase, in all, and of the clock."""
    times, phase, last = dict.fromkeys(PHASES, 0.0), "assemble", time.process_time()

    def enter(stage: Stage) -> None:
        nonlocal phase, last
        now = time.process_time()
        times[phase] += now - last
        last, phase = now, next((p for text, p in STAGES.items() if stage.text.startswith(text)), phase)

    start, clock = last, time.perf_counter()
    with fm.on_progress(enter):
        body = fm.reduce(mesh, cache=False, **options)
    end = time.process_time()
    times[phase] += end - last
    return body, times | {"all": end - start, "clock": time.perf_counter() - clock}


def profile(mesh: Mesh, options: dict) -> None:
    """Print the functions of flexmbs, NumPy and SciPy in which the time goes."""
    watch = cProfile.Profile()
    watch.runcall(fm.reduce, mesh, cache=False, **options)
    pstats.Stats(watch).sort_stats("tottime").print_stats(25)


def pendulum() -> Mesh:
    """Steel strip of 60 hex20, 728 nodes."""
    return fm.read_mesh(fm.find_mesh("pendulum_hex20.inp"))


def frame(corners: np.ndarray, members: list[tuple[int, int]], pieces: int, sets: dict[str, int]) -> Mesh:
    """Tubes between corners (m), each of some B31; ``sets`` are single nodes at corners."""
    points, elements = list(map(np.array, corners)), []
    for first, last in members:
        inner = [len(points) + i for i in range(pieces - 1)]
        share = np.arange(1, pieces)[:, None] / pieces
        points.extend((1.0 - share) * corners[first] + share * corners[last])
        chain = [first, *inner, last]
        elements += zip(chain[:-1], chain[1:], strict=True)
    points, nodes = np.array(points), np.array(elements)
    along = points[nodes[:, 1]] - points[nodes[:, 0]]
    across = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    ids = np.arange(1, len(nodes) + 1)
    block = fm.ElementBlock("beam2", ids, nodes, STEEL, fm.rectangle(0.03, 0.05), "B31", y_axes=across)
    return Mesh(
        points=points,
        node_ids=np.arange(1, len(points) + 1),
        blocks=(block,),
        node_sets={name: np.array([corner]) for name, corner in sets.items()},
        element_sets={},
        materials={"STEEL": STEEL},
        source=f"frame of {len(nodes)} beams",
    )


def ladder() -> Mesh:
    """Two rails with eight rungs, one rail higher than the other at its end: 22 members of four beams."""
    along = np.arange(8.0) * 0.4
    corners = np.concatenate([np.column_stack([along, np.full(8, y), lift * along]) for y, lift in ((0, 0), (0.6, 0.1))])
    members = [(i, i + 8) for i in range(8)] + [(i, i + 1) for rail in (0, 8) for i in range(rail, rail + 7)]
    return frame(corners, members, 4, {"FOOT": 0, "END": 15})


def box() -> Mesh:
    """The twelve edges of a box, two beams each."""
    corners = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 0.6) for z in (0.0, 0.4)])
    members = [(i, i + step) for step in (1, 2, 4) for i in range(8) if not i & step]
    return frame(corners, members, 2, {"A": 0, "B": 3, "C": 5, "D": 6})


def rod() -> Mesh:
    """Connecting rod of ``reduce_sizes``, meshed by gmsh."""
    with tempfile.TemporaryDirectory() as folder:
        reduce_sizes.write_rod(ROD_EDGE, Path(folder))
        return reduce_sizes.rod_mesh(Path(folder))


SWINGING = dict(interfaces={"hinge": "ROOT", "tip": "TIP"})
CORNERS = {name: name for name in "ABCD"}
BORES = {"big": "BIG", "small": "SMALL"}
ROWS = {
    "hex20, compressed": Row(
        pendulum, SWINGING | dict(modes=fm.ClampedFree("hinge", count=24), second_order=fm.SecondOrder(field_tolerance=1e-4))
    ),
    "hex20": Row(pendulum, SWINGING | dict(modes=fm.ClampedFree("hinge", count=24))),
    "hex20, 50 modes, compressed": Row(
        pendulum, SWINGING | dict(modes=fm.ClampedFree("hinge", count=50), second_order=fm.SecondOrder(field_tolerance=1e-4))
    ),
    "hex20, 50 modes": Row(pendulum, SWINGING | dict(modes=fm.ClampedFree("hinge", count=50))),
    "88 beams": Row(ladder, dict(interfaces={"foot": "FOOT", "end": "END"}, modes=fm.ClampedFree("foot", count=36))),
    "24 beams, attachment modes": Row(box, dict(interfaces=CORNERS, modes=fm.FreeFree(count=30, attachment=True))),
    "connecting rod": Row(rod, dict(interfaces=BORES, modes=fm.FreeFree(count=20, attachment=True))),
}


if __name__ == "__main__":
    main()
