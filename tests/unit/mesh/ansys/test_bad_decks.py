"""Damaged and unsuitable decks: a MeshError that names file, line and command."""

from pathlib import Path

import pytest

from flexmbs import MeshError
from flexmbs.mesh.readers.ansys.read_ansys import read_ansys

DATA = Path(__file__).parents[3] / "data" / "mesh" / "ansys"
BRICK, FRAME = (DATA / "brick.cdb").read_text(), (DATA / "frame.dat").read_text()
LINES = BRICK.splitlines()


def line_of(start):
    return next(number for number, line in enumerate(LINES, 1) if line.startswith(start))


NBLOCK, FIRST_ELEMENT, COMPONENT = line_of("NBLOCK"), line_of("        1        1        1"), line_of("CMBLOCK,LEFT")


def refused(folder, text, line, *words, name="bad.cdb", **options):
    deck = folder / name
    deck.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MeshError) as caught:
        read_ansys(deck, **options)
    message = str(caught.value)
    assert f"{name}:{line}" in message, message
    for word in words:
        assert word in message, message


@pytest.mark.parametrize(
    ("last", "line", "card"),
    [
        (NBLOCK, NBLOCK + 1, "NBLOCK"),
        (NBLOCK + 5, NBLOCK + 5, "NBLOCK"),
        (FIRST_ELEMENT, FIRST_ELEMENT, "EBLOCK"),
        (COMPONENT + 1, COMPONENT + 1, "CMBLOCK"),
    ],
)
def test_truncated(tmp_path, last, line, card):
    refused(tmp_path, "\n".join(LINES[:last]), line, card)


def test_cut_within_an_element(tmp_path):
    text = (DATA / "quadratic.cdb").read_text()
    refused(tmp_path, text.replace("       9      10\n", ""), 24, "EBLOCK")


def test_fewer_nodes_and_elements_than_announced(tmp_path):
    refused(
        tmp_path,
        BRICK.replace("NBLOCK,6,SOLID,        11,        11", "NBLOCK,6,SOLID,11,1000000000"),
        FIRST_ELEMENT - 3,
        "NBLOCK",
        "11 nodes",
    )
    refused(tmp_path, BRICK.replace("        12,         3", "12,2000000000"), FIRST_ELEMENT + 3, "EBLOCK", "3 elements")


def test_gigabyte_counts_of_other_blocks(tmp_path):
    refused(tmp_path, BRICK.replace("CMBLOCK,LEFT    ,NODE,       4", "CMBLOCK,LEFT,NODE,4000000000"), COMPONENT + 3, "CMBLOCK")
    refused(tmp_path, BRICK.replace("RLBLOCK,       1", "RLBLOCK,900000000"), 21, "RLBLOCK")
    # a range over a billion numbers holds the elements that exist
    deck = tmp_path / "range.cdb"
    deck.write_text(BRICK.replace("        10       -11", "         1-999999999"))
    assert len(read_ansys(deck).element_sets["ALL_E"]) == 2


def test_binary_garbage_and_empty_files(tmp_path):
    refused(tmp_path, b"\x00\x01\x02garbage" * 50, 1, "binary", "CDWRITE")
    refused(tmp_path, bytes(range(1, 256)) * 3, 1)
    refused(tmp_path, "", 0, "NBLOCK")


def test_duplicate_elements_and_nodes(tmp_path):
    row = LINES[line_of("        1        1        1        1") - 1]
    refused(tmp_path, BRICK.replace(row, f"{row}\n{row}"), FIRST_ELEMENT + 1, "element 10 is defined twice", f":{FIRST_ELEMENT}")
    node = LINES[22 + 1]
    refused(tmp_path, BRICK.replace(node, node + "\n" + node.replace("2.0", "2.5")), 25, "defined twice with different coordinates")


def test_elements_on_missing_nodes(tmp_path):
    refused(tmp_path, BRICK.replace("        7        8\n", "        7       99\n", 1), FIRST_ELEMENT, "element 10", "node 99")


def test_elements_of_no_type(tmp_path):
    refused(tmp_path, BRICK.replace("ET,        1,185", "").replace("KEYOP,        1", "!"), FIRST_ELEMENT, "type 1", "ET")


@pytest.mark.parametrize("bad", ["MPDATA,R5.0, 1,EX  ,     1, 1,  0.0    ,", "MPDATA,R5.0, 1,EX  ,     1, 1, -5.0    ,"])
def test_moduli_must_be_positive(tmp_path, bad):
    line = line_of("MPDATA,R5.0, 1,EX")
    refused(tmp_path, BRICK.replace(LINES[line - 1], bad), line, "MP,EX", "positive")


