"""Beams with offsets, three nodes and tapers become plain ones, and everything keeps its meaning."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import box, rectangle, straight_beam

from flexmbs import MeshError, assemble, mass_properties
from flexmbs.fem.beams.expansion import expanded

SECTION = rectangle(0.004, 0.02)


def changed(mesh, **fields):
    return replace(mesh, blocks=tuple(replace(block, **fields) for block in mesh.blocks))


def arc(elements=2, section=SECTION):
    """Quarter circle of three-node beams, radius 1 m."""
    angle = np.linspace(0, 0.5 * np.pi, 2 * elements + 1)
    mesh = straight_beam(2 * elements, section=replace(section, y_axis=np.array([0.0, 0.0, 1.0])))
    first = np.arange(0, 2 * elements, 2)
    nodes = np.column_stack([first, first + 2, first + 1])
    points = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(len(angle))])
    return replace(changed(mesh, kind="beam3", nodes=nodes, ids=first // 2 + 1), points=points)


@pytest.mark.parametrize(
    "mesh",
    [
        straight_beam(3),
        changed(straight_beam(3), offsets=np.zeros((3, 2, 3))),
        changed(straight_beam(3), offsets=np.full((3, 2, 3), np.nan)),
        box("hex8"),
    ],
)
def test_plain_meshes_come_back_as_they_are(mesh):
    assert expanded(mesh) is mesh


def test_offset_beams_that_end_at_one_node_share_their_point():
    mesh = changed(straight_beam(3), offsets=np.broadcast_to([0.0, 0.1, 0.0], (3, 2, 3)))
    found = expanded(mesh)
    assert found.points[4:] == pytest.approx(mesh.points + [0.0, 0.1, 0.0])
    assert found.node_ids.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [(c.kind, c.reference, c.nodes.tolist(), c.dofs) for c in found.couplings] == [
        ("rigid", node, [4 + node], (1, 2, 3, 4, 5, 6)) for node in range(4)
    ]
    assert found.blocks[0].nodes.tolist() == [[4, 5], [5, 6], [6, 7]]
    assert found.blocks[0].offsets is None


def test_offsets_that_differ_at_a_node_give_points_of_one_coupling():
    offsets = np.zeros((2, 2, 3))
    offsets[1] = [0.0, 0.0, 0.2]
    found = expanded(changed(straight_beam(2), offsets=offsets))
    # the first beam stays on its nodes
    assert found.blocks[0].nodes.tolist() == [[0, 1], [3, 4]]
    assert [(c.reference, c.nodes.tolist()) for c in found.couplings] == [(1, [3]), (2, [4])]


def test_centroid_off_the_line_counts_in_section_axes():
    section = replace(SECTION, centroid=(0.03, -0.01), y_axis=np.array([0.0, 0.0, 1.0]), principal_angle=np.pi / 2)
    found = expanded(straight_beam(1, section=section))
    # y_axis along z, turned by 90 degrees about x: local y is along -y, local z along -z
    assert found.points[2] == pytest.approx([0.0, -0.03, 0.01], abs=1e-15)
    assert found.blocks[0].section.centroid == (0.0, 0.0)


def test_three_node_beams_become_two_with_their_number_and_their_sets():
    mesh = straight_beam(4)
    nodes = np.array([[0, 2, 1], [2, 4, 3]])
    sets = {"SECOND": np.array([1])}
    y_axes = np.array([[0.0, 1.0, 0.0], [np.nan] * 3])
    found = expanded(replace(changed(mesh, kind="beam3", nodes=nodes, ids=np.array([7, 8]), y_axes=y_axes), element_sets=sets))
    block = found.blocks[0]
    assert block.kind == "beam2" and block.nodes.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert block.ids.tolist() == [7, 7, 8, 8]
    assert found.element_sets["SECOND"].tolist() == [2, 3]
    assert np.isnan(block.y_axes[:, 0]).tolist() == [False, False, True, True]
    assert len(found.points) == 5 and not found.couplings
    assert abs(assemble(found).K - assemble(mesh).K).max() == 0.0


def test_curved_beams_follow_their_parabola_in_chords():
    mesh = arc()
    found = expanded(mesh)
    block = found.blocks[0]
    along = found.points[block.nodes[:, 1]] - found.points[block.nodes[:, 0]]
    along /= np.linalg.norm(along, axis=1)[:, None]
    turn = np.arccos(np.sum(along[1:] * along[:-1], axis=1))[block.ids[1:] == block.ids[:-1]]
    assert turn.max() < 0.05
    # a parabola through three points of an arc of 45 degrees leaves it by 7.2e-4 of the radius
    assert np.linalg.norm(found.points, axis=1) == pytest.approx(1.0, abs=7.5e-4)
    assert assemble(mesh).mass == pytest.approx(mass_properties(mesh).mass, rel=2e-4)


def test_tapered_beams_become_uniform_pieces():
    end = replace(rectangle(0.002, 0.02), nonstructural_mass=1.0)
    mesh = replace(straight_beam(2, section=replace(SECTION, end=end)), element_sets={"LAST": np.array([1])})
    found = expanded(mesh)
    pieces = len(found.blocks)
    assert all(len(block.ids) == 2 and block.section.end is None for block in found.blocks)
    areas = [block.section.area for block in found.blocks]
    places = (np.arange(pieces) + 0.5) / pieces
    assert areas == pytest.approx((1 - places) * SECTION.area + places * end.area, rel=1e-13)
    assert found.blocks[-1].section.outline == pytest.approx((0.5 / pieces) * SECTION.outline + (1 - 0.5 / pieces) * end.outline)
    assert found.element_sets["LAST"].tolist() == list(range(1, 2 * pieces, 2))
    model, whole = assemble(mesh), mass_properties(mesh)
    assert model.mass == pytest.approx(whole.mass, rel=1e-12)
    # the pieces' own centres lie in their middles: the share of 1 / 12 N^2 of the change
    assert model.center == pytest.approx(whole.center, rel=1e-4, abs=1e-14)


def test_taper_keeps_rigid_shear_rigid():
    section = replace(SECTION, shear_factor_y=np.inf, end=replace(SECTION, area=0.9 * SECTION.area))
    found = expanded(straight_beam(1, section=section))
    assert all(np.isinf(block.section.shear_factor_y) for block in found.blocks)
    assert all(block.section.shear_factor_z == pytest.approx(5 / 6) for block in found.blocks)


def test_curved_and_offset_and_tapered_at_once():
    end = replace(rectangle(0.003, 0.02), centroid=(0.05, 0.0))
    mesh = arc(section=replace(SECTION, end=end))
    mesh = changed(mesh, offsets=np.broadcast_to([0.0, 0.0, 0.02], (2, 3, 3)))
    model, whole = assemble(mesh), mass_properties(mesh)
    # the beam runs along its centroids, which rise by 5 cm in each element: longer than the line of the nodes
    longer = np.hypot(1.0, 0.05 / (0.25 * np.pi))
    assert model.mass == pytest.approx(longer * whole.mass, rel=1e-4)
    assert model.center == pytest.approx(whole.center, rel=1e-3)
    assert model.inertia / longer == pytest.approx(whole.inertia, abs=1e-3 * abs(whole.inertia).max())


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (changed(arc(), section=None), "have no section"),
        (changed(straight_beam(1, section=replace(SECTION, end=replace(SECTION, Iy=0.0)))), "section Iy is 0"),
        (
            changed(
                straight_beam(2, section=rectangle(y_axis=(1.0, 0.0, 0.0))),
                kind="beam3",
                ids=np.array([7]),
                nodes=np.array([[0, 2, 1]]),
            ),
            "parallel to beam element 7",
        ),
    ],
)
def test_refused_by_name(mesh, words):
    with pytest.raises(MeshError, match=words):
        assemble(mesh)
