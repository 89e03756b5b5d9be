"""Couplings, equations, ties, masses, supports; parts and instances."""

import numpy as np
import pytest

from flexmbs import MeshError, read_mesh


def numbers(mesh, nodes):
    return mesh.node_ids[nodes].tolist()


def test_couplings(deck):
    mesh = deck("solids.inp")
    found = {c.name.split()[0]: c for c in mesh.couplings}
    grip = found["GRIP"]
    assert (grip.kind, numbers(mesh, [grip.reference]), grip.dofs) == ("average", [100], (1, 2, 3, 4, 5, 6))
    assert numbers(mesh, grip.nodes) == [1, 4, 5, 8, 13, 14]
    kinematic = found["KINEMATIC"]
    assert (kinematic.kind, kinematic.dofs, numbers(mesh, kinematic.nodes)) == ("rigid", (1, 2, 3), [13, 14])
    rigid = found["RIGID"]
    assert (rigid.kind, numbers(mesh, [rigid.reference]), numbers(mesh, rigid.nodes)) == ("rigid", [100], [13, 14])
    assert found["MPC"].kind == "rigid"
    assert grip.where.endswith("solids.inp:86")


def test_weights_are_the_areas_around_the_nodes(read):
    """Two quadrilaterals in a row, one twice as wide as the other."""
    mesh = read(
        "*NODE\n1, 0, 0\n2, 1, 0\n3, 3, 0\n4, 0, 1\n5, 1, 1\n6, 3, 1\n9, 9, 9, 9\n*ELEMENT, TYPE=S4, ELSET=E\n"
        "1, 1, 2, 5, 4\n2, 2, 3, 6, 5\n*SURFACE, NAME=S\nE, SPOS\n"
        "*COUPLING, CONSTRAINT NAME=C, REF NODE=9, SURFACE=S\n*DISTRIBUTING\n"
    )
    (coupling,) = mesh.couplings
    assert coupling.weights.sum() == pytest.approx(3.0)
    assert coupling.weights == pytest.approx([0.25, 0.75, 0.5, 0.25, 0.75, 0.5])


def test_equations_of_sets_and_multi_point_constraints(deck):
    mesh = deck("solids.inp")
    of_set = [e for e in mesh.equations if e.name == "EQUATION 93"]
    assert [numbers(mesh, e.nodes) for e in of_set] == [[n, 16] for n in (1, 4, 5, 8)]
    (three,) = (e for e in mesh.equations if e.name == "EQUATION 96")
    assert (numbers(mesh, three.nodes), three.dofs.tolist(), three.coefficients.tolist()) == (
        [13, 14, 16],
        [2, 2, 3],
        [1.0, -0.5, 0.25],
    )
    pins = [e for e in mesh.equations if e.name.startswith("MPC PIN")]
    assert [e.dofs.tolist() for e in pins] == [[1, 1], [2, 2], [3, 3]]
    (link,) = (e for e in mesh.equations if e.name.startswith("MPC LINK"))
    along = np.array([0.5, 0.5, 2.0]) - np.array([3.0, 0.5, 0.5])
    assert link.coefficients[:3] == pytest.approx(along / np.linalg.norm(along))
    assert any(s.card == "*MPC" and "MEANROT" in s.why for s in mesh.skipped)


def test_ties_masses_supports_and_axes(deck):
    mesh = deck("solids.inp")
    assert [(tie.name, tie.first, tie.second) for tie in mesh.ties] == [("GLUE", "TOP", "ENDS")]
    (lump,) = mesh.point_masses
    assert (lump.mass, numbers(mesh, [lump.node])) == (3e-3, [100])
    supports = {b.name: (numbers(mesh, b.nodes), b.dofs) for b in mesh.boundary_conditions}
    assert supports == {
        "LEFT": ([1, 4, 5, 8], (1, 2, 3)),
        "BOUNDARY 108": ([16], (1, 2, 3, 4, 5, 6)),
        "TIP": ([13, 14], (2,)),  # of the first step, not of the second
    }
    system = mesh.coordinate_systems["TRANSFORM TIP"]
    assert (system.kind, system.axes[:, 2].tolist()) == ("cylindrical", [0.0, 0.0, 1.0])
    assert numbers(mesh, mesh.displacement_systems["TRANSFORM TIP"]) == [13, 14]


def test_position_tolerance_of_a_tie_is_a_length(tmp_path):
    path = tmp_path / "tie.inp"
    path.write_text(
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n*SURFACE, NAME=A, TYPE=NODE\n1\n"
        "*SURFACE, NAME=B, TYPE=NODE\n2\n*TIE, NAME=T, POSITION TOLERANCE=0.5\nA, B\n"
    )
    assert [tie.tolerance for units in (None, "mm-t-s") for tie in read_mesh(path, units).ties] == [0.5, 5e-4]


