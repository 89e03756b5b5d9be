"""From shapes and groups to a Mesh."""

from pathlib import Path

import numpy as np
import pytest
from solid_meshes import signed_volumes

from flexmbs import MeshError
from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants
from flexmbs.mesh.reader_tools.degenerate_elements import mirrored
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes

SOLIDS = [kind for kind, known in KINDS.items() if known.dimension == 3 and known.sample_points is not None]
VOLUMES = {"tet": 1 / 6, "wed": 1.0, "hex": 8.0}
CUBE = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
CUBE_NODES = [1, 2, 4, 3, 5, 6, 8, 7]


@pytest.mark.parametrize("kind", SOLIDS)
def test_volumes_and_mirrored_elements(kind):
    points = KINDS[kind].reference_nodes[None]
    assert signed_volumes(kind, points[:, : KINDS[kind].corner_count]) == pytest.approx(VOLUMES[kind[:3]])
    turned = points[:, mirrored(kind)]
    assert signed_volumes(kind, turned[:, : KINDS[kind].corner_count]) == pytest.approx(-VOLUMES[kind[:3]])
    assert (jacobian_determinants(KINDS[kind], turned) < 0.0).all()
    assert sorted(mirrored(kind)) == list(range(KINDS[kind].node_count))


def test_volume_of_a_pyramid():
    corners = np.array([[(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 3)]], float)
    assert signed_volumes("pyramid5", corners) == pytest.approx(4.0)


def shapes_of(*groups, points=CUBE):
    path = Path("a.test")
    table = NodeTable("a.test", "node")
    ids = np.arange(1, len(points) + 1)
    table.add(ids, points, "a.test", ids)
    shapes = Shapes(path, "Test", table)
    first = 1
    for kind, rows in groups:
        ids = np.arange(first, first + len(rows))
        shapes.groups.append(ElementRows(kind, kind, ids, np.array(rows), "a.test", ids))
        first += len(rows)
    return shapes


def test_groups_become_sets_by_what_they_hold():
    shapes = shapes_of(("hex8", [CUBE_NODES]), ("quad4", [[1, 3, 4, 2]]))
    shapes.element_groups = {"both": np.array([1, 2]), "face": np.array([2]), "nothing": np.array([99])}
    shapes.node_groups = {"face": np.array([8, 77])}
    mesh = mesh_of_shapes(shapes)
    assert {name: rows.tolist() for name, rows in mesh.element_sets.items()} == {"both": [0]}
    assert {name: surface.size for name, surface in mesh.surfaces.items()} == {"both": 1, "face": 1}
    assert {name: len(rows) for name, rows in mesh.node_sets.items()} == {"both": 8, "face": 1, "nothing": 0}
    assert any("names 1 nodes that do not exist (first: 77)" in warning for warning in mesh.warnings)


def test_hexahedron_with_an_edge_in_one_point_is_a_wedge():
    mesh = mesh_of_shapes(shapes_of(("hex8", [[1, 2, 4, 4, 5, 6, 8, 8]])))
    (block,) = mesh.blocks
    assert block.kind == "wedge6"
    assert signed_volumes("wedge6", mesh.points[block.nodes]) == pytest.approx(0.5)


def test_element_without_extent_is_no_body():
    mesh = mesh_of_shapes(shapes_of(("hex8", [CUBE_NODES]), ("quad4", [[1, 1, 7, 7]])))
    assert [block.kind for block in mesh.blocks] == ["hex8"]
    assert any("repeated nodes and without volume, area or length (first: element 2)" in warning for warning in mesh.warnings)


def test_thickness_makes_sections():
    shapes = shapes_of(("quad4", [[1, 2, 4, 3], [5, 6, 8, 7], [1, 2, 6, 5]]))
    shapes.groups[0].data["shell_thickness"] = np.array([0.1, 0.2, 0.0])  # 0: none
    sections = [(block.ids.tolist(), block.section and block.section.thickness) for block in mesh_of_shapes(shapes).blocks]
    assert sections == [([1], 0.1), ([2], 0.2), ([3], None)]


def test_repeated_number_is_refused_with_both_places():
    shapes = shapes_of(("hex8", [CUBE_NODES]), ("quad4", [[1, 3, 4, 2]]))
    shapes.groups[1].ids = np.array([1])
    with pytest.raises(MeshError, match="a.test:2: .*element 1 is defined twice \\(first in a.test:1\\)"):
        mesh_of_shapes(shapes)


def test_missing_node_of_a_face_is_refused():
    with pytest.raises(MeshError, match="a.test:2: element 2 .* uses node 99"):
        mesh_of_shapes(shapes_of(("hex8", [CUBE_NODES]), ("quad4", [[1, 3, 99, 2]])))
