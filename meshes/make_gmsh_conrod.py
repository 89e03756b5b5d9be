"""Writes gmsh_conrod.msh beside this file with Gmsh 4.15: ``python meshes/make_gmsh_conrod.py``.

A connecting rod for the tutorial, as it comes from a CAD program: millimetres, no material, 10-node tetrahedra,
physical groups "big end" and "small end" (the bores) and "rod" (the volume). The mesh is uneven on purpose: finer on
the side of each bore that faces the shank.
"""

from pathlib import Path

import gmsh

BIG, SMALL = (0.0, 0.0), (150.0, 0.0)  # centres of the bores, mm; their axes are along z
BORES, EYES = (24.0, 11.0), (33.0, 17.0)  # radii
THICKNESS, SHANK, WEB = 22.0, 24.0, 8.0  # of the eyes; height of the shank; thickness of its web between the pockets
COARSE, FINE = 7.5, 3.0  # sizes of elements


def solid() -> int:
    """Two eyes and a shank with a pocket on either side; returns the number of the volume."""
    occ = gmsh.model.occ
    low = -0.5 * THICKNESS
    eyes = [occ.addCylinder(x, y, low, 0, 0, THICKNESS, r) for (x, y), r in zip((BIG, SMALL), EYES, strict=True)]
    shank = occ.addBox(BIG[0], -0.5 * SHANK, low, SMALL[0] - BIG[0], SHANK, THICKNESS)
    joined, _ = occ.fuse([(3, eyes[0])], [(3, eyes[1]), (3, shank)])
    depth, start = 0.5 * (THICKNESS - WEB), BIG[0] + EYES[0] + 6.0
    length = SMALL[0] - EYES[1] - 6.0 - start
    cut = [occ.addBox(start, -7.0, z, length, 14.0, depth) for z in (low, -low - depth)]
    cut += [occ.addCylinder(x, y, low, 0, 0, THICKNESS, r) for (x, y), r in zip((BIG, SMALL), BORES, strict=True)]
    whole, _ = occ.cut(joined, [(3, tag) for tag in cut])
    occ.synchronize()
    return whole[0][1]


def bore(center: tuple[float, float], radius: float) -> list[int]:
    """Numbers of the faces of a bore."""
    (x, y), r, half = center, radius + 1e-3, 0.5 * THICKNESS + 1e-3
    found = gmsh.model.getEntitiesInBoundingBox(x - r, y - r, -half, x + r, y + r, half, dim=2)
    return [tag for _, tag in found]


def sizes() -> None:
    """Fine where x is between the bores and near one of them."""
    field = gmsh.model.mesh.field
    near = " + ".join(
        f"exp(-((x - {x + side * r})^2 + (y - 6)^2) / {(0.9 * r) ** 2})"
        for (x, _), r, side in zip((BIG, SMALL), BORES, (1.0, -1.0), strict=True)
    )
    number = field.add("MathEval")
    field.setString(number, "F", f"{COARSE} - {COARSE - FINE} * ({near})")
    field.setAsBackgroundMesh(number)
    for name in ("MeshSizeFromPoints", "MeshSizeFromCurvature", "MeshSizeExtendFromBoundary"):
        gmsh.option.setNumber(f"Mesh.{name}", 0)


def write(path: Path) -> None:
    """The mesh, to a text file of version 4.1."""
    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Verbosity", 2)
        gmsh.option.setNumber("General.NumThreads", 1)
        gmsh.model.add("conrod")
        volume = solid()
        gmsh.model.addPhysicalGroup(2, bore(BIG, BORES[0]), name="big end")
        gmsh.model.addPhysicalGroup(2, bore(SMALL, BORES[1]), name="small end")
        gmsh.model.addPhysicalGroup(3, [volume], name="rod")
        sizes()
        gmsh.model.mesh.generate(3)
        gmsh.model.mesh.setOrder(2)
        gmsh.option.setNumber("Mesh.HighOrderOptimize", 1)
        gmsh.model.mesh.optimize("HighOrder")
        gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
        gmsh.option.setNumber("Mesh.Binary", 0)
        gmsh.write(str(path))
    finally:
        gmsh.finalize()


if __name__ == "__main__":
    write(Path(__file__).parent / "gmsh_conrod.msh")
