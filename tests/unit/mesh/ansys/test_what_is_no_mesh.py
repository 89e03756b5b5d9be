"""What archives of CDWRITE and Workbench hold beside a mesh: it is skipped by name, and the mesh is read."""

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.omissions import omissions
from flexmbs.mesh.readers.ansys.read_ansys import read_ansys

CORNERS = [(x, y, z) for z in (0.0, 1.0) for x, y in ((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0))]
LINES = [f"{k:9d}{0:9d}{0:9d}" + "".join(f"{value:21.13E}" for value in point) for k, point in enumerate(CORNERS, 1)]
NODES = "\n".join(["NBLOCK,6,SOLID,8,8", "(3i9,6e21.13)", *LINES, ""])
END = "N,R5.3,LOC,       -1,\n"
BRICK = """EBLOCK,19,SOLID,1,1
(19i9)
        1        1        1        1        0        0        0        0        8        0        1        1        2        3        4        5        6        7        8
       -1
MP,EX,1,2.0E11
MP,NUXY,1,0.3
MP,DENS,1,7800.
"""  # noqa: E501
DECK = "/PREP7\nET,1,185\n" + NODES + END + BRICK


def read(folder, text):
    deck = folder / "deck.cdb"
    deck.write_text(text)
    return read_ansys(deck)


@pytest.mark.parametrize(
    ("more", "card"),
    [
        ("MP,UVID,1,0a1b2c3d-1111-2222-3333-444455556666\n", "MP,UVID"),
        ("MPTEMP,R5.0, 1, 1,  0.0,\nMPDATA,R5.0, 3,UMID,  1, 1,  892940000.,  1234567.,  42.\n", "MP,UMID"),
        ("SFE,       1,   1,PRES,1,R5.0\n  300.000000      300.000000      300.000000      300.000000\n", "SFE"),
        ("BFE,       1,TEMP,   1,R5.0\n  20.0000000      20.0000000\n", "BFE"),
        ("/AUX15\nKPATTR,  1,  1\n(8i9)\n        1        1        1        1\n        2        1\nFINISH\n", "KPATTR"),
        ("/AUX15\nLCATTR\n        1        1        0        0\nFINISH\n", "LCATTR"),
        ("/AUX15\nASATTR\n 1 1 0 0 1.5E-3\n 2 1 0 0 1.5E-3\nFINISH\n", "ASATTR"),
        ("CMBLOCK,CORNERS,KP  ,        3\n(8i10)\n         1         5        -7\n", "CMBLOCK"),
        ("CMBLOCK,EDGES,LINE,        2\n(8i10)\n         1        -9\n", "CMBLOCK"),
        ("CMBLOCK,SKIN,AREA,        1\n(8i10)\n         4\n", "CMBLOCK"),
    ],
)
def test_what_is_no_part_of_a_body_is_skipped_by_name(tmp_path, more, card):
    mesh = read(tmp_path, DECK + more)
    assert [skipped.card for skipped in mesh.skipped if skipped.card.startswith(card)] == [card]
    assert not mesh.warnings and not omissions(mesh)  # none of a property that depends on temperature
    assert mesh.blocks[0].material.youngs_modulus == 2e11


def test_failure_criteria_leave_the_linear_material_usable(tmp_path):
    mesh = read(tmp_path, DECK + "TB,FCLI,1,1,20,1\nTBDATA,1,8.0E8,-5.0E8,8.0E8,-5.0E8,5.0E7,-1.7E8\n")
    assert mesh.blocks[0].material.density == 7800.0 and not omissions(mesh)
    nonlinear = read(tmp_path, DECK + "TB,HYPE,1,1,2,MOON\nTBDATA,1,1.0E6,1.0E5\n").blocks[0].material
    assert "remove TB,HYPE,1" in nonlinear.reason and "add MP,EX" not in nonlinear.reason


