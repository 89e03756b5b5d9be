"""Which elements only name faces and edges of others."""

import numpy as np

from flexmbs.mesh.reader_tools.element_blocks import split_skin
from flexmbs.mesh.reader_tools.numbering import ElementRows


def rows(kind, *nodes, first_id=1):
    nodes = np.array(nodes)
    count = len(nodes)
    return ElementRows(kind, kind, np.arange(first_id, first_id + count), nodes, "a.msh", np.arange(1, count + 1))


HEX = rows("hex8", (10, 20, 30, 40, 50, 60, 70, 80), first_id=100)


def test_faces_and_edges_of_solids_are_geometry():
    quads = rows("quad4", (20, 10, 40, 30), (10, 20, 30, 90))
    lines = rows("beam2", (70, 30), (10, 99), first_id=3)
    structural, geometry = split_skin([HEX, quads, lines])
    assert [(part.kind, part.ids.tolist()) for part in structural] == [("hex8", [100]), ("quad4", [2]), ("beam2", [4])]
    assert [(part.kind, part.role, part.type_name, part.ids.tolist(), part.lines.tolist()) for part in geometry] == [
        (None, "geometry", "quad4", [1], [1]),
        (None, "geometry", "line2", [3], [1]),
    ]


def test_triangle_on_half_a_quadrilateral_face_is_geometry():
    _, geometry = split_skin([HEX, rows("tri3", (10, 30, 40), (10, 20, 70))])
    assert [part.ids.tolist() for part in geometry] == [[1]]


def test_second_order_elements_are_compared_by_their_corners():
    shells = rows("tri6", (1, 2, 3, 4, 5, 6))
    structural, geometry = split_skin([shells, rows("beam3", (3, 2, 5), first_id=9)])
    assert [part.kind for part in structural] == ["tri6"]
    assert [part.type_name for part in geometry] == ["line3"]


def test_elements_with_a_section_are_kept():
    quads = rows("quad4", (10, 20, 30, 40), (50, 60, 70, 80))
    structural, geometry = split_skin([HEX, quads], keep=[None, np.array([True, False])])
    assert structural[1].ids.tolist() == [1]
    assert geometry[0].ids.tolist() == [2]


def test_springs_are_neither_geometry_nor_hosts():
    structural, geometry = split_skin([HEX, rows("spring2", (10, 20)), rows("spring1", (10,))])
    assert not geometry
    assert len(structural) == 3


def test_many_faces():
    nodes = np.arange(800_000).reshape(-1, 8)
    numbers = np.arange(len(nodes))
    solids = ElementRows("hex8", "hex8", numbers, nodes, "a.msh", numbers)
    quads = ElementRows("quad4", "quad4", numbers, nodes[:, :4], "a.msh", numbers)
    structural, geometry = split_skin([solids, quads])
    assert [len(part.ids) for part in (*structural, *geometry)] == [100_000, 100_000]
