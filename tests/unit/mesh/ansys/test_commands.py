"""Decks of commands, as Workbench and people write them: parameters, selections, sections, rigid beams."""

from pathlib import Path

import numpy as np
import pytest

from flexmbs import AnisotropicMaterial, MeshError, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.readers.ansys.deck_text import evaluate
from flexmbs.mesh.readers.ansys.read_ansys import read_ansys

DATA = Path(__file__).parents[3] / "data" / "mesh" / "ansys"
HEXAHEDRON = """/prep7
et,1,185
mp,ex,1,1000
mp,prxy,1,0.3
n,1,0,0,0
n,2,1,0,0
n,3,1,1,0
n,4,0,1,0
n,5,0,0,1
n,6,1,0,1
n,7,1,1,1
n,8,0,1,1
e,1,2,3,4,5,6,7,8
"""
LINE = "/prep7\nmp,ex,1,1000\nmp,prxy,1,0.3\nn,1\nn,2,1\nn,3,0,0,1\n"


@pytest.fixture(scope="module")
def frame():
    return read_ansys(DATA / "frame.dat")


def written(folder, text):
    deck = folder / "deck.dat"
    deck.write_text(text)
    return deck


def test_shells_beams_and_trusses_have_their_sections(frame):
    blocks = {block.kind: block for block in frame.blocks}
    assert blocks["quad4"].section.thickness == blocks["tri3"].section.thickness == 0.02
    assert blocks["quad4"].section.offset == 0.01  # the nodes lie at the bottom
    assert blocks["truss2"].section.area == 0.01
    beam = blocks["beam2"]
    assert beam.section.area == pytest.approx(0.005)
    assert beam.section.Iz == pytest.approx(0.05 * 0.1**3 / 12)
    assert beam.material is frame.materials["MAT 2"]
    # the orientation node lies above the beam along x: z points to it, y is z times x
    np.testing.assert_allclose(beam.y_axes, [(0, 1, 0)])


def test_selections_become_components(frame):
    assert frame.element_sets["PLATES"].tolist() == [0, 1]
    assert frame.node_ids[frame.node_sets["PLATE_N"]].tolist() == [1, 2, 3, 4, 5]


def test_supports_of_a_named_selection_have_its_name(frame):
    (support,) = frame.boundary_conditions
    assert support.name.startswith("_FIXEDSU")
    assert support.dofs == (1, 2, 3, 4, 5, 6)
    assert frame.node_ids[support.nodes].tolist() == [1, 4]


def test_rigid_beams_are_couplings(frame):
    (coupling,) = frame.couplings
    assert coupling.kind == "rigid"
    assert frame.node_ids[coupling.reference] == 8
    assert frame.node_ids[coupling.nodes].tolist() == [3]


def test_beams_without_orientation_node_have_y_parallel_to_the_xy_plane(tmp_path):
    deck = LINE + "et,1,188\nsectype,1,beam,csolid\nsecdata,0.1\nen,1,1,2\nen,2,1,3\nn,4,0,1,1\nen,3,1,4\n"
    (block,) = read_ansys(written(tmp_path, deck)).blocks
    np.testing.assert_allclose(block.y_axes, [(0, 1, 0), (0, 1, 0), (-1, 0, 0)], atol=1e-12)
    assert block.section.area == pytest.approx(np.pi * 0.01)


@pytest.mark.parametrize(
    ("routine", "constants", "factors"),
    [
        (4, "4,2,1,1,1,0\nrmore,,3,1.2,2", (0.5, 1 / 1.2)),  # SHEARZ, SHEARY: the area over that which carries shear
        (4, "4,2,1,1,1,0\nrmore,,3,1.2", (np.inf, 1 / 1.2)),
        (4, "4,2,1,1,1", (np.inf, np.inf)),
        (44, "4,2,1,1,1,3", (np.inf, np.inf)),
    ],
)
def test_beams_by_real_constants_have_no_shear_deformation_unless_they_say_so(tmp_path, routine, constants, factors):
    mesh = read_ansys(written(tmp_path, LINE + f"et,1,{routine}\nr,1,{constants}\ne,1,2\n"))
    section = mesh.blocks[0].section
    assert (section.shear_factor_y, section.shear_factor_z) == pytest.approx(factors, rel=1e-14)
    assert (section.area, section.Iz, section.Iy, section.torsion_constant) == (4.0, 2.0, 1.0, 3.0)


def test_minor_and_major_poisson_ratio_of_orthotropic_materials(tmp_path):
    constants = "mp,ey,1,500\nmp,ez,1,250\nmp,gxy,1,200\nmp,gyz,1,100\nmp,gxz,1,150\nmp,pryz,1,0.2\nmp,prxz,1,0.1\n"
    major = read_ansys(written(tmp_path, HEXAHEDRON + constants)).materials["MAT 1"]
    minor = HEXAHEDRON.replace("prxy,1,0.3", "nuxy,1,0.15") + constants
    assert isinstance(major, OrthotropicMaterial)
    assert major == read_ansys(written(tmp_path, minor)).materials["MAT 1"]
    assert (major.nu12, major.nu23, major.nu13, major.G23, major.G13) == (0.3, 0.2, 0.1, 100, 150)


