"""Elements that lack nodes or are collapsed, where surfaces, thicknesses, supports, masses and turned nodes meet them."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.mesh.element_kinds import KINDS

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], float)
MIDDLES = np.array([CORNERS[list(edge)].mean(axis=0) for edge in KINDS["hex20"].edges])  # 13 is between 5 and 6
CUBE = {number: point for number, point in enumerate([*CORNERS, *MIDDLES], 1)}
PLATE = {1: (0, 0, 0), 2: (2, 0, 0), 3: (2, 2, 0), 4: (0, 2, 0), 5: (1, 0, 0), 7: (1, 2, 0), 8: (0, 1, 0), 99: (5, 5, 5)}
STEEL = "*MATERIAL, NAME=M\n*ELASTIC\n2.1e11, .3\n*DENSITY\n1000.\n"
SOLID = "*SOLID SECTION, ELSET=E, MATERIAL=M\n" + STEEL
ANSYS = "/PREP7\nMP,EX,1,2.1e11\nMP,PRXY,1,.3\nMP,DENS,1,7800\n"


@pytest.fixture
def read(tmp_path):
    """Read a deck given as text, with the suffix of its format."""

    def write_and_read(text, suffix):
        (tmp_path / f"deck{suffix}").write_text(text)
        return fm.read_mesh(tmp_path / f"deck{suffix}", trust_units=True)

    return write_and_read


def nodes(points):
    return "*NODE\n" + "".join(f"{n}, {x}, {y}, {z}\n" for n, (x, y, z) in points.items())


def corners(*numbers, points=CUBE):
    return {number: points[number] for number in numbers}


def rigid_motions(mesh):
    model = fm.assemble(mesh)
    frequencies = fm.natural_modes(model, np.zeros(model.ndof, bool), count=8).frequencies
    return int((frequencies < 1.0).sum())


pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.FlexmbsWarning")


@pytest.mark.parametrize("absent", ["0", "3"])  # not given, or at an end of its edge
def test_edges_of_shells_have_the_middle_nodes_that_were_made(read, absent):
    text = nodes(PLATE) + f"*ELEMENT, TYPE=S8R, ELSET=E\n1, 1,2,3,4,5,{absent},7,8\n*SHELL SECTION, ELSET=E, MATERIAL=M\n.05\n"
    text += "*SURFACE, NAME=V\nE, E2\n*COUPLING, CONSTRAINT NAME=C, REF NODE=99, SURFACE=V\n*KINEMATIC\n" + STEEL
    mesh = read(text, ".inp")
    assert mesh.points[8] == pytest.approx((2, 1, 0))
    assert {kind: faces.tolist() for kind, faces in mesh.surfaces["V"].faces.items()} == {"line3": [[1, 2, 8]]}
    assert mesh.couplings[0].nodes.tolist() == [1, 2, 8]


def test_a_node_that_was_made_has_the_mean_thickness_of_its_edge(read):
    text = nodes(corners(1, 2, 3, 4, 5, 7, 8, points=PLATE)) + "*ELEMENT, TYPE=S8R, ELSET=E\n1, 1,2,3,4,5,0,7,8\n"
    text += "*SHELL SECTION, ELSET=E, MATERIAL=M, NODAL THICKNESS\n.01\n*NSET, NSET=N\n1,2,3,4,5,7,8\n*NODAL THICKNESS\nN, .1\n"
    mesh = read(text + STEEL, ".inp")
    assert mesh.blocks[0].thickness == pytest.approx(np.full((1, 8), 0.1))
    assert fm.mass_properties(mesh).mass == pytest.approx(400.0)


def test_collapsed_elements_take_no_part_in_surfaces(read):
    more = {12: (2, 0, 0), 13: (2, 1, 0), 16: (2, 0, 1), 17: (2, 1, 1), 99: (0.5, 0.5, 3)}
    text = nodes({**corners(*range(1, 9)), **more}) + "*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1,2,3,4,5,6,7,8\n3, 2,12,13,3,6,16,17,7\n"
    text += "2, 5,6,7,8,5,6,7,8\n*SURFACE, NAME=WHOLE\nE,\n*SURFACE, NAME=TOP\nE, S2\n"
    text += "*COUPLING, CONSTRAINT NAME=C, REF NODE=99, SURFACE=TOP\n*DISTRIBUTING\n" + SOLID
    mesh = read(text, ".inp")
    assert mesh.surfaces["WHOLE"].size == 10
    assert mesh.surfaces["TOP"].size == 2
    assert mesh.couplings[0].weights == pytest.approx([0.25, 0.5, 0.5, 0.25, 0.25, 0.25])
    assert [(other.role, other.ids.tolist()) for other in mesh.other_elements] == [("collapsed", [2])]


def test_faces_within_a_body_are_told_from_its_surface_whatever_writes_them(read):
    prism = {1: CUBE[1], 2: CUBE[2], 3: CUBE[3], 5: CUBE[5], 6: CUBE[6], 7: CUBE[7]}
    above = {9: (0, 0, 2), 10: (1, 0, 2), 11: (1, 1, 2)}
    text = nodes({**prism, **above}) + "*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1,2,3,3,5,6,7,7\n"
    mesh = read(text + "*ELEMENT, TYPE=C3D6, ELSET=E\n2, 5,6,7,9,10,11\n*SURFACE, NAME=W\nE,\n" + SOLID, ".inp")
    faces = mesh.surfaces["W"].faces
    assert mesh.node_ids[faces["tri3"]].tolist() == [[1, 3, 2], [9, 10, 11]]
    assert len(faces["quad4"]) == 6


def test_only_the_face_that_lacks_a_node_is_read_by_its_corners(read):
    below = {number + 100: point - [0, 0, 5] for number, point in CUBE.items()}
    text = nodes({**CUBE, **below}) + "*ELEMENT, TYPE=C3D20, ELSET=E\n"
    text += ", ".join(map(str, (1, *range(1, 9), *[0] * 12))) + "\n"  # of first order
    text += ", ".join(map(str, (2, *range(101, 121)))) + "\n*SURFACE, NAME=TOP\nE, S2\n" + SOLID
    faces = read(text.replace(", 110, ", ", 110,\n"), ".inp").surfaces["TOP"].faces
    assert {kind: len(rows) for kind, rows in faces.items()} == {"quad4": 1, "quad8": 1}


def test_trusses_of_three_nodes_may_lack_the_middle_one(read):
    points = {1: (0, 0, 0), 2: (1, 0, 0), 3: (0, 1, 0), 4: (2, 0, 0)}
    text = nodes(points) + "*ELEMENT, TYPE=T3D3, ELSET=E\n1, 1,2,0\n2, 1,3,0\n3, 2,4,0\n*SOLID SECTION, ELSET=E, MATERIAL=M\n.01\n"
    (block,) = read(text + STEEL, ".inp").blocks
    assert (block.kind, block.nodes.tolist()) == ("truss2", [[0, 1], [0, 2], [1, 3]])


def test_lines_of_an_element_may_have_a_comment_between_them(read):
    text = nodes(corners(*range(1, 9))) + "*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1,2,3,4,\n** the top\n5,6,7,8\n" + SOLID
    assert fm.mass_properties(read(text, ".inp")).mass == pytest.approx(1000.0)


def test_beams_of_an_assembly_are_turned_by_their_orientation_node(read):
    text = "*PART, NAME=P\n" + nodes({1: (0, 0, 0), 2: (1, 0, 0), 9: (0, 0, 1)}) + "*END PART\n*ASSEMBLY, NAME=A\n"
    text += "*INSTANCE, NAME=I, PART=P\n*END INSTANCE\n*ELEMENT, TYPE=B31, ELSET=B\n1, I.1, I.2, I.9\n*END ASSEMBLY\n"
    text += "*BEAM SECTION, ELSET=B, MATERIAL=M, SECTION=RECT\n.1, .2\n0,1,0\n" + STEEL
    assert read(text, ".inp").blocks[0].y_axes.tolist() == [[0.0, 0.0, 1.0]]


def test_a_mass_needs_a_node(read):
    text = nodes(corners(*range(1, 9))) + "*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1,2,3,4,5,6,7,8\n*ELEMENT, TYPE=MASS, ELSET=P\n9, 0\n"
    with pytest.raises(fm.MeshError, match="deck.inp:20: [*]MASS: an element of the set P has node 0"):
        read(text + SOLID + "*MASS, ELSET=P\n500.\n", ".inp")
    with pytest.raises(fm.MeshError, match="MASS21: of 1 elements one has no node"):
        read(cube("8") + "ET,2,MASS21\nR,2,5,5,5\nEN,R5.5,ATTR,1,1,2,2,1,0,9\n", ".dat")


def cube(turned_nodes="", without=()):
    """A SOLID186; nodes that are turned by 90 degrees about z, and middle nodes that it lacks."""
    text = ANSYS + "ET,1,SOLID186\n"
    for number, (x, y, z) in CUBE.items():
        angle = ",90" if str(number) in turned_nodes.split() else ""
        text += f"N,{number},{x},{y},{z}{angle}\n" if number not in without else ""
    numbers = [0 if number in without else number for number in range(1, 21)]
    lines = [",".join(map(str, part)) for part in (numbers[:8], numbers[8:16], numbers[16:])]
    return text + f"TYPE,1\nE,{lines[0]}\nEMORE,{lines[1]}\nEMORE,{lines[2]}\n"


@pytest.mark.parametrize("turned", ["", "5", "5 6"])
def test_nodes_that_were_made_move_with_ends_whose_displacements_are_turned(read, turned):
    assert rigid_motions(read(cube(turned, without=(13,)), ".dat")) == 6


def test_nodes_that_were_made_move_with_ends_of_a_transform(read):
    text = nodes(corners(*(n for n in CUBE if n != 13))) + "*ELEMENT, TYPE=C3D20, ELSET=E\n"
    text += "1, 1,2,3,4,5,6,7,8,9,10,\n11,12,0,14,15,16,17,18,19,20\n*NSET, NSET=T\n5,\n*TRANSFORM, NSET=T\n0,1,0,-1,0,0\n" + SOLID
    assert rigid_motions(read(text, ".inp")) == 6


def test_zeros_among_the_nodes_of_coded_elements_keep_their_places(read):
    head = "".join(line + "\n" for line in cube().splitlines() if not line.startswith(("E", "TYPE")) or line.startswith("ET"))
    text = head + "EN,R5.5,ATTR,20,1,1,1,1,0,1\nEN,R5.5,NODE,1,2,3,4,5,6,7,8\n"
    mesh = read(text + "EN,R5.5,NODE,9,10,11,12,0,14,15,16\nEN,R5.5,NODE,17,18,19,20\n", ".dat")
    assert mesh.blocks[0].nodes[0].tolist() == [*range(12), 20, *range(13, 20)]
    assert fm.mass_properties(mesh).volume == pytest.approx(1.0)


def test_a_remote_point_needs_a_node(read):
    text = cube() + "ET,4,TARGE170\nET,5,CONTA174\nKEYOPT,5,2,2\nKEYOPT,5,12,5\nKEYOPT,5,4,2\nR,8\n"
    with pytest.raises(fm.MeshError, match="the pilot element 9 has no node"):
        read(text + "EN,R5.5,ATTR,1,1,4,8,1,0,9\nTYPE,5\nREAL,8\nE,5,6,7,8\n", ".dat")


@pytest.mark.parametrize(("line", "right"), [("1,1,3,4", (1, 3, 4)), ("1,2,2,4", (1, 2, 4)), ("1,2,3,3", (1, 2, 3))])
def test_thickness_at_corners_goes_with_the_corners_that_a_collapsed_shell_keeps(read, line, right):
    text = ANSYS + "ET,1,SHELL63\nR,1,.01,.02,.03,.04\n"
    text += "".join(f"N,{n},{x},{y}\n" for n, (x, y, _) in corners(1, 2, 3, 4).items())
    (block,) = read(text + f"E,{line}\n", ".dat").blocks
    assert dict(zip((block.nodes[0] + 1).tolist(), block.thickness[0].tolist(), strict=True)) == {n: n / 100 for n in right}


def test_constants_of_any_size_are_told_to_be_none_of_an_elastic_material(read):
    text = nodes(corners(1, 2, 4, 5)) + "*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1,2,4,5\n*SOLID SECTION, ELSET=E, MATERIAL=M\n"
    text += "*MATERIAL, NAME=M\n*DENSITY\n1000.\n*ELASTIC, TYPE=ORTHOTROPIC\n"
    text += "1e-300, 1e70, 1e-300, 1e70, 0, 1e-300, 5e9, 5e9,\n5e9\n"
    assert "not positive definite" in read(text, ".inp").warnings[0]


def test_a_face_and_the_solid_below_it_get_one_node_on_their_edge(read):
    nodes_of_file = "".join(f"{n} {x} {y} {z}\n" for n, (x, y, z) in CUBE.items() if n != 13)
    hexahedron = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17, 10, 18, 11, 19, 20, 6, 16, 14, 15]  # Gmsh's order; 6 ends the edge 5-6
    face = [5, 6, 7, 8, 6, 14, 15, 16]
    text = '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 "top"\n$EndPhysicalNames\n'
    text += f"$Nodes\n19\n{nodes_of_file}$EndNodes\n$Elements\n2\n1 16 2 1 1 {' '.join(map(str, face))}\n"
    text += f"2 17 2 2 1 {' '.join(map(str, hexahedron))}\n$EndElements\n"
    mesh = read(text, ".msh")
    assert len(mesh.points) == 20 and len(mesh.equations) == 3
    assert 19 in mesh.node_sets["top"] and 19 in mesh.blocks[0].nodes