def test_support_of_a_node_that_does_not_exist_is_left_out(read):
    mesh = read("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n*BOUNDARY\n7, 1, 3\n2, 1\n1, 11, 11\n")
    assert [(b.nodes.tolist(), b.dofs) for b in mesh.boundary_conditions] == [([1], (1,))]
    assert any(":7: *BOUNDARY: node 7 does not exist" in text for text in mesh.warnings)


def test_cyclic_symmetry_is_no_tie(read):
    mesh = read(
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n*SURFACE, NAME=A, TYPE=NODE\n1\n"
        "*TIE, CYCLIC SYMMETRY, NAME=T\nA, A\n"
    )
    assert mesh.ties == ()
    assert any(s.card == "*TIE" and "sector" in s.why for s in mesh.skipped)


def test_distributing_coupling_with_weights_and_rotary_inertia(read):
    mesh = read(
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 2, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n*ELEMENT, TYPE=DCOUP3D, ELSET=D\n"
        "2, 3\n*DISTRIBUTING COUPLING, ELSET=D\n1, 2.\n2, 3.\n*ELEMENT, TYPE=ROTARYI, ELSET=R\n4, 3\n"
        "*ROTARY INERTIA, ELSET=R\n1., 2., 2.5, .1\n"
    )
    (coupling,) = mesh.couplings
    assert (coupling.kind, coupling.reference, coupling.weights.tolist()) == ("average", 2, [2.0, 3.0])
    (inertia,) = mesh.point_masses
    assert (inertia.mass, inertia.inertia[0].tolist()) == (0.0, [1.0, 0.1, 0.0])


def test_instances_are_placed_and_their_names_qualified(deck):
    mesh = deck("assembly.inp")
    assert mesh.node_ids.tolist() == [1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 1]
    # moved by (0, 0, 3), then turned by 90 degrees about the z axis
    assert mesh.points[3:6] == pytest.approx(np.array([[0, 0, 3], [0, 1, 3], [0, 2, 3]]))
    assert mesh.node_sets["ROD-1.ROOT"].tolist() == [0]
    assert mesh.node_sets["ROD-2.ROOT"].tolist() == [3]
    assert mesh.node_sets["ENDS"].tolist() == [2, 5]
    assert mesh.node_sets["MIXED"].tolist() == [0, 4]
    assert mesh.node_sets["Plate 1.CORNER"].tolist() == [8]
    assert mesh.element_sets["ROD-2.ALL"].tolist() != mesh.element_sets["ROD-1.ALL"].tolist()
    assert mesh.surfaces["Plate 1.UPPER"].size == 1


def test_sections_turn_with_their_instance(deck):
    mesh = deck("assembly.inp")
    axes = {tuple(block.nodes[0]): block.section.y_axis for block in mesh.blocks if block.kind == "beam2"}
    assert axes[(0, 1)] == pytest.approx([0, 1, 0])
    assert axes[(3, 4)] == pytest.approx([-1, 0, 0])


def test_assembly_joins_instances(deck):
    mesh = deck("assembly.inp")
    (coupling,) = mesh.couplings
    assert (coupling.name, coupling.reference, coupling.nodes.tolist()) == ("GRIP", 10, [2, 5])
    (tie,) = mesh.ties
    assert (tie.first, tie.second) == ("Plate 1.UPPER", "FACES")
    connector = next(o for o in mesh.other_elements if o.type_name == "CONN3D2")
    assert connector.nodes.tolist() == [[2, 3]]
    assert [(m.node, m.mass) for m in mesh.point_masses] == [(10, 0.25)]
    supports = {b.name: (b.nodes.tolist(), b.dofs) for b in mesh.boundary_conditions}
    assert supports == {"ROD-1.ROOT": ([0], (1, 2, 3, 4, 5, 6)), "MIXED": ([0, 4], (1, 2))}