def test_supports_of_a_block(tmp_path):
    block = "DBLOCK,         4\n(i9,a6,2(pg16.9))\n        1  UX    0.00000000      0.00000000\n"
    block += "        1  UY    0.00000000      0.00000000\n        4  UZ    0.00000000      0.00000000\n"
    block += "        4  TEMP  20.0000000      0.00000000\n       -1\nFINISH\n"
    mesh = read(tmp_path, DECK + block)
    held = {support.dofs: mesh.node_ids[support.nodes].tolist() for support in mesh.boundary_conditions}
    assert held == {(1, 2): [1], (3,): [4]}
    assert [skipped.card for skipped in mesh.skipped] == ["DBLOCK,,TEMP"]
    with pytest.raises(MeshError, match=r"DBLOCK: the block of line \d+ ends before the 9 supports"):
        read(tmp_path, DECK + block.replace("         4\n", "         9\n", 1))


@pytest.mark.parametrize("first", ["NBLOCK,6,SOLID,8,8", "NBLOCK,6,SOLID"])
def test_block_of_nodes_may_end_without_its_end_line(tmp_path, first):
    mesh = read(tmp_path, DECK.replace(END, "").replace("NBLOCK,6,SOLID,8,8", first))
    assert len(mesh.points) == 8
    with pytest.raises(MeshError, match="was found within the block"):
        read(tmp_path, DECK.replace(END, "").replace("NBLOCK,6,SOLID,8,8", "NBLOCK,6,SOLID,9,9"))


@pytest.mark.parametrize(("short", "full", "data"), [("CSOL", "CSOLID", "0.05"), ("CTUB", "CTUBE", "0.04,0.05")])
def test_names_of_sections_of_four_letters(tmp_path, short, full, data):
    line = "/PREP7\nET,1,188\nN,1\nN,2,1\nE,1,2\nMP,EX,1,2E11\nMP,PRXY,1,0.3\nMP,DENS,1,7800\n"
    sections = [read(tmp_path, f"{line}SECTYPE,1,BEAM,{name}\nSECDATA,{data}\n").blocks[0].section for name in (short, full)]
    assert sections[0].profile == full and sections[0].area == sections[1].area > 0.0


@pytest.mark.parametrize(("fields", "read_as"), [(11, "hex8"), (1001, "hex8"), (110, None)])
def test_coupled_field_solids_with_displacements_are_structural(tmp_path, fields, read_as):
    text = DECK.replace("ET,1,185", f"ET,1,225\nKEYOPT,1,1,{fields}")
    if read_as is None:
        with pytest.raises(MeshError, match=r"SOLID225 \(thermal\)"):
            read(tmp_path, text)
        return
    mesh = read(tmp_path, text)
    assert mesh.blocks[0].kind == read_as and any("SOLID225" in warning and "left out" in warning for warning in mesh.warnings)


def test_density_of_zero_is_no_missing_density(tmp_path):
    massless = read(tmp_path, DECK.replace("7800.", "0."))
    assert massless.blocks[0].material.density == 0.0
    assert any("the density of MAT 1 is 0: its elements have no mass" in warning for warning in massless.warnings)
    assert read(tmp_path, DECK.replace("MP,DENS,1,7800.\n", "")).blocks[0].material.density is None
    assert np.isfinite(read(tmp_path, DECK).points).all()


@pytest.mark.parametrize(
    "line",
    [
        "TREF,2.0",
        "ALPHAD,0.5",
        "MODOPT,LANB,10,0.0,1.0",
        "F,7,FZ,5.0",
        "SFE,1,1,PRES,1,2.0",
        "ACEL,0,0,9.8",
        "ESIZE,0.5",
        "XYZ,R5.0",
    ],
)
def test_elements_behind_a_command_that_is_skipped_are_read(tmp_path, line):
    nodes = "".join(f"N,{k},{x},{y},{z}\n" for k, (x, y, z) in enumerate(CORNERS, 1))
    text = f"/PREP7\nET,1,185\nMP,EX,1,2E11\nMP,PRXY,1,0.3\n{nodes}{line}\nE,1,2,3,4,5,6,7,8\n{line}\nE,1,2,3,4,5,6,7,8\n"
    assert len(read(tmp_path, text).blocks[0].ids) == 2
