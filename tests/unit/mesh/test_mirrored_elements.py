"""Solids with mirrored node order are found and turned; flat and twisted ones are told apart from them."""

import numpy as np
import pytest

from flexmbs.mesh.check_mesh import sampled_jacobians
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.degenerate_elements import mirrored, turned
from flexmbs.mesh.reader_tools.element_blocks import TrueElements
from flexmbs.mesh.reader_tools.numbering import ElementRows

SOLIDS = [kind for kind, known in KINDS.items() if known.dimension == 3]
SKEW = np.array([[2.0, 0.3, 0.1], [-0.2, 1.5, 0.4], [0.1, 0.2, 0.8]])  # right-handed


def points_of(kind):
    known = KINDS[kind]
    places = known.reference_nodes
    if kind.startswith("pyramid"):  # (x / t, y / t, -t), as ``quadrature`` has it
        places = places.copy()
        places[:, :2] *= -places[:, 2:]
    return places @ SKEW.T + [10.0, 20.0, 30.0]


@pytest.mark.parametrize("kind", SOLIDS)
def test_mirrored_elements_are_turned_and_others_stay(kind):
    points, right = points_of(kind), np.arange(KINDS[kind].node_count)
    nodes = np.array([right, right[mirrored(kind)], right])
    found, mask, flat = turned(kind, nodes, points)
    assert mask.tolist() == [False, True, False]
    assert found.tolist() == [right.tolist()] * 3
    assert (sampled_jacobians(KINDS[kind], points[found]) > 0.0).all()
    assert not flat.any()


@pytest.mark.parametrize("kind", SOLIDS)
def test_a_mesh_in_mirrored_axes_is_turned_with_its_middle_nodes_on_their_edges(kind):
    points, known = points_of(kind) * [1.0, 1.0, -1.0], KINDS[kind]
    found, mask, flat = turned(kind, np.arange(known.node_count)[None], points)
    assert (mask.tolist(), flat.tolist()) == ([True], [False])
    for place, (first, second) in enumerate(known.edges if known.has_middle_nodes else (), known.corner_count):
        middle = 0.5 * (points[found[0, first]] + points[found[0, second]])
        assert points[found[0, place]] == pytest.approx(middle)
    assert (sampled_jacobians(known, points[found]) > 0.0).all()


@pytest.mark.parametrize("kind", SOLIDS)
def test_flat_elements_have_no_volume_and_are_not_turned(kind):
    nodes = np.arange(KINDS[kind].node_count)[None]
    for flat in (points_of(kind) * [1.0, 1.0, 0.0], points_of(kind) * 0.0):
        found, mask, has_no_volume = turned(kind, nodes, flat)
        assert found is nodes
        assert (mask.tolist(), has_no_volume.tolist()) == ([False], [True])


def test_a_twisted_hexahedron_is_not_turned_and_named():
    points, nodes = points_of("hex8"), np.array([[0, 3, 2, 1, 4, 5, 6, 7]])  # the bottom is mirrored, the top is not
    found, mask, flat = turned("hex8", nodes, points)
    assert found is nodes
    assert (mask.tolist(), flat.tolist()) == ([False], [True])


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_a_hexahedron_with_a_collapsed_edge_is_whole(mirror):
    points = points_of("hex8") * [1.0, 1.0, mirror]
    _, mask, flat = turned("hex8", np.array([[0, 1, 2, 3, 4, 5, 6, 6]]), points)
    assert (mask.tolist(), flat.tolist()) == ([mirror < 0.0], [False])


def test_shells_and_beams_are_never_mirrored():
    for kind in ("tri3", "quad8", "beam2", "truss3", "spring2"):
        nodes = np.arange(KINDS[kind].node_count)[None]
        found, mask, flat = turned(kind, nodes, np.zeros((9, 3)))
        assert found is nodes
        assert not (mask | flat).any()


def test_many_elements_are_looked_at_in_pieces():
    points = points_of("tet4")
    nodes = np.tile(np.arange(4), (40_000, 1))
    nodes[[3, 20_000, 39_999]] = nodes[0, mirrored("tet4")]
    found, mask, _ = turned("tet4", nodes, points)
    assert np.flatnonzero(mask).tolist() == [3, 20_000, 39_999]
    assert (found == np.arange(4)).all()


def test_warnings_name_the_first_element_and_how_many():
    points, right = points_of("hex8"), np.arange(8)
    nodes = np.array([right, right[mirrored("hex8")], [0, 3, 2, 1, 4, 5, 6, 7], right[mirrored("hex8")]])
    rows = ElementRows("hex8", "C3D8", right[:4], nodes, "a.inp", np.arange(6, 10))
    true = TrueElements(right, points)
    (found,) = true.of(rows, numbers=np.array([11, 12, 15, 17]))
    assert [ids.tolist() for ids in true.mirrored] == [[1, 3]]
    assert found.nodes[[1, 3]].tolist() == [right.tolist()] * 2
    turned_ones, without_volume = true.warnings
    assert turned_ones == (
        "a.inp:7: 2 elements of type C3D8 turned inside out by the order of their nodes (first: element 12);"
        " read with the opposite orientation."
    )
    assert without_volume.startswith("a.inp:8: 1 element of type C3D8 with zero or negative volume (first: element 15); check")
