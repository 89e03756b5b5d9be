"""Springs of joints, materials without mass, solids with mirrored node order or without volume."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import MeshError
from flexmbs.mesh.element_kinds import KINDS

CUBE = (
    "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n8, 0, 1, 1\n9, 1, 1, 1\n"
    "*MATERIAL, NAME=M\n*ELASTIC\n1e9, .3\n*DENSITY\n{density}\n*SOLID SECTION, ELSET=E, MATERIAL=M\n"
    "*ELEMENT, TYPE=C3D8, ELSET=E\n1, {nodes}\n"
)
RIGHT, MIRRORED = "1, 2, 3, 4, 5, 6, 7, 8", "5, 6, 7, 8, 1, 2, 3, 4"
BODY = CUBE.format(density="1000.", nodes=RIGHT)
JOINT = (
    "*ELEMENT, TYPE=JOINTC, ELSET=J\n2, 7, 9\n*ORIENTATION, NAME=O\n0., 1., 0., -1., 0., 0.\n*JOINT, ELSET=J, ORIENTATION=O\n"
    "*SPRING\n1\n2e6\n*SPRING\n5, 5\n3e4\n*DASHPOT\n2\n70.\n"
)


def springs(mesh):
    (block,) = (block for block in mesh.blocks if block.kind == "spring2")
    return block


def test_springs_and_dashpots_after_a_joint_act_between_its_nodes(read):
    mesh = read(BODY + JOINT)
    block = springs(mesh)
    assert (block.type_name, mesh.node_ids[block.nodes].tolist()) == ("JOINTC", [[7, 9]])
    assert block.section.stiffness.tolist() == [2e6, 0.0, 0.0, 0.0, 3e4, 0.0]
    assert block.section.damping.tolist() == [0.0, 70.0, 0.0, 0.0, 0.0, 0.0]
    assert block.section.axes[:, 0] == pytest.approx([0.0, 1.0, 0.0])
    assert block.property_name == "*JOINT, ELSET=J"
    assert (mesh.skipped, mesh.warnings) == ((), ())


def test_a_mass_on_a_joint_has_the_frequency_of_its_spring(tmp_path):
    """All six springs of the joint on a cube that is held: 1 kg on 4e3 N/m in y, on 1e8 N/m in the others."""
    path = tmp_path / "joint.inp"
    constants = [1e8, 4e3, 1e8, 1e8, 1e8, 1e8]
    cards = "".join(f"*SPRING\n{dof}\n{value}\n" for dof, value in enumerate(constants, 1))
    path.write_text(
        BODY + "*ELEMENT, TYPE=JOINTC, ELSET=J\n2, 7, 9\n*JOINT, ELSET=J\n" + cards + "*ELEMENT, TYPE=MASS, ELSET=P\n3, 9\n"
        "*MASS, ELSET=P\n1.\n*BOUNDARY\nHELD, 1, 3\n7, 1, 6\n*NSET, NSET=HELD, GENERATE\n1, 8\n"
    )
    mesh = fm.read_mesh(path)
    model = fm.assemble(mesh)
    stiffness, mass = model.K.toarray(), model.M.toarray()
    at = 6 * 8 + 1
    assert stiffness[at, at] / mass[at, at] == pytest.approx(4e3)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("*SPRING\n1, 2\n5.\n", r":23: \*SPRING: in a joint it needs one component from 1 to 6, got 1, 2"),
        ("*DASHPOT\n7\n5.\n", r":23: \*DASHPOT: in a joint it needs one component from 1 to 6, got 7"),
        ("*SPRING\n1\n", r":22: \*SPRING needs the component, then the constant"),
        ("*SPRING\n1\n-5.\n", r":24: \*SPRING: the constant is -5"),
    ],
)
def test_wrong_springs_of_a_joint_name_their_line(read, cards, message):
    with pytest.raises(MeshError, match=message):
        read(BODY + "*ELEMENT, TYPE=JOINTC, ELSET=J\n2, 7, 9\n*JOINT, ELSET=J\n" + cards)


def test_joints_without_springs_are_said(read):
    joint = "*ELEMENT, TYPE=JOINTC, ELSET=J\n2, 7, 9\n"
    assert any("elements of type JOINTC have no section; add *JOINT." in text for text in read(BODY + joint).warnings)
    mesh = read(BODY + joint + "*JOINT, ELSET=J\n")
    assert any(":21: *JOINT has no *SPRING or *DASHPOT after it" in text for text in mesh.warnings)
    mesh = read(BODY + joint + "*JOINT, ELSET=J\n*SPRING, NONLINEAR\n1\n0., 0.\n5., 1.\n")
    assert [(s.card, s.why) for s in mesh.skipped] == [("*SPRING", "NONLINEAR: its component has no stiffness")]
    with pytest.raises(MeshError, match=r"\*SPRING needs the parameter ELSET=name"):
        read(BODY + joint + "*SPRING\n1\n5.\n")


def test_a_density_of_zero_is_a_material_without_mass(tmp_path):
    path = tmp_path / "massless.inp"
    path.write_text(CUBE.format(density="0.", nodes=RIGHT) + "*ELEMENT, TYPE=MASS, ELSET=P\n3, 7\n*MASS, ELSET=P\n2.\n")
    with pytest.warns(fm.MeshWarning, match=r":15: \*DENSITY: the density of material M is zero: its elements have no mass"):
        mesh = fm.read_mesh(path)
    assert mesh.blocks[0].material.density == 0.0
    assert fm.mass_properties(mesh).mass == pytest.approx(2.0)
    assert not any("no density" in text or "without density" in text for text in mesh.warnings)


def test_a_density_of_zero_in_a_general_beam_section_is_one_too(read):
    beam = (
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=B31, ELSET=E\n1, 1, 2\n*BEAM GENERAL SECTION, ELSET=E{density}\n"
        "1., 1., 0., 1., 1.\n0., 0., -1.\n2e11, 8e10\n"
    )
    assert read(beam.format(density=", DENSITY=0.")).blocks[0].material.density == 0.0
    assert read(beam.format(density="")).blocks[0].material.density is None


def test_mirrored_solids_are_turned_with_a_warning(read):
    mesh = read(CUBE.format(density="1.", nodes=MIRRORED) + "*SURFACE, NAME=S\nE, S1\n*SURFACE, NAME=ALL\nE\n")
    (text,) = mesh.warnings
    assert ":18: 1 element of type C3D8 turned inside out by the order of their nodes (first: element 1)" in text
    right = read(CUBE.format(density="1.", nodes=RIGHT) + "*SURFACE, NAME=S\nE, S2\n*SURFACE, NAME=ALL\nE\n")
    assert fm.mass_properties(mesh).volume == pytest.approx(1.0)
    fm.check_mesh(mesh, trust_units=True)
    # S1 of the file's order is the top; its nodes stand so that its normal points out, as those of the others
    (kind, top), (_, same) = *mesh.surfaces["S"].faces.items(), *right.surfaces["S"].faces.items()
    assert (kind, set(top[0])) == ("quad4", {4, 5, 6, 7}) == ("quad4", set(same[0]))
    for nodes in mesh.surfaces["ALL"].faces["quad4"]:
        corners = mesh.points[nodes]
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        assert normal @ (corners.mean(axis=0) - 0.5) > 0.0


@pytest.mark.parametrize("reduced", ["C3D20", "C3D20R"])
def test_mirrored_solids_of_second_order_keep_their_middle_nodes(read, reduced):
    kind = KINDS["hex20"]
    points = kind.reference_nodes * [1.0, 1.0, -1.0]
    nodes = "".join(f"{i}, {x}, {y}, {z}\n" for i, (x, y, z) in enumerate(points.tolist(), 1))
    numbers = ", ".join(map(str, range(1, 13))) + ",\n13, 14, 15, 16, 17, 18, 19, 20\n"
    mesh = read(f"*NODE\n{nodes}*ELEMENT, TYPE={reduced}, ELSET=E\n7, {numbers}")
    assert any(
        f"1 element of type {reduced} turned inside out by the order of their nodes (first: element 7)" in text
        for text in mesh.warnings
    )
    (block,) = mesh.blocks
    corners = mesh.points[block.nodes[0]]
    assert corners[8:] == pytest.approx(corners[np.array(kind.edges)].mean(axis=1))


def test_solids_without_volume_are_said_when_they_are_read(read):
    flat = CUBE.replace(", 0, 0, 1\n6", ", 0, 0, 0\n6").replace("6, 1, 0, 1", "6, 1, 0, 0")
    flat = flat.replace("7, 1, 1, 1", "7, 1, 1, 0").replace("8, 0, 1, 1", "8, 0, 1, 0")
    mesh = read(flat.format(density="1.", nodes=RIGHT))
    assert any(":18: 1 element of type C3D8 with zero or negative volume (first: element 1)" in text for text in mesh.warnings)
    with pytest.raises(MeshError, match="zero volume"):
        fm.check_mesh(mesh)
