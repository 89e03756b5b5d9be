"""Medit's text files."""

import re

import pytest

from flexmbs import MeshError
from flexmbs.mesh.readers.exchange_formats.medit import read_medit


@pytest.fixture
def text(test_data):
    return (test_data / "mesh" / "medit" / "bar.mesh").read_text()


def test_elements_and_references(test_data):
    mesh = read_medit(test_data / "mesh" / "medit" / "bar.mesh")
    assert {block.kind: block.ids.tolist() for block in mesh.blocks} == {"hex8": [3, 4], "wedge6": [5]}
    assert {name: rows.tolist() for name, rows in mesh.element_sets.items()} == {"Hexahedra 4": [0, 1], "Prisms 4": [2]}
    assert mesh.surfaces["Quadrilaterals 3"].size == 1
    assert mesh.node_sets["Vertices 1"].tolist() == [0]
    assert [entry.card for entry in mesh.skipped] == ["Ridges"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Dimension 3", "Dimension 2", r":1: Dimension is 2.0; a flexible body needs 3"),
        ("Vertices\n14", "Vertices\n1000000000", r":\d+: Vertices: 1000000000 lines with a row .* has 14 more"),
        ("1 5 7", "1 99 7", r":22: element 1 \(Edges\) uses node 99, which no Vertices defines"),
        ("1 5 7", "1 5", r":22: Edges: the line has 2 numbers, but a row \(2 numbers, reference\) has 3"),
        ("1 5 7", "1 x 7", r":22: \w+: "),
        ("MeshVersionFormatted", "Mesh", r":1: not a Medit mesh: it starts with 'Mesh 2'"),
    ],
)
def test_wrong_content(tmp_path, text, old, new, message):
    assert old in text
    path = tmp_path / "wrong.mesh"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(MeshError) as caught:
        read_medit(path)
    found = str(caught.value).removeprefix(str(path))
    assert re.match(message, found), found


def test_cut_off_within_elements_is_refused(tmp_path, text):
    path = tmp_path / "short.mesh"
    for length in range(0, text.index("Prisms"), 5):
        path.write_text(text[:length])
        try:
            assert any("no End" in warning for warning in read_medit(path).warnings)
        except MeshError as error:
            assert "short.mesh" in str(error)
