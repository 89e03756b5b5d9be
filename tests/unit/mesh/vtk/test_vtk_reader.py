"""VTK files of all kinds are read alike; damaged ones are refused with file, line and keyword."""

import re

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.reader_tools.shapes_to_mesh import signed_volumes
from flexmbs.mesh.readers.vtk.lz4 import unpacked_lz4
from flexmbs.mesh.readers.vtk.read_vtk import read_vtk


@pytest.fixture
def folder(test_data):
    return test_data / "mesh" / "vtk"


def refusal(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MeshError, match=path.name) as caught:
        read_vtk(path)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("name", ["bar.vtk", "bar_binary.vtk", "bar.vtu", "bar_appended.vtu"])
def test_every_kind_gives_the_same_mesh(folder, name):
    mesh = read_vtk(folder / name)
    assert {block.kind: block.ids.tolist() for block in mesh.blocks} == {"hex8": [1, 2], "wedge6": [3]}
    volume = sum(signed_volumes(block.kind, mesh.points[block.nodes]).sum() for block in mesh.blocks)
    assert volume == pytest.approx(2.5)
    assert {name: rows.tolist() for name, rows in mesh.element_sets.items()} == {"region 1": [0, 1], "region 2": [2]}
    assert mesh.node_ids[0] == (10 if name == "bar_appended.vtu" else 1)  # where the file declares its numbers
    assert all(entry.analysis for entry in mesh.skipped)


def test_cut_off_anywhere_is_refused(folder, tmp_path):
    for name in ("bar.vtk", "bar_binary.vtk", "bar.vtu", "bar_appended.vtu"):
        data = (folder / name).read_bytes()
        end = data.index(b"CELL_DATA") if name.endswith("vtk") else len(data) - 2
        for length in range(0, end - 8, 7):
            refusal(tmp_path / name, data[:length])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("POINTS 14", "POINTS 1000000000", r":5: POINTS: '1000000000' is more than \d+ bytes can hold"),
        ("POINTS 14", "POINTS 15", r":5: POINTS: 45 numbers should follow, but 42 do"),
        ("CELLS 3 25", "CELLS 3 24", r":20: CELLS: 24 numbers should follow, but 25 do"),
        ("CELLS 3 25", "CELLS 2 25", r":20: CELLS: 2 cells take 18 numbers, but 25 are declared"),
        ("CELL_TYPES 3\n12\n12\n13", "CELL_TYPES 2\n12\n12", r":20: CELLS: 3 cells, 2 cell types"),
        ("8 0 4 5 1", "8 0 4 5 99", r":20: CELLS: cell 0 uses point 99, .* 0 to 13"),
        ("8 0 4 5 1", "8 0 4 5 one", r":20: CELLS: some of the entries are not numbers"),
        ("ASCII", "TEXT", r":3: 'TEXT' was found instead of ASCII or BINARY"),
        ("UNSTRUCTURED_GRID", "STRUCTURED_POINTS", r":4: DATASET: STRUCTURED_POINTS is not supported"),
        ("CELL_TYPES 3\n12\n12\n13", "CELL_TYPES 3\n1\n1\n1", r": CELLS|:20: CELLS, cell:0: no element"),
    ],
)
def test_wrong_legacy_content(folder, tmp_path, old, new, message):
    text = (folder / "bar.vtk").read_text()
    assert old in text
    found = refusal(tmp_path / "wrong.vtk", text.replace(old, new, 1))
    assert re.search(message, found), found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('NumberOfPoints="14"', 'NumberOfPoints="3000000000"', r":4: Piece: NumberOfPoints is '3000000000'"),
        ("</Cells>", "", r":\d+: the XML is damaged or cut off \(mismatched tag"),
        ('type="UnstructuredGrid"', 'type="PUnstructuredGrid"', r":2: VTKFile: type 'PUnstructuredGrid' is not supported"),
        ('type="UInt8"', 'type="Text"', r":\d+: DataArray types: the type Text is unknown"),
        ("12 12 13", "12 12", r"3 cells, 2 cell types"),
        ("8 16 22", "8 16 99", r"the cells end at position 99 of a connectivity of 22"),
        ("8 16 22", "8 -16 22", r"Cells: the cells end"),
        ('format="ascii"', 'format="appended" offset="99"', r"offset '99' lies outside the 0 bytes"),
        ("<VTKFile type", '<!DOCTYPE a [<!ENTITY b "c">]><VTKFile type', r"declares entities"),
    ],
)
def test_wrong_xml_content(folder, tmp_path, old, new, message):
    text = (folder / "bar.vtu").read_text()
    assert old in text
    found = refusal(tmp_path / "wrong.vtu", text.replace(old, new, 1))
    assert re.search(message, found), found


@pytest.mark.parametrize("content", [b"", b"\x00\xffgarbage", b"*NODE\n1, 0, 0, 0\n"])
def test_other_content(tmp_path, content):
    refusal(tmp_path / "a.vtk", content)
    refusal(tmp_path / "a.vtu", content)


def test_strips_and_polylines_are_cut_into_pieces(tmp_path):
    text = (
        "# vtk DataFile Version 3.0\nstrip\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n0 0 0 0 1 0 1 0 0 1 1 1 2 0 0\n"
        "TRIANGLE_STRIPS 1 6\n5 0 1 2 3 4\n"
    )
    (tmp_path / "a.vtk").write_text(text)
    (block,) = read_vtk(tmp_path / "a.vtk").blocks
    assert block.nodes.tolist() == [[0, 1, 2], [1, 3, 2], [2, 3, 4]]


def test_lz4():
    # 3 literals, then a match of 8 bytes, 3 back; then 2 literals.
    assert unpacked_lz4(bytes([0x34]) + b"abc" + bytes([3, 0, 0x20]) + b"xy", 13) == b"abcabcabcabxy"
    for wrong in (bytes([0xF0]), bytes([0x34]) + b"abc" + bytes([9, 0])):
        with pytest.raises(ValueError, match="LZ4"):
            unpacked_lz4(wrong, 13)


@pytest.mark.parametrize("mode", ["ascii", "binary", "appended"])
@pytest.mark.parametrize("compressor", ["None", "ZLib", "LZ4", "LZMA"])
def test_agrees_with_vtk(folder, tmp_path, mode, compressor):
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader, vtkXMLUnstructuredGridWriter

    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(folder / "bar.vtu"))
    reader.Update()
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetInputData(reader.GetOutput())
    writer.SetFileName(str(tmp_path / "a.vtu"))
    writer.SetDataMode({"ascii": 0, "binary": 1, "appended": 2}[mode])
    getattr(writer, f"SetCompressorTypeTo{compressor}")()
    writer.SetByteOrderToBigEndian()
    writer.SetBlockSize(64)
    writer.Write()
    mesh, own = read_vtk(tmp_path / "a.vtu"), read_vtk(folder / "bar.vtu")
    np.testing.assert_array_equal(mesh.points, own.points)
    assert [block.nodes.tolist() for block in mesh.blocks] == [block.nodes.tolist() for block in own.blocks]
    assert list(mesh.element_sets) == list(own.element_sets)
