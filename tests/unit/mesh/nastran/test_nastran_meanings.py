"""What the Quick Reference Guide says of cards that are easily taken for something else."""

import numpy as np
import pytest

from flexmbs import MeshError, assemble, check_mesh, mass_properties, natural_modes
from flexmbs.fem.supports import held_components

POINTS = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,2.,0.,0.\nGRID,4,,0.,1.,0.\n"
CORNERS = "".join(f"GRID,{1 + i + 2 * j + 4 * k},,{2 * i}.,{j}.,{k}.\n" for k in (0, 1) for j in (0, 1) for i in (0, 1))
BRICK = CORNERS + "CHEXA,1,1,1,2,4,3,5,6\n,8,7\nPSOLID,1,1\n"
STEEL = "MAT1,1,2.+11,,.3,7800.\n"
BAR = POINTS + "CBAR,1,1,1,2,0.,1.,0.\nPBAR,1,1,1.-4,1.-9,1.-9,2.-9\n"


def free_frequencies(mesh):
    model = assemble(mesh)
    return natural_modes(model, held_components(model, [])).frequencies


def about(mesh, card):
    return [warning for warning in mesh.warnings if f": {card}: " in warning]


# Shear deformation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factors", "expected"), [("", (1.0, 1.0)), (",0.,0.", (np.inf, np.inf)), (",.5,0", (0.5, np.inf)), (",,0.", (1.0, np.inf))]
)
def test_a_shear_factor_of_zero_of_a_beam_is_none_a_blank_one_is_one(read, factors, expected):
    beam = "CBEAM,1,1,1,2,0.,1.,0.\nPBEAM,1,1,1.-4,1.-9,1.-9,,2.-9\n,,,,,,,,\n" + (factors and factors + "\n")
    section = read(POINTS + beam + STEEL).blocks[0].section
    assert (section.shear_factor_y, section.shear_factor_z) == expected


def test_a_beam_keeps_its_end_b_when_a_station_that_is_left_blank_follows(read):
    beam = "CBEAM,1,1,1,2,0.,1.,0.\nPBEAM,1,1,1.-4,1.-9,1.-9,,2.-9\n,,,,,,,,\n,YES,1.,2.-4,4.-9,4.-9,,8.-9\n,,,,,,,,\n,YES,.5\n"
    section = read(POINTS + beam + STEEL).blocks[0].section
    assert (section.area, section.end.area) == (1e-4, 2e-4)


def test_lines_of_a_card_may_have_fields_of_different_widths(read):
    solid = "CHEXA   1       1       1       2       4       3       5       6\n" + f"*{'':7}{8:<16}{7:<16}\n"
    assert read(CORNERS + solid + "PSOLID,1,1\n" + STEEL).blocks[0].nodes.tolist() == [[0, 1, 3, 2, 4, 5, 7, 6]]


def test_bars_with_blank_or_zero_shear_factors_have_no_shear_deformation(read):
    for factors in ("", ",,,,,,,,\n,0.,0.\n"):
        section = read(BAR + factors + STEEL).blocks[0].section
        assert (section.shear_factor_y, section.shear_factor_z) == (np.inf, np.inf)


def test_negative_shear_factors_are_refused(read):
    with pytest.raises(MeshError, match=r"deck.bdf:6: PBAR: K1 .field 2 of line 3. is '-1.'; give a number of at least 0"):
        read(BAR + ",,,,,,,,\n,-1.\n" + STEEL)


# Components of HyperMesh ---------------------------------------------------------------------------------------------


def test_numbers_that_fill_the_columns_of_a_component(read):
    bars = "".join(f"CBAR,9031000{i},1,{1 + i},{2 + i},0.,1.,0.\n" for i in range(2))
    names = '$HMNAME COMP 7"arm"\n$HMMOVE        7\n$       9031000090310001\n'
    mesh = read(names + POINTS + bars + BAR.splitlines()[-1] + "\n" + STEEL)
    assert mesh.element_ids[mesh.element_sets["arm"]].tolist() == [90310000, 90310001]