def test_missing_material_and_density_are_told_with_the_command_to_add(tmp_path):
    deck = tmp_path / "no_material.cdb"
    deck.write_text("\n".join(line for line in LINES if not line.startswith("MP")))
    mesh = read_ansys(deck)
    assert mesh.blocks[0].material is None
    assert any(f"no_material.cdb:{FIRST_ELEMENT}" in warning and "MP,EX,1" in warning for warning in mesh.warnings)
    deck.write_text(BRICK.replace("DENS", "ALPX"))
    assert read_ansys(deck).materials["MAT 1"].density is None


@pytest.mark.parametrize("thickness", ["0", "-1", "0.0*3"])
def test_thickness_must_be_positive(tmp_path, thickness):
    refused(tmp_path, FRAME.replace("secdata,thick", f"secdata,{thickness}"), 11, "SECDATA", "thickness")


def test_area_must_be_positive(tmp_path):
    refused(tmp_path, FRAME.replace("r,3,half", "r,3,0"), 17, "R,3", "area")


def test_components_of_nothing(tmp_path):
    numbers = LINES[COMPONENT + 1]
    missing = BRICK.replace(numbers, "        71        74        75        78")
    refused(tmp_path, missing, COMPONENT, "CMBLOCK", "LEFT", "none of the 4 nodes")
    empty = BRICK.replace("CMBLOCK,LEFT    ,NODE,       4", "CMBLOCK,LEFT    ,NODE,       0").replace(f"{numbers}\n", "")
    refused(tmp_path, empty, COMPONENT, "CMBLOCK", "LEFT", "is empty")


def test_includes_cyclic_escaping_and_missing(tmp_path):
    refused(tmp_path, "/prep7\n/input,bad,cdb\n", 2, "cyclic")
    (tmp_path / "deck").mkdir()
    (tmp_path / "nodes.inp").write_text("n,1\n")
    refused(tmp_path / "deck", "/prep7\n/input,../nodes,inp\n", 2, "/INPUT", "outside")
    refused(tmp_path / "deck", "/prep7\n/input,../nodes,inp\n", 2, "EBLOCK", allow_outside=True)
    refused(tmp_path, "/prep7\n/input,nowhere,inp\n", 2, "/INPUT", "nowhere.inp")


@pytest.mark.parametrize(("routine", "role"), [("PLANE183", "plane"), ("FLUID220", "fluid"), ("SOLID70", "thermal")])
def test_meshes_of_no_body(tmp_path, routine, role):
    text = BRICK.replace("ET,        1,185", f"ET,1,{routine}")
    refused(tmp_path, text, FIRST_ELEMENT, routine, role)


def test_a_mesh_that_ansys_would_generate(tmp_path):
    refused(tmp_path, "/prep7\net,1,185\nblock,0,1,0,1,0,1\nvmesh,all\n", 4, "VMESH", "CDWRITE")
    refused(tmp_path, "/prep7\n*do,i,1,5\nn,i,i\n*enddo\n", 3, "N", "*DO")
    refused(tmp_path, "/prep7\n*get,x,node,,count\n*if,x,gt,1,then\nmp,ex,1,5\n*endif\n", 4, "MP", "*IF")


def test_numbers_outside_of_a_block(tmp_path):
    refused(tmp_path, BRICK.replace("EBLOCK,19", "!BLOCK,19").replace("(19i9)", ""), FIRST_ELEMENT, "EBLOCK")


def test_blocks_that_are_never_closed(tmp_path):
    refused(tmp_path, "/prep7\n*if,1,eq,2,then\nn,1\n", 2, "*IF", "*ENDIF")


def test_fields_that_hold_no_number(tmp_path):
    refused(tmp_path, BRICK.replace("2.0000000000000E+000 1.0", "2.0000000x00000E+000 1.0", 1), 25, "NBLOCK", "columns")
    refused(tmp_path, BRICK.replace("(3i9,6e21.13e3)", "(nonsense)"), 22, "NBLOCK", "format")


def test_nodes_of_an_element_without_its_attributes(tmp_path):
    refused(tmp_path, BRICK.replace("CMBLOCK,LEFT", "EN,R5.5,NODE,1,2\nCMBLOCK,LEFT", 1), COMPONENT, "EN", "ATTR first")
