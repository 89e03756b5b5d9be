"""Elements with repeated nodes: their true kinds have the volume of the collapsed ones."""

import numpy as np
import pytest

from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, without_missing_middles

CUBE = np.array([(0, 0, 0), (2, 0, 0.1), (2.2, 1, 0), (0, 1.1, 0), (0, 0, 3), (2, 0.1, 3), (2.2, 1, 3.3), (0.1, 1.1, 3)], float)
COLLAPSED_HEXAHEDRA = [
    ("wedge6", (0, 1, 2, 2, 4, 5, 6, 6)),  # K = L, O = P, as Ansys and Abaqus write wedges
    ("wedge6", (0, 1, 1, 3, 4, 5, 5, 7)),
    ("wedge6", (0, 0, 2, 3, 4, 4, 6, 7)),
    ("wedge6", (0, 1, 2, 3, 0, 1, 6, 7)),
    ("pyramid5", (0, 1, 2, 3, 4, 4, 4, 4)),
    ("pyramid5", (0, 0, 0, 0, 4, 5, 6, 7)),
    ("pyramid5", (0, 1, 1, 3, 4, 1, 1, 7)),
    ("tet4", (0, 1, 2, 2, 4, 4, 4, 4)),
    ("tet4", (1, 1, 1, 1, 4, 5, 6, 6)),
]


def volume(kind, nodes, points):
    """Integral of the Jacobian; a pyramid is a hexahedron with four nodes at its top."""
    if kind == "pyramid5":
        kind, nodes = "hex8", [*nodes[:4], *[nodes[4]] * 4]
    weight = {"hex8": 1.0, "wedge6": 1 / 6, "tet4": 1 / 24}[kind]
    return weight * jacobian_determinants(KINDS[kind], points[list(nodes)][None]).sum()


@pytest.mark.parametrize(("kind", "nodes"), COLLAPSED_HEXAHEDRA)
def test_collapsed_hexahedra_have_the_volume_of_their_true_kind(kind, nodes):
    ((found, rows, corners),) = true_kinds("hex8", np.array([nodes]))
    assert found == kind
    assert rows.tolist() == [0]
    assert volume(found, corners[0], CUBE) == pytest.approx(volume("hex8", nodes, CUBE), rel=1e-12)
    assert volume(found, corners[0], CUBE) > 0


@pytest.mark.parametrize(("kind", "nodes"), COLLAPSED_HEXAHEDRA)
def test_middle_nodes_of_collapsed_hexahedra_lie_between_the_corners_of_their_edges(kind, nodes):
    points = {corner + 1: CUBE[corner] for corner in range(8)}
    middle = {}
    for first, second in KINDS["hex20"].edges:
        ends = tuple(sorted((nodes[first] + 1, nodes[second] + 1)))
        number = middle.setdefault(ends, 100 + len(middle)) if ends[0] != ends[1] else ends[0]
        middle[first, second, "edge"] = number
        points[number] = (points[ends[0]] + points[ends[1]]) / 2
    row = [corner + 1 for corner in nodes] + [middle[*edge, "edge"] for edge in KINDS["hex20"].edges]
    ((found, _, numbers),) = true_kinds("hex20", np.array([row]))
    known = KINDS[found]
    assert found == {"wedge6": "wedge15", "pyramid5": "pyramid13", "tet4": "tet10"}[kind]
    assert len(set(numbers[0].tolist())) == known.node_count
    for number, (first, second) in zip(numbers[0, known.corner_count :], known.edges, strict=True):
        np.testing.assert_allclose(points[number], (points[numbers[0, first]] + points[numbers[0, second]]) / 2)


def test_mixed_elements_are_split_and_keep_their_rows():
    nodes = np.array([(1, 2, 3, 4), (1, 2, 3, 3), (5, 6, 7, 8), (1, 1, 2, 2), (9, 1, 1, 3), (1, 2, 1, 3)])
    parts = {kind: (rows.tolist(), own.tolist()) for kind, rows, own in true_kinds("quad4", nodes)}
    assert parts == {
        "quad4": ([0, 2], [[1, 2, 3, 4], [5, 6, 7, 8]]),
        "tri3": ([1, 4], [[1, 2, 3], [9, 1, 3]]),
        "": ([3, 5], [[1, 1, 2, 2], [1, 2, 1, 3]]),
    }


def test_a_flat_solid_and_a_beam_without_length_have_no_kind():
    assert true_kinds("hex8", np.array([(1, 2, 3, 4, 1, 2, 3, 4)]))[0][0] == ""
    assert true_kinds("hex8", np.array([(1, 1, 1, 4, 5, 5, 5, 8)]))[0][0] == ""
    assert true_kinds("tet4", np.array([(1, 2, 3, 3)]))[0][0] == ""
    assert true_kinds("beam2", np.array([(7, 7)]))[0][0] == ""
    assert true_kinds("spring2", np.array([(7, 7)]))[0][0] == "spring2"


def test_a_hexahedron_with_seven_corners_stays_one():
    ((kind, _, nodes),) = true_kinds("hex8", np.array([(1, 2, 3, 4, 5, 6, 7, 7)]))
    assert kind == "hex8"
    assert nodes.tolist() == [[1, 2, 3, 4, 5, 6, 7, 7]]


def test_wedges_and_pyramids_collapse_too():
    assert true_kinds("wedge6", np.array([(1, 2, 3, 4, 5, 3)]))[0][0] == "pyramid5"
    assert true_kinds("wedge6", np.array([(1, 2, 3, 4, 4, 4)]))[0][0] == "tet4"
    assert true_kinds("pyramid5", np.array([(1, 2, 3, 3, 5)]))[0][0] == "tet4"


def test_absent_middle_nodes_make_first_order_elements_or_new_nodes():
    tri6 = np.array([(1, 2, 3, -1, -1, -1), (1, 2, 3, 4, 5, -1), (3, 1, 7, -1, 9, 10), (1, 2, 3, 4, 5, 6)])
    edges = []
    parts = without_missing_middles("tri6", tri6, lambda ends: edges.extend(ends.tolist()) or 50 + np.arange(len(ends)))
    assert [(kind, rows.tolist(), nodes.tolist()) for kind, rows, nodes in parts] == [
        ("tri3", [0], [[1, 2, 3]]),
        ("tri6", [1, 2, 3], [[1, 2, 3, 4, 5, 50], [3, 1, 7, 50, 9, 10], [1, 2, 3, 4, 5, 6]]),
    ]
    assert edges == [[1, 3]]


def test_middle_nodes_that_repeat_a_corner_are_absent():
    ((kind, _, nodes),) = true_kinds("tri6", np.array([(1, 2, 3, 1, 5, 6)]))
    assert kind == "tri6"
    assert nodes.tolist() == [[1, 2, 3, -1, 5, 6]]


def test_many_elements_without_repeated_nodes_are_handed_back_as_they_are():
    nodes = np.arange(800).reshape(100, 8)
    ((kind, rows, same),) = true_kinds("hex8", nodes)
    assert kind == "hex8"
    assert same is nodes
    assert rows.tolist() == list(range(100))
