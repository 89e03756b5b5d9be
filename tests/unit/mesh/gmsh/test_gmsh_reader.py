"""Gmsh files of all versions are read alike; wrong ones are refused with file, line and section."""

import re
import struct

import numpy as np
import pytest
from solid_meshes import signed_volumes

from flexmbs import MeshError
from flexmbs.mesh.readers.gmsh.read_gmsh import read_gmsh

ALL = ["bar_1.msh", "bar_22.msh", "bar_22_binary.msh", "bar_40.msh", "bar_41.msh", "bar_41_binary.msh"]


@pytest.fixture
def folder(test_data):
    return test_data / "mesh" / "gmsh"


@pytest.fixture
def refused(tmp_path):
    """Read changed text and return the message of the refusal."""

    def read(text, name="wrong.msh"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(MeshError, match=name) as caught:
            read_gmsh(path)
        return str(caught.value).removeprefix(str(path))

    return read


@pytest.mark.parametrize("name", ALL)
def test_every_version_gives_the_same_mesh(folder, name):
    mesh = read_gmsh(folder / name)
    assert mesh.file_format == "Gmsh"
    assert mesh.node_ids.tolist() == [10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33, 5, 6]
    assert {block.kind: block.ids.tolist() for block in mesh.blocks} == {"hex8": [4, 5], "wedge6": [6]}
    volume = sum(signed_volumes(block.kind, mesh.points[block.nodes]).sum() for block in mesh.blocks)
    assert volume == pytest.approx(2.5)
    names = {"body": "body", "left": "left", "edge": "edge", "corner": "corner"}
    if name == "bar_1.msh":  # has no names
        names = {"body": "physical_3d_4", "left": "physical_2d_3", "edge": "physical_1d_2", "corner": "physical_0d_1"}
    sizes = {old: len(mesh.node_sets[new]) for old, new in names.items()}
    assert sizes == {"body": 14, "left": 4, "edge": 2, "corner": 1}
    assert mesh.element_ids[mesh.element_sets[names["body"]]].tolist() == [4, 5, 6]
    assert set(mesh.element_sets) == {names["body"]}
    assert mesh.node_ids[mesh.surfaces[names["left"]].faces["quad4"]].tolist() == [[10, 12, 13, 11]]
    assert {(other.type_name, other.role) for other in mesh.other_elements} == {
        ("line2", "geometry"),
        ("quad4", "geometry"),
        ("point", "geometry"),
    }
    assert not mesh.warnings


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_other_line_ends_and_blank_lines(folder, tmp_path, line_end):
    text = (folder / "bar_41.msh").read_text().replace("$Nodes\n", "$Nodes\n\n").replace("\n", line_end)
    (tmp_path / "a.msh").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(read_gmsh(tmp_path / "a.msh").points) == 14


def test_element_in_two_groups_counts_once(folder, tmp_path):
    text = (folder / "bar_22.msh").read_text()
    text = text.replace("$Elements\n6\n", "$Elements\n7\n")
    text = text.replace("$EndElements", "7 5 2 9 1 10 20 21 11 12 22 23 13\n$EndElements")
    (tmp_path / "a.msh").write_text(text)
    mesh = read_gmsh(tmp_path / "a.msh")
    assert {block.kind: len(block.ids) for block in mesh.blocks} == {"hex8": 2, "wedge6": 1}
    assert mesh.element_ids[mesh.element_sets["physical_3d_9"]].tolist() == [4]
    assert any("each is read once" in warning for warning in mesh.warnings)


def test_negative_tag_turns_the_faces_of_a_group(folder, tmp_path):
    text = (folder / "bar_41.msh").read_text().replace("1 0 0 0 0 1 1 1 3 1 1", "1 0 0 0 0 1 1 1 -3 1 1")
    (tmp_path / "a.msh").write_text(text)
    mesh = read_gmsh(tmp_path / "a.msh")
    assert mesh.node_ids[mesh.surfaces["left"].faces["quad4"]].tolist() == [[10, 11, 13, 12]]


def test_partitioned_file_keeps_its_groups(folder, tmp_path):
    text = (folder / "bar_41.msh").read_text()
    partitioned = "$PartitionedEntities\n2\n0\n0 0 0 1\n8 3 1 1 2 0 0 0 2 1 2 1 4 0\n$EndPartitionedEntities\n$Nodes\n"
    text = text.replace("$Nodes\n", partitioned, 1).replace("3 1 6 1\n", "3 8 6 1\n")
    (tmp_path / "a.msh").write_text(text)
    mesh = read_gmsh(tmp_path / "a.msh")
    assert mesh.element_ids[mesh.element_sets["body"]].tolist() == [4, 5, 6]


def test_complete_second_order_elements_lose_their_inner_nodes(tmp_path):
    nodes = np.array([(x, y, z) for z in (0, 1, 2) for y in (0, 1, 2) for x in (0, 1, 2)])
    corners = [0, 2, 8, 6, 18, 20, 26, 24]
    pairs = ((0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7))
    index = {tuple(point): i for i, point in enumerate(nodes.tolist())}
    edges = [index[tuple(((nodes[corners[a]] + nodes[corners[b]]) // 2).tolist())] for a, b in pairs]
    order = [*corners, *edges]
    order += [i for i in range(27) if i not in order]
    text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n27\n" + "".join(
        f"{i + 1} {x} {y} {z}\n" for i, (x, y, z) in enumerate(nodes)
    )
    text += "$EndNodes\n$Elements\n1\n1 12 2 5 1 " + " ".join(str(i + 1) for i in order) + "\n$EndElements\n"
    (tmp_path / "a.msh").write_text(text)
    mesh = read_gmsh(tmp_path / "a.msh")
    assert [block.kind for block in mesh.blocks] == ["hex20"]
    points = mesh.points[mesh.blocks[0].nodes[0]]
    np.testing.assert_array_equal(points[16:], (points[:4] + points[4:8]) / 2)
    assert len(mesh.node_sets["physical_3d_5"]) == 20
    assert any("27-node hexahedron" in warning and ":36:" in warning for warning in mesh.warnings)


def test_skipped_sections_are_listed(folder, tmp_path):
    text = (folder / "bar_41.msh").read_text() + "$Periodic\n0\n$EndPeriodic\n$NodeData\n0\n$EndNodeData\n"
    (tmp_path / "a.msh").write_text(text)
    skipped = read_gmsh(tmp_path / "a.msh").skipped
    lines = text.splitlines()
    assert [(entry.card, entry.analysis, entry.lines) for entry in skipped] == [
        ("$Periodic", False, (lines.index("$Periodic") + 1,)),
        ("$NodeData", True, (lines.index("$NodeData") + 1,)),
    ]


def test_file_cut_off_anywhere_is_refused(folder, refused):
    for name in ALL:
        data = (folder / name).read_bytes()
        end = data.rfind(b"$E")
        for length in range(0, end, 7):
            refused(data[:length])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("$Nodes\n14\n", "$Nodes\n1000000000\n", r":\d+: \$Nodes: 1000000000 lines with a node .* has 14 more"),
        ("$Elements\n6\n", "$Elements\n99999999999999999999\n", r":\d+: \$Elements: .*not a whole number"),
        ("$Elements\n6\n", "$Elements\n7\n", r":\d+: \$Elements: 7 lines with an element each .* has 6 more"),
        ("12 0 0 1\n", "12 0 0\n", r":15: \$Nodes: the line has 3 numbers, but a node \(number, x, y, z\) has 4"),
        ("12 0 0 1\n", "12 0 zero 1\n", r":15: \$Nodes: 'zero' is not a number"),
        ("12 0 0 1\n", "12 0 nan 1\n", r":15: \$Nodes: node 12 has the coordinates"),
        ("12 0 0 1\n", "11 0 0 1\n", r":15: \$Nodes: node 11 is defined twice with different coordinates"),
        ("5 5 2 4 1 ", "4 5 2 4 1 ", r":34: .*element 4 is defined twice \(first in .*:33\)"),
        ("5 5 2 4 1 20", "5 5 2 4 1 99", r":34: element 5 \(8-node hexahedron\) uses node 99"),
        ("5 5 2 4 1 20", "5 29 2 4 1 20", r":34: \$Elements: elements of Gmsh type 29 .*ElementOrder"),
        ("5 5 2 4 1 20", "5 4 2 4 1 20", r":34: \$Elements: the line does not have the numbers"),
        ("2.2 0 8", "3 0 8", r":2: \$MeshFormat: version 3 is not supported; save the mesh as version 4.1 or 2.2"),
        ("2.2 0 8", "2.2 1 8", r":2: \$MeshFormat: the number 1 that marks the byte order"),
        ('3 4 "body"', "body", r":9: \$PhysicalNames: 'body' is not a dimension"),
    ],
)
def test_wrong_content_is_named_with_its_line(folder, refused, old, new, message):
    text = (folder / "bar_22.msh").read_text()
    assert old in text
    assert re.match(message, refused(text.replace(old, new, 1)))


def test_binary_counts_are_checked_against_the_file(folder, refused):
    data = (folder / "bar_41_binary.msh").read_bytes()
    at = data.index(b"$Nodes\n") + 7
    for place, count in ((at, 1 << 60), (at + 32 + 12, 1 << 40)):
        changed = data[:place] + struct.pack(">Q", count) + data[place + 8 :]
        assert ": $Nodes, byte " in refused(changed)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r":1: not a Gmsh mesh: the file is empty"),
        (b"\x00\xff\x13garbage", r":1: not a Gmsh mesh: the file starts with"),
        (b"*NODE\n1, 0, 0, 0\n", r":1: not a Gmsh mesh: the file starts with '\*NODE'"),
    ],
)
def test_other_content_is_refused(refused, content, message):
    assert re.match(message, refused(content))


