"""Time and memory of natural modes and of reduction against the size of the mesh, beside CalculiX.

    python -m pip install ".[fast,oracles]"
    OMP_NUM_THREADS=1 python tests/benchmarks/reduce_sizes.py [--sizes 30 100 300] [--columns ...]

A connecting rod of steel with two eyes, meshed with tet10 by gmsh. Every entry is one process of its own: its processor
time from start to end, with imports and reading the mesh (and the time on the clock, which is longer where the machine
has other work), and the most memory it held.

modes: 20 modes with the bore of the big eye held, as CalculiX computes them (ccx, where it is on the PATH).
basis: body with mean axes, 20 modes and 12 interface modes (residual attachment modes of both bores), inertia, markers,
surface, without second-order fields, which CalculiX does not have.
reduce: the same with the second-order fields of all 528 pairs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

SIZES = {30: 4.95e-3, 100: 3.0e-3, 300: 1.98e-3}  # thousands of degrees of freedom, about -> length of edges, m
SOLVERS = ("scipy", "pypardiso", "mumps")
COLUMNS = ("ccx", *(f"{task}:{solver}" for task in ("modes", "basis", "reduce") for solver in SOLVERS))
EYES = {"BIG": (0.0, 0.022, 0.032), "SMALL": (0.15, 0.012, 0.020)}  # m: position along x, radius inside, outside


def write_rod(size: float, folder: Path) -> int:
    """Mesh the rod with edges of ``size``; write rod.npz and a CalculiX deck. The number of degrees of freedom."""
    import gmsh

    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.option.setNumber("Mesh.MaxNumThreads3D", 1)
    for bound in ("Min", "Max"):
        gmsh.option.setNumber(f"Mesh.MeshSize{bound}", size)
    shapes, bores = gmsh.model.occ, []
    parts = [(3, shapes.addBox(0.0, -0.012, -0.008, 0.15, 0.024, 0.016))]
    for x, bore, outside in EYES.values():
        parts.append((3, shapes.addCylinder(x, 0, -0.012, 0, 0, 0.024, outside)))
        bores.append((3, shapes.addCylinder(x, 0, -0.02, 0, 0, 0.04, bore)))
    body, _ = shapes.fuse(parts[:1], parts[1:])
    shapes.cut(body, bores)
    shapes.synchronize()
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)
    tags, points, _ = gmsh.model.mesh.getNodes()
    _, _, (elements,) = gmsh.model.mesh.getElements(3)
    gmsh.finalize()
    place = np.zeros(int(tags.max()) + 1, int)
    place[tags.astype(int)] = np.arange(len(tags))
    # gmsh numbers the last two middle nodes the other way round
    nodes = place[elements.astype(int)].reshape(-1, 10)[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]]
    points = points.reshape(-1, 3)
    np.savez(folder / "rod.npz", points=points, nodes=nodes)
    _write_deck(folder / "rod.inp", points, nodes)
    return 3 * len(points)


def bore_nodes(points: np.ndarray, eye: str) -> np.ndarray:
    """Nodes on the wall of a bore."""
    x, radius, _ = EYES[eye]
    return np.flatnonzero(np.abs(np.hypot(points[:, 0] - x, points[:, 1]) - radius) < 1e-3 * radius)


def _write_deck(path: Path, points: np.ndarray, nodes: np.ndarray) -> None:
    lines = ["*NODE,NSET=ALL", *(f"{i},{x:.12g},{y:.12g},{z:.12g}" for i, (x, y, z) in enumerate(points, 1))]
    lines += ["*ELEMENT,TYPE=C3D10,ELSET=ROD"]
    lines += [f"{i}," + ",".join(map(str, row)) for i, row in enumerate(nodes + 1, 1)]
    lines += ["*NSET,NSET=BIG", *(f"{i}," for i in bore_nodes(points, "BIG") + 1), "*MATERIAL,NAME=STEEL", "*ELASTIC"]
    lines += ["210e9,0.3", "*DENSITY", "7850.", "*SOLID SECTION,ELSET=ROD,MATERIAL=STEEL", "*BOUNDARY", "BIG,1,3"]
    lines += ["*STEP", "*FREQUENCY", "20", "*END STEP", ""]
    path.write_text("\n".join(lines))


def rod_mesh(folder: Path):
    """The mesh that ``write_rod`` left in a folder."""
    from flexmbs import ElementBlock, Material, Mesh

    with np.load(folder / "rod.npz") as stored:
        points, nodes = stored["points"], stored["nodes"]
    steel = Material("steel", 210e9, 0.3, 7850.0)
    return Mesh(
        points=points,
        node_ids=np.arange(1, len(points) + 1),
        blocks=(ElementBlock("tet10", np.arange(1, len(nodes) + 1), nodes, steel),),
        node_sets={eye: bore_nodes(points, eye) for eye in EYES},
        element_sets={},
        materials={"steel": steel},
        source="rod",
    )


def compute(task: str, folder: Path) -> dict:
    """One entry of the table, in this process."""
    from flexmbs import FreeFree, assemble, natural_modes
    from flexmbs.reduction.reduce import reduce_model

    mesh = rod_mesh(folder)
    model = assemble(mesh)
    if task == "modes":
        held = np.zeros((len(mesh.points), 3), bool)
        held[mesh.node_sets["BIG"]] = True
        return {"hz": natural_modes(model, held.ravel(), 20).frequencies.tolist()}
    body = reduce_model(
        model,
        interfaces={"big": "BIG", "small": "SMALL"},
        modes=FreeFree(count=20, attachment=True),
        second_order="full" if task == "reduce" else "none",
    )
    return {"hz": body.frequencies.tolist()}


def measured(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    """Times (s) and most memory held (GB) of a process, for the table, and its output."""
    start = time.perf_counter()
    with open(folder / "output.txt", "w+") as output:
        process = subprocess.Popen(command, cwd=folder, env=os.environ | environment, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        output.seek(0)
        text = output.read()
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {status}:\n{text[-2000:]}")
    processor, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e9
    return f"{processor:.1f} s ({seconds:.1f}), {memory:.2f} GB", text


def run_column(column: str, folder: Path) -> tuple[str, list[float]]:
    """Figures and frequencies of one entry."""
    if column == "ccx":
        figures, _ = measured(["ccx", "rod"], folder, {})
        return figures, _calculix_frequencies(folder / "rod.dat")
    task, solver = column.split(":")
    command = [sys.executable, str(Path(__file__).resolve()), "--compute", task, "--folder", str(folder)]
    figures, text = measured(command, folder, {"FLEXMBS_SOLVER": solver})
    return figures, json.loads(text.splitlines()[-1])["hz"]


def _calculix_frequencies(path: Path) -> list[float]:
    rows = [line.split() for line in path.read_text().splitlines()]
    return [float(row[3]) for row in rows if len(row) == 5 and row[0].isdigit()][:20]


def usable(column: str) -> bool:
    if column == "ccx":
        return shutil.which("ccx") is not None
    solver = column.split(":")[1]
    return solver == "scipy" or find_spec(solver) is not None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sizes", type=int, nargs="+", choices=SIZES, default=list(SIZES))
    arguments.add_argument("--columns", nargs="+", choices=COLUMNS, default=list(COLUMNS))
    arguments.add_argument("--compute", choices=("modes", "basis", "reduce"), help=argparse.SUPPRESS)
    arguments.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.compute:
        print(json.dumps(compute(chosen.compute, chosen.folder)))
        return
    columns = [column for column in chosen.columns if usable(column)]
    print("| " + " | ".join(["degrees of freedom", *columns, "frequencies apart"]) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for size in chosen.sizes:
        with tempfile.TemporaryDirectory() as folder:
            print(f"| {write_rod(SIZES[size], Path(folder)):,} |", end="", flush=True)
            clamped = []
            for column in columns:
                figures, frequencies = run_column(column, Path(folder))
                clamped += [] if column.startswith(("basis", "reduce")) else [frequencies]
                print(f" {figures} |", end="", flush=True)
            apart = np.ptp(clamped, axis=0) / np.min(clamped, axis=0) if clamped else np.zeros(1)
            print(f" {apart.max():.1e} |", flush=True)
    threads, load = os.environ.get("OMP_NUM_THREADS", "unset"), os.getloadavg()
    print(f"\nOMP_NUM_THREADS={threads}, {os.cpu_count()} processors, load {load[0]:.1f} ({load[2]:.1f} in 15 min)")


if __name__ == "__main__":
    main()
