"""Materials, sections, orientations."""

import numpy as np
import pytest

from flexmbs import MeshError, MeshWarning, UnusableMaterial, assemble, mass_properties, read_mesh

BEAM = """\
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 2, 0, 0
*ELEMENT, TYPE=B31, ELSET=E
1, 1, 2
2, 2, 3
*MATERIAL, NAME=M
*ELASTIC
210e9, 0.3
*DENSITY
7850
"""
SOLID = """\
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
*ELEMENT, TYPE=C3D4, ELSET=E
1, 1, 2, 3, 4
*SOLID SECTION, ELSET=E, MATERIAL=M
*MATERIAL, NAME=M
"""


def block_with(mesh, number):
    return next(block for block in mesh.blocks if number in block.ids)


def test_isotropic_material_with_density_and_damping(deck):
    mesh = deck("solids.inp")
    steel = mesh.materials["STEEL"]
    assert (steel.youngs_modulus, steel.poisson_ratio, steel.density) == (210000.0, 0.3, 7.85e-9)
    assert (steel.damping.alpha, steel.damping.beta) == (2.0, 1e-5)
    assert any("*ELASTIC depends on temperature" in text for text in mesh.warnings)


def test_engineering_constants_over_two_lines_and_orientation(deck):
    mesh = deck("solids.inp")
    block = block_with(mesh, 3)
    wood = block.material
    assert (wood.name, wood.E1, wood.E3, wood.nu13, wood.G12, wood.G23) == ("Wood board", 11e3, 700, 0.3, 700, 50)
    # 1 was along mesh y, 2 against mesh x; then a turn by 90 degrees about 3
    assert block.material_axes[0].T.tolist() == pytest.approx(np.array([[-1, 0, 0], [0, -1, 0], [0, 0, 1]]))
    assert block_with(mesh, 1).material_axes is None


def test_lamina(deck):
    ply = deck("shells_and_beams.inp").materials["PLY"]
    assert (ply.E1, ply.E2, ply.E3, ply.nu12, ply.G12, ply.G13, ply.G23) == (130e3, 9e3, None, 0.3, 5e3, 5e3, 3e3)


def test_stiffness_matrices_in_the_order_of_the_mesh(read):
    ortho = read(SOLID + "*ELASTIC, TYPE=ORTHO\n10, 1, 20, 2, 3, 30, 4, 5\n6\n*DENSITY\n1\n").materials["M"]
    assert np.diag(ortho.stiffness).tolist() == [10, 20, 30, 4, 6, 5]  # 11 22 33 12 23 13
    assert ortho.stiffness[0, 1:3].tolist() == [1, 2]
    aniso = "10, 1, 20, 2, 3, 30, .1, .2\n.3, 4, .4, .5, .6, .7, 5, .8\n.9, .11, .12, .13, 6\n"
    aniso = read(SOLID + "*ELASTIC, TYPE=ANISO\n" + aniso).materials["M"].stiffness
    assert np.diag(aniso).tolist() == [10, 20, 30, 4, 6, 5]
    assert np.array_equal(aniso, aniso.T)
    assert (aniso[0, 3], aniso[0, 5], aniso[0, 4], aniso[3, 5], aniso[4, 5]) == (0.1, 0.4, 0.8, 0.7, 0.13)


def test_material_without_elasticity_is_unusable_and_says_what_to_add(read):
    mesh = read(SOLID + "*HYPERELASTIC\n1, 2\n*DENSITY\n3.\n")
    (block,) = mesh.blocks
    assert isinstance(block.material, UnusableMaterial)
    assert block.material.density == 3.0
    assert "mesh.inp:9: *MATERIAL M cannot be used: it has *HYPERELASTIC (line 10); add *ELASTIC" in block.material.reason


@pytest.mark.parametrize(
    "constants", ["ORTHO\n1, 2, 3, 4, 5, 6, 7, 8\n9\n", "ENGINEERING CONSTANTS\n1, 10, 1, .9, 0, 0, 1, 1\n1\n"]
)
def test_constants_of_no_elastic_material_are_told_and_not_computed_with(tmp_path, constants):
    path = tmp_path / "mesh.inp"
    path.write_text(SOLID + f"*DENSITY\n1e-9\n*ELASTIC, TYPE={constants}")
    with pytest.warns(MeshWarning, match="mesh.inp:9: material M has an elasticity matrix that is not positive definite"):
        mesh = read_mesh(path)
    with pytest.raises(MeshError, match="'M' has an elasticity matrix that is not positive definite"):
        assemble(mesh)


def test_missing_density_is_none_and_missing_section_a_warning(read):
    assert read(SOLID + "*ELASTIC\n1e9, .3\n").blocks[0].material.density is None
    mesh = read(SOLID.partition("*SOLID")[0])
    assert mesh.blocks[0].material is None
    assert any("7: 1 elements of type C3D4 have no section; add *SOLID SECTION" in text for text in mesh.warnings)


