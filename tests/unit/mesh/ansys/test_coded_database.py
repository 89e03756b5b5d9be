""".cdb files of CDWRITE: blocks in fixed columns, components, materials, couplings."""

from pathlib import Path

import numpy as np
import pytest

from flexmbs import Damping
from flexmbs.mesh.readers.ansys.read_ansys import read_ansys

DATA = Path(__file__).parents[3] / "data" / "mesh" / "ansys"


@pytest.fixture(scope="module")
def brick():
    return read_ansys(DATA / "brick.cdb")


def test_nodes_keep_their_numbers_and_places(brick):
    assert brick.node_ids.tolist() == list(range(1, 12))
    np.testing.assert_array_equal(brick.points[[0, 1, 6, 10]], [(0, 0, 0), (2, 0, 0), (2, 1, 3), (5, 5, 5)])


def test_a_collapsed_hexahedron_is_read_as_a_wedge(brick):
    assert [(block.kind, block.type_name, block.ids.tolist()) for block in brick.blocks] == [
        ("hex8", "SOLID185", [10]),
        ("wedge6", "SOLID185", [11]),
    ]
    assert sorted(brick.node_ids[brick.blocks[1].nodes[0]].tolist()) == [2, 3, 6, 7, 9, 10]


def test_material_with_density_and_damping(brick):
    steel = brick.materials["MAT 1"]
    assert (steel.youngs_modulus, steel.poisson_ratio, steel.density) == (210e9, 0.3, 7850.0)
    assert steel.damping == Damping(beta=1e-6)
    assert steel.where.endswith("brick.cdb:53")
    assert all(block.material is steel for block in brick.blocks)


def test_components_with_ranges_and_assemblies(brick):
    assert brick.node_ids[brick.node_sets["LEFT"]].tolist() == [1, 4, 5, 8]
    assert brick.element_sets["ALL_E"].tolist() == [0, 1]
    assert brick.node_sets["GROUPED"].tolist() == brick.node_sets["LEFT"].tolist()
    assert brick.element_sets["GROUPED"].tolist() == [0, 1]


def test_point_mass_of_mass21(brick):
    (mass,) = brick.point_masses
    assert brick.node_ids[mass.node] == 11
    assert mass.mass == 4.0
    np.testing.assert_allclose(mass.inertia, np.diag([0.1, 0.2, 0.3]))


def test_coupled_sets_and_constraint_equations(brick):
    coupled, equation = sorted(brick.equations, key=lambda own: own.name, reverse=True)
    assert brick.node_ids[coupled.nodes].tolist() == [4, 1]
    assert coupled.dofs.tolist() == [1, 1]
    assert coupled.coefficients.tolist() == [1.0, -1.0]
    assert brick.node_ids[equation.nodes].tolist() == [2, 3]
    assert equation.dofs.tolist() == [1, 2]
    assert equation.coefficients.tolist() == [1.0, -2.0]


def test_supports_are_put_together_by_what_they_hold(brick):
    held = {own.dofs: brick.node_ids[own.nodes].tolist() for own in brick.boundary_conditions}
    assert held == {(1,): [4], (1, 2): [1]}


def test_local_systems_and_turned_nodes(brick):
    system = brick.coordinate_systems["12"]
    assert system.kind == "cylindrical"
    np.testing.assert_allclose(system.origin, [1, 2, 0])
    np.testing.assert_allclose(system.axes, [(0, -1, 0), (1, 0, 0), (0, 0, 1)], atol=1e-15)
    ((name, nodes),) = brick.displacement_systems.items()
    assert brick.node_ids[nodes].tolist() == [9]
    np.testing.assert_allclose(brick.coordinate_systems[name].axes[:, 0], [0, 1, 0], atol=1e-15)


def test_loads_are_listed_as_analysis(brick):
    assert {own.card for own in brick.skipped if own.analysis} == {"DOF", "F", "TREF"}
    assert not [own for own in brick.skipped if not own.analysis]


def test_elements_of_second_order_and_a_component_of_surface_elements():
    mesh = read_ansys(DATA / "quadratic.cdb")
    (block,) = mesh.blocks
    assert block.kind == "tet10"
    middles = mesh.points[block.nodes[0, 4:]]
    ends = mesh.points[block.nodes[0, [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]]]
    np.testing.assert_allclose(middles, ends.mean(axis=1))
    assert mesh.other_elements[0].type_name == "SURF154"
    assert mesh.surfaces["FACE"].size == 1
    assert mesh.node_ids[mesh.node_sets["FACE"]].tolist() == [1, 2, 3, 5, 6, 7]


