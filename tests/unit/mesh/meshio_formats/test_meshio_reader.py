"""What only meshio reads: its failures are MeshErrors, whatever they are."""

import re

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.readers.meshio_formats.read_with_meshio import read_with_meshio

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
SU2 = (
    "NDIME= 3\nNELEM= 1\n10 0 1 2 3 0\nNPOIN= 4\n0 0 0 0\n1 0 0 1\n0 1 0 2\n0 0 1 3\n"
    "NMARK= 1\nMARKER_TAG= left\nMARKER_ELEMS= 1\n5 0 2 3\n"
)
OFF = "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n"


def refusal(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MeshError, match=path.name) as caught:
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
        ("a.su2", SU2.replace("NELEM= 1", "NELEM= 1000000000"), ":2: 1000000000 is more than a file of"),
        ("a.off", OFF.replace("4 2 0", "4000000 2 0"), ":2: 4000000 is more than"),
        ("a.off", OFF.replace("3 0 1 3", "3 0 1 9"), "element:2: it uses node 10, but there are only 4 nodes"),
        ("a.su2", SU2[:60], "meshio cannot read the file|no element|finds no nodes|only"),
        ("a.su2", "NDIME= 2\nNELEM= 1\n5 0 1 2 0\nNPOIN= 3\n0 0 0\n1 0 1\n0 1 2\nNMARK= 0\n", "the nodes have 2 coordinates"),
        ("a.vol", "\x00\x01garbage", "meshio cannot read the file"),
        ("a.obj", "", ":1: the file is empty"),
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


def test_data_of_xdmf_stay_in_the_folder(tmp_path):
    text = (
        '<Xdmf Version="3.0"><Domain><Grid Name="Grid"><Geometry GeometryType="XYZ"><DataItem DataType="Float"'
        ' Dimensions="4 3" Format="HDF" Precision="8">\n{}:/data0</DataItem></Geometry></Grid></Domain></Xdmf>\n'
    )
    for outside in ("../secret.h5", "/etc/secret.h5"):
        assert f"{outside} is outside the folder of the file" in refusal(tmp_path / "a.xdmf", text.format(outside))