def test_elastic_matrix_of_tb_anel(tmp_path):
    table = "tb,anel,1\ntbdata,1,300,100,100,0,0,0\ntbdata,7,300,100,0,0,0,300\ntbdata,13,0,0,0,80,0,0\ntbdata,19,70,0,60\n"
    material = read_ansys(written(tmp_path, HEXAHEDRON + table)).materials["MAT 1"]
    assert isinstance(material, AnisotropicMaterial)
    np.testing.assert_array_equal(np.diag(material.stiffness), [300, 300, 300, 80, 70, 60])
    assert material.stiffness[0, 1] == material.stiffness[2, 1] == 100


def test_material_axes_follow_the_elements_coordinate_system(tmp_path):
    text = HEXAHEDRON.replace("e,1,2", "mp,ey,1,500\nmp,ez,1,250\nlocal,11,0,0,0,0,90\ncsys,0\nesys,11\ne,1,2")
    (block,) = read_ansys(written(tmp_path, text)).blocks
    np.testing.assert_allclose(block.material_axes[0], [(0, -1, 0), (1, 0, 0), (0, 0, 1)], atol=1e-15)


def test_a_material_without_elasticity_says_what_to_add(tmp_path):
    deck = HEXAHEDRON.replace("mp,ex,1,1000", "mp,dens,1,7")
    material = read_ansys(written(tmp_path, deck)).materials["MAT 1"]
    assert isinstance(material, UnusableMaterial)
    assert "MP,EX,1" in material.reason


def test_layers_of_shells(tmp_path):
    deck = LINE + "et,1,181\nsectype,1,shell\nsecdata,0.1,1,45\nsecdata,0.2,1,-45\nsecoff,top\ne,1,2,3,3\n"
    (block,) = read_ansys(written(tmp_path, deck)).blocks
    assert block.material is None
    assert [round(np.degrees(layer.angle)) for layer in block.section.layers] == [45, -45]
    assert block.section.offset == pytest.approx(-0.15)


def test_thickness_at_corners_from_real_constants(tmp_path):
    (block,) = read_ansys(written(tmp_path, LINE + "et,1,63\nr,1,0.1,0.2,0.3,0.3\ne,1,2,3,3\n")).blocks
    assert block.section.thickness is None
    assert block.thickness.tolist() == [[0.1, 0.2, 0.3]]


def test_nodes_in_a_cylindrical_system(tmp_path):
    mesh = read_ansys(written(tmp_path, HEXAHEDRON + "csys,1\nn,9,2,90,5\n"))
    np.testing.assert_allclose(mesh.points[8], [0, 2, 5], atol=1e-12)


def test_a_remote_point_of_workbench_is_a_coupling(tmp_path):
    contact = (
        "*set,tid,4\n*set,cid,3\net,cid,174\net,tid,170\nkeyo,tid,4,111\nkeyo,cid,12,5\nkeyo,cid,4,1\nkeyo,cid,2,2\n"
        "eblock,10,,,1\n(15i9)\n" + "".join(f"{n:9d}" for n in (20, 3, 3, 3, 0, 5, 6, 7, 8)) + "\n-1\n"
        "n,9,0.5,0.5,3\n_pilot=9\ntype,tid\nreal,cid\nen,21,_pilot\n"
    )
    mesh = read_ansys(written(tmp_path, HEXAHEDRON + contact))
    (coupling,) = mesh.couplings
    assert (coupling.kind, coupling.dofs) == ("average", (1, 2, 3))
    assert mesh.node_ids[coupling.reference] == 9
    assert mesh.node_ids[coupling.nodes].tolist() == [5, 6, 7, 8]


def test_conditions_on_parameters_are_followed(tmp_path):
    deck = HEXAHEDRON + "a=2\n*if,a,gt,1,then\nmp,dens,1,5\n*else\nmp,dens,1,6\n*endif\n"
    assert read_ansys(written(tmp_path, deck)).materials["MAT 1"].density == 5.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*(a+1)**2/-4", -8.0),
        ("1+2*A", 7.0),
        ("-a**-2", -1.0 / 9.0),  # the power first, as in Ansys
        ("2**a**2", 512.0),  # powers from right to left
        ("12/A/2", 2.0),
        ("--a", 3.0),
        ("1.5d3", 1500.0),
        ("-1.5D-3 + .5e1", 4.9985),
        ("007", 7.0),
        ("2*%A%", 6.0),
        ("sqrt(16)", 4.0),
        ("Nint(2.5) - abs(-a)", 0.0),
        ("in/2", 0.5),  # a word of Python, but here the name of a parameter
    ],
)
def test_arithmetic_of_parameters(text, value):
    assert evaluate(text, {"A": 3.0, "IN": 1.0}) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "text",
    ["b", "s", "1/0", "9**9**9**9", "(-8)**(1/3)", "9e999", "(" * 100, "1)+(2", "node(1,2,3)", "sqrt()", "sqrt(*a)", "sin(1)"]
    + ["1 2", "", "1_0", "0x1", "1j", "5%3", "5//3", "a.b", "...", "1#2", "a<2", "1+" * 400 + "1"],
)
def test_text_that_has_no_value(text):
    assert evaluate(text, {"A": 3.0, "S": "3"}) is None