def test_points_alone_are_no_body(folder, refused):
    text = (folder / "bar_22.msh").read_text()
    start = text.index("$Elements")
    message = refused(text[:start] + "$Elements\n1\n1 15 2 1 1 10\n$EndElements\n")
    assert "no element in the file can form a body; it has 1 point (geometry)" in message


def test_flat_triangles_are_shells_with_a_doubt(folder):
    mesh = read_gmsh(folder / "triangle.msh")
    assert [block.kind for block in mesh.blocks] == ["tri3"]
    assert "plane-strain" in mesh.warnings[0]


def test_group_without_elements_is_empty_and_named(folder, tmp_path):
    text = (folder / "bar_22.msh").read_text().replace("\n4\n0 1", '\n5\n3 77 "void"\n0 1')
    (tmp_path / "a.msh").write_text(text)
    mesh = read_gmsh(tmp_path / "a.msh")
    assert len(mesh.node_sets["void"]) == 0
    assert any("void has no elements" in warning for warning in mesh.warnings)


def test_inverted_solids_are_turned_when_all_are(folder, tmp_path):
    text = (folder / "bar_22.msh").read_text()
    text = text.replace("6 6 2 4 1 12 13 5 22 23 6", "6 6 2 4 1 22 23 6 12 13 5")
    (tmp_path / "a.msh").write_text(text)
    mesh = read_gmsh(tmp_path / "a.msh")
    assert signed_volumes("wedge6", mesh.points[mesh.blocks[1].nodes])[0] == pytest.approx(0.5)
    assert any("opposite orientation" in warning for warning in mesh.warnings)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("version", [2.2, 4.1])
