"""Shares of surfaces, volumes and lines that belong to nodes."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import Material, Mesh, box_mesh, line_mesh, rectangle
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.marker_places import lumped_measure, node_weights

ELEMENTS = [kind for kind, known in KINDS.items() if known.dimension > 0 and not kind.startswith("spring")]
MEASURES = {"tri": 0.5, "quad": 4.0, "tet": 1 / 6, "wedge": 1.0, "hex": 8.0, "pyramid": 4 / 3, "beam": 2.0}
MEASURES["truss"] = MEASURES["beam"]


def warped(mesh: Mesh, power: float) -> Mesh:
    """The bar with its nodes crowded to one side of y, elements as they were."""
    points = mesh.points.copy()
    width = points[:, 1].max()
    points[:, 1] = width * (points[:, 1] / width) ** power
    return replace(mesh, points=points)


@pytest.mark.parametrize("kind", ELEMENTS)
def test_shares_are_positive_and_sum_to_the_measure(kind):
    corners = np.zeros((1, KINDS[kind].node_count, 3))
    if kind.startswith("pyramid"):
        ends = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]], dtype=float)
        middles = [(ends[i] + ends[j]) / 2 for i, j in KINDS[kind].edges]
        corners[0] = np.vstack([ends, *middles])[: KINDS[kind].node_count]
    else:
        corners[0, :, : KINDS[kind].dimension] = KINDS[kind].reference_nodes
    shares = lumped_measure(kind, corners)
    assert shares.min() > 0.0
    assert shares.sum() == pytest.approx(MEASURES[kind.rstrip("0123456789")], rel=1e-12)


def test_uneven_face_has_its_mean_in_the_middle():
    """Shares of a rectangle have its middle as their mean, so the whole is exact."""
    mesh = warped(box_mesh((0.1, 0.02, 0.02), (2, 6, 3), kind="hex8"), 2.0)
    nodes = np.unique(mesh.node_sets["TIP"])
    weights = node_weights(mesh, nodes)
    assert weights.by == "area" and len(weights.left_out) == 0
    assert mesh.points[nodes].mean(axis=0)[1] < 0.0086  # crowded to one side
    np.testing.assert_allclose(weights.values @ mesh.points[nodes], [0.1, 0.01, 0.01], atol=1e-14)


def test_volume_of_a_block_of_elements():
    mesh = warped(box_mesh((0.1, 0.02, 0.02), (4, 4, 4), kind="hex8"), 2.0)
    nodes = np.flatnonzero(mesh.points[:, 0] > 0.049)
    weights = node_weights(mesh, nodes)
    assert weights.by == "volume"  # there are nodes inside: not on faces of the body
    np.testing.assert_allclose(weights.values @ mesh.points[nodes], [0.075, 0.01, 0.01], atol=1e-14)


def test_length_of_beams_and_edges():
    line = line_mesh(1.0, 10, rectangle(0.01, 0.01), Material("STEEL", 210e9, 0.3, 7850.0))
    x = line.points[:, 0] ** 2
    line = replace(line, points=np.column_stack([x, 0 * x, 0 * x]))
    weights = node_weights(line, np.arange(len(line.points)))
    assert weights.by == "length" and weights.values @ x == pytest.approx(0.5, rel=1e-12)
    solid = warped(box_mesh((0.1, 0.02, 0.02), (2, 6, 3), kind="hex8"), 2.0)
    edge = np.flatnonzero((solid.points[:, 0] > 0.0999) & (solid.points[:, 2] < 1e-9))
    weights = node_weights(solid, edge)
    assert weights.by == "length"
    np.testing.assert_allclose(weights.values @ solid.points[edge], [0.1, 0.01, 0.0], atol=1e-14)


def test_loose_and_left_out_nodes():
    mesh = box_mesh((0.1, 0.02, 0.02), (4, 4, 4), kind="hex8")
    loose = np.flatnonzero((mesh.points[:, 0] < 1e-9) & (np.abs(mesh.points[:, 1] - 0.01) > 0.009))[[0, 2, 4]]
    assert node_weights(mesh, loose).by == "equal"
    tip = np.unique(mesh.node_sets["TIP"])
    stray = int(np.argmin(mesh.points @ [1.0, 0.0, 0.0]))
    weights = node_weights(mesh, np.append(tip, stray))
    assert weights.by == "area" and weights.left_out.tolist() == [stray] and weights.values[-1] == 0.0
