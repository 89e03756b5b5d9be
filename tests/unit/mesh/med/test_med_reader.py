"""MED files of versions 2 and 3 are read alike; damaged ones are refused."""

import re

import numpy as np
import pytest
from solid_meshes import signed_volumes

from flexmbs import MeshError
from flexmbs.mesh.readers.med import read_med

STEP = "ENS_MAA/bar/-0000000000000000001-0000000000000000001"


@pytest.fixture
def folder(test_data):
    return test_data / "mesh" / "med"


def changed(folder, tmp_path, change):
    import h5py

    path = tmp_path / "wrong.med"
    path.write_bytes((folder / "bar.med").read_bytes())
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def refusal(path):
    with pytest.raises(MeshError, match=path.name) as caught:
        read_med(path)
    return str(caught.value)


@pytest.mark.parametrize("name", ["bar.med", "bar_version2.med"])
def test_elements_groups_and_orientation(folder, name):
    mesh = read_med(folder / name)
    assert mesh.node_ids.tolist() == [10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33, 5, 6]
    assert {block.kind: block.ids.tolist() for block in mesh.blocks} == {"hex8": [4, 5], "wedge6": [6]}
    assert all((signed_volumes(block.kind, mesh.points[block.nodes]) > 0.0).all() for block in mesh.blocks)
    assert mesh.element_ids[mesh.element_sets["body"]].tolist() == [4, 5, 6]
    assert mesh.node_ids[mesh.surfaces["left"].faces["quad4"]].tolist() == [[10, 12, 13, 11]]
    assert {name: len(nodes) for name, nodes in mesh.node_sets.items()} == {
        "body": 14,
        "edge": 2,
        "left": 4,
        "point": 1,
        "corner": 1,
    }
    assert not mesh.warnings


def test_numbers_that_repeat_between_types(folder, tmp_path):
    def change(file):
        file[f"{STEP}/MAI/PE6/NUM"][:] = 4

    mesh = read_med(changed(folder, tmp_path, change))
    assert sorted(mesh.element_ids) == [1, 2, 4] or len(set(mesh.element_ids)) == 3
    assert any("numbers the elements of each type" in warning for warning in mesh.warnings)


def test_unit_of_length_is_told(folder, tmp_path):
    def change(file):
        file["ENS_MAA/bar"].attrs["UNI"] = np.bytes_("mm".ljust(16) * 3)

    assert any("unit of length is mm" in warning for warning in read_med(changed(folder, tmp_path, change)).warnings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file["ENS_MAA/bar"].attrs.modify("ESP", 2), "the mesh has 2 dimensions"),
        (lambda file: file["ENS_MAA/bar"].attrs.modify("TYP", 1), "a structured grid"),
        (lambda file: file.pop("ENS_MAA"), "the file holds no mesh"),
        (lambda file: file[STEP].pop("NOE"), "the mesh has no nodes"),
        (lambda file: file[f"{STEP}/NOE"].pop("COO"), "3 coordinates per node were expected"),
        (lambda file: file[f"{STEP}/MAI/HE8/NOD"].write_direct(np.full(16, 99, np.int32)), "element:1: uses node 99"),
        (lambda file: file[STEP].pop("MAI"), "no element in the file can form a body"),
        (lambda file: file[f"{STEP}/MAI"].move("HE8", "POE"), "MAI/POE: polyhedra"),
        (lambda file: file[f"{STEP}/NOE"].pop("NUM") and None or resize(file), "COO: .* bytes are declared"),
    ],
)
def test_wrong_content(folder, tmp_path, change, message):
    assert re.search(message, refusal(changed(folder, tmp_path, change)))


def resize(file):
    """Coordinates of gigabytes of which nothing is stored."""
    del file[f"{STEP}/NOE/COO"]
    file.create_dataset(f"{STEP}/NOE/COO", shape=(3_000_000_000,), chunks=(1000,), dtype=float)


def test_cut_off_or_other_content(folder, tmp_path):
    data = (folder / "bar.med").read_bytes()
    for length in range(0, len(data) * 2 // 3, 997):
        path = tmp_path / "short.med"
        path.write_bytes(data[:length])
        refusal(path)
    path.write_bytes(b"\x00garbage")
    assert "not an HDF5 file: it starts with" in refusal(path)


@pytest.mark.parametrize("cut", [False, True])
def test_agrees_with_medcoupling(tmp_path, cut):
    medcoupling = pytest.importorskip("medcoupling")
    grid = medcoupling.MEDCouplingCMesh("bar")
    grid.setCoords(*(medcoupling.DataArrayDouble(values) for values in ([0.0, 1.0, 3.0], [0.0, 1.0], [0.0, 0.5, 2.0])))
    other = grid.buildUnstructured()
    if cut:
        other.simplexize(medcoupling.PLANAR_FACE_5)
    medcoupling.WriteMesh(str(tmp_path / "bar.med"), other, True)
    mesh = read_med(tmp_path / "bar.med")
    (block,) = mesh.blocks
    volumes = signed_volumes(block.kind, mesh.points[block.nodes])
    np.testing.assert_allclose(volumes, np.abs(other.getMeasureField(True).getArray().toNumPyArray()))
