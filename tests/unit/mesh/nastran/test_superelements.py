"""Part superelements and other sections of the bulk data are left out, whichever order they stand in."""

from pathlib import Path

import pytest

from flexmbs import MeshError, check_mesh, mass_properties

MAIN = """GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,0.,1.,0.
GRID,4,,0.,0.,1.
CTETRA,1,1,1,2,3,4
PSOLID,1,1
MAT1,1,2.1+11,,.3,6000.
"""
# A bar of 4 x 1 x 1 m whose numbers, property and parameter are those of the main section, with other values.
PART = "".join(f"GRID,{1 + i + 5 * j + 10 * k},,{i}.,{j}.,{k}.\n" for k in range(2) for j in range(2) for i in range(5)) + "".join(
    f"CHEXA,{1 + i},1,{1 + i},{2 + i},{7 + i},{6 + i},{11 + i},{12 + i}\n,{17 + i},{16 + i}\n" for i in range(4)
)
PART += 'PSOLID,1,1\nMAT1,1,7.+10,,.3,2700.\nPARAM,WTMASS,0.00259\n$HMNAME COMP 1 "of the part"\nSPC1,1,123,1\n'
HEAD = "SOL 101\nCEND\nSPC = 1\n"
ORDERS = {
    "main first": f"{HEAD}BEGIN BULK\n{MAIN}BEGIN SUPER=1\n{PART}ENDDATA\n",
    "part first": f"{HEAD}BEGIN SUPER=1\n{PART}BEGIN BULK\n{MAIN}ENDDATA\n",
    "two parts around it": f"{HEAD}BEGIN SUPER = 7\n{PART}BEGIN BULK\n{MAIN}BEGIN SUPER=1\n{PART}ENDDATA\n",
    "with BULK in the name": f"{HEAD}BEGIN BULK\n{MAIN}BEGIN BULK SUPER=1 $ BULK\n{PART}ENDDATA\n",
    "auxiliary model": f"{HEAD}BEGIN BULK $ SUPER\n{MAIN}BEGIN BULK AUXMODEL=3\n{PART}ENDDATA\n",
    "without BEGIN BULK": f"{MAIN}BEGIN SUPER=1\n{PART}ENDDATA\n",
    "OptiStruct": f"{HEAD}BEGIN BULK\n{MAIN}BEGIN,SUPER,1\n{PART}ENDDATA\n",
    "residual structure by number": f"{HEAD}BEGIN SUPER=1\n{PART}BEGIN SUPER=0\n{MAIN}ENDDATA\n",
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_main_section_alone_is_read(read, order):
    mesh = read(ORDERS[order])
    assert mesh.node_ids.tolist() == [1, 2, 3, 4]
    assert mass_properties(mesh).mass == pytest.approx(1000.0)  # 1/6 m3, without the WTMASS of the part
    assert mesh.boundary_conditions == () and "of the part" not in mesh.element_sets
    (part, *_) = [entry for entry in mesh.skipped if entry.card.upper().startswith("BEGIN")]
    assert "20 GRID cards" in part.why and not part.analysis
    assert Path(mesh.source).read_text().splitlines()[part.lines[0] - 1].startswith(part.card)
    assert any("left out: " in warning and "BEGIN" in warning for warning in check_mesh(mesh))


def test_wtmass_of_the_main_section_counts(read):
    deck = ORDERS["part first"].replace("BEGIN BULK\n", "BEGIN BULK\nPARAM,WTMASS,0.5\n")
    assert mass_properties(read(deck)).mass == pytest.approx(500.0)


def test_what_follows_the_profile_of_a_beam_section_is_read(read):
    profile = "BEGIN,HYPRBEAM,SQUARE\nGRIDS,1,0.0,0.0\nCSEC2,10,100,1,2\nEND,HYPRBEAM,SQUARE\n"
    first, rest = MAIN.split("CTETRA")
    mesh = read(f"{HEAD}BEGIN BULK\n{first}{profile}CTETRA{rest}ENDDATA\n")
    assert len(mesh.points) == 4 and mass_properties(mesh).mass == pytest.approx(1000.0)
    assert "profile of a beam section" in mesh.skipped[-1].why


def test_a_deck_with_parts_only_says_so(read):
    with pytest.raises(MeshError, match=r"deck.bdf:4: BEGIN SUPER=1: .*no grid points.*part superelement with 20 GRID"):
        read(f"{HEAD}BEGIN SUPER=1\n{PART}ENDDATA\n")


def test_superelements_within_the_main_section_are_one_body(read):
    mesh = read(ORDERS["main first"].replace("PSOLID,1,1\n", "PSOLID,1,1\nSESET,1,4\n", 1))
    assert len(mesh.points) == 4
    (entry,) = [entry for entry in mesh.skipped if entry.card == "SESET"]
    assert entry.analysis and "one body" in entry.why