def test_ranges_that_fill_the_columns_of_a_component(read):
    bars = "".join(f"CBAR,9031000{i},1,{1 + i},{2 + i},0.,1.,0.\n" for i in range(2))
    names = '$HMNAME COMP 7"arm"\n$HMMOVE        7\n$       90310000THRU    90310001       9\n'
    mesh = read(names + POINTS + bars + BAR.splitlines()[-1] + "\n" + STEEL)
    assert mesh.element_ids[mesh.element_sets["arm"]].tolist() == [90310000, 90310001]


def test_a_component_of_nothing_is_told_and_one_of_rigid_elements_is_not(read):
    names = '$HMNAME COMP 7"arm"\n$HMMOVE        7\n$             77\n'
    assert any(
        "deck.bdf:3: $HMMOVE: none of the elements of component 'arm'" in text for text in read(names + BAR + STEEL).warnings
    )
    assert not about(read(names + BAR + STEEL + "RBE2,77,1,123456,4\n"), "$HMMOVE")


# Scalar points -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["QSET1,,1001,THRU,1004", "ASET1,,1001,1002", "SPC1,1,,1001,THRU,1003", "QSET,1001,,1002"])
def test_sets_of_scalar_points_are_read_without_them(read, card):
    mesh = read(BAR + STEEL + f"SPOINT,1001,THRU,1004\n{card}\n")
    assert list(mesh.node_sets) == []
    (entry,) = [entry for entry in mesh.skipped if entry.card == card.split(",")[0]]
    assert entry.lines == (9,) and "scalar points only" in entry.why


def test_sets_of_points_of_both_kinds_have_the_nodes(read):
    mesh = read(BAR + STEEL + "SPOINT,1001\nASET1,123456,1,2,1001\n")
    assert mesh.node_ids[mesh.node_sets["ASET"]].tolist() == [1, 2]
    assert not about(mesh, "ASET1")


def test_masses_at_scalar_points_are_left_out_with_this_reason(read):
    (entry,) = read(BAR + STEEL + "CMASS2,5,3.,1001,1\n").skipped
    assert entry.card == "CMASS2" and "scalar point" in entry.why


# The same twice ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cards",
    [
        "CORD2R,5,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,5,0,,,,,,1.0\n,1.\n",
        "MAT1,2,2.1+11,,.3,7850.\nMAT1,2,210.E9,,0.3,7.85+3,,,\n",
        "PROD,2,1,.01\nPROD*,2,1,1.0D-2\n",
    ],
)
def test_the_same_numbers_written_differently_count_once(read, cards):
    assert len(read(BAR + STEEL + cards).blocks) == 1


@pytest.mark.parametrize(
    "cards", ["MAT1,2,2.1+11,,.3,7850.\nMAT1,2,2.1+11,,.3,7851.\n", "PBEAM,2,1,1.,1.,1.\nPBEAM,2,1,1.,1.,1.,0.5\n"]
)
def test_other_numbers_are_refused(read, cards):
    with pytest.raises(MeshError, match=r"deck.bdf:9: \w+ 2 is defined twice \(first in .*deck.bdf:8\)"):
        read(BAR + STEEL + cards)


# Mirrored solids -----------------------------------------------------------------------------------------------------

SOLIDS = {
    "CTETRA": ("0 0 0  1 0 0  0 1 0  0 0 1", "12 23 31 14 24 34"),
    "CPYRAM": ("0 0 0  1 0 0  1 1 0  0 1 0  .5 .5 1", "12 23 34 41 15 25 35 45"),
    "CPENTA": ("0 0 0  1 0 0  0 1 0  0 0 1  1 0 1  0 1 1", "12 23 31 14 25 36 45 56 64"),
    "CHEXA": ("0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1", "12 23 34 41 15 26 37 48 56 67 78 85"),
}


def solid(name, second_order, mirror):
    """A deck with one element; mirrored, its points lie on the other side of a plane."""
    points = np.array(SOLIDS[name][0].split(), float).reshape(-1, 3)
    middles = [points[[int(a) - 1, int(b) - 1]].mean(axis=0) for a, b in SOLIDS[name][1].split()] if second_order else []
    points = np.array([*points, *middles]) * ([1.0, 1.0, -1.0] if mirror else [1.0, 1.0, 1.0])
    grids = "".join(f"GRID,{i},,{x},{y},{z}\n" for i, (x, y, z) in enumerate(points, 1))
    fields = [name, "1", "1", *map(str, range(1, len(points) + 1))]
    lines = [",".join(fields[:9]), *("," + ",".join(fields[i : i + 8]) for i in range(9, len(fields), 8))]
    return grids + "\n".join(lines) + "\nPSOLID,1,1\n" + STEEL


