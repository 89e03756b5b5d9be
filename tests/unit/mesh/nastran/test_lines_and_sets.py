"""Commas in fixed fields, sets of OUTPUT(POST), and refusals that name what the deck holds."""

import pytest

from flexmbs import MeshError, mass_properties

FIXED = """CEND
BEGIN BULK
GRID           1              0.      0.      0.                        a, b
GRID           2              1.      0.      0.                , of the corner
GRID           3              0.      1.      0.
GRID           4              0.      0.      1.
CTETRA         1       1       1       2       3       4
PSOLID         1       1
MAT1           1  2.1+11              .3   6000.                        steel, S355
DESVAR         1 t,rib        .1     .01      1.                        rib, left
DEQATN        10 F(A,B,C) = A + B*C +
        MAX(A,B)*2.0
        + SIN(A)
DEQATN  11      F(A)    =       A,B
+       ,C
ENDDATA
"""


def points_by_number(mesh):
    return {int(number): point.tolist() for number, point in zip(mesh.node_ids, mesh.points, strict=True)}


def test_a_comma_far_right_leaves_fixed_fields_fixed(read):
    mesh = read(FIXED)
    assert points_by_number(mesh) == {1: [0, 0, 0], 2: [1, 0, 0], 3: [0, 1, 0], 4: [0, 0, 1]}
    assert mass_properties(mesh).mass == pytest.approx(1000.0)
    assert {entry.card: entry.count for entry in mesh.skipped} == {"DESVAR": 1, "DEQATN": 2}


@pytest.mark.parametrize(
    "free",
    ["GRID,2,,1.,0.,0.", "  GRID , 2,,1.,0.,0.", "GRID*,2,,1.,0.\n*,0.", "GRID           ,2,,1.,0.,0.", "grid\t,2,,1.,0.,0."],
)
def test_free_format_stays_free(read, free):
    line = FIXED.splitlines()[3]
    assert points_by_number(read(FIXED.replace(line, free)))[2] == [1, 0, 0]


def test_free_continuations_of_a_free_card(read):
    mesh = read(
        FIXED.replace(
            "CTETRA         1       1       1       2       3       4", "CTETRA,1,1,1,2,3,4\nCTETRA,2,1,1,2,3,4,,,+A\n+A,,,,,,"
        )
    )
    assert mesh.blocks[0].ids.tolist() == [1, 2]


SETS = """CEND
SET 1 = 1,2
SET 3 = 0.1, 0.2
SET 9 = ALL
DISP = 1
OUTPUT(PLOT)
SET 4 = ALL
OUTPUT(POST)
SET 1 = 10
SET 5 = 10,
 11
SET 6 = 2, 3
SURFACE 1 SET 5 NORMAL X3
SURFACE 2 SET 1
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,0.,1.,0.
GRID,10,,0.,0.,1.
CTETRA,10,1,1,2,3,10
CTETRA,11,1,1,2,3,10
PSOLID,1,1
MAT1,1,2.1+11,,.3,7850.
ENDDATA
"""


def test_sets_behind_output_post_are_read_and_others_listed(read):
    mesh = read(SETS)
    nodes = {name: mesh.node_ids[found].tolist() for name, found in mesh.node_sets.items()}
    assert nodes == {"SET 1": [1, 2], "SET 6": [2, 3]}
    assert {name: len(found) for name, found in mesh.element_sets.items()} == {"SET 1 (OUTPUT(POST))": 1, "SET 5": 2, "PSOLID 1": 2}
    listed = {entry.card: (entry.lines, entry.analysis, entry.why) for entry in mesh.skipped}
    assert listed["SET 4"] == ((7,), True, "a set for plots, in OUTPUT(PLOT)")
    assert "times or frequencies" in listed["SET 3"][2] and listed["SET 9"][0] == (4,)


BODILESS = "CEND\nBEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ("CONM2,1,1,,2.0\nRBE2,2,1,123456,2\n", r"deck.bdf:7: CONM2: .*it has 1 CONM2, 1 RBE2"),
        ("CQUAD4,1,1,1,2,3,4\nPLPLANE,1,1\nMATHP,1,80.,20.\n", r"deck.bdf:7: CQUAD4: .*1 CQUAD4 \(plane\)"),
        ("CPLSTN4,1,1,1,2,3,4\nPPLANE,1,1,.01\nMAT1,1,2.1+11,,.3\n", r"1 CPLSTN4 \(plane\)"),
        ("PLOTEL,1,1,2\n", r"1 PLOTEL \(geometry\)"),
    ],
)
def test_a_refusal_names_what_the_deck_holds_instead(read, cards, reason):
    with pytest.raises(MeshError, match=reason):
        read(f"{BODILESS}{cards}ENDDATA\n")
