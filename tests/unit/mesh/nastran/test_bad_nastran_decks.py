"""What is wrong with a deck is a MeshError with file, line and card."""

import pytest

from flexmbs import MeshError
from flexmbs.mesh.readers.nastran.read_nastran import read_nastran

HEAD = "SOL 101\nCEND\nBEGIN BULK\n"
POINTS = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"
PLATE = POINTS + "CQUAD4,1,1,1,2,3,4\n"
BAR = POINTS + "CBAR,1,1,1,2,0.,1.,0.\n"
SHELL = "PSHELL,1,1,.1,1\nMAT1,1,200.,,.3,1.\n"


def refused(tmp_path, text, match):
    path = tmp_path / "deck.bdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MeshError, match=match) as caught:
        read_nastran(path)
    assert str(caught.value).startswith(str(tmp_path))


CASES = {
    "empty file": ("", "deck.bdf:1: GRID: the deck has no grid points"),
    "binary garbage": (b"\x00\x01\x02GRID\xff", r"deck.bdf:1: .*\\x00\\x01\\x02GRID"),
    "another format": ("*NODE\n1, 0., 0., 0.\n", "deck.bdf:2: .1. is not the name"),
    "a line that is no card": (PLATE + "%%%\n", "deck.bdf:6: '%%%' is not the name"),
    "duplicate element": (PLATE + "CTRIA3,1,1,1,2,3\n" + SHELL, r"deck.bdf:6: .*element 1 .*deck.bdf:5"),
    "duplicate node": (POINTS + "GRID,1,,9.,0.,0.\n", r"deck.bdf:5: GRID: node 1 .*deck.bdf:1"),
    "duplicate material": (PLATE + SHELL + "MAT1,1,300.,,.3\n", r"deck.bdf:8: MAT1 1 .*deck.bdf:7"),
    "missing node": (POINTS + "CQUAD4,1,1,1,2,3,9\n" + SHELL, "deck.bdf:5: element 1 .CQUAD4. uses node 9"),
    "missing material": (PLATE + "PSHELL,1,7,.1,7\n", "deck.bdf:6: PSHELL 1 names material 7.*add a MAT1"),
    "wrong property": (PLATE + "PBAR,1,1,1.\n", "deck.bdf:5: CQUAD4: property 1 is a PBAR .*deck.bdf:6"),
    "zero thickness": (PLATE + "PSHELL,1,1,0.,1\nMAT1,1,200.,,.3\n", "deck.bdf:6: PSHELL 1 has the thickness 0"),
    "negative corner thickness": (
        POINTS + "CQUAD4,1,1,1,2,3,4\n,,,.1,.1,-.1,.1\n" + SHELL,
        "deck.bdf:5: CQUAD4 1 has the thicknesses",
    ),
    "negative area": (BAR + "PBAR,1,1,-1.,1.,1.,1.\nMAT1,1,200.,,.3\n", "deck.bdf:6: PBAR: A .field 4. is '-1.'; give a number of"),
    "no layers": (PLATE + "PCOMP,1\nMAT1,1,200.,,.3\n", "deck.bdf:6: PCOMP 1 has no layers"),
    "bar without direction": (
        POINTS + "CBAR,1,1,1,2\nPBAR,1,1,1.,1.,1.,1.\nMAT1,1,200.\n",
        "deck.bdf:5: CBAR: the direction of plane 1 .* is missing",
    ),
    "set of nothing": (PLATE + SHELL + "SPC1,1,123\n", "deck.bdf:8: SPC1: no grid points"),
    "set of what does not exist": (PLATE + SHELL + "SPC1,1,123,77\n", "deck.bdf:8: SPC1: none of the grid points"),
    "missing coordinate system": (PLATE + SHELL + "GRID,9,4,0.,0.,0.\n", "deck.bdf:8: GRID: CP names coordinate system 4"),
    "systems in a circle": (
        PLATE + SHELL + "CORD2R,1,2,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,2,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n",
        "deck.bdf:8: CORD2R: coordinate system 1 is defined in terms of itself",
    ),
    "system of points on a line": (PLATE + SHELL + "CORD2R,1,,0.,0.,0.,0.,0.,1.\n,0.,0.,2.\n", "deck.bdf:8: CORD2R: .*collinear"),
    "no number": (PLATE + "PSHELL,1,1,abc,1\nMAT1,1,200.\n", r"deck.bdf:6: PSHELL: T \(field 4\) is 'ABC'"),
    "no coordinate": ("GRID,1,,x,0.,0.\n", "deck.bdf:1: GRID: X1 .field 4. is 'X'"),
    "huge repetition": (POINTS + "=,*(1),==\n=(1000000000)\n", "deck.bdf:6: "),
    "repeated property without fields": (POINTS + "PSHELL,1,1,.1\n=(1)\n", "deck.bdf:6: PSHELL: PID .field 2. is missing"),
    "plane mesh": (POINTS + "CTRIAX6,1,1,1,2,3,4,1,2\nMAT1,1,200.\n", r"deck.bdf:5: CTRIAX6: .*axisymmetric"),
    "fluid mesh": (PLATE + "PSHELL,1,1,.1,1\nMAT10,1,2.+9,1000.\n", r"deck.bdf:5: CQUAD4: .*fluid"),
    "axisymmetric mesh": ("RINGAX,1,,1.,2.\nCCONEAX,1,1,1,2\n", "deck.bdf:2: CCONEAX: the deck has no grid points"),
    "no elements": (POINTS, "deck.bdf:1: GRID: .*no elements"),
    "rigid element on a missing node": (PLATE + SHELL + "RBE2,5,1,123,77\n", "deck.bdf:8: RBE2 5 uses node 77"),
    "too few nodes": (POINTS + "CQUAD4,1,1,1,2,3\n" + SHELL, "deck.bdf:5: CQUAD4: node G4 is missing"),
    "cut off in a card": (
        HEAD + PLATE + "CTETRA  1       1       1       2       3       4       1       2       +A\n",
        "deck.bdf:9: CTETRA: the file ends",
    ),
    "cut off in a line": (HEAD + PLATE + SHELL + "SPC1,1,123,1", "deck.bdf:11: SPC1,1,1: the file ends within a line"),
    "cut off before the mesh": ("SOL 101\nCEND\nTITLE = X\n", "deck.bdf:3: .*before BEGIN BULK"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_with_file_line_and_card(tmp_path, case):
    refused(tmp_path, *CASES[case])


def test_large_ranges_take_no_time(tmp_path):
    path = tmp_path / "deck.bdf"
    path.write_text(PLATE + SHELL + "SPC1,1,123,1,THRU,2000000000\nSPOINT,10,THRU,2000000000\n")
    mesh = read_nastran(path)
    assert len(mesh.node_sets["SPC 1"]) == 4


def test_a_deck_without_enddata_is_read_with_a_warning(tmp_path):
    path = tmp_path / "deck.bdf"
    path.write_text(HEAD + PLATE + SHELL)
    assert any("ENDDATA" in warning for warning in read_nastran(path).warnings)


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_line_ends_encodings_and_byte_order_marks(tmp_path, line_end):
    path = tmp_path / "deck.bdf"
    text = b'\xef\xbb\xbf$ caf\xe9\n$HMNAME COMP 1"Tr\xe4ger"\n' + (HEAD + PLATE + SHELL + "ENDDATA\n").encode()
    path.write_bytes(text.replace(b"\n", line_end))
    assert list(read_nastran(path).element_sets) == ["Träger"]


def test_missing_include(tmp_path):
    refused(tmp_path, HEAD + "INCLUDE 'parts.inc'\nENDDATA\n", r"deck.bdf:4: INCLUDE: .*parts.inc not found")


def test_missing_include_in_executive_control_is_passed_over(tmp_path):
    path = tmp_path / "deck.bdf"
    path.write_text("INCLUDE 'alter.dmap'\n" + HEAD + PLATE + SHELL + "ENDDATA\n")
    assert read_nastran(path).skipped[0].card == "INCLUDE 'alter.dmap'"


def test_cyclic_include(tmp_path):
    (tmp_path / "a.inc").write_text("INCLUDE 'b.inc'\n")
    (tmp_path / "b.inc").write_text("INCLUDE 'a.inc'\n")
    refused(tmp_path, HEAD + "INCLUDE 'a.inc'\nENDDATA\n", r"b.inc:1: INCLUDE: a.inc includes itself")


def test_escaping_include_needs_leave(tmp_path):
    folder = tmp_path / "deck"
    folder.mkdir()
    (tmp_path / "outside.inc").write_text(PLATE + SHELL)
    refused(folder, HEAD + "INCLUDE '../outside.inc'\nENDDATA\n", r"deck.bdf:4: INCLUDE: .*outside the folder")
    assert len(read_nastran(folder / "deck.bdf", allow_outside=True).points) == 4


def test_bytes_that_are_no_text_in_defaults_of_grid_points(tmp_path):
    """They come as surrogates, which no encoding takes."""
    defaults = b"GRDSET,,,,,,,4\xdc6\n"
    refused(tmp_path, defaults + (PLATE + SHELL).encode(), r"deck.bdf:2: GRID: PS .*give digits 1 to 6")