def test_later_section_counts_with_a_warning(read):
    again = "*ELASTIC\n1e9, .3\n*MATERIAL, NAME=N\n*ELASTIC\n2e9, .3\n*SOLID SECTION, ELSET=E, MATERIAL=N\n"
    mesh = read(SOLID + again)
    assert mesh.blocks[0].material.name == "N"
    assert any("already have a section" in text for text in mesh.warnings)


def test_shell_sections(deck):
    mesh = deck("shells_and_beams.inp")
    plate = block_with(mesh, 1)
    assert (plate.section.thickness, plate.section.offset, plate.material.name) == (2.0, -1.0, "AL")  # SPOS
    assert plate.thickness.tolist() == [[2.0, 2.0, 2.0, 3.0, 2.0, 2.0, 2.0, 2.5]]
    layered = block_with(mesh, 2)
    assert layered.material is None
    assert [(layer.material.name, layer.thickness) for layer in layered.section.layers] == [("PLY", 0.5), ("PLY", 0.25)]
    assert np.degrees([layer.angle for layer in layered.section.layers]) == pytest.approx([45.0, -45.0])
    assert layered.material_axes[0].T == pytest.approx(np.eye(3))
    assert block_with(mesh, 4).section.behaviour == "membrane"


def test_normal_axis_of_orientations_of_shells(read):
    """Without a second line the orientation's axis 1 is near the normal: its axis 2 is the shell's first direction."""
    mesh = read(
        "*NODE\n1, 0, 0, 0\n2, 0, 1, 0\n3, 0, 0, 1\n*ELEMENT, TYPE=S3, ELSET=E\n1, 1, 2, 3\n*MATERIAL, NAME=M\n"
        "*ELASTIC, TYPE=LAMINA\n10., 5., .3, 1.\n*ORIENTATION, NAME=O\n1, 0, 0, 0, 1, 0\n"
        "*SHELL SECTION, ELSET=E, MATERIAL=M, ORIENTATION=O\n.1\n"
    )
    assert mesh.blocks[0].material_axes[0][:, 0].tolist() == [0.0, 1.0, 0.0]
    assert mesh.materials["M"].G23 == 1.0


def test_cylindrical_orientation_of_solids(read):
    mesh = read(
        SOLID.replace("MATERIAL=M", "MATERIAL=M, ORIENTATION=O")
        + "*ELASTIC, TYPE=ENGINEERING CONSTANTS\n3, 2, 1, .1, .1, .1, 1, 1\n1\n"
        + "*ORIENTATION, NAME=O, SYSTEM=CYLINDRICAL\n.25, -1, 0, .25, -1, 9\n"
    )
    # the centre of the tetrahedron (1/4, 1/4, 1/4) is in direction y from the axis
    assert mesh.blocks[0].material_axes[0].T == pytest.approx(np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]))


def test_beam_sections(deck):
    mesh = deck("shells_and_beams.inp")
    rectangle = block_with(mesh, 10).section
    assert (rectangle.area, rectangle.Iz) == pytest.approx((8.0, 2.0 * 4.0**3 / 12.0))
    assert rectangle.centroid == pytest.approx((-2.0, 0.0))  # OFFSET1 = 0.5: the nodes are on the far side along n1
    assert rectangle.y_axis.tolist() == [1.0, 0.0, 0.0]
    # OFFSET1 shows that the deck is for CalculiX, so 1.5 is the diameter
    assert block_with(mesh, 12).section.torsion_constant == pytest.approx(np.pi * 0.75**4 / 2.0)
    tube = block_with(mesh, 14).section
    assert tube.area == pytest.approx(np.pi * (2.0**2 - 1.5**2))
    assert tube.nonstructural_mass == 1e-6
    general = block_with(mesh, 17)
    assert (general.section.Iy, general.section.Iz, general.section.torsion_constant) == (3.0, 10.0, 5.0)
    assert general.material.shear_modulus == pytest.approx(80000.0)
    assert general.material.density == 7e-9
    assert general.section.y_axis.tolist() == [0.0, 0.0, -1.0]  # the format's default n1


def test_circle_of_two_thicknesses_is_an_ellipse(read):
    section = read(BEAM + "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=CIRC\n4., 2.\n").blocks[0].section
    assert section.area == pytest.approx(2.0 * np.pi)
    assert section.Iz == pytest.approx(np.pi / 4.0 * 2.0**3 * 1.0)