def test_included_files_are_read_in_place(tmp_path):
    (tmp_path / "nodes.inp").write_text(HEXAHEDRON)
    mesh = read_ansys(written(tmp_path, "/input,nodes,inp\nmp,dens,1,3\n"))
    assert mesh.materials["MAT 1"].density == 3.0


def test_a_file_that_the_analysis_includes_may_be_missing(tmp_path):
    mesh = read_ansys(written(tmp_path, HEXAHEDRON + "fini\n/solu\n/input,loads,inp\nsolve\n"))
    assert [own.analysis for own in mesh.skipped] == [True, True]


def test_loops_of_the_solution_do_not_matter(tmp_path):
    loop = "finish\n/solution\n*do,i,1,3\nmp,ex,1,i\nd,i,ux,0\nsolve\n*enddo\n"
    mesh = read_ansys(written(tmp_path, HEXAHEDRON + loop))
    assert mesh.materials["MAT 1"].youngs_modulus == 1000
    assert mesh.boundary_conditions == ()


def type_block(*types, format_line="(2i9,19a9)"):
    """HEXAHEDRON with its types as a block: (number, routine, key options)."""
    rows = ["".join(f"{value:9}" for value in (number, routine, *options)) for number, routine, options in types]
    block = "\n".join([f"ETBLOCK,{len(types):9d},{len(types):9d}", format_line, *rows, f"{-1:9d}"])
    return HEXAHEDRON.replace("et,1,185", block)


def test_element_types_of_a_block(tmp_path):
    text = type_block((1, 185, [0] * 19), (2, 181, [0, 0, 2]))
    (block,) = read_ansys(written(tmp_path, text)).blocks
    assert (block.kind, block.type_name) == ("hex8", "SOLID185")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (type_block((1, 185, [])).split("        1      185")[0], r"deck.dat:3: ETBLOCK: the block ends after 0"),
        (type_block((1, 185, []), format_line="(3i9)"), r"deck.dat:3: ETBLOCK: '\(3i9\)' is not the format"),
        (type_block((1, "SOLID", [])), r"deck.dat:4: ETBLOCK: '1' and 'SOLID' were found instead"),
    ],
    ids=["cut off", "other format", "no routine"],
)
def test_blocks_of_element_types_that_are_damaged(tmp_path, text, message):
    with pytest.raises(MeshError, match=message):
        read_ansys(written(tmp_path, text))


def test_ends_of_files_and_decks(tmp_path):
    (tmp_path / "part.inp").write_text("*if,1,eq,1,then\nmp,dens,1,3\n/eof\n*endif\nmp,dens,1,4\n")
    mesh = read_ansys(written(tmp_path, HEXAHEDRON + "/input,part,inp\nmp,alpd,1,2\n/exit $ /eof\nmp,dens,1,5\nnonsense = (\n"))
    assert (mesh.materials["MAT 1"].density, mesh.materials["MAT 1"].damping.alpha) == (3.0, 2.0)


@pytest.mark.parametrize(
    ("condition", "density"),
    [("a,eq,2", 1), ("a,ne,2", 2), ("a,ge,3", 2), ("'x',eq,name", 1), ("a,eq,9,then\n*elseif,a,eq,2", 1), ("never,eq,0", 2)],
)
def test_branches_of_conditions(tmp_path, condition, density):
    deck = f"a=2\nname='X'\n*if,{condition},then\nmp,dens,1,1\n*if,a,eq,2,then\nb=1\n*endif\n*else\nmp,dens,1,2\n*endif\n"
    assert read_ansys(written(tmp_path, HEXAHEDRON + deck)).materials["MAT 1"].density == density


def test_coupled_sets_by_their_numbers(tmp_path):
    sets = "cp,4,uy,1,2\ncp,next,ux,1,2\ncp,next,ux,3,4\ncp,high,ux,5\ncp,4,uy,3\n"
    mesh = read_ansys(written(tmp_path, HEXAHEDRON + sets))
    found = [(own.name, mesh.node_ids[own.nodes].tolist()) for own in mesh.equations]
    assert found == [("CP 4 UY", [2, 1]), ("CP 4 UY", [3, 1]), ("CP 5 UX", [2, 1]), ("CP 6 UX", [4, 3]), ("CP 6 UX", [5, 3])]
