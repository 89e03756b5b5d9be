"""The Abaqus/CalculiX reader: what it understands, and what it says about what it does not."""

import numpy as np
import pytest

from flexmbs.errors import MeshError
from flexmbs.mesh import read_mesh

TET = """\
** a comment
*Heading
 any text
*NODE, NSET=Corners
1, 0., 0., 0.
2, 1., 0., 0.
3, 0., 1.d0, 0.
4, 0., 0., 1.
*ELEMENT, TYPE=C3D4,
 ELSET=body
7, 1, 2, 3, 4
*MATERIAL, NAME=Steel
*ELASTIC
210e9, 0.3
*DENSITY
7850.
*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL
"""
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


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, name="mesh.inp"):
        path = tmp_path / name
        path.write_text(text)
        return read_mesh(path)

    return write_and_read


def test_keywords_continue_and_ignore_case(read):
    mesh = read(TET)
    (block,) = mesh.blocks
    assert (block.kind, block.ids.tolist(), block.nodes.tolist()) == ("tet4", [7], [[0, 1, 2, 3]])
    assert mesh.points[2].tolist() == [0.0, 1.0, 0.0]
    assert (block.material.name, block.material.youngs_modulus, block.material.density) == ("STEEL", 210e9, 7850.0)
    assert mesh.element_sets["BODY"].tolist() == [7]
    assert mesh.node_sets["CORNERS"].tolist() == [0, 1, 2, 3]


def test_sets_generate_of_sets_and_of_elements(read):
    mesh = read(
        TET
        + "*NSET, NSET=ODD, GENERATE\n1, 4, 2\n*NSET, NSET=MIXED\nODD, 2\n*NSET, NSET=OFBODY, ELSET=BODY\n"
        + "*NSET, NSET=ODD\n4,\n"
    )
    assert mesh.node_ids[mesh.node_sets["ODD"]].tolist() == [1, 3, 4]
    assert mesh.node_ids[mesh.node_sets["MIXED"]].tolist() == [1, 3, 4, 2]
    assert len(mesh.node_sets["OFBODY"]) == 4


def test_element_over_several_lines(read):
    nodes = "".join(f"{i}, {i}., {i * i}., {i**3}.\n" for i in range(1, 11))
    mesh = read(f"*NODE\n{nodes}*ELEMENT, TYPE=C3D10\n1, 1, 2, 3, 4, 5,\n6, 7, 8, 9, 10\n")
    assert mesh.blocks[0].nodes.tolist() == [list(range(10))]


def test_included_file_and_input_parameter(read, tmp_path):
    nodes, _, rest = TET.partition("*ELEMENT")
    data = "".join(line + "\n" for line in nodes.splitlines() if line[0].isdigit())
    (tmp_path / "nodes.txt").write_text(data)
    for start in ("*NODE, INPUT=nodes.txt\n", "*NODE\n*INCLUDE, INPUT=nodes.txt\n"):
        assert len(read(f"{start}*ELEMENT{rest}").points) == 4
    with pytest.raises(MeshError, match=r"mesh\.inp:1: included file absent\.inp not found"):
        read("*INCLUDE, INPUT=absent.inp\n")


def test_file_that_includes_itself(read):
    with pytest.raises(MeshError, match="include itself"):
        read("*INCLUDE, INPUT=mesh.inp\n")


def test_rectangle_puts_local_1_on_y_axis(read):
    mesh = read(BEAM + "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT\n0.004, 0.02\n0, 1, 0\n")
    section = mesh.blocks[0].section
    assert section.y_axis.tolist() == [0.0, 1.0, 0.0]
    assert section.Iz == pytest.approx(0.02 * 0.004**3 / 12, rel=1e-14)  # rounding only
    assert np.ptp(section.outline, axis=0).tolist() == [0.004, 0.02]


def test_circle_and_pipe(read):
    circle = read(BEAM + "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=CIRC\n0.01\n").blocks[0].section
    assert circle.y_axis.tolist() == [0.0, 0.0, -1.0]  # the format's default n1
    pipe = read(BEAM + "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=PIPE\n0.01, 0.002\n").blocks[0].section
    assert pipe.area == pytest.approx(np.pi * (0.01**2 - 0.008**2), rel=1e-13)  # rounding only
    assert circle.torsion_constant == pytest.approx(np.pi * 0.01**4 / 2, rel=1e-13)


def test_general_section_brings_its_material(read):
    mesh = read(
        BEAM + "*BEAM GENERAL SECTION, ELSET=E, DENSITY=7000.\n1e-4, 2e-9, 0, 3e-9, 4e-9\n0, 1, 0\n2e11, 8e10\n"
    )
    block = mesh.blocks[0]
    assert (block.section.Iy, block.section.Iz, block.section.torsion_constant) == (2e-9, 3e-9, 4e-9)
    assert block.material.shear_modulus == pytest.approx(8e10, rel=1e-13)  # nu = E/2G - 1 and back: rounding only
    assert block.material.density == 7000.0