def test_cubic_beams_do_not_shear(read):
    """B33 of Abaqus is an Euler-Bernoulli beam: P L^3 / 3 E I at the tip; B31 shears in addition."""
    text = BEAM + "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT\n0.1, 0.1\n0, 1, 0\n"
    flexibilities = []
    for name in ("B31", "B33"):
        model = assemble(read(text.replace("B31", name)))
        flexibilities.append(np.linalg.inv(model.K[6:, 6:].toarray())[-5, -5])
    assert flexibilities[1] == pytest.approx(2.0**3 / 3 / (210e9 * 1e-4 / 12), rel=1e-9)
    assert flexibilities[0] == pytest.approx(flexibilities[1] + 2.0 / (5 / 6 * 0.01 * 210e9 / 2.6), rel=1e-9)


def test_one_number_for_a_circle_is_a_radius_or_a_diameter(read):
    """Abaqus takes it for the radius, CalculiX for the diameter (volume printed by ccx 2.20)."""
    text = BEAM + "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=CIRC\n4.\n"
    mesh = read(text)
    assert mesh.blocks[0].section.area == pytest.approx(16.0 * np.pi)
    assert any("read as the radius of the circle" in text for text in mesh.warnings)
    abaqus = read(text + "*STEP\n*OUTPUT, FIELD\n*END STEP\n")
    assert (abaqus.blocks[0].section.area, len(abaqus.warnings)) == (pytest.approx(16.0 * np.pi), 0)
    calculix = read(text + "*STEP\n*NODE FILE, OUTPUT=3D\nU\n*END STEP\n")
    assert (calculix.blocks[0].section.area, len(calculix.warnings)) == (pytest.approx(4.0 * np.pi), 0)


def test_truss_spring_and_dashpot(deck):
    mesh = deck("shells_and_beams.inp")
    assert block_with(mesh, 13).section.area == 0.75
    spring = block_with(mesh, 15).section
    assert (spring.first_dof, spring.second_dof, spring.stiffness[0], spring.axial) == (3, None, 40.0, False)
    dashpot = block_with(mesh, 16).section
    assert (dashpot.damping[0], dashpot.stiffness[0], dashpot.axial) == (0.5, 0.0, True)
    assert block_with(deck("solids.inp"), 30).section.stiffness[0] == 250.0


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("*ELASTIC\n210e9, 0.5\n", r":11: \*ELASTIC: material M has E = 2.1e\+11 and nu = 0.5"),
        ("*ELASTIC\n*DENSITY\n1\n", r":10: \*ELASTIC needs data line 1 with E, nu"),
        ("*ELASTIC, TYPE=ORTHO\n1, 2, 3\n", r":11: \*ELASTIC: TYPE=ORTHO needs 9 constants .* got 3"),
        ("*ELASTIC\n1, .3\n*DENSITY\n-1\n", r":13: \*DENSITY: the density of material M is -1; it must not be negative"),
        ("*ELASTIC\n1, .3\n*DENSITY\nnan\n", r":13: \*DENSITY: the density of material M must be a finite number, got 'nan'"),
    ],
)
def test_wrong_material_names_the_line(read, card, message):
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(SOLID + card)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT\n4, -2\n", r":14: \*BEAM SECTION: profile RECT: .*-2"),
        ("*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=STAR\n4\n", r":14: \*BEAM SECTION: profile STAR is unknown"),
        ("*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT\n1, 1\n0, 0, 0\n", r":15: \*BEAM SECTION: the direction n1"),
        ("*BEAM SECTION, ELSET=E, MATERIAL=X, SECTION=RECT\n1, 1\n", r":13: \*BEAM SECTION names the material X"),
        ("*BEAM SECTION, ELSET=E, MATERIAL=M\n1, 1\n", r":13: \*BEAM SECTION needs the parameter SECTION="),
        ("*SOLID SECTION, ELSET=E, MATERIAL=M\n", r":13: \*SOLID SECTION is assigned to elements of type B31"),
        ("*SOLID SECTION, ELSET=EE, MATERIAL=M\n", r":13: \*SOLID SECTION names the element set EE.* Did you mean E\?"),
        ("*SHELL SECTION, ELSET=E, MATERIAL=M\n", r":13: \*SHELL SECTION needs data line 1 with the thickness"),
        ("*BEAM GENERAL SECTION, ELSET=E\n1, 1, 2, 1, 1\n\n1, 1\n", r":14: \*BEAM GENERAL SECTION: general section"),
        ("*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=GENERAL\n1, 1, 0, 1, 1\n", r":13: .* is for user elements"),
        ("*BEAM GENERAL SECTION, ELSET=E\n1, 1, 0, 1, 1\n\n1\n", r":16: \*BEAM GENERAL SECTION: needs E and G"),
    ],
)
def test_wrong_section_names_the_line(read, section, message):
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(BEAM + section)


