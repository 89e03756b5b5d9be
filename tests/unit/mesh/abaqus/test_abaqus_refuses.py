"""Bad files: every one is a MeshError that names file, line and card."""

import time

import pytest

from flexmbs import MeshError

TET = """\
*NODE, NSET=CORNERS
1, 0., 0., 0.
2, 1., 0., 0.
3, 0., 1., 0.
4, 0., 0., 1.
*ELEMENT, TYPE=C3D4, ELSET=BODY
7, 1, 2, 3, 4
*MATERIAL, NAME=STEEL
*ELASTIC
210e9, 0.3
*DENSITY
7850.
*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2, 1., 0., 0.", "2, 1., oops, 0.", r":3: \*NODE: a node: .* must be a finite number, got 'oops'"),
        ("2, 1., 0., 0.", "2, 1., inf, 0.", r":3: \*NODE: node 2 has the coordinates \[1.0, inf, 0.0\]"),
        ("2, 1., 0., 0.", "2, 1. 0., 0.", r":3: \*NODE: .* got '1. 0.'"),
        ("2, 1., 0., 0.", "2, 1., 0., 0., 1, 1, 1, 1", r":3: \*NODE: a node must be 'number, x, y, z', got 8 entries"),
        ("2, 1., 0., 0.", "2.5, 1., 0., 0.", r":3: \*NODE: node number 2.5 must be a positive whole number"),
        ("4, 0., 0., 1.", "1, 0., 0., 1.", r":5: \*NODE: node 1 is defined twice with different coordinates \(first .*:2\)"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3, 99", r":7: element 7 \(C3D4\) uses node 99, which no \*NODE defines"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3", r":7: \*ELEMENT: element 7 of type C3D4 needs its number and 4 nodes, got 4"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3, 4, 5", r":7: \*ELEMENT: element 7 of type C3D4 needs .* got 6 numbers"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3, 4\n7, 1, 2, 3, 4", r":8: C3D4: element 7 is defined twice \(first in .*:7\)"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 2, 2", r":7: \*ELEMENT: the file has no .* 1 C3D4 \(collapsed\)"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3, 4.5", r":7: \*ELEMENT: element and node numbers must be a whole number"),
        ("TYPE=C3D4, ", "", r":6: \*ELEMENT needs the parameter TYPE=name"),
        ("MATERIAL=STEEL", "MATERIAL=STEAL", r":13: \*SOLID SECTION names the material STEAL.* add \*MATERIAL, NAME="),
        ("ELSET=BODY, MAT", "ELSET=BODDY, MAT", r":13: .*BODDY, which is not defined. Did you mean BODY\?"),
        ("*NODE, NSET=CORNERS", "*NODE, SYSTEM=S", r":1: \*NODE with SYSTEM=S is not supported"),
        ("*MATERIAL, NAME=STEEL\n", "", r":8: \*ELASTIC must follow a \*MATERIAL"),
        ("*DENSITY", "*NSET, NSET=A\n55, 56\n*DENSITY", r":11: \*NSET A is empty: none of its 2 members exists"),
        ("*DENSITY", "*NSET, NSET=A\n*DENSITY", r":11: \*NSET A is empty: it has no members"),
        ("*DENSITY", "*NSET, NSET=A\nB\n*DENSITY", r":12: \*NSET A names the node set B, which is not defined"),
        ("*DENSITY", "*NSET, NSET=A\nA\n*DENSITY", r":11: \*NSET A contains itself"),
        ("*DENSITY", "*ELSET, ELSET=A, GENERATE\n1, 5, 0\n*DENSITY", r":12: \*ELSET: a GENERATE line must be"),
        ("*DENSITY", "*SURFACE, NAME=S\nBODY, S5\n*DENSITY", r":12: \*SURFACE: element type C3D4 has no face S5"),
        ("*DENSITY", "*NMAP\n*DENSITY", r":11: \*NMAP is not supported"),
    ],
)
def test_wrong_content_names_the_line(read, old, new, message):
    assert TET.count(old) == 1
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(TET.replace(old, new))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r":1: the file is empty"),
        (b"\n \n", r":1: the file is empty"),
        (b"ID NASTRAN\nSOL 101\nCEND\n", r":1: not an Abaqus/CalculiX file: its first line is 'ID NASTRAN'"),
        (b"** only comments\n", r":1: not an Abaqus/CalculiX file: it has comments only"),
        (bytes(range(256)) * 9, r":1: not a text file: it has the bytes"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 50 + b"\1", r":1: not a text file|:3: not a text file"),
        (b"*NODE\n1, 0, 0\0, 0\n", r":2: not a text file"),
        (b"*HEADING\n*STEP\n*END STEP\n", r":1: the file has no \*NODE"),
        (b"*NODE\n1, 0, 0, 0\n", r":1: the file has no \*ELEMENT"),
    ],
)
def test_content_of_another_kind(read, content, message):
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(content)


def test_files_that_are_cut_off(read):
    with pytest.raises(MeshError, match=r":4: \*NODE: a node must be .* got 2 entries. The file ends there: it is cut off"):
        read(TET[: TET.index("3, 0., 1.") + 4])
    with pytest.raises(MeshError, match=r":7: \*ELEMENT: element 7 .* the data ends before it is complete"):
        read(TET[: TET.index("7, 1, 2, 3") + 7])
    mesh = read(TET + "*STEP\n*STATIC\n")
    assert any("*STEP has no *END STEP" in text for text in mesh.warnings)


@pytest.mark.parametrize(
    ("type_name", "nodes", "message"),
    [
        ("CPS4", "1, 2, 3, 4", r"1 CPS4 \(plane\)"),
        ("CAX3", "1, 2, 3", r"1 CAX3 \(axisymmetric\)"),
        ("F3D4", "1, 2, 3, 4", r"1 F3D4 \(fluid\)"),
        ("DC3D4", "1, 2, 3, 4", r"1 DC3D4 \(thermal\)"),
        ("D", "0, 2, 3", r"1 D \(fluid\)"),
    ],
)
def test_meshes_that_are_no_body(read, type_name, nodes, message):
    text = TET[: TET.index("*ELEMENT")] + f"*ELEMENT, TYPE={type_name}\n1, {nodes}\n"
    with pytest.raises(
        MeshError, match=r"mesh\.inp:7: \*ELEMENT: the file has no three-dimensional structural elements .*" + message
    ):
        read(text)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("*NODE\n1000000000, 1, 1, 1\n*NGEN\n1, 1000000000\n", r":17: \*NGEN: the cards of this file generate more than"),
        ("*ELGEN\n7, 1000000, 1, 1, 1000, 1, 1\n", r":15: \*ELGEN: the cards of this file generate more than"),
        ("*NCOPY, OLD SET=CORNERS, CHANGE NUMBER=9, MULTIPLE=900000000, SHIFT\n1, 0, 0\n", r":14: \*NCOPY: the cards"),
        ("*NFILL\n1, 2, 900000000, 1\n", r":15: \*NFILL: the cards of this file"),
        ("*NSET, NSET=A, GENERATE\n5, 1000000000, 1\n", r":14: \*NSET A is empty: none of its 999999996 members"),
        ("*NSET, NSET=A\n99999999999999999999999\n", r":14: \*NSET A|:15: \*NSET"),
    ],
)
def test_huge_counts_are_refused_at_once(read, cards, message):
    start = time.perf_counter()
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(TET + cards)
    assert time.perf_counter() - start < 1.0  # nothing is allocated or counted through; takes 10 ms


def test_few_lines_do_not_make_millions(read, monkeypatch):
    monkeypatch.setattr("flexmbs.mesh.readers.abaqus.placed_instances._MOST_PLACED_NODES", 10)
    part = "*PART, NAME=P\n" + TET[: TET.index("*MATERIAL")] + "*END PART\n*ASSEMBLY\n"
    placed = "".join(f"*INSTANCE, NAME=I{i}, PART=P\n*END INSTANCE\n" for i in range(3))
    with pytest.raises(MeshError, match=r"mesh\.inp:15: \*INSTANCE I2: the instances have more than 10 nodes"):
        read(part + placed + "*END ASSEMBLY\n")
    monkeypatch.setattr("flexmbs.mesh.readers.abaqus.sets_and_surfaces._MOST_OVERLAP", 0.01)
    sets = "".join(f"*NSET, NSET=S{i}, GENERATE\n1, 1000000, 1\n" for i in range(3))
    with pytest.raises(MeshError, match=r"mesh\.inp:18: \*NSET S2: the node sets of the file have 12"):
        read(TET.replace(", NSET=CORNERS", "") + sets)


def test_sets_nested_deeply_are_refused_not_crashed_upon(read):
    sets = "".join(f"*NSET, NSET=S{i}\nS{i + 1}\n" for i in range(3000)) + "*NSET, NSET=S3000\n1\n"
    with pytest.raises(MeshError, match=r"mesh\.inp:\d+: \*NSET S\d+ contains itself, or is nested too deep"):
        read(TET + sets)