def test_what_is_skipped_is_listed_with_lines_and_steps_are_left_out(read):
    mesh = read(TET + "*BOUNDARY\n1, 1, 3\n*STEP\n*FREQUENCY\n5\n*NODE FILE\nU\n*END STEP\n*TIE, NAME=T\nA, B\n")
    assert [w.partition("*")[2] for w in mesh.warnings] == [
        "BOUNDARY is skipped (line 18).",
        "TIE is skipped (line 26).",
    ]


def test_one_part_and_instance_is_read_flat(read):
    assembly = "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=I-1, PART=P\n*END INSTANCE\n*NSET, NSET=S, INSTANCE=I-1\n2,\n"
    text = "*PART, NAME=P\n" + TET + "*END PART\n" + assembly + "*NSET, NSET=T\nI-1.3, I-1.S\n*END ASSEMBLY\n"
    mesh = read(text)
    assert mesh.node_sets["S"].tolist() == [1]
    assert mesh.node_sets["T"].tolist() == [1, 2] or mesh.node_sets["T"].tolist() == [2, 1]
    with pytest.raises(MeshError, match=r"mesh\.inp:\d+: the instance is moved"):
        read(text.replace("PART=P\n*END", "PART=P\n1., 0., 0.\n*END"))
    with pytest.raises(MeshError, match=r"mesh\.inp:\d+: a second part \(the first is in line 1\)"):
        read(text + "*PART, NAME=Q\n")


def test_nodes_of_no_element_are_left_out_and_faces_become_node_sets(read):
    mesh = read(
        TET.replace("4, 0., 0., 1.\n", "4, 0., 0., 1.\n9, 5., 5., 5.\n")
        + "*ELEMENT, TYPE=CPS3, ELSET=FACE\n8, 1, 2, 3\n"
    )
    assert mesh.node_ids.tolist() == [1, 2, 3, 4]
    assert mesh.node_sets["FACE"].tolist() == [0, 1, 2]
    assert any("1 nodes of no element are left out (9)" in warning for warning in mesh.warnings)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2, 1., 0., 0.", "2, 1., oops, 0.", r":6: node coordinate must be a number, got 'oops'"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3, 99", r":11: element 7 \(C3D4\) uses node 99, which no \*NODE card defines"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3", r":11: element 7 of type C3D4 has 3 nodes, needs 4"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3, 4, 5", r":11: C3D4 takes its number and 4 nodes, got 6"),
        ("7, 1, 2, 3, 4", "7, 1, 2, 3, 4\n7, 1, 2, 3, 4", r":12: element 7 is given again"),
        ("TYPE=C3D4", "TYPE=S4", r":9: element type S4 is not known; known are B31"),
        ("MATERIAL=STEEL", "MATERIAL=STEAL", r":17: .*STEAL, which is not defined. Did you mean STEEL\?"),
        ("ELSET=BODY, MAT", "ELSET=BODDY, MAT", r":17: .*BODDY, which is not defined. Did you mean BODY\?"),
        ("*ELASTIC\n210e9, 0.3\n", "", r":12: material STEEL has no \*ELASTIC card"),
        ("210e9, 0.3", "210e9, 0.5", r":14: material STEEL has E = 2.1e\+11 and nu = 0.5"),
        ("7850.", "-1.", r":16: material STEEL has density -1"),
        ("*ELASTIC", "*ELASTIC, TYPE=ORTHO", r":13: \*ELASTIC, TYPE=ORTHO is not read"),
        ("4, 0., 0., 1.", "1, 0., 0., 1.", r":8: node 1 is given again with other coordinates"),
        ("** a comment", "*NGEN\n1, 5", r":1: \*NGEN is not read"),
        ("*NODE, NSET=Corners", "*NODE, SYSTEM=C", r":4: \*NODE with SYSTEM= is not read"),
    ],
)
def test_wrong_content_names_the_line(read, old, new, message):
    assert TET.count(old) == 1
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(TET.replace(old, new))


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT\n0.004, -0.02\n",
            r":14: rectangular section: width_z = -0.02",
        ),
        ("*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=HEX\n0.004\n", r":14: SECTION=HEX of 1 sizes is not read"),
        ("*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT, OFFSET1=.5\n1, 1\n", r":13: OFFSET1 is not read"),
        ("*SOLID SECTION, ELSET=E, MATERIAL=M\n", r":13: .* element 1 of type B31; use \*BEAM SECTION"),
        ("*BEAM GENERAL SECTION, ELSET=E\n1, 1, 0.5, 1, 1\n", r":14: needs A, I11, I12 = 0"),
    ],
)
def test_wrong_beam_section_names_the_line(read, section, message):
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(BEAM + section)


def test_content_of_another_kind(read):
    with pytest.raises(MeshError, match=r"mesh\.inp:1: no \*NODE card"):
        read("ID NASTRAN\nSOL 101\nCEND\n")
    with pytest.raises(MeshError, match="not a text file"):
        read("*NODE\n1, 0, 0\0, 0\n")
    with pytest.raises(MeshError, match="no beam or solid elements"):
        read("*NODE\n1, 0, 0, 0\n")
