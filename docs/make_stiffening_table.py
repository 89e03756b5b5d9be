"""Prints the tables of "Elements that bend too stiffly" in theory.md: python docs/make_stiffening_table.py.

First bending frequency of a free steel strip, 60 times longer than thick and twice as wide, over that of the same
strip of 120 Timoshenko beams.
"""

from __future__ import annotations

import numpy as np

from flexmbs import ElementBlock, Material, Mesh, assemble, box_mesh, line_mesh, natural_modes, rectangle
from flexmbs.mesh.element_kinds import KINDS

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)
THICKNESS, LENGTH = 0.02, 1.2
WAVE = 2.0 * np.pi / 4.730041 * LENGTH  # m, of the first bending mode of a free beam
# How a hexahedron is cut.
CUTS = {
    "hex": [[0, 1, 2, 3, 4, 5, 6, 7]],
    "wedge": [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]],
    "tet": [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]],
}
# Row: kind of element, option of assemble, axis of the thickness (triangles of wedges are normal to z).
STIFF = {
    "tet4": ("tet4", {}, "z"),
    "wedge6, quadrilaterals on the wall": ("wedge6", {}, "y"),
    "wedge6, triangles on the wall": ("wedge6", {}, "z"),
    "pyramid5": ("pyramid5", {}, "z"),
    "hex8 plain": ("hex8", {"hex8": "plain"}, "z"),
}
GOOD = {"hex8": ("hex8", {}, "z"), "tet10": ("tet10", {}, "z"), "wedge15": ("wedge15", {}, "y"), "hex20": ("hex20", {}, "z")}


def strip(kind: str, through: int, elongation: float, axis: str) -> Mesh:
    """Strip with so many cells through its thickness, each so many times longer than high."""
    along = round(LENGTH * through / (elongation * THICKNESS))
    across, cells = (THICKNESS, 2 * THICKNESS), (through, 2 * through)
    if axis == "z":
        across, cells = across[::-1], cells[::-1]
    base = box_mesh((LENGTH, *across), (along, *cells), STEEL, "hex8")
    cells, points = base.blocks[0].nodes, base.points
    if kind.startswith("pyramid"):
        tops = np.arange(len(cells)) + len(points)
        points = np.vstack([points, points[cells].mean(axis=1)])
        nodes = np.concatenate([np.column_stack([cells[:, face[::-1]], tops]) for face in KINDS["hex8"].faces])
    else:
        nodes = np.concatenate([cells[:, cut] for cut in CUTS[kind.rstrip("0123456789")]])
    if KINDS[kind].node_count > KINDS[kind].corner_count:
        pairs = np.sort(nodes[:, np.array(KINDS[kind].edges)].reshape(-1, 2), axis=1)
        edges, number = np.unique(pairs, axis=0, return_inverse=True)
        nodes = np.hstack([nodes, len(points) + number.reshape(len(nodes), -1)])
        points = np.vstack([points, points[edges].mean(axis=1)])
    block = ElementBlock(kind, np.arange(1, len(nodes) + 1), nodes, STEEL)
    return Mesh(points, np.arange(1, len(points) + 1), (block,), source=f"strip of {kind}")


def first_bending(mesh: Mesh, **options: str) -> float:
    """Hz, of the free body."""
    model = assemble(mesh, **options)
    return natural_modes(model, np.zeros(model.ndof, bool), count=1).frequencies[-1]


def excess(row: tuple[str, dict, str], through: int, elongation: float) -> float:
    """%, of the strip's first bending frequency over the exact one."""
    kind, options, axis = row
    exact = first_bending(line_mesh(LENGTH, 120, rectangle(2 * THICKNESS, THICKNESS), STEEL))
    return 100.0 * (first_bending(strip(kind, through, elongation, axis), **options) / exact - 1.0)


def main() -> None:
    cases = [(through, elongation) for through in (1, 2, 3) for elongation in (1, 2, 4)]
    print("| elements through the thickness | " + " | ".join(str(through) for through, _ in cases) + " |")
    print("|---" * (len(cases) + 1) + "|")
    print("| length over height of the cells | " + " | ".join(str(elongation) for _, elongation in cases) + " |")
    for name, row in STIFF.items():
        print(f"| {name} | " + " | ".join(f"{excess(row, *case):.1f}" for case in cases) + " |", flush=True)
    counts = (5, 10, 20)
    print("\n| elements in a wave | " + " | ".join(f"{WAVE / LENGTH * count:.1f}" for count in counts) + " |")
    print("|---" * (len(counts) + 1) + "|")
    for name, row in GOOD.items():
        errors = [excess(row, 1, LENGTH / THICKNESS / count) for count in counts]
        print(f"| {name} | " + " | ".join(f"{error:.2f}" for error in errors) + " |", flush=True)


if __name__ == "__main__":
    main()