def test_names_of_one_instance_are_not_qualified(read):
    text = (
        "*PART, NAME=P\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=T3D2, ELSET=E\n1, 1, 2\n*NSET, NSET=A\n1\n"
        "*END PART\n*ASSEMBLY, NAME=Q\n*INSTANCE, NAME=I-1, PART=P\n0, 0, 5\n*END INSTANCE\n"
        "*NSET, NSET=T\nI-1.2, I-1.A\n*END ASSEMBLY\n"
    )
    mesh = read(text)
    assert mesh.node_sets["A"].tolist() == [0]
    assert sorted(mesh.node_sets["T"].tolist()) == [0, 1]
    assert mesh.points[:, 2].tolist() == [5.0, 5.0]
    with pytest.raises(MeshError, match=r":11: \*INSTANCE names the part R, which is not defined"):
        read(text.replace("PART=P\n0", "PART=R\n0"))
    with pytest.raises(MeshError, match=r"the file ends without \*END ASSEMBLY for \*ASSEMBLY of line 10"):
        read(text.replace("*END ASSEMBLY\n", ""))


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("*RIGID BODY, REF NODE=9, NSET=A", r":8: \*RIGID BODY names node 9, which is not defined"),
        ("*RIGID BODY, REF NODE=1", r":8: \*RIGID BODY needs the parameter NSET="),
        ("*RIGID BODY, REF NODE=1, NSET=A", r":8: \*RIGID BODY: RIGID BODY 8 couples no nodes besides the reference"),
        ("*COUPLING, REF NODE=2, SURFACE=A", r":8: \*COUPLING is incomplete; add \*KINEMATIC"),
        ("*COUPLING, REF NODE=2, SURFACE=AA\n*KINEMATIC", r":8: \*COUPLING names the surface AA"),
        ("*KINEMATIC", r":8: \*KINEMATIC must follow \*COUPLING"),
        ("*EQUATION\n2\n1, 1, 1.", r":9: \*EQUATION: the equation has 2 terms, but its data ends"),
        ("*EQUATION\n1000000000\n1, 1, 1.", r":9: \*EQUATION: the equation has 1000000000 terms"),
        ("*EQUATION\n1\n1, 1, x", r":9: \*EQUATION: a coefficient must be a finite number, got 'x'"),
        ("*TIE, NAME=T\nA", r":9: \*TIE: a tie needs two surfaces"),
        ("*BOUNDARY\nB, 1", r":9: \*BOUNDARY names the node set B, which is not defined. There are: A"),
        ("*BOUNDARY\nA, FIXED", r":9: \*BOUNDARY: 'FIXED' is not a component"),
        ("*TRANSFORM, NSET=A\n1, 2", r":8: \*TRANSFORM needs the points a and b"),
        ("*MASS, ELSET=E\n1.", r":8: \*MASS: the set E has no elements of type MASS"),
        ("*MPC\nBEAM, 1, 7", r":9: \*MPC names node 7, which is not defined"),
        ("*END PART", r":8: \*END PART has no matching start"),
    ],
)
def test_wrong_cards_name_the_line(read, card, message):
    text = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=T3D2, ELSET=E\n1, 1, 2\n*NSET, NSET=A\n1\n"
    with pytest.raises(MeshError, match=r"mesh\.inp" + message):
        read(text + card + "\n")


def test_rigid_tools_and_connectors_are_left_out_by_name(read):
    mesh = read(
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 0, 0, 9\n6, 1, 0, 9\n7, 0, 1, 9\n"
        "*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2, 3, 4\n*ELEMENT, TYPE=R3D3, ELSET=R\n2, 5, 6, 7\n"
        "*SURFACE, TYPE=ELEMENT, NAME=TOP\nR, SPOS\n*SURFACE, TYPE=REVOLUTION, NAME=HEAD\nSTART, 2., 0.\n"
        "LINE, 0., 0.\n*RIGID BODY, REF NODE=5, ANALYTICAL SURFACE=HEAD\n"
        "*CONNECTOR BEHAVIOR, NAME=C\n*CONNECTOR ELASTICITY, COMPONENT=1\n1000.\n*SURFACE INTERACTION, NAME=I\n"
        "*COHESIVE BEHAVIOR\n1., 1., 1.\n*MATERIAL, NAME=M\n*ELASTIC\n1e9, .3\n*DENSITY\n7850.\n"
        "*SOLID SECTION, ELSET=E, MATERIAL=M\n"
    )
    assert mesh.surfaces["TOP"].faces["tri3"].tolist() == [[4, 5, 6]]
    assert mesh.couplings == ()
    left_out = {entry.card for entry in mesh.skipped if not entry.analysis}
    assert {"*RIGID BODY", "*CONNECTOR BEHAVIOR", "*CONNECTOR ELASTICITY"} <= left_out


def test_what_an_instance_adds_is_its_own(read):
    """To nodes, sets and surfaces of the part; other instances have what the part says."""
    mesh = read(
        "*PART, NAME=P\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n"
        "*NSET, NSET=A\n1\n*SURFACE, NAME=S\nE, E1\n*END PART\n*ASSEMBLY, NAME=Q\n*INSTANCE, NAME=I, PART=P\n*NODE\n5, 2, 0, 0\n"
        "*NSET, NSET=A\n5\n*SURFACE, NAME=S\nE, E2\n*END INSTANCE\n*INSTANCE, NAME=J, PART=P\n*END INSTANCE\n*END ASSEMBLY\n"
    )
    assert mesh.node_ids.tolist() == [1, 2, 3, 4, 5, 1, 2, 3, 4]
    assert (mesh.node_sets["I.A"].tolist(), mesh.node_sets["J.A"].tolist()) == ([0, 4], [5])
    assert (mesh.surfaces["I.S"].size, mesh.surfaces["J.S"].size) == (2, 1)
