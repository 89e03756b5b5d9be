"""Bad input of every format: each is a MeshError that names file, place and card."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from forked_reading import forked  # noqa: F401
from small_decks import ABAQUS, ANSYS, GMSH, GMSH4, MEDIT, NASTRAN, SHELL, UNV, UNV_ELEMENT, UNV_NODES, VTK, VTU, WHOLE

import flexmbs as fm
from flexmbs import MeshError, check_mesh

pytestmark = pytest.mark.usefixtures("forked")
DATA = Path(__file__).parents[2] / "data" / "mesh"

# What each message has to hold: file and line (or the place in a binary or XML file), the card, what to do.
# (what, file, content, words)
CASES = [
    # cut off
    ("truncated", "bad.inp", ABAQUS[: ABAQUS.index(", 3, 4\n*SOLID")], ["bad.inp:7", "ELEMENT"]),
    ("truncated", "bad.bdf", NASTRAN[: NASTRAN.index(",2,3,4\nPSOLID")], ["bad.bdf:7", "CTETRA"]),
    ("truncated", "bad.bdf", NASTRAN[: NASTRAN.index("BEGIN BULK")], ["bad.bdf:1", "BEGIN BULK"]),
    ("truncated", "bad.cdb", ANSYS[: ANSYS.index("N,R5.3")], ["bad.cdb:8", "NBLOCK"]),
    ("truncated", "bad.msh", GMSH[: GMSH.index("$EndElements")], ["bad.msh:11", "$Elements", "line 13"]),
    ("truncated", "four.msh", GMSH4[: GMSH4.index("1 1 2 3 4")], ["four.msh:", "$Elements"]),
    ("truncated", "bad.unv", UNV[: UNV.rindex("    -1")], ["bad.unv:15", "2412"]),
    ("truncated", "bad.vtk", VTK[: VTK.index("CELL_TYPES")], ["bad.vtk:", "declares 1 cells with 5 numbers, but has 0"]),
    ("truncated", "bad.vtu", VTU[: VTU.index('<DataArray type="UInt8"')], ["bad.vtu:"]),
    ("truncated", "bad.mesh", MEDIT[: MEDIT.index("0 0 1 0")], ["bad.mesh:", "Vertices"]),
    # what is no mesh at all
    *[("garbage", name, bytes(range(256)) * 8, [name, "binary|starts|expected|damaged"]) for name in WHOLE],
    *[("garbage", name, bytes(range(256)) * 8, [name, "binary|starts|expected|damaged"]) for name in ("bad.med", "bad.e")],
    *[("empty", name, b"", [f"{name}:1", "empty"]) for name in (*WHOLE, "bad.med", "bad.e")],
    *[("blank", name, b" \n\n\t\n", [f"{name}:1", "empty"]) for name in (*WHOLE, "bad.med", "bad.e")],
    ("wrong extension", "bad.inp", GMSH, ["bad.inp", "Gmsh", ".msh"]),
    ("wrong extension", "bad.bdf", ABAQUS, ["bad.bdf", "Abaqus", ".inp"]),
    ("wrong extension", "bad.cdb", UNV, ["bad.cdb", "UNV", ".unv"]),
    ("wrong extension", "bad.msh", VTK, ["bad.msh", "VTK", ".vtk"]),
    ("wrong extension", "bad.unv", GMSH, ["bad.unv", "Gmsh", ".msh"]),
    ("wrong extension", "bad.med", GMSH, ["bad.med", "Gmsh", ".msh"]),
    ("wrong extension", "bad.e", NASTRAN, ["bad.e", "Nastran", ".bdf"]),
    ("wrong extension", "bad.vtk", VTU, ["bad.vtk", "VTU", ".vtu"]),
    ("wrong extension", "bad.xyz", ABAQUS, ["bad.xyz", "unknown"]),
    # numbers twice
    (
        "element twice",
        "bad.inp",
        ABAQUS.replace("1, 1, 2, 3, 4\n", "1, 1, 2, 3, 4\n1, 2, 1, 4, 3\n"),
        ["bad.inp:8", "element 1", "7"],
    ),
    ("element twice", "bad.bdf", NASTRAN.replace("PSOLID", "CTETRA,1,1,2,1,4,3\nPSOLID"), ["bad.bdf:8", "element 1", "7"]),
    (
        "element twice",
        "bad.cdb",
        re.sub(r"(?m)^( +1 +1 +1 +1 +0.*\n)", r"\1\1", ANSYS).replace("SOLID,1,1", "SOLID,2,2"),
        ["bad.cdb:13", "element 1", "12"],
    ),
    (
        "element twice",
        "bad.msh",
        GMSH.replace("$Elements\n1\n", "$Elements\n2\n1 4 2 1 1 1 2 3 5\n")
        .replace("$Nodes\n4", "$Nodes\n5")
        .replace("$EndNodes", "5 0 0 2\n$EndNodes"),
        ["bad.msh:15", "element 1", "14"],
    ),
    (
        "element twice",
        "bad.unv",
        UNV.replace("    -1\n  2412\n", "    -1\n  2412\n" + UNV_ELEMENT).replace(
            "2         3         4\n    -1", "2         4         3\n    -1"
        ),
        ["bad.unv:16", "element 1", "14"],
    ),
    ("node twice", "bad.inp", ABAQUS.replace("4, 0., 0., 1.\n", "4, 0., 0., 1.\n4, 0., 0., 2.\n"), ["bad.inp:6", "node 4", "5"]),
    ("node twice", "bad.bdf", NASTRAN.replace("CTETRA", "GRID,4,,0.,0.,2.\nCTETRA"), ["bad.bdf:7", "GRID", "6"]),
    (
        "node twice",
        "bad.msh",
        GMSH.replace("$Nodes\n4", "$Nodes\n5").replace("$EndNodes", "4 0 0 2\n$EndNodes"),
        ["bad.msh:10", "node 4", "9"],
    ),
    (
        "node twice",
        "bad.unv",
        UNV.replace("         4         1         1        11\n", "         3         1         1        11\n"),
        ["bad.unv:9", "node 3", "7"],
    ),
    # nodes that do not exist
    ("missing node", "bad.inp", ABAQUS.replace("1, 1, 2, 3, 4", "1, 1, 2, 3, 9"), ["bad.inp:7", "node 9", "NODE"]),
    ("missing node", "bad.bdf", NASTRAN.replace("1,1,1,2,3,4", "1,1,1,2,3,9"), ["bad.bdf:7", "CTETRA", "9", "GRID"]),
    (
        "missing node",
        "bad.cdb",
        ANSYS.replace("        4        4        4        4\n", "        9        9        9        9\n"),
        ["bad.cdb:12", "node 9", "N"],
    ),
    ("missing node", "bad.msh", GMSH.replace("1 1 2 3 4", "1 1 2 3 9"), ["bad.msh:13", "node 9", "$Nodes"]),
    ("missing node", "four.msh", GMSH4.replace("1 1 2 3 4", "1 1 2 3 9"), ["four.msh:23", "node 9", "$Nodes"]),
    (
        "missing node",
        "bad.unv",
        UNV.replace("2         3         4\n    -1", "2         3         9\n    -1"),
        ["bad.unv:1", "node 9"],
    ),
    ("missing node", "bad.vtk", VTK.replace("4 0 1 2 3", "4 0 1 2 9"), ["bad.vtk:", "cell 0 uses point 9"]),
    ("missing node", "bad.vtu", VTU.replace(">0 1 2 3<", ">0 1 2 9<"), ["bad.vtu", "9"]),
    ("missing node", "bad.mesh", MEDIT.replace("1 2 3 4 1", "1 2 3 9 1"), ["bad.mesh:", "9"]),
    # materials and sections
    ("missing material", "bad.inp", ABAQUS[: ABAQUS.index("*MATERIAL")], ["bad.inp:8", "SOLID SECTION", "STEEL", "add *MATERIAL"]),
    ("missing material", "bad.bdf", NASTRAN.replace("MAT1,1,", "MAT1,2,"), ["bad.bdf:8", "PSOLID", "add a MAT1"]),
    (
        "missing set",
        "bad.inp",
        ABAQUS.replace("SECTION, ELSET=BODY", "SECTION, ELSET=BODI"),
        ["bad.inp:8", "SOLID SECTION", "BODI", "BODY"],
    ),
    (
        "zero thickness",
        "bad.inp",
        ABAQUS.replace("C3D4", "S3")
        .replace("2, 3, 4\n", "2, 3\n")
        .replace("*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n", "*SHELL SECTION, ELSET=BODY, MATERIAL=STEEL\n0.,5\n"),
        ["bad.inp:9", "SHELL SECTION", "thickness"],
    ),
    ("zero thickness", "bad.bdf", SHELL.replace("PSOLID,1,1", "PSHELL,1,1,0.,1"), ["bad.bdf:8", "PSHELL", "thickness|T"]),
    ("no thickness", "bad.bdf", SHELL.replace("PSOLID,1,1", "PSHELL,1,1,,1"), ["bad.bdf:", "PSHELL|CTRIA3", "thickness|T"]),
    ("negative thickness", "bad.bdf", SHELL.replace("PSOLID,1,1", "PSHELL,1,1,-.1,1"), ["bad.bdf:8", "PSHELL", "thickness|T"]),
    (
        "zero thickness",
        "bad.dat",
        "/PREP7\nET,1,181\nN,1\nN,2,1\nN,3,0,1\nMP,EX,1,1e9\nMP,PRXY,1,.3\nSECTYPE,1,SHELL\nSECDATA,0.0,1\nSECNUM,1\nE,1,2,3,3\n",
        ["bad.dat:9", "SECDATA", "thickness"],
    ),
    (
        "zero area",
        "bad.bdf",
        NASTRAN.replace("CTETRA,1,1,1,2,3,4", "CROD,1,1,1,2").replace("PSOLID,1,1", "PROD,1,1,0."),
        ["bad.bdf:8", "PROD", "area"],
    ),
    (
        "zero beam side",
        "bad.inp",
        ABAQUS.replace("C3D4", "B31")
        .replace("1, 1, 2, 3, 4", "1, 1, 2")
        .replace(
            "*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n", "*BEAM SECTION, ELSET=BODY, MATERIAL=STEEL, SECTION=RECT\n0., 1.\n"
        ),
        ["bad.inp:", "BEAM SECTION"],
    ),
    ("no modulus", "bad.inp", ABAQUS.replace("210e9, 0.3\n", ""), ["bad.inp:10", "ELASTIC"]),
    ("bad Poisson", "bad.inp", ABAQUS.replace("0.3", "0.6"), ["bad.inp:1", "0.6"]),
    # sets
    ("set of nothing", "bad.inp", ABAQUS + "*NSET, NSET=HOLE\n", ["bad.inp:14", "NSET", "HOLE"]),
    ("set of what is not there", "bad.inp", ABAQUS + "*NSET, NSET=HOLE\n77, 78\n", ["bad.inp:1", "NSET", "HOLE"]),
    ("set of an unknown set", "bad.inp", ABAQUS + "*NSET, NSET=HOLE\nBORE\n", ["bad.inp:1", "NSET", "BORE"]),
    ("set of itself", "bad.inp", ABAQUS + "*NSET, NSET=A\nB\n*NSET, NSET=B\nA\n", ["bad.inp:16", "NSET B", "itself"]),
    (
        "set of nothing",
        "bad.cdb",
        ANSYS.replace("FINISH", "CMBLOCK,HOLE,NODE,0\n(8i10)\nFINISH"),
        ["bad.cdb:17", "CMBLOCK", "HOLE"],
    ),
    (
        "set of what is not there",
        "bad.cdb",
        ANSYS.replace("FINISH", "CMBLOCK,HOLE,NODE,1\n(8i10)\n        77\nFINISH"),
        ["bad.cdb:1", "CMBLOCK", "HOLE"],
    ),
    # includes
    ("missing include", "bad.inp", ABAQUS + "*INCLUDE, INPUT=none.inp\n", ["bad.inp:14", "INCLUDE", "none.inp"]),
    ("missing include", "bad.bdf", NASTRAN.replace("PSOLID", "INCLUDE 'none.bdf'\nPSOLID"), ["bad.bdf:8", "INCLUDE", "none.bdf"]),
    ("missing include", "bad.dat", "/PREP7\n/INPUT,none,inp\n", ["bad.dat:"]),
    (
        "cyclic include",
        "bad.inp",
        ABAQUS + "*INCLUDE, INPUT=bad.inp\n",
        ["bad.inp:14", "INCLUDE", "itself|already|cycl|circle|round"],
    ),
    (
        "cyclic include",
        "bad.bdf",
        NASTRAN.replace("PSOLID", "INCLUDE 'bad.bdf'\nPSOLID"),
        ["bad.bdf:8", "INCLUDE", "itself|already|cycl|circle|round"],
    ),
    (
        "cyclic include",
        "bad.dat",
        ANSYS.replace("FINISH", "/INPUT,bad,dat\nFINISH"),
        ["bad.dat:17", "/INPUT", "itself|already|cycl|circle|round"],
    ),
    ("escaping include", "bad.inp", ABAQUS + "*INCLUDE, INPUT=../secret.inp\n", ["bad.inp:14", "INCLUDE", "allow"]),
    ("escaping include", "bad.inp", ABAQUS + "*INCLUDE, INPUT=/etc/hosts\n", ["bad.inp:14", "INCLUDE", "allow"]),
    (
        "escaping include",
        "bad.bdf",
        NASTRAN.replace("PSOLID", "INCLUDE '../secret.bdf'\nPSOLID"),
        ["bad.bdf:8", "INCLUDE", "allow"],
    ),
    ("escaping include", "bad.dat", ANSYS.replace("FINISH", "/INPUT,../secret,inp\nFINISH"), ["bad.dat:17", "/INPUT", "allow"]),
    # sizes that the file cannot hold
    ("gigabytes", "bad.msh", GMSH.replace("$Nodes\n4", "$Nodes\n4000000000"), ["bad.msh:6", "$Nodes", "4000000000"]),
    ("gigabytes", "bad.msh", GMSH.replace("$Elements\n1\n", "$Elements\n4000000000\n"), ["bad.msh:13", "$Elements", "4000000000"]),
    (
        "gigabytes",
        "four.msh",
        GMSH4.replace("1 4 1 4\n", "1 4000000000 1 4\n").replace("3 1 0 4\n", "3 1 0 4000000000\n"),
        ["four.msh:", "$Nodes", "4000000000"],
    ),
    ("gigabytes", "bad.vtk", VTK.replace("POINTS 4", "POINTS 4000000000"), ["bad.vtk:", "allocate 12000000003 elements"]),
    ("gigabytes", "bad.vtk", VTK.replace("CELLS 1 5", "CELLS 4000000000 5"), ["bad.vtk:", "cannot read"]),
    ("gigabytes", "bad.vtu", VTU.replace('Points="4"', 'Points="4000000000"'), ["bad.vtu:", "more memory or time"]),
    ("gigabytes", "bad.mesh", MEDIT.replace("Vertices\n4", "Vertices\n4000000000"), ["bad.mesh:", "4000000000"]),
    (
        "gigabytes",
        "bad.cdb",
        ANSYS.replace("NBLOCK,6,SOLID,4,4", "NBLOCK,6,SOLID,4000000000,4000000000").replace("N,R5.3,LOC,       -1,\n", ""),
        ["bad.cdb:", "NBLOCK"],
    ),
    ("gigabytes", "bad.inp", ABAQUS + "*NGEN\n1, 1000000000, 1\n", ["bad.inp:1", "NGEN"]),
    ("gigabytes", "bad.unv", UNV.replace("         7         4\n", "         74000000000\n"), ["bad.unv:1"]),
    # no body in three dimensions
    ("2D", "bad.inp", ABAQUS.replace("C3D4", "CPS3").replace("2, 3, 4\n", "2, 3\n"), ["bad.inp:", "CPS3", "plane"]),
    ("fluid", "bad.inp", ABAQUS.replace("C3D4", "AC3D4"), ["bad.inp:", "AC3D4", "fluid|acoustic"]),
    ("thermal", "bad.inp", ABAQUS.replace("C3D4", "DC3D4"), ["bad.inp:", "DC3D4", "thermal"]),
    (
        "2D",
        "bad.dat",
        "/PREP7\nET,1,182\nN,1\nN,2,1\nN,3,0,1\nMP,EX,1,1e9\nMP,PRXY,1,.3\nE,1,2,3,3\n",
        ["bad.dat:", "182", "plane"],
    ),
    ("fluid", "bad.cdb", ANSYS.replace("ET,1,185", "ET,1,30"), ["bad.cdb:", "30", "fluid"]),
    ("2D", "bad.bdf", SHELL.replace("CTRIA3,1,1,1,2,3", "CTRAX3,1,1,1,2,3"), ["bad.bdf:", "CTRAX3"]),
    ("no elements", "bad.bdf", "BEGIN BULK\nGRID,1\nENDDATA\n", ["bad.bdf:", "element"]),
    ("no elements", "bad.inp", "*NODE\n1, 0., 0.\n", ["bad.inp:", "ELEMENT"]),
    ("no elements", "bad.unv", UNV_NODES, ["bad.unv:", "element"]),
    # units
    ("mixed units", "bad.inp", ABAQUS.replace("210e9", "210e3"), ["bad.inp:9", "STEEL", "mm-t-s", "units="]),
    ("mixed units", "bad.bdf", NASTRAN.replace("2.1+11", "2.1+5"), ["bad.bdf:9", "MAT1", "mm-t-s", "units="]),
    ("mixed units", "bad.cdb", ANSYS.replace("2.1E11", "2.1E05"), ["bad.cdb:1", "MAT 1", "mm-t-s", "units="]),
]


def read(folder: Path, name: str, content: str | bytes, **options) -> fm.Mesh:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return fm.read_mesh(path, **options)


@pytest.mark.parametrize("name", WHOLE)
def test_undamaged(tmp_path, name):
    mesh = read(tmp_path, name, WHOLE[name])
    assert sum(len(block.ids) for block in mesh.blocks) == 1


@pytest.mark.parametrize(("name", "content", "words"), [case[1:] for case in CASES], ids=[" ".join(c[:2]) for c in CASES])
def test_bad_text(tmp_path, name, content, words):
    (tmp_path / "secret.inp").write_text(ABAQUS)
    (tmp_path / "secret.bdf").write_text("GRID,77\n")
    folder = tmp_path / "deck"
    folder.mkdir()
    with pytest.raises(MeshError) as caught:
        read(folder, name, content)
    for word in words:
        assert re.search("|".join(map(re.escape, word.split("|"))), str(caught.value)), word


# Read, with a warning, because other parts of the mesh may be of use; refused when a body is made of it.
UNUSABLE = [
    ("bad.inp", ABAQUS[: ABAQUS.index("*DENSITY")], ["bad.inp:9", "add *DENSITY"]),
    ("bad.bdf", NASTRAN.replace(",7850.", ""), ["bad.bdf:9", "RHO"]),
    ("bad.cdb", ANSYS.replace("MP,DENS,1,7850.\n", ""), ["bad.cdb:14", "MP,DENS"]),
    ("bad.cdb", re.sub("MP,.*\n", "", ANSYS), ["bad.cdb", "element 1", "MP,EX"]),
    ("bad.inp", ABAQUS.replace("*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n", ""), ["bad.inp:7", "SOLID SECTION"]),
    ("bad.inp", ABAQUS.replace("*ELASTIC\n210e9, 0.3\n", ""), ["bad.inp:9", "add *ELASTIC"]),
    ("bad.bdf", NASTRAN.replace("PSOLID,1", "PSOLID,2"), ["bad.bdf:7", "CTETRA", "PSOLID"]),
    ("bad.bdf", NASTRAN.replace(",.3,", ",.6,"), ["bad.bdf:9", "MAT1", "0.6"]),
]


@pytest.mark.parametrize(("name", "content", "words"), UNUSABLE)
def test_what_a_body_needs(tmp_path, name, content, words):
    mesh = read(tmp_path, name, content)
    with pytest.raises(MeshError) as caught:
        check_mesh(mesh)
    assert all(word in " ".join((*mesh.warnings, str(caught.value))) for word in words), caught.value


def test_a_range_of_a_billion_takes_no_memory(tmp_path):
    set_of_all = "CMBLOCK,ALL,NODE,2\n(8i10)\n         1-999999999\nFINISH"
    mesh = read(tmp_path, "range.cdb", ANSYS.replace("FINISH", set_of_all))
    assert len(mesh.node_sets["ALL"]) == 4
    mesh = read(tmp_path, "range.inp", ABAQUS + "*NSET, NSET=ALL, GENERATE\n1, 1000000000, 1\n")
    assert len(mesh.node_sets["ALL"]) == 4
    mesh = read(tmp_path, "range.bdf", NASTRAN.replace("ENDDATA", "SPC1,1,123,1,THRU,99999999\nENDDATA"))
    assert len(mesh.boundary_conditions[0].nodes) == 4


@pytest.mark.parametrize(
    "name",
    [
        "gmsh/bar_22_binary.msh",
        "gmsh/bar_41_binary.msh",
        "med/bar.med",
        "exodus/bar.e",
        "exodus/bar_netcdf4.e",
        "vtk/bar_binary.vtk",
        "vtk/bar_appended.vtu",
    ],
)
def test_binary_cut_anywhere(tmp_path, name):
    data = (DATA / name).read_bytes()
    file = Path(name).name
    for cut in range(1, len(data) - 40, max(1, len(data) // 60)):
        with pytest.raises(MeshError, match=re.escape(file)):
            read(tmp_path, file, data[:cut])


def test_sizes_in_binary_headers(tmp_path):
    data = (DATA / "gmsh/bar_22_binary.msh").read_bytes()
    with pytest.raises(MeshError, match=r"bar\.msh.*\$Nodes"):
        read(tmp_path, "bar.msh", re.sub(rb"\$Nodes\n\d+", b"$Nodes\n4000000000", data))
    data = (DATA / "vtk/bar_binary.vtk").read_bytes()
    with pytest.raises(MeshError, match=r"bar\.vtk.*allocate 12000000003 elements"):
        read(tmp_path, "bar.vtk", re.sub(rb"POINTS \d+", b"POINTS 4000000000", data))
    data = (DATA / "exodus/bar.e").read_bytes()
    at = data.index(b"num_nodes") + 12
    with pytest.raises(MeshError, match=r"bar\.e"):
        read(tmp_path, "bar.e", data[:at] + b"\x7f\xff\xff\xff" + data[at + 4 :])
