"""Writes the pendulum meshes beside this file: ``python meshes/make_pendulum_meshes.py`` (the tet10 file needs gmsh).

The pendulum runs along +x from the origin; thickness along y (the plane it swings in), width along z. SI units.
"""

from pathlib import Path

import numpy as np

from flexmbs import box_mesh

LENGTH, THICKNESS, WIDTH = 1.0, 0.004, 0.02
BEAM_ELEMENTS = 100
HEX_DIVISIONS = (60, 1, 1)
TET_SIZE = 0.008
FOLDER = Path(__file__).parent
MATERIAL = ["*MATERIAL, NAME=STEEL", "*ELASTIC", "210.0E9, 0.3", "*DENSITY", "7850.0"]
SIZES = "1 m x 20 mm (z) x 4 mm (y) along x from the origin; units m, kg, s"


def write_beam(path: Path) -> None:
    """100 B31 elements; local axis 1 is global y."""
    x = np.linspace(0.0, LENGTH, BEAM_ELEMENTS + 1)
    lines = ["*HEADING", f"steel pendulum of 2-node beams, {SIZES}", "*NODE, NSET=NALL"]
    lines += [f"{i + 1}, {xi:.12g}, 0.0, 0.0" for i, xi in enumerate(x)]
    lines += ["*ELEMENT, TYPE=B31, ELSET=EALL"]
    lines += [f"{i}, {i}, {i + 1}" for i in range(1, BEAM_ELEMENTS + 1)]
    lines += ["*NSET, NSET=ROOT", "1", "*NSET, NSET=TIP", str(BEAM_ELEMENTS + 1), *MATERIAL]
    lines += ["*BEAM SECTION, ELSET=EALL, MATERIAL=STEEL, SECTION=RECT", f"{THICKNESS}, {WIDTH}", "0.0, 1.0, 0.0"]
    path.write_text("\n".join(lines) + "\n")


def write_hex20(path: Path) -> None:
    """C3D20 elements, one over the thickness and one over the width."""
    mesh = box_mesh((LENGTH, THICKNESS, WIDTH), HEX_DIVISIONS)
    (block,) = mesh.blocks
    points = mesh.points - np.array([0.0, THICKNESS / 2.0, WIDTH / 2.0])
    lines = ["*HEADING", f"steel pendulum of 20-node hexahedra, {SIZES}", "*NODE, NSET=NALL"]
    lines += [f"{i}, " + ", ".join(f"{c:.12g}" for c in p) for i, p in zip(mesh.node_ids, points, strict=True)]
    lines += ["*ELEMENT, TYPE=C3D20, ELSET=EALL"]
    for number, nodes in zip(block.ids, block.nodes + 1, strict=True):
        lines += [f"{number}, " + ", ".join(map(str, nodes[:10])) + ",", ", ".join(map(str, nodes[10:]))]
    for name in ("ROOT", "TIP"):
        lines += [f"*NSET, NSET={name}", *_rows(mesh.node_ids[mesh.node_sets[name]])]
    lines += [*MATERIAL, "*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL"]
    path.write_text("\n".join(lines) + "\n")


def write_tet10(path: Path) -> None:
    """Second-order tetrahedra by Gmsh, one over the thickness; physical groups ROOT, TIP (faces) and BODY."""
    import gmsh

    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Verbosity", 2)
        gmsh.option.setNumber("General.NumThreads", 1)
        gmsh.model.add("pendulum")
        gmsh.model.occ.addBox(0.0, -THICKNESS / 2.0, -WIDTH / 2.0, LENGTH, THICKNESS, WIDTH)
        gmsh.model.occ.synchronize()
        for name, x in (("ROOT", 0.0), ("TIP", LENGTH)):
            faces = gmsh.model.getEntitiesInBoundingBox(x - 1e-6, -1, -1, x + 1e-6, 1, 1, dim=2)
            gmsh.model.addPhysicalGroup(2, [tag for _, tag in faces], name=name)
        gmsh.model.addPhysicalGroup(3, [1], name="BODY")
        gmsh.option.setNumber("Mesh.MeshSizeMin", TET_SIZE)
        gmsh.option.setNumber("Mesh.MeshSizeMax", TET_SIZE)
        gmsh.model.mesh.generate(3)
        gmsh.model.mesh.setOrder(2)
        gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
        gmsh.option.setNumber("Mesh.Binary", 0)
        gmsh.write(str(path))
    finally:
        gmsh.finalize()


def _rows(numbers, per_row: int = 12) -> list[str]:
    return [", ".join(map(str, numbers[i : i + per_row])) for i in range(0, len(numbers), per_row)]


if __name__ == "__main__":
    write_beam(FOLDER / "pendulum_beam.inp")
    write_hex20(FOLDER / "pendulum_hex20.inp")
    write_tet10(FOLDER / "pendulum_tet10.msh")