@pytest.mark.parametrize("second_order", [False, True])
@pytest.mark.parametrize("name", SOLIDS)
def test_solids_with_mirrored_node_order_are_turned(read, name, second_order):
    plain, turned = read(solid(name, second_order, False)), read(solid(name, second_order, True))
    check_mesh(turned)
    assert mass_properties(turned).mass == pytest.approx(mass_properties(plain).mass)
    assert not plain.warnings
    (warning,) = turned.warnings
    assert f"1 element of type {name} turned inside out by the order of their nodes (first: element 1)" in warning
    np.testing.assert_allclose(free_frequencies(turned), free_frequencies(plain), rtol=1e-5)


def test_only_the_mirrored_elements_of_a_mesh_are_turned(read):
    mesh = read(BRICK.replace("PSOLID", "CHEXA,2,1,5,6,8,7,1,2\n,4,3\nPSOLID") + STEEL)
    (warning,) = mesh.warnings
    assert "1 element of type CHEXA turned inside out by the order of their nodes (first: element 2)" in warning
    nodes = mesh.node_ids[mesh.blocks[0].nodes]
    assert nodes[0].tolist() == [1, 2, 4, 3, 5, 6, 8, 7]


# Rigid bars ----------------------------------------------------------------------------------------------------------

TWO_BRICKS = BRICK + CORNERS.replace(",,", "1,,").replace("GRID,", "GRID,1") + "CHEXA,2,1,11,21,41,31,51,61\n,81,71\n"
SYSTEM = "CORD2R,3,,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\n"


def test_independent_translations_of_one_end_tie_those_of_the_other(read):
    cards = "GRID,10,,0.,3.,4.,3\nCBAR,2,2,10,4,1.,0.,0.\nPBAR,2,1,1.,1.,1.,1.\n"
    mesh = read(SYSTEM + BRICK + STEEL + cards + "RBAR,9,2,10,123\n")
    assert mesh.couplings == () and len(mesh.equations) == 3
    assert "ties the translations" in about(mesh, "RBAR")[0]
    # System 3 has its x, y, z along the basic y, z, x.
    first = mesh.equations[0]
    assert mesh.node_ids[first.nodes].tolist() == [2, 10]
    assert (first.dofs.tolist(), first.coefficients.tolist()) == ([1, 3], [-1.0, 1.0])


def test_independent_components_at_both_ends_that_hold_a_rigid_body_make_a_rigid_bar(read):
    (coupling,) = read(BAR + STEEL + "RBAR,9,2,4,1236,34\n").couplings
    assert (coupling.kind, coupling.dofs) == ("rigid", (1, 2, 3, 4, 5, 6))


@pytest.mark.parametrize(
    ("components", "reason"),
    [
        ("123,12,,", "not six that hold a rigid body"),
        ("1234,34,,", "not six that hold a rigid body"),
        ("123456,1,,", "not six that hold a rigid body"),
        ("1236,34,45,", "only a part of the components"),
    ],
)
def test_other_rigid_bars_are_left_out_with_the_reason(read, components, reason):
    mesh = read(BAR + STEEL + f"RBAR,9,1,2,{components}\n")
    assert mesh.couplings == () and reason in mesh.skipped[0].why


def test_a_rigid_bar_without_independent_components_has_those_of_its_first_end(read):
    mesh = read(BAR + STEEL + "RBAR,9,1,4\n")
    assert mesh.couplings[0].dofs == (1, 2, 3, 4, 5, 6) and "CNA = 123456 is used" in about(mesh, "RBAR")[0]


# Masses and parameters -----------------------------------------------------------------------------------------------

MODES = "SOL 103\nCEND\nMETHOD = 1\nBEGIN BULK\n" + BAR + STEEL + "EIGRL,1,,,4\nENDDATA\n"


