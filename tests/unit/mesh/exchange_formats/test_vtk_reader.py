"""VTK files of all kinds are read alike; damaged ones are refused with what VTK says."""

import re

import numpy as np
import pytest
from forked_reading import forked  # noqa: F401
from solid_meshes import signed_volumes

from flexmbs import MeshError
from flexmbs.mesh.readers.exchange_formats.read_by_library import read_vtk

pytestmark = pytest.mark.usefixtures("forked")


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
        end = data.index(b"CELL_DATA") if name.endswith("vtk") else data.rindex(b"<" if name == "bar.vtu" else b"</A")
        for length in range(0, end - 8, 29):
            refusal(tmp_path / name, data[:length])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("POINTS 14", "POINTS 1000000000", "Unable to allocate 3000000003 elements"),
        ("POINTS 14", "POINTS 15", "Error reading ascii data"),
        ("CELLS 3 25", "CELLS 3 24", "declares 3 cells with 24 numbers, but has 3 with 22 nodes"),
        ("CELLS 3 25", "CELLS 2 25", "Unrecognized keyword: 6"),
        ("CELL_TYPES 3\n12\n12\n13", "CELL_TYPES 2\n12\n12", r"."),
        ("8 0 4 5 1", "8 0 4 5 99", r": cell 0 uses point 99, .* 0 to 13"),
        ("8 0 4 5 1", "8 0 4 5 -1", r": cell 0 uses point -1, .* 0 to 13"),
        ("8 0 4 5 1", "8 0 4 5 one", "Error reading ascii cell data"),
        ("ASCII", "TEXT", "holds no unstructured grid"),
        ("UNSTRUCTURED_GRID", "STRUCTURED_POINTS", "starts with .* holds no unstructured grid or polygonal data; save it as"),
        ("CELL_TYPES 3\n12\n12\n13", "CELL_TYPES 3\n1\n1\n1", r": cell 0 of type 1 \(VERTEX\) has 8 points; it needs 1"),
        ("CELL_DATA", "CELL_DUST", "Unrecognized keyword: cell_dust"),
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
        ('NumberOfPoints="14"', 'NumberOfPoints="3000000000"', "needs more memory or time than"),
        ('NumberOfPoints="14"', 'NumberOfPoints="13"', "42 numbers of points and cells stand where 39 are declared"),
        ('NumberOfCells="3"', 'NumberOfCells="2"', "22 numbers of points and cells stand where 16 are declared"),
        ('NumberOfCells="3"', 'NumberOfCells="1,2"', "b'1,2' stands where a whole number is needed"),
        ("8 16 22", "", "offsets. array is not long enough"),
        ("0 0.5 2 1 0.5 2", "0 0.5.5 2 1 0.5 2", "could not convert"),
        ("</Cells>", "", r"mismatched tag"),
        ('type="UnstructuredGrid"', 'type="PUnstructuredGrid"', r"the type PUnstructuredGrid is not supported"),
        ('type="UInt8"', 'type="Text"', r"types"),
        ("12 12 13", "12 12", r"Cannot read cell types"),
        ("8 16 22", "8 16 99", r"connectivity"),
        ("8 16 22", "8 -16 22", r"."),
        ('format="ascii"', 'format="appended" offset="99"', r"."),
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


def test_data_that_are_cut_off_are_refused(folder, tmp_path):
    # VTK itself hands on what happens to be in its memory.
    data = (folder / "bar_binary.vtk").read_bytes()
    end = data.index(b"int\n") + 4 + 3 * 4
    for length in range(end - 12, end):
        assert "cut off within its last array" in (found := refusal(tmp_path / "a.vtk", data[:length])) or "attribute" in found


def test_pieces_with_different_arrays_are_refused(folder, tmp_path):
    text = (folder / "bar.vtu").read_text()
    start, end = text.index("<Piece"), text.index("</Piece>") + 8
    other = text[start:end].replace('Name="region"', 'Name="part"')
    assert "its pieces hold different arrays" in refusal(tmp_path / "a.vtu", text[:end] + other + text[end:])
    (tmp_path / "b.vtu").write_text(text[:end] + text[start:end] + text[end:])
    assert len(read_vtk(tmp_path / "b.vtu").points) == 28


def test_coordinates_in_text_keep_their_digits(folder, tmp_path):
    for name, double, single in (("bar.vtk", "14 double", "14 float"), ("bar.vtu", '"Float64" Name="P', '"Float32" Name="P')):
        text = (folder / name).read_text()
        first = text.index("\n", text.index(double)) + 1  # where the first number stands
        text = text[:first] + "0.1" + text[first + 1 :]
        assert double in text
        (tmp_path / name).write_text(text.replace(double, single))
        assert read_vtk(tmp_path / name).points[0, 0] == 0.1


def test_strips_and_polylines_are_cut_into_pieces(tmp_path):
    text = (
        "# vtk DataFile Version 3.0\nstrip\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n0 0 0 0 1 0 1 0 0 1 1 1 2 0 0\n"
        "TRIANGLE_STRIPS 1 6\n5 0 1 2 3 4\n"
    )
    (tmp_path / "a.vtk").write_text(text)
    (block,) = read_vtk(tmp_path / "a.vtk").blocks
    assert block.nodes.tolist() == [[0, 1, 2], [1, 3, 2], [2, 3, 4]]


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
