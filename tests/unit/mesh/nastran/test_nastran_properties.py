"""What property and material cards mean."""

import numpy as np
import pytest

from flexmbs import Material, MeshError, MeshWarning, OrthotropicMaterial, UnusableMaterial, check_mesh, read_mesh
from flexmbs.mesh.properties import flaw
from flexmbs.mesh.readers.nastran.read_nastran import read_nastran

POINTS = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"
PLATE = POINTS + "CQUAD4,1,1,1,2,3,4\n"
BAR = POINTS + "CBAR,1,1,1,2,0.,1.,0.\n"


@pytest.mark.parametrize(
    ("card", "modulus", "ratio"),
    [
        ("MAT1,1,200.,,.25", 200.0, 0.25),
        ("MAT1,1,200.,80.", 200.0, 0.25),
        ("MAT1,1,,80.,.25", 200.0, 0.25),
        ("MAT1,1,200.", 200.0, 0.0),
    ],
)
def test_two_of_e_g_and_nu_give_the_third(read, card, modulus, ratio):
    material = read(PLATE + "PSHELL,1,1,.1,1\n" + card + "\n").blocks[0].material
    assert isinstance(material, Material)
    assert (material.youngs_modulus, material.poisson_ratio) == pytest.approx((modulus, ratio))
    assert material.density is None


def test_bars_take_e_and_g_shells_e_and_nu(read):
    mesh = read(PLATE + "CBAR,2,2,1,2,0.,0.,1.\nPBAR,2,1,1.,1.,1.,1.\nPSHELL,1,1,.1,1\nMAT1,1,200.,50.,.25,1.,,,.02\n")
    plate, bar = mesh.blocks
    assert plate.material.poisson_ratio == 0.25
    assert bar.material.shear_modulus == pytest.approx(50.0)
    assert bar.material.damping.structural == 0.02
    assert any("deck.bdf:9: MAT1" in warning for warning in mesh.warnings)


def test_wtmass_multiplies_densities_and_masses(read):
    text = "PARAM,WTMASS,.5\n" + PLATE + "CONM2,7,1,,3.\nPSHELL,1,1,.1,1,,,,2.\nMAT1,1,200.,,.3,8.\n"
    mesh = read(text)
    assert mesh.blocks[0].material.density == 4.0
    assert mesh.blocks[0].section.nonstructural_mass == 1.0
    assert mesh.point_masses[0].mass == 1.5
    assert any("WTMASS" in warning for warning in mesh.warnings)


def test_a_stiffer_plate_is_a_sandwich_with_its_bending_and_mass(read):
    mesh = read(PLATE + "PSHELL,1,1,.1,1,100.,1,5.\nMAT1,1,200.,,.25,8.\n")
    section = mesh.blocks[0].section
    z, bending, membrane, mass = -section.thickness / 2, 0.0, 0.0, 0.0
    for layer in section.layers:
        material = layer.material
        modulus = material.E1 if isinstance(material, OrthotropicMaterial) else material.youngs_modulus
        bending += modulus * ((z + layer.thickness) ** 3 - z**3) / 3.0
        membrane += modulus * layer.thickness
        mass += material.density * layer.thickness
        z += layer.thickness
    assert bending == pytest.approx(100.0 * 200.0 * 0.1**3 / 12.0, rel=1e-6)
    assert membrane == pytest.approx(20.0, rel=1e-6)
    assert mass == pytest.approx(0.8)


def test_a_softer_plate_cannot_be_computed_and_says_why(read):
    material = read(PLATE + "PSHELL,1,1,.1,1,.5\nMAT1,1,200.,,.25,8.\n").blocks[0].material
    assert isinstance(material, UnusableMaterial)
    assert "deck.bdf:6: PSHELL 1" in material.reason


def test_a_layer_without_material_repeats_the_one_before(read):
    section = read(PLATE + "PCOMP,1\n,1,.1,90.,,,,\n,,,0.\nMAT1,1,200.,,.25,8.\n").blocks[0].section
    assert [layer.thickness for layer in section.layers] == [0.1, 0.1]
    assert [layer.angle for layer in section.layers] == pytest.approx([np.pi / 2, 0.0])


@pytest.mark.parametrize(("card", "kind"), [("MAT10,1,2.+9,1000.", "fluid"), ("MAT4,1,200.", "thermal")])
def test_fluid_and_thermal_elements_are_no_part_of_a_body(read, card, kind):
    mesh = read(
        PLATE
        + BAR.replace(POINTS, "").replace("CBAR,1", "CBAR,2").replace(",1,1,2", ",2,1,2")
        + f"PBAR,2,2,1.,1.,1.,1.\nMAT1,2,200.,,.3\nPSHELL,1,1,.1,1\n{card}\n"
    )
    assert [block.kind for block in mesh.blocks] == ["beam2"]
    assert [(other.type_name, other.role) for other in mesh.other_elements] == [("CQUAD4", kind)]


