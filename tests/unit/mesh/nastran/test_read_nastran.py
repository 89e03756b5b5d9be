"""What whole decks give."""

import numpy as np
import pytest

from flexmbs import AnisotropicMaterial, Material, OrthotropicMaterial
from flexmbs.mesh.readers.nastran.read_nastran import read_nastran


@pytest.fixture(scope="module")
def data(request):
    return request.config.rootpath / "tests/data/mesh/nastran"


@pytest.fixture(scope="module")
def block(data):
    return read_nastran(data / "block.bdf")


@pytest.fixture(scope="module")
def frame(data):
    return read_nastran(data / "frame.bdf")


def node(mesh, number):
    return int(np.flatnonzero(mesh.node_ids == number)[0])


def one(mesh, element):
    """The block that has an element, and its row."""
    for block in mesh.blocks:
        rows = np.flatnonzero(block.ids == element)
        if rows.size:
            return block, int(rows[0])
    raise AssertionError(element)


def test_solids_have_their_kinds_and_materials(block):
    assert {(b.kind, b.type_name, len(b.ids)) for b in block.blocks} == {
        ("hex8", "CHEXA", 2),
        ("wedge6", "CPENTA", 1),
        ("tet10", "CTETRA", 1),
    }
    steel = one(block, 1)[0].material
    assert isinstance(steel, Material)
    assert (steel.youngs_modulus, steel.poisson_ratio, steel.density) == (210000.0, 0.3, 7.85e-9)
    assert steel.where.endswith("block.bdf:52")
    other = one(block, 4)[0].material
    assert isinstance(other, AnisotropicMaterial)
    np.testing.assert_allclose(np.diag(other.stiffness), [269e3] * 3 + [76.9e3] * 3)


def test_points_in_a_cylindrical_system_are_turned_to_the_basic_one(block):
    np.testing.assert_allclose(block.points[node(block, 14)], [20.0, 0.0, 10.0], atol=1e-12)
    np.testing.assert_array_equal(block.displacement_systems["CORD2C 1"], [node(block, 13)])


def test_absent_middle_nodes_stand_between_the_ends(block):
    tetrahedron, row = one(block, 4)
    middle = tetrahedron.nodes[row][6]
    np.testing.assert_allclose(block.points[middle], (block.points[node(block, 21)] + block.points[node(block, 23)]) / 2)
    assert any("midside node" in warning and "block.bdf:48" in warning for warning in block.warnings)
    equations = [equation for equation in block.equations if equation.name.startswith("middle")]
    assert len(equations) == 4 * 3
    np.testing.assert_allclose(sorted(equations[0].coefficients), [-0.5, -0.5, 1.0])


def test_couplings_masses_and_supports(block):
    rigid, average = block.couplings
    assert (rigid.name, rigid.kind, rigid.dofs) == ("RBE2 50", "rigid", (1, 2, 3, 4, 5, 6))
    assert sorted(block.node_ids[rigid.nodes]) == [9, 10, 11, 12]
    assert (average.kind, average.dofs) == ("average", (1, 2, 3))
    assert dict(zip(block.node_ids[average.nodes].tolist(), average.weights, strict=True)) == {5: 1, 6: 1, 7: 2, 8: 2}
    (mass,) = block.point_masses
    assert mass.mass == 2e-3
    np.testing.assert_array_equal(mass.offset, [1, 2, 3])
    np.testing.assert_allclose(mass.inertia, [[4, -0.1, -0.2], [-0.1, 5, -0.3], [-0.2, -0.3, 6]])
    held = {condition.dofs: block.node_ids[condition.nodes].tolist() for condition in block.boundary_conditions}
    assert held == {(1, 2, 3): [1, 2, 3, 4], (4, 5, 6): [1]}
    assert block.equations[0].name == "MPC 30"


def test_sets_of_case_control_comments_and_properties(block):
    assert block.node_ids[block.node_sets["SET 5"]].tolist() == [1, 2, 3, 4, 9, 10]
    assert block.element_ids[block.element_sets["SET 6"]].tolist() == [1, 2]
    assert block.element_ids[block.element_sets["bricks"]].tolist() == [1, 2, 3]
    assert block.element_ids[block.element_sets["PSOLID 8"]].tolist() == [4]
    assert block.node_ids[block.node_sets["ASET"]].tolist() == [30]


def test_what_is_left_out_is_listed(block):
    assert [(entry.card, entry.analysis) for entry in block.skipped] == [("PARAM", True), ("FORCE", True)]


