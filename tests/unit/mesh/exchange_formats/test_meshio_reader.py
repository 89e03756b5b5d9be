"""What only meshio reads: its failures are MeshErrors, whatever they are."""

import os
import re

import h5py
import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.readers.exchange_formats.read_by_library import read_with_meshio

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
SU2 = (
    "NDIME= 3\nNELEM= 1\n10 0 1 2 3 0\nNPOIN= 4\n0 0 0 0\n1 0 0 1\n0 1 0 2\n0 0 1 3\n"
    "NMARK= 1\nMARKER_TAG= left\nMARKER_ELEMS= 1\n5 0 2 3\n"
)
OFF = "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n"


def refusal(path, content, named=""):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MeshError, match=named or path.name) as caught:
        read_with_meshio(path)
    return str(caught.value).removeprefix(str(path))


def test_solids_and_their_skin(tmp_path):
    (tmp_path / "a.su2").write_text(SU2)
    mesh = read_with_meshio(tmp_path / "a.su2")
    assert {block.kind: block.nodes.tolist() for block in mesh.blocks} == {"tet4": [[0, 1, 2, 3]]}
    assert [other.type_name for other in mesh.other_elements] == ["tri3"]


def test_cell_data_make_sets(tmp_path):
    meshio = pytest.importorskip("meshio")
    cells = [("tetra", np.array([[0, 1, 2, 3]])), ("triangle", np.array([[0, 2, 1]]))]
    data = {"region": [np.array([3]), np.array([8])]}
    meshio.write(tmp_path / "a.avs", meshio.Mesh(np.array(POINTS, float), cells, cell_data=data), "avsucd")
    mesh = read_with_meshio(tmp_path / "a.avs")
    assert len(mesh.element_sets) == 1
    assert len(mesh.surfaces) == 1


def test_surface_is_shells_with_a_warning(tmp_path):
    (tmp_path / "a.off").write_text(OFF)
    mesh = read_with_meshio(tmp_path / "a.off")
    assert [block.kind for block in mesh.blocks] == ["tri3"]
    assert any("only a surface" in warning for warning in mesh.warnings)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.su2", SU2.replace("NELEM= 1", "NELEM= 1000000000"), "meshio cannot read the file"),
        ("a.off", OFF.replace("4 2 0", "4000000 2 0"), "cannot reshape array of size 20"),
        ("a.off", OFF.replace("3 0 1 3", "3 0 1 9"), "cell 1 uses point 9, but the points are numbered from 0 to 3"),
        ("a.su2", SU2[:60], "meshio cannot read the file|no element|finds no nodes|only"),
        ("a.su2", "NDIME= 2\nNELEM= 1\n5 0 1 2 0\nNPOIN= 3\n0 0 0\n1 0 1\n0 1 2\nNMARK= 0\n", "the nodes have 2 coordinates"),
        ("a.vol", "\x00\x01garbage", "meshio cannot read the file"),
        ("a.obj", "", "meshio finds no nodes"),
        ("a.ele", "1 4 0\n", "meshio cannot read the file"),
        ("a.f3grid", "Z T4 1 1 2 3\n", "meshio cannot read the file"),
        ("a.unknown", "hello\n", "meshio cannot read the file"),
        ("a.stl", b"x" * 80 + (10**9).to_bytes(4, "little") + b"\0" * 50, "byte 80: 1000000000 triangles"),
    ],
)
def test_wrong_content(tmp_path, name, content, message):
    found = refusal(tmp_path / name, content)
    assert re.search(message, found), found


def test_endless_parsing_is_stopped(tmp_path):
    # A file of Tetgen that ends where meshio still looks for the first line.
    (tmp_path / "a.node").write_text("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n")
    assert "did not finish" in refusal(tmp_path / "a.ele", "# nothing but a comment\n")


XDMF = (
    '<?xml version="1.0"?><Xdmf Version="3.0"><Domain><Grid Name="Grid"><Geometry GeometryType="XYZ"><DataItem'
    ' DataType="Float" Dimensions="4 3" Format="{}" Precision="8">\n{}</DataItem></Geometry><Topology'
    ' TopologyType="Tetrahedron" NumberOfElements="1"><DataItem DataType="Int" Dimensions="1 4" Format="XML"'
    ' Precision="8">0 1 2 3</DataItem></Topology></Grid></Domain></Xdmf>\n'
)


@pytest.fixture
def xdmf(tmp_path):
    """A folder for a.xdmf, with its data and what else it must not reach."""
    folder = tmp_path / "in"
    folder.mkdir()
    for place in (tmp_path, folder):
        with h5py.File(place / "x.h5", "w") as file:
            file["x"] = np.array(POINTS, float)
        np.array(POINTS, float).tofile(place / "x.bin")
    with h5py.File(folder / "linked.h5", "w") as file:
        file["x"] = h5py.ExternalLink("../x.h5", "x")
    with h5py.File(folder / "zeros.h5", "w") as file:
        file.create_dataset("x", data=np.zeros((1_000_000, 3)), compression="gzip")
    (folder / "link.h5").symlink_to("../x.h5")
    os.mkfifo(folder / "pipe.h5")
    return folder


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_data_beside_an_xdmf_file(xdmf, encoding):
    for kind, name in (("HDF", "x.h5:/x"), ("HDF", "./x.h5:x"), ("Binary", "x.bin")):
        (xdmf / "a.xdmf").write_bytes(XDMF.format(kind, name).encode(encoding))
        assert read_with_meshio(xdmf / "a.xdmf").points.tolist() == [list(point) for point in POINTS]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("HDF", "../x.h5:/x", r"\.\./x\.h5 is outside the folder of the file; copy it there"),
        ("HDF", "./../x.h5:x", r"x\.h5 is outside the folder"),
        ("HDF", "&#46;./x.h5:/x", r"\.\./x\.h5 is outside the folder"),
        ("HDF", "{}/x.h5:x", r"/x\.h5 is outside the folder"),
        ("HDF", "link.h5:/x", r"link\.h5 is outside the folder"),
        ("Binary", "{}/x.bin", r"/x\.bin is outside the folder"),
        ("Binary", "../x.bin", r"x\.bin is outside the folder"),
        ("Binary", "../x.bin<b/>/../../in/x.bin", "contains other elements"),
        ("HDF", "pipe.h5:/x", r"pipe\.h5 is a named pipe \(FIFO\), not a file; expected a file with the numbers"),
        ("HDF", "none.h5:/x", r"none\.h5 does not exist"),
        ("HDF", "linked.h5:/x", "the data is in another file; copy it into this one"),
        ("HDF", "zeros.h5:/x", "24000000 bytes are declared"),
    ],
)
def test_data_of_xdmf_stay_in_the_folder(xdmf, kind, name, told, encoding):
    found = refusal(xdmf / "a.xdmf", XDMF.format(kind, name.format(xdmf.parent)).encode(encoding), "in/(a.xdmf|linked.h5|zeros.h5)")
    assert re.search(told, found), found
