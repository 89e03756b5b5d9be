"""Elements of files become what they truly are, with nodes of their own in the middle of edges that lack them."""

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.reader_tools.element_blocks import TrueElements
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, NumberIndex, split_by

POINTS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0, 0.1), (2, 0.5, 0)], float)
IDS = np.array([10, 20, 30, 40, 50, 60])


def rows(kind, *nodes, **data):
    numbers = np.array(nodes)
    lines = np.arange(1, len(numbers) + 1)
    return ElementRows(kind, "S", lines + 100, numbers, "deck", lines, data={name: np.array(own) for name, own in data.items()})


def table():
    made = NodeTable("deck", "NODE")
    made.add(IDS, POINTS, "deck", np.arange(1, 7))
    made.close()
    return made


def test_an_edge_without_a_middle_node_gets_one_that_moves_with_its_ends():
    true = TrueElements(IDS, POINTS)
    elements = rows("tri6", (10, 20, 30, 50, 0, 0), (20, 30, 60, 0, 0, 50), angle=[1.0, 2.0]).with_indices(table())
    (found,) = true.of(elements)
    assert found.kind == "tri6"
    assert found.data["angle"].tolist() == [1.0, 2.0]
    assert true.ids.tolist() == [*IDS, 61, 62, 63]
    assert found.nodes.tolist() == [[0, 1, 2, 4, 7, 6], [1, 2, 5, 7, 8, 4]]  # the edge 20-30 has one node for both
    np.testing.assert_allclose(true.points[found.nodes[:, 4]], [(1, 0.5, 0), (1.5, 0.75, 0)])
    equations = true.equations()
    assert len(equations) == 9
    assert (equations[0].nodes.tolist(), equations[0].dofs.tolist()) == ([6, 0, 2], [1, 1, 1])
    assert equations[0].coefficients.tolist() == [1.0, -0.5, -0.5]
    assert "3 midside nodes" in true.warnings[0]


def test_what_is_collapsed_has_no_kind_and_is_told():
    true = TrueElements(IDS, POINTS)
    plate, line = true.of(rows("quad4", (0, 1, 2, 3), (0, 1, 1, 0)))
    assert (plate.kind, plate.ids.tolist()) == ("quad4", [101])
    assert (line.kind, line.role, line.ids.tolist()) == (None, "collapsed", [102])
    assert true.warnings == [
        "deck:2: 1 element of type S with repeated nodes and without volume, area or length (first: element 102); not part of"
        " the body."
    ]


def test_a_corner_must_be_there_and_every_number_must_exist():
    with pytest.raises(MeshError, match="deck:2: element 102 .S. lacks a corner node"):
        rows("quad4", (10, 20, 30, 40), (10, 20, 30, 0)).with_indices(table())
    with pytest.raises(MeshError, match="deck:1: element 101 .S. uses node 70, which no NODE defines"):
        rows("tri6", (10, 20, 30, 70, 0, 0)).with_indices(table())


def test_elements_by_key_in_the_order_of_their_first():
    parts = split_by(rows("beam2", (0, 1), (1, 2), (2, 3), (3, 0), angle=[1, 2, 3, 4]), np.array([7, 3, 7, 3]))
    assert [(key, part.ids.tolist(), part.data["angle"].tolist()) for key, part in parts] == [
        (7, [101, 103], [1, 3]),
        (3, [102, 104], [2, 4]),
    ]


@pytest.mark.parametrize("ids", [[], [7], [3, 4, 5, 6], [9, 2, 4], [5, 3, 5, 4], [2, 2, 3]])
def test_numbers_are_found_where_they_first_stand(ids):
    index, wanted = NumberIndex(np.array(ids, np.int64), offset=100), [0, 2, 3, 4, 5, 7, 9, 10**15]
    right = [100 + ids.index(number) if number in ids else -1 for number in wanted]
    assert index.find(np.array(wanted)).tolist() == right
    assert index.find(np.array(wanted).reshape(2, 4)).tolist() == [right[:4], right[4:]]
    one_by_one = [index.find_one(number) for number in wanted]
    assert [-1 if found is None else int(found[0]) for found in one_by_one] == right
    assert index.find_one(10**19) is None