def test_collapsed_elements_are_read_as_what_they_are(read):
    mesh = read(POINTS + "CQUAD4,1,1,1,2,3,3\nPSHELL,1,1,.1,1\nMAT1,1,200.,,.3\n")
    assert mesh.blocks[0].kind == "tri3"


def test_bar_directions_are_in_the_displacement_system_of_end_a(read):
    text = "CORD2R,5,,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\n" + BAR.replace("GRID,1,,0.,0.,0.", "GRID,1,,0.,0.,0.,5")
    mesh = read(text + "PBAR,1,1,1.,1.,1.,1.\nMAT1,1,200.,,.3\n")
    # x, y, z of system 5 are the basic y, z, x
    np.testing.assert_allclose(mesh.blocks[0].y_axes[0], [0, 0, 1], atol=1e-12)


def test_a_plane_of_principal_axes_for_sections_with_i12(read):
    section = read(BAR + "PBAR,1,1,1.,2.,3.,1.\n,,,,,,,,\n,,,.5\nMAT1,1,200.,,.3\n").blocks[0].section
    assert sorted([section.Iy, section.Iz]) == pytest.approx(np.linalg.eigvalsh([[2.0, 0.5], [0.5, 3.0]]))
    assert section.principal_angle != 0.0


def test_rigid_rod_keeps_the_distance(read):
    mesh = read(BAR + "RROD,9,1,3\nPBAR,1,1,1.,1.,1.,1.\nMAT1,1,200.,,.3\n")
    (equation,) = mesh.equations
    np.testing.assert_allclose(equation.coefficients, np.array([-1, -1, 0, 1, 1, 0]) / np.sqrt(2.0))


def test_shells_without_property_beside_solids_stay_shells(read):
    top = "GRID,5,,0.,0.,1.\nGRID,6,,5.,0.,0.\n"
    text = POINTS + top + "CTETRA,1,1,1,2,3,5\nCTRIA3,2,2,1,2,3\nCTRIA3,3,2,1,2,6\nCTRIA3,4,3,2,3,6\n"
    mesh = read(text + "PSOLID,1,1\nMAT1,1,200.,,.3\n")
    assert {(block.kind, *block.ids.tolist()) for block in mesh.blocks} == {("tet4", 1), ("tri3", 3), ("tri3", 4)}
    assert [(other.type_name, other.ids.tolist()) for other in mesh.other_elements] == [("tri3", [2])]


def test_wtmass_in_case_control_counts_too(read):
    text = "CEND\nPARAM,WTMASS,.5\nBEGIN BULK\n" + PLATE + "PSHELL,1,1,.1,1\nMAT1,1,200.,,.3,8.\nENDDATA\n"
    assert read(text).blocks[0].material.density == 4.0


def test_blank_density_is_zero_beside_others(read):
    two = PLATE + "CQUAD4,2,2,1,2,3,4\nPSHELL,1,1,.1,1\nPSHELL,2,2,.1,2\nMAT1,2,200.,,.3\n"
    assert [block.material.density for block in read(two + "MAT1,1,200.,,.3\n").blocks] == [None, None]
    mesh = read(two + "MAT1,1,200.,,.3,8.\n")
    assert [block.material.density for block in mesh.blocks] == [8.0, 0.0]
    assert any("MAT1: 2 has no RHO" in warning for warning in mesh.warnings)


def test_bars_without_shear_factors_do_not_shear(read):
    section = read(BAR + "PBAR,1,1,1.,1.,1.,1.\nMAT1,1,200.,,.3,8.\n").blocks[0].section
    assert (section.shear_factor_y, section.shear_factor_z) == (np.inf, np.inf)


def test_shear_modulus_alone_is_no_elasticity(read):
    material = read(PLATE + "PSHELL,1,1,.1,1\nMAT1,1,,80.\n").blocks[0].material
    assert isinstance(material, UnusableMaterial) and "deck.bdf:7: MAT1" in material.reason
    mesh = read(PLATE + "PSHELL,1,1,.1,1\nMAT1,1,200.\n")
    assert any("neither G nor NU" in warning for warning in mesh.warnings)