def test_shell_thickness_offset_layers_and_directions(frame):
    plain, row = one(frame, 2)
    np.testing.assert_allclose(plain.thickness[row], [0.002, 0.002, 0.002, 0.004])
    assert plain.section.nonstructural_mass == 0.5
    assert plain.shell_offsets[row] == 0.01
    layered, _ = one(frame, 3)
    section = layered.section
    assert [layer.thickness for layer in section.layers] == [0.001, 0.002, 0.002, 0.001]
    np.testing.assert_allclose(np.degrees([layer.angle for layer in section.layers]), [45, -45, -45, 45])
    assert section.offset == pytest.approx(0.0)
    assert isinstance(section.layers[0].material, OrthotropicMaterial)
    # MCID 2 of element 3: its x axis is the basic y axis, projected on the plane across (0, 1, 1)
    np.testing.assert_allclose(layered.material_axes[0][:, 0], np.array([0, 1, -1]) / np.sqrt(2.0), atol=1e-12)
    # no THETA: from the first to the second node
    np.testing.assert_allclose(layered.material_axes[1][:, 0], np.array([0, -1, 1]) / np.sqrt(2.0), atol=1e-12)


def test_bars_have_directions_offsets_and_sections(frame):
    bar, row = one(frame, 11)
    np.testing.assert_allclose(bar.y_axes[row], [1, 0, 0])
    np.testing.assert_allclose(bar.offsets[row], [[0, 0.1, 0], [0, 0.1, 0]])
    assert (bar.section.area, bar.section.Iz, bar.section.Iy) == (0.01, 1e-5, 2e-5)
    assert bar.section.nonstructural_mass == 1.5
    by_point, row = one(frame, 12)
    np.testing.assert_allclose(by_point.y_axes[row], frame.points[node(frame, 4)] - frame.points[node(frame, 2)])
    assert by_point.section.area == pytest.approx(0.1 * 0.2 - 0.08 * 0.18)
    tapered, _ = one(frame, 13)
    assert (tapered.section.area, tapered.section.end.area) == (0.01, 0.02)
    rod, _ = one(frame, 14)
    assert rod.section.area == pytest.approx(np.pi * 0.05**2)
    assert rod.section.end.area == pytest.approx(np.pi * 0.02**2)


def test_rods_and_springs(frame):
    assert one(frame, 21)[0].section.area == 0.001
    assert one(frame, 22)[0].section.area == 0.002
    assert one(frame, 23)[0].section.area == pytest.approx(np.pi / 4 * (0.02**2 - 0.016**2))
    spring = one(frame, 31)[0]
    assert (spring.kind, spring.section.stiffness[0]) == ("spring2", 100.0)
    assert (spring.section.first_dof, spring.section.second_dof) == (3, 3)
    grounded = one(frame, 32)[0]
    assert (grounded.kind, grounded.section.stiffness[0], grounded.section.first_dof) == ("spring1", 50.0, 1)
    bushing = one(frame, 33)[0].section
    np.testing.assert_array_equal(bushing.stiffness, [1e3, 2e3, 3e3, 0, 0, 0])
    np.testing.assert_array_equal(bushing.axes, np.eye(3))
    assert one(frame, 34)[0].section.damping[0] == 7.0
    (mass,) = frame.point_masses
    assert mass.mass == 3.0


def test_defaults_of_grdset_and_plot_elements(frame):
    supports = {(c.name, c.dofs): len(c.nodes) for c in frame.boundary_conditions}
    assert supports[("PS", (6,))] == 7  # all but the point that holds 2
    assert supports[("PS", (2,))] == 1
    (plot,) = frame.other_elements
    assert (plot.type_name, plot.role) == ("PLOTEL", "geometry")


def test_repeated_cards_and_continuations_that_stand_elsewhere(data):
    mesh = read_nastran(data / "repeated.dat")
    assert sorted(mesh.node_ids) == [1, 2, 3, 11, 12, 13, 21]
    np.testing.assert_array_equal(mesh.points[mesh.node_ids == 21], [[0, 0, 1]])
    np.testing.assert_array_equal(mesh.points[mesh.node_ids == 13], [[2, 1, 0]])
    plate = one(mesh, 1)[0]
    assert (plate.kind, plate.section.thickness, plate.material.density) == ("quad4", 0.1, 2.5e-4)
    solid = one(mesh, 5)[0]
    assert (solid.kind, solid.material) == ("tet4", plate.material)
    assert sorted(mesh.node_ids[mesh.boundary_conditions[0].nodes]) == [1, 2, 3, 11, 12]


def test_included_files_are_read_in_their_place(data):
    mesh = read_nastran(data / "main.bdf")
    assert len(mesh.points) == 3
    assert mesh.blocks[0].where.endswith("shell.inc:5")
    assert mesh.node_ids[mesh.node_sets["SET 3"]].tolist() == [1, 2]


def test_faces_without_property_on_solids_are_surfaces(data):
    mesh = read_nastran(data / "bare.nas")
    assert [block.kind for block in mesh.blocks] == ["tet4"]
    assert mesh.blocks[0].material is None
    assert mesh.surfaces["PID 20"].size == 1
    assert mesh.node_ids[mesh.node_sets["PID 20"]].tolist() == [1, 2, 3]
    assert any("add a PSOLID 10" in warning and "bare.nas:6" in warning for warning in mesh.warnings)
