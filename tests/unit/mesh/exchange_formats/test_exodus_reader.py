"""Exodus files of both kinds of netCDF are read alike; damaged ones are refused."""

import struct

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import element_named
from flexmbs.mesh.readers.exchange_formats.exodus import read_exodus, side


@pytest.fixture
def folder(test_data):
    return test_data / "mesh" / "exodus"


def refusal(path, data=None):
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(MeshError, match=path.name) as caught:
        read_exodus(path)
    return str(caught.value)


@pytest.mark.parametrize("name", ["bar.e", "bar_netcdf4.e"])
def test_blocks_sets_and_sides(folder, name):
    mesh = read_exodus(folder / name)
    assert mesh.node_ids.tolist() == [10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33, 5, 6]
    assert {block.kind: block.ids.tolist() for block in mesh.blocks} == {"hex8": [4, 5], "wedge6": [6], "quad4": [7]}
    assert {name: mesh.element_ids[rows].tolist() for name, rows in mesh.element_sets.items()} == {
        "body": [4, 5],
        "block_200": [6],
        "plate": [7],
    }
    assert mesh.node_ids[mesh.node_sets["nodeset_7"]].tolist() == [10]
    faces = mesh.surfaces["left"].faces
    assert mesh.node_ids[faces["quad4"]].tolist() == [[10, 12, 13, 11]]
    assert mesh.node_ids[faces["tri3"]].tolist() == [[12, 5, 13]]
    shell = mesh.blocks[-1]
    assert shell.section.thickness == 0.01
    assert not mesh.warnings


def outward(kind, nodes, points):
    centre = points.mean(axis=0)
    corners = points[list(nodes)[: 3 if len(nodes) in (3, 6) else 4]]
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return normal @ (corners.mean(axis=0) - centre) > 0.0


@pytest.mark.parametrize("kind", ["tet4", "tet10", "wedge6", "wedge15", "hex8", "hex20"])
def test_sides_are_the_faces_seen_from_outside(kind):
    points = KINDS[kind].reference_nodes
    sides = [side(kind, number, False) for number in range(1, len(KINDS[kind].faces) + 1)]
    assert all(outward(name, nodes, points) for name, nodes in sides)
    assert {frozenset(nodes[: 3 if name.startswith("tri") else 4]) for name, nodes in sides} == {
        frozenset(ring) for ring in KINDS[kind].faces
    }
    assert side(kind, len(sides) + 1, False) is None
    assert side(kind, 0, False) is None


def test_second_order_order_has_upright_edges_before_those_of_the_top():
    assert element_named("Exodus", "HEX", 20).order[12:] == (16, 17, 18, 19, 12, 13, 14, 15)
    assert element_named("Exodus", "WED", 15).order[9:] == (12, 13, 14, 9, 10, 11)


def test_sides_of_shells_are_faces_then_edges():
    assert side("quad8", 1, False) == ("quad8", (0, 1, 2, 3, 4, 5, 6, 7))
    assert side("quad8", 3, False) == ("line3", (0, 1, 4))
    assert side("quad4", 1, True) == ("line2", (0, 1))


def test_cut_off_anywhere_is_refused(folder, tmp_path):
    data = (folder / "bar.e").read_bytes()
    for length in range(0, len(data) - 8, 13):
        refusal(tmp_path / "short.e", data[:length])
    data = (folder / "bar_netcdf4.e").read_bytes()
    for length in range(0, len(data) // 2, 997):
        refusal(tmp_path / "short.e", data[:length])


def test_counts_of_gigabytes_in_the_header(folder, tmp_path):
    data = (folder / "bar.e").read_bytes()
    at = data.index(b"num_nodes") + 12
    for count in (1_000_000_000, 2_147_483_647, -1):
        message = refusal(tmp_path / "big.e", data[:at] + struct.pack(">i", count) + data[at + 4 :])
        assert "coordx" in message or "netCDF header" in message


def changed(folder, tmp_path, change):
    """A copy of the netCDF-4 file with its variables changed."""
    import h5py

    path = tmp_path / "wrong.e"
    path.write_bytes((folder / "bar_netcdf4.e").read_bytes())
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def test_elements_naming_missing_nodes(folder, tmp_path):
    def change(file):
        file["connect2"][0, 3] = 99

    message = refusal(changed(folder, tmp_path, change))
    assert "connect2, element:1: uses node 99, but there are only 14 nodes" in message


def test_zero_thickness(folder, tmp_path):
    def change(file):
        file["attrib3"][0, 0] = 0.0

    assert "attrib3: element 7 has the thickness 0; it must be positive" in refusal(changed(folder, tmp_path, change))


def test_two_dimensions(folder, tmp_path):
    def change(file):
        del file["coordz"]

    assert "the nodes have 2 coordinates; a flexible body needs" in refusal(changed(folder, tmp_path, change))


def test_numbers_that_repeat_are_replaced_with_a_warning(folder, tmp_path):
    def change(file):
        file["elem_num_map"][:] = 1

    mesh = read_exodus(changed(folder, tmp_path, change))
    assert mesh.element_ids.tolist() == [1, 2, 3, 4]
    assert any("elem_num_map" in warning for warning in mesh.warnings)


def test_sides_that_do_not_exist_are_left_out(folder, tmp_path):
    def change(file):
        file["side_ss1"][0] = 9

    mesh = read_exodus(changed(folder, tmp_path, change))
    assert mesh.surfaces["left"].size == 1
    assert any("refers to 1 sides that do not exist" in warning for warning in mesh.warnings)


@pytest.mark.parametrize("content", [b"", b"\x00\x01garbage", b"*NODE\n"])
def test_other_content(tmp_path, content):
    assert "not an Exodus file: it starts with" in refusal(tmp_path / "a.e", content)
