"""Which format a file is taken for: by its extension, and by its first lines where they say more."""

import pytest

from flexmbs import MeshError, read_mesh
from flexmbs.mesh.read_mesh import FORMATS, format_of

HEADS = {
    "Abaqus/CalculiX": b"** made by hand\n*HEADING\nbeam\n*NODE\n1, 0, 0, 0\n",
    "Nastran": b"$ comment\nSOL 103\nCEND\nBEGIN BULK\nGRID,1,,0.,0.,0.\nENDDATA\n",
    "Ansys": b"/COM,ANSYS RELEASE 19\n/PREP7\nET,1,187\n",
    "Gmsh": b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
    "UNV": b"    -1\n  2411\n",
    "VTK": b"# vtk DataFile Version 3.0\nx\nASCII\n",
    "VTU": b'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid">\n',
    "MED": b"\x89HDF\r\n\x1a\n" + bytes(100),
    "Exodus": b"CDF\x01" + bytes(100),
    "Medit": b"MeshVersionFormatted 2\nDimension 3\n",
}


EXTENSIONS = (".inp", ".bdf", ".cdb", ".msh", ".unv", ".med", ".e", ".vtk", ".vtu", ".mesh", ".stl")


def file_with(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("mesh_format", [f for f in FORMATS if f.name in HEADS], ids=lambda f: f.name)
def test_its_own_extensions(tmp_path, mesh_format):
    for extension in mesh_format.extensions:
        assert format_of(file_with(tmp_path, "a" + extension, HEADS[mesh_format.name])) is mesh_format
        assert format_of(file_with(tmp_path, "a" + extension.upper(), HEADS[mesh_format.name])) is mesh_format


@pytest.mark.parametrize(("extension", "content"), [(".dat", "Nastran"), (".dat", "Ansys"), (".inp", "Nastran"), (".inp", "Ansys")])
def test_shared_extensions_are_told_apart_by_content(tmp_path, extension, content):
    assert format_of(file_with(tmp_path, "deck" + extension, HEADS[content])).name == content


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("GRID,1,,0.,0.,0.", "Nastran"),
        ("APP DISP", "Nastran"),
        ("CTETRA*  1", "Nastran"),
        ("NBLOCK,6,SOLID", "Ansys"),
        ("*SET,WIDTH,3.5", "Ansys"),
        ("MP,EX,1,2.1e11", "Ansys"),
        ("*Part, name=A", "Abaqus/CalculiX"),
    ],
)
def test_one_line_tells_what_a_text_is(line, content):
    text = f"some words\n{line}\n".encode()
    assert [known.name for known in FORMATS if known.claims(text)] == [content]


def test_windows_and_old_mac_line_ends_and_a_byte_order_mark(tmp_path):
    for end in (b"\r\n", b"\r"):
        head = b"\xef\xbb\xbf" + HEADS["Nastran"].replace(b"\n", end)
        assert format_of(file_with(tmp_path, "deck.dat", head)).name == "Nastran"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.inp", "Gmsh", r"a.inp:1: the extension says Abaqus/CalculiX, but the content is that of Gmsh.*a.msh"),
        ("a.bdf", "Abaqus/CalculiX", r"a.bdf:1: the extension says Nastran.*content is that of Abaqus/CalculiX.*a.inp"),
        ("a.msh", "VTK", r"a.msh:1: the extension says Gmsh.*content is that of VTK"),
        ("a.cdb", "Nastran", r"a.cdb:1: the extension says Ansys.*content is that of Nastran"),
        ("a.med", "Exodus", r"a.med:1: the extension says MED.*content is that of Exodus"),
    ],
)
def test_wrong_extension(tmp_path, name, content, says):
    with pytest.raises(MeshError, match=says):
        read_mesh(file_with(tmp_path, name, HEADS[content]))


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_empty_file(tmp_path, extension):
    for content in (b"", b"\n \n"):
        with pytest.raises(MeshError, match=rf"a{extension}:1: the file is empty"):
            read_mesh(file_with(tmp_path, "a" + extension, content))


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_binary_garbage(tmp_path, extension):
    garbage = bytes((37 * k * k + 11 * k) % 256 for k in range(3000))
    with pytest.raises(MeshError, match=rf"a{extension}"):
        read_mesh(file_with(tmp_path, "a" + extension, garbage))


def test_unknown_extension_folder_and_missing_file(tmp_path):
    with pytest.raises(MeshError, match=r"unknown mesh format '.xyz'; known are Abaqus/CalculiX \(.inp, .inc\)"):
        read_mesh(file_with(tmp_path, "a.xyz", b"1"))
    with pytest.raises(MeshError, match="a folder, not a mesh file"):
        read_mesh(tmp_path)
    with pytest.raises(MeshError, match="no such mesh file .*looked for"):
        read_mesh(tmp_path / "missing.inp")