@pytest.mark.parametrize("thickness", ["0.", "-2.", ""])
def test_zero_thickness_and_area(read, thickness):
    shell = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*ELEMENT, TYPE=S3, ELSET=E\n1, 1, 2, 3\n*MATERIAL, NAME=M\n"
    with pytest.raises(MeshError, match=r"mesh\.inp:9: \*SHELL SECTION: the thickness is"):
        read(shell + f"*SHELL SECTION, ELSET=E, MATERIAL=M\n{thickness or ','}\n")
    truss = BEAM.replace("B31", "T3D2") + "*SOLID SECTION, ELSET=E, MATERIAL=M\n"
    if thickness:
        with pytest.raises(MeshError, match=r"mesh\.inp:14: \*SOLID SECTION: the cross-sectional area is"):
            read(truss + thickness + "\n")


def test_mass_per_area_of_a_shell_section_is_added(read):
    text = (
        "*NODE\n1\n2, 1\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n*MATERIAL, NAME=M\n*ELASTIC\n"
        "1e9, .3\n*DENSITY\n1000.\n*SHELL SECTION, ELSET=E, MATERIAL=M, DENSITY=3\n0.5\n"
    )
    assert mass_properties(read(text)).mass == pytest.approx(503.0)


def test_numbers_that_the_end_of_the_file_may_cut_are_warned_about(read):
    whole = SOLID + "*ELASTIC\n1e9, .3\n*DENSITY\n7850.\n"
    assert read(whole).warnings == ()
    assert any("*DENSITY" in text and "may be cut off" in text for text in read(whole[:-3]).warnings)


CUBES = """\
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
9, 0, 0, 2
10, 1, 0, 2
11, 1, 1, 2
12, 0, 1, 2
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5, 6, 7, 8
2, 5, 6, 7, 8, 9, 10, 11, 12
*ORIENTATION, NAME=O, DEFINITION=COORDINATES
D
3, 0.
*SOLID SECTION, ELSET=E, MATERIAL=M, ORIENTATION=O
*MATERIAL, NAME=M
*ELASTIC, TYPE=ENGINEERING CONSTANTS
2e11, 1e10, 1e10, .2, .2, .07, 5e9, 5e9
4e9
*DISTRIBUTION TABLE, NAME=T
COORD3D, COORD3D
*DISTRIBUTION, NAME=D, LOCATION=ELEMENT, TABLE=T
"""


def test_orientations_element_by_element(read):
    turned = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    (block,) = read(CUBES + ", 1, 0, 0, 0, 1, 0\n2, 0, 1, 0, -1, 0, 0\n").blocks
    np.testing.assert_allclose(block.material_axes, [np.eye(3), turned], atol=1e-15)
    (block,) = read(CUBES + "E, 0, 1, 0, -1, 0, 0\n1, 1, 0, 0, 0, 1, 0\n").blocks
    np.testing.assert_allclose(block.material_axes, [np.eye(3), turned], atol=1e-15)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", r":27: \*DISTRIBUTION needs data lines"),
        ("1, 1, 0\n", r":28: \*DISTRIBUTION: an element and its points"),
        ("1, 1, 0, 0, 2, 0, 0\n", r":28: \*DISTRIBUTION: the points that define the axes are collinear"),
        ("X, 1, 0, 0, 0, 1, 0\n", r":28: \*DISTRIBUTION names the element set X"),
    ],
)
def test_wrong_distributions_name_the_line(read, lines, message):
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(CUBES + lines)


def test_values_of_parameters_are_asked_for(read):
    with pytest.raises(MeshError, match=r"mesh\.inp:13: \*ELASTIC: .*'<E>'. Values of \*PARAMETER"):
        read("*PARAMETER\nE = 1e7\n" + SOLID + "*ELASTIC\n<E>, .3\n")


def test_rectangle_of_one_dimension_is_a_square_as_in_calculix(read):
    """CalculiX 2.20 gives a volume of 0.0025 for a beam of length 1 with RECT and 0.05 alone."""
    text = (
        "*NODE\n1\n2, 1\n*ELEMENT, TYPE=B31, ELSET=E\n1, 1, 2\n*MATERIAL, NAME=M\n*ELASTIC\n1e9, .3\n"
        "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT\n0.05\n0, 0, 1\n"
    )
    mesh = read(text)
    assert mesh.blocks[0].section.area == pytest.approx(0.0025)
    assert any("10: *BEAM SECTION" in warning and "square" in warning for warning in mesh.warnings)


def test_beams_that_are_generated_are_told_to_lack_an_orientation_node(read):
    text = BEAM.replace("3, 2, 0, 0", "3, 2, 0, 0\n9, 0, 5, 0").replace("1, 1, 2\n2, 2, 3\n", "1, 1, 2, 9\n*ELGEN, ELSET=E\n1, 2\n")
    mesh = read(text + "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=CIRC\n.1\n")
    assert mesh.blocks[0].nodes.tolist() == [[0, 1], [1, 2]]
    assert any("mesh.inp:9: the beams made here are turned by n1 of their section" in text for text in mesh.warnings)