def test_elements_on_two_lines_and_numbers_that_touch(tmp_path):
    nodes = "".join(f"{10000000 + i:8d}{0:8d}{0:8d}{float(i % 3):16.9E}{float(i):16.9E}{-1.0 * i:16.9E}\n" for i in range(20))
    row = f"{1:8d}{1:8d}{1:8d}{1:8d}{0:8d}{0:8d}{0:8d}{0:8d}{20:8d}{0:8d}{7:8d}"
    first, second = ("".join(f"{10000000 + i:8d}" for i in own) for own in (range(8), range(8, 20)))
    deck = tmp_path / "a.cdb"
    deck.write_text(
        f"ET,1,186\nNBLOCK,6,SOLID\n(3i8,6e16.9)\n{nodes}N,R5.3,LOC,-1,\nEBLOCK,19,SOLID\n(19i8)\n{row}{first}\n{second}\n-1\n"
    )
    mesh = read_ansys(deck)
    assert mesh.node_ids[mesh.blocks[0].nodes[0]].tolist() == [10000000 + i for i in range(20)]
    assert mesh.points[19].tolist() == [1.0, 19.0, -19.0]


def test_middle_nodes_left_out_on_one_edge_are_added_and_tied(tmp_path):
    text = (DATA / "quadratic.cdb").read_text()
    mesh = read_ansys(_written(tmp_path, text.replace("       9      10\n", "       0      10\n")))
    assert mesh.blocks[0].kind == "tet10"
    assert mesh.node_ids[-1] == 11
    np.testing.assert_allclose(mesh.points[-1], [0.5, 0, 0.5])
    assert len(mesh.equations) == 3
    assert any("midside node" in warning for warning in mesh.warnings)


def test_axes_of_a_material_at_elements_whose_middle_nodes_are_added(tmp_path):
    text = (DATA / "quadratic.cdb").read_text().replace("       9      10\n", "       0      10\n")
    cylinder = text.replace("/PREP7\n", "/PREP7\nLOCAL,11,1,0,0,5\nCSYS,0\n", 1)
    orthotropic = "".join(f"MP,{label},1,{value}\n" for label, value in {"EX": 10, "EY": 5, "EZ": 4, "GXY": 3, "PRXY": 0.2}.items())
    rows = [line for line in text.splitlines() if line.startswith("       1       1")]
    turned = cylinder.replace(rows[0], rows[0][:32] + f"{11:8d}" + rows[0][40:]) + orthotropic
    mesh = read_ansys(_written(tmp_path, turned))
    assert len(mesh.points) == 11 and mesh.blocks[0].material_axes.shape == (1, 3, 3)


def test_mac_and_windows_line_ends_and_comments_in_any_encoding(tmp_path):
    text = (DATA / "quadratic.cdb").read_text()
    for end in ("\r\n", "\r"):
        deck = tmp_path / "ends.cdb"
        deck.write_bytes(b"\xef\xbb\xbf" + ("/COM, f\xfcr \xe9\n" + text).replace("\n", end).encode("latin-1"))
        assert len(read_ansys(deck).points) == 10


def test_mesh_of_mesh200_alone_is_read_without_material(tmp_path):
    text = (DATA / "quadratic.cdb").read_text().replace("ET,1,SOLID187", "ET,1,200\nKEYOPT,1,1,9")
    mesh = read_ansys(_written(tmp_path, text))
    assert mesh.blocks[0].kind == "tet10"
    assert any("MESH200" in warning for warning in mesh.warnings)


def _written(folder, text):
    deck = folder / "deck.cdb"
    deck.write_text(text)
    return deck


def test_files_of_cdwrite_without_blocks(tmp_path):
    lines = ["/PREP7", "ET,1,185", "MPDATA,R5.0, 1,EX  ,1,1, 1000.,", "MPDATA,R5.0, 1,PRXY,1,1, 0.3,"]
    places = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    for number, (x, y, z) in enumerate(places, 1):
        lines.append(f"N,R5.3,LOC,{number:8d},{x:16.9E},{y:16.9E},{z:16.9E}")
    lines += ["N,R5.3,ANG,8,90.0,0.0,0.0", "EN,R5.5,ATTR,8,1,1,1,1,0,77,0,0,0", "EN,R5.5,NODE,1,2,3,4,5,6,7,8"]
    mesh = read_ansys(_written(tmp_path, "\n".join(lines)))
    assert mesh.blocks[0].ids.tolist() == [77]
    assert mesh.node_ids[mesh.blocks[0].nodes[0]].tolist() == list(range(1, 9))
    assert [nodes.tolist() for nodes in mesh.displacement_systems.values()] == [[7]]


def test_nodes_elements_and_components_are_those_that_mapdl_archive_finds():
    mapdl_archive = pytest.importorskip("mapdl_archive")
    mesh = read_ansys(DATA / "brick.cdb")
    archive = mapdl_archive.Archive(str(DATA / "brick.cdb"), parse_vtk=False)
    assert mesh.node_ids.tolist() == list(archive.nnum)
    np.testing.assert_allclose(mesh.points, np.asarray(archive.nodes)[:, :3], rtol=1e-14)
    found = {int(number) for block in mesh.blocks for number in block.ids}
    masses = {int(own.name.split()[1]) for own in mesh.point_masses}
    assert found | masses == set(map(int, archive.enum))
    assert mesh.node_ids[mesh.node_sets["LEFT"]].tolist() == list(archive.node_components["LEFT"])