@pytest.mark.parametrize("binary", [0, 1])
def test_agrees_with_gmsh_itself(tmp_path, order, version, binary):
    gmsh = pytest.importorskip("gmsh")
    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.MeshSizeMax", 1.0)
        gmsh.option.setNumber("Mesh.MshFileVersion", version)
        gmsh.option.setNumber("Mesh.Binary", binary)
        box = gmsh.model.occ.addBox(0, 0, 0, 1, 2, 3)
        gmsh.model.occ.synchronize()
        gmsh.model.addPhysicalGroup(3, [box], 4, "box")
        gmsh.model.mesh.generate(3)
        gmsh.model.mesh.setOrder(order)
        gmsh.write(str(tmp_path / "box.msh"))
        _, tags, _ = gmsh.model.mesh.getElements(3)
    finally:
        gmsh.finalize()
    mesh = read_gmsh(tmp_path / "box.msh")
    (block,) = mesh.blocks
    assert block.kind == ("tet4" if order == 1 else "tet10")
    assert len(block.ids) == len(tags[0])
    assert signed_volumes(block.kind, mesh.points[block.nodes]).sum() == pytest.approx(6.0)
    if order == 2:
        points = mesh.points[block.nodes]
        np.testing.assert_allclose(points[:, 9], (points[:, 2] + points[:, 3]) / 2, atol=1e-12)


def test_quadrangles_with_nine_nodes_are_shells_but_only_places_on_solids(tmp_path):
    """Gmsh's usual quadrangles of second order; on solids, which are read without such nodes, they name faces."""
    nodes = [(x, y) for y in (0, 1, 2) for x in (0, 1, 2)]
    quad = [1, 3, 9, 7, 2, 6, 8, 4, 5]
    text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n{}$EndNodes\n$Elements\n{}\n{}$EndElements\n"
    flat = "".join(f"{i + 1} {x} {y} 0\n" for i, (x, y) in enumerate(nodes))
    row = "1 10 2 5 1 " + " ".join(map(str, quad)) + "\n"
    (tmp_path / "a.msh").write_text(text.format(9, flat, 1, row))
    mesh = read_gmsh(tmp_path / "a.msh")
    assert [(block.kind, block.nodes.tolist()) for block in mesh.blocks] == [("quad9", [[i - 1 for i in quad]])]
    above = "".join(f"{10 + i} {x} {y} 2\n" for i, (x, y) in enumerate(((0, 0), (2, 0), (2, 2), (0, 2))))
    solid = "2 5 2 6 2 1 3 9 7 10 11 12 13\n"
    (tmp_path / "b.msh").write_text(text.format(13, flat + above, 2, row + solid))
    mesh = read_gmsh(tmp_path / "b.msh")
    assert [block.kind for block in mesh.blocks] == ["hex8"]
    (faces,) = mesh.surfaces["physical_2d_5"].faces.items()
    assert faces[0] == "quad8" and mesh.node_ids[faces[1]].tolist() == [quad[:8]]