def test_bars_without_section_and_direction_on_edges_of_solids_are_geometry(read):
    """What Gmsh writes for a named curve on a solid."""
    tet = POINTS + "GRID,5,,0.,0.,1.\nCTETRA,1,1,1,2,3,5\nPSOLID,1,1\nMAT1,1,200.,,.3,8.\n"
    mesh = read(tet + "CBAR,2,9,1,2,0.,0.,0.\n")
    assert [block.kind for block in mesh.blocks] == ["tet4"]
    assert [(other.type_name, other.role) for other in mesh.other_elements] == [("line2", "geometry")]


def test_plates_may_taper_to_no_thickness(read):
    (block,) = read(POINTS + "CQUAD4,1,1,1,2,3,4\n,,,0.,0.,.1,.1\nPSHELL,1,1,.1,1\nMAT1,1,200.,,.3\n").blocks
    assert block.thickness.tolist() == [[0.0, 0.0, 0.1, 0.1]]
    with pytest.raises(MeshError, match="deck.bdf:5: CQUAD4 1 has the thicknesses"):
        read(POINTS + "CQUAD4,1,1,1,2,3,4\n,,,0.,0.,0.,0.\nPSHELL,1,1,.1,1\nMAT1,1,200.,,.3\n")


def test_bars_without_area_are_read_but_not_computed(read):
    mesh = read(BAR + "PBAR,1,1,,1.,1.,1.\nMAT1,1,200.,,.3,8.\n")
    assert mesh.blocks[0].section.area == 0.0
    assert any("A = 0" in warning and "deck.bdf:6" in warning for warning in mesh.warnings)
    with pytest.raises(MeshError, match="area = 0"):
        check_mesh(mesh)


@pytest.mark.parametrize("torsion", ["", "0."])
def test_bars_without_torsion_constant_are_refused_at_their_property(read, torsion):
    mesh = read(BAR + f"PBAR,1,1,1.,1.,1.,{torsion}\nMAT1,1,200.,,.3,8.\n")
    with pytest.raises(MeshError, match=r"deck.bdf:6: 1 elements .* torsion_constant = 0; give a positive J"):
        check_mesh(mesh)


def test_joints_gaps_and_cyclic_symmetry_are_omissions(read):
    cards = "RJOINT,11,3,4,123456\nCGAP,12,9,3,4,0.,1.,0.\nCYJOIN,1,,3\nFORCE,1,2,,1.,0.,0.,1.\n"
    mesh = read(BAR + cards + "PBAR,1,1,1.,1.,1.,1.\nMAT1,1,200.,,.3,8.\n")
    left_out = [warning for warning in check_mesh(mesh) if warning.startswith("left out: ")]
    assert len(left_out) == 3
    assert "RJOINT is skipped (line 6;" in left_out[0] and "CYJOIN is skipped (line 8;" in left_out[1]
    assert "deck.bdf:7" in left_out[2] and "1 CGAP elements (contact) connect nothing" in left_out[2]


@pytest.mark.parametrize("card", ["MAT12", "MAT9OR"])
def test_orthotropic_solids_by_the_ratio_31(tmp_path, card):
    """NU31 is the strain in 1 under stress in 3, of which NU13 of MAT11 follows by symmetry: NU13 / E1 = NU31 / E3."""
    head = "".join(f"GRID,{k},,{x}.,{y}.,{z}.\n" for k, (x, y, z) in enumerate([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], 1))
    head += "CTETRA,1,1,1,2,3,4\nPSOLID,1,7\n"
    found = []
    for text in (
        f"{card},7,4.+9,2.+9,1.+9,.3,.2,.05,1600.\n,3.+8,1.+8,2.+8,,,,,.02\n",
        "MAT11,7,4.+9,2.+9,1.+9,.3,.2,.2,3.+8\n,2.+8,1.+8,1600.\n",
    ):
        (tmp_path / "deck.bdf").write_text(head + text)
        found.append(read_nastran(tmp_path / "deck.bdf").blocks[0].material)
    for name in ("E1", "E2", "E3", "nu12", "nu13", "nu23", "G12", "G13", "G23", "density"):
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name), rel=1e-14)
    assert found[0].damping.structural == 0.02
    (tmp_path / "deck.bdf").write_text(head + f"{card},7,4.+9,2.+9,,.3,.2,,1600.\n,3.+8,1.+8,2.+8\n")
    with pytest.warns(MeshWarning, match=f"deck.bdf:7: material {card} 7 has E3 = 0.0; moduli must be positive"):
        mesh = read_mesh(tmp_path / "deck.bdf")
    assert flaw(mesh.blocks[0].material).startswith("has E3 = 0.0")