@pytest.mark.parametrize("parameter", ["", "PARAM,COUPMASS,-1\n", "PARAM,COUPMASS,1\nPARAM,COUPMASS,0\n"])
def test_lumped_masses_are_told_once_where_modes_are_asked_for(read, parameter):
    (warning,) = about(read(MODES.replace("EIGRL", parameter + "EIGRL")), "EIGRL")
    assert "lumped masses" in warning


@pytest.mark.parametrize("parameter", ["PARAM,COUPMASS,1\n", "PARAM,COUPMASS,YES\n"])
def test_nothing_is_told_of_consistent_masses_of_statics_and_of_buckling(read, parameter):
    assert not about(read(MODES.replace("EIGRL", parameter + "EIGRL")), "EIGRL")
    assert not about(read(MODES.replace("BEGIN", f"{parameter}BEGIN")), "EIGRL")
    assert not about(read(MODES.replace("103", "105")), "EIGRL")
    assert not read(BAR + STEEL).warnings


def test_of_several_mass_factors_one_counts_and_is_named(read):
    mesh = read("PARAM,WTMASS,.5\n" + BAR + STEEL + "PARAM,WTMASS,.25\n")
    assert mesh.blocks[0].material.density == 7800.0 / 4
    (warning,) = about(mesh, "PARAM")
    assert "deck.bdf:9: PARAM: of 2 WTMASS the one in this line counts, 0.25" in warning and "deck.bdf:1" in warning


def test_the_mass_factor_of_case_control_comes_before_that_of_the_bulk_data(read):
    mesh = read("CEND\nPARAM,WTMASS,.5\nBEGIN BULK\n" + BAR + STEEL + "PARAM,WTMASS,.25\nENDDATA\n")
    assert mesh.blocks[0].material.density == 3900.0


def test_materials_without_mass_are_told_in_a_deck_of_others_with_mass(read):
    other = "MAT1,2,2.+11,,.3,0.\nMAT1,3,2.+11,,.3\nMAT1,4,2.+11,,.3,0\n"
    warnings = about(read(BAR + STEEL + other), "MAT1")
    assert [warning.split("MAT1: ")[1] for warning in warnings] == [
        "3 has no RHO: its elements have no mass, as in Nastran.",
        "2 has RHO = 0 (also: 4): its elements have no mass, as in Nastran.",
    ]


@pytest.mark.parametrize("card", ["GRDSET,,,,,,,6\nGRDSET,,,,,,,5", "BAROR,,,,,0.,1.,0.\nBAROR,,,,,0.,0.,1."])
def test_defaults_that_are_given_twice_are_told(read, card):
    (warning,) = about(read(f"{card}\n" + BAR + STEEL), card.split(",")[0])
    assert "deck.bdf:2" in warning and "deck.bdf:1" in warning


# NASTRAN-95 ----------------------------------------------------------------------------------------------------------


def test_elements_of_nastran_95_are_told_and_listed(read):
    mesh = read(BAR + STEEL + "CTRIA2,5,2,1,2,4\nPTRIA2,2,1,.1\n")
    assert "deck.bdf:8: CTRIA2: NASTRAN-95 elements are not read: 1 elements" in about(mesh, "CTRIA2")[0]
    assert [(other.type_name, other.role) for other in mesh.other_elements] == [("CTRIA2", "unknown")]
    assert {entry.card for entry in mesh.skipped if "NASTRAN-95" in entry.why} == {"CTRIA2", "PTRIA2"}


def test_a_deck_of_nastran_95_elements_alone_is_refused_by_their_name(read):
    with pytest.raises(MeshError, match=r"deck.bdf:5: CWEDGE: .*1 CWEDGE \(NASTRAN-95 elements, which are not read\)"):
        read(POINTS + "CWEDGE,1,1,1,2,3,4,1,2\n" + STEEL)


@pytest.mark.parametrize("card", ["CROD,5,5,1,2,6,5,2,4\nPROD,5,1,.1\n", "CVISC,5,5,1,2,6,5,2,4\nPVISC,5,1.\n"])
def test_a_second_rod_on_a_card_is_listed(read, card):
    mesh = read(BAR + STEEL + card)
    assert sorted(mesh.element_ids.tolist()) == [1, 5]
    assert "second element on the card" in mesh.skipped[0].why and mesh.skipped[0].lines == (8,)
