"""Time and memory of reading a large .inp file, beside meshio.

    python tests/benchmarks/read_inp.py [--nodes 1000000] [--folder FOLDER]

Writes two files (bricks C3D8, tetrahedra C3D10) with a material, sections and sets, reads each in a process of its own
with flexmbs and with meshio, and prints one table. Peak memory is that of the whole process (interpreter and libraries
included); "arrays" is what the mesh itself takes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

_READ = {
    "flexmbs": (
        "import flexmbs, flexmbs.mesh.readers.abaqus.deck_reader;"
        "read = flexmbs.read_mesh;"
        "count = lambda m: (len(m.points), sum(len(b.ids) for b in m.blocks),"
        " m.points.nbytes + sum(b.nodes.nbytes + b.ids.nbytes for b in m.blocks))"
    ),
    "meshio": (
        "import meshio; read = lambda p: meshio.read(p, file_format='abaqus');"
        "count = lambda m: (len(m.points), sum(len(b.data) for b in m.cells),"
        " m.points.nbytes + sum(b.data.nbytes for b in m.cells))"
    ),
}
_MEASURE = """
import json, resource, sys, time
{read}
start = time.perf_counter()
mesh = read(sys.argv[1])
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
nodes, elements, size = count(mesh)
print(json.dumps(dict(seconds=seconds, peak=peak, nodes=nodes, elements=elements, arrays=size / 2**20)))
"""
_TAIL = """*ELSET, ELSET=HALF, GENERATE
1, {half}, 1
*NSET, NSET=EVEN, GENERATE
2, {nodes}, 2
*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*DENSITY
7.85e-9
*SOLID SECTION, ELSET=ALL, MATERIAL=STEEL
*STEP
*STATIC
*END STEP
"""
# A cube into six tetrahedra around its diagonal.
_TETRAHEDRA = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


def bricks(node_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and hexahedra (numbers from 1) of a cube with about ``node_count`` nodes."""
    n = round(node_count ** (1 / 3))
    return _grid(n), _cubes(n) + 1


def tetrahedra(node_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and ten-node tetrahedra (numbers from 1); every second grid point in each direction is a corner."""
    n = round(node_count ** (1 / 3)) | 1
    i, j, k = (np.arange(0, n - 1, 2),) * 3
    i, j, k = (a.ravel() for a in np.meshgrid(i, j, k, indexing="ij"))
    steps = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
    corners = np.array([[(i + a) * n * n, (j + b) * n, k + c] for a, b, c in steps]).sum(axis=1).T
    coordinates = corners[:, np.array(_TETRAHEDRA)].reshape(-1, 4)
    edges = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
    middles = [(coordinates[:, a] + coordinates[:, b]) // 2 for a, b in edges]
    return _grid(n), np.column_stack([coordinates, *middles]) + 1


def _grid(n: int) -> np.ndarray:
    axis = np.linspace(0.0, 100.0, n)
    return np.column_stack([a.ravel() for a in np.meshgrid(axis, axis, axis, indexing="ij")])


def _cubes(n: int) -> np.ndarray:
    i, j, k = (a.ravel() for a in np.meshgrid(*[np.arange(n - 1)] * 3, indexing="ij"))
    base = (i * n + j) * n + k
    steps = [0, n * n, n * n + n, n, 1, n * n + 1, n * n + n + 1, n + 1]
    return base[:, None] + np.array(steps)


def write(path: Path, kind: str, points: np.ndarray, elements: np.ndarray) -> None:
    """An .inp file as exporters write it."""
    with open(path, "w") as file:
        file.write("*HEADING\nbenchmark\n*NODE\n")
        for start in range(0, len(points), 100_000):
            rows = points[start : start + 100_000]
            file.write("".join(f"{start + i + 1:8d}, {x:13.7g}, {y:13.7g}, {z:13.7g}\n" for i, (x, y, z) in enumerate(rows)))
        file.write(f"*ELEMENT, TYPE={kind}, ELSET=ALL\n")
        for start in range(0, len(elements), 100_000):
            rows = elements[start : start + 100_000].tolist()
            file.write("".join(f"{start + i + 1}, " + ", ".join(map(str, row)) + "\n" for i, row in enumerate(rows)))
        file.write(_TAIL.format(half=len(elements) // 2, nodes=len(points)))


def measure(library: str, path: Path) -> dict | None:
    """Figures of one reading in a process of its own; None when the library fails."""
    script = _MEASURE.format(read=_READ[library])
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        print("file         MB     nodes  elements reader         s  peak MB  arrays")
        for kind, make in (("C3D8", bricks), ("C3D10", tetrahedra)):
            path = folder / f"{kind}_{arguments.nodes}.inp"
            if not path.exists():
                write(path, kind, *make(arguments.nodes))
            figures = {library: measure(library, path) for library in _READ}
            for library, own in figures.items():
                if own is None:
                    print(f"{kind:8s} {'':33s} {library:8s} failed")
                    continue
                print(
                    f"{kind:8s} {path.stat().st_size / 2**20:6.0f} {own['nodes']:9d} {own['elements']:9d} {library:8s}"
                    f" {own['seconds']:7.2f} {own['peak']:8.0f} {own['arrays']:7.0f}"
                )
            if all(figures.values()):
                one, other = figures["flexmbs"], figures["meshio"]
                print(
                    f"{kind:8s} meshio / flexmbs: time {other['seconds'] / one['seconds']:.1f}, memory"
                    f" {other['peak'] / one['peak']:.1f}"
                )


if __name__ == "__main__":
    main()
