"""Ties: the faces that nodes find, nodes that two ties want; equations that nothing feels."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import box
from mixed_meshes import STEEL, merged

from flexmbs import Coupling, ElementBlock, Equation, MeshSurface, Tie, TrussSection, assemble, box_mesh, natural_modes
from flexmbs.fem.mpc.ties import nearest_faces
from flexmbs.mesh.connectivity import outer_faces
from flexmbs.mesh.element_kinds import KINDS, shape_values

TURN = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]


def two_blocks(gap, ties):
    """A block on a coarser one, glued by ties from node sets "left", "right" (both with the middle) and "all"."""
    lower = box_mesh((1.0, 0.3, 0.2), (4, 3, 2), STEEL, "hex8")
    upper = box_mesh((1.0, 0.3, 0.2), (6, 5, 2), STEEL, "hex8")
    upper = replace(upper, points=upper.points + [0.0, 0.0, 0.2 + gap])
    mesh = merged(lower, upper, "UPPER ")
    x, height = mesh.points[:, 0], mesh.points[:, 2]
    foot = (np.arange(len(x)) >= len(lower.points)) & (height < 0.2 + gap + 1e-9)
    top = np.abs(lower.points[:, 2] - 0.2) < 1e-9
    faces = np.concatenate([rows[top[rows].all(axis=1)] for _, rows, _ in outer_faces(lower)])
    halves = {"left": x < 0.5 + 1e-9, "right": x > 0.5 - 1e-9, "all": x > -1.0}
    return replace(
        mesh,
        node_sets={name: np.flatnonzero(foot & half) for name, half in halves.items()},
        surfaces={f"{name} top": MeshSurface({"quad4": faces[half[faces].all(axis=1)]}) for name, half in halves.items()},
        ties=tuple(Tie(f"glue {name}", name, f"{name} top", where="a.inp:7") for name in ties),
    )


def frequencies(model):
    return natural_modes(model, np.zeros(model.ndof, bool), 3).frequencies[-3:]


def test_a_node_that_two_ties_want_is_tied_once():
    """Two ties that share the nodes in the middle are as stiff as one tie over both halves, also across a gap."""
    for gap in (0.0, 0.004):
        one, two = (assemble(two_blocks(gap, ties)) for ties in (["all"], ["left", "right"]))
        assert one.mesh.warnings == ()
        sets = two.mesh.node_sets
        middle = ", ".join(str(node) for node in two.mesh.node_ids[np.intersect1d(sets["left"], sets["right"])][:5])
        assert two.mesh.warnings == (
            "a.inp:7: glue right: 6 of 24 nodes of right already belong to another tie and are not tied to right top"
            f" ({middle}, ...); remove them from one of the ties.",
        )
        assert two.dependence.D.shape == one.dependence.D.shape
        # the same conditions: round-off of the eigenvalues only; tied twice, 18 % to 44 % more across the gap
        assert frequencies(two) == pytest.approx(frequencies(one), rel=1e-6)


def test_a_tie_that_is_given_twice_changes_nothing():
    one, two = (assemble(two_blocks(0.004, ties)) for ties in (["all"], ["all", "all"]))
    assert abs(one.dependence.D - two.dependence.D).max() == 0.0
    assert len(two.mesh.warnings) == 1 and "42 of 42 nodes of all already belong to another tie" in two.mesh.warnings[0]


def patches(kind):
    """A face of 1 m x 1 m, 20 x 20 faces of 10 mm and five strips of 1 m x 1 mm in one plane; rectangles (k, 2, 2)."""
    sizes = [((0.0, 0.0), (1.0, 1.0))]
    sizes += [((1.0 + 0.01 * i, 0.01 * j), (0.01, 0.01)) for i in range(20) for j in range(20)]
    sizes += [((0.0, 1.0 + 0.001 * i), (1.0, 0.001)) for i in range(5)]
    low = np.array([start for start, _ in sizes])
    high = low + np.array([size for _, size in sizes])
    right, left = np.column_stack([high[:, 0], low[:, 1]]), np.column_stack([low[:, 0], high[:, 1]])
    corners = np.stack([low, right, high, left], axis=1)
    points = np.concatenate([corners, np.zeros((*corners.shape[:2], 1))], axis=2).reshape(-1, 3)
    rows = np.arange(len(points)).reshape(-1, 4)
    return points, rows if kind == "quad4" else np.vstack([rows[:, :3], rows[:, [0, 2, 3]]]), np.stack([low, high], 1)


@pytest.mark.parametrize("kind", ["quad4", "tri3"])
def test_the_nearest_of_faces_of_all_sizes_is_found(kind):
    """Distances from rectangles in a plane are known exactly, whatever lies beside them, in any orientation."""
    points, rows, boxes = patches(kind)
    random = np.random.default_rng(2)
    places = np.vstack([[0.93, 0.1, 0.0], random.uniform([-0.1, -0.1, -0.02], [1.3, 1.1, 0.02], (300, 3))])
    outside = np.maximum(boxes[None, :, 0] - places[:, None, :2], places[:, None, :2] - boxes[None, :, 1])
    exact = np.hypot(np.linalg.norm(np.maximum(outside, 0.0), axis=2).min(axis=1), places[:, 2])
    at = len(points) + np.arange(len(places))
    found = nearest_faces(np.vstack([points, places]) @ TURN.T, at, {kind: rows})
    assert found.gap == pytest.approx(exact, abs=1e-12)  # round-off of coordinates of 1 m
    assert set(found.nodes[0, :3]) <= {0, 1, 2, 3}
    reach = nearest_faces(np.vstack([points, places]) @ TURN.T, at, {kind: rows}, reach=0.01)
    within = exact < 0.01
    assert within.sum() > 50 and reach.gap[within] == pytest.approx(exact[within], abs=1e-12)
    assert reach.gap[~within].min() >= 0.01


def test_the_nearest_face_may_be_curved():
    """Places on a dome of one quad8, 0.3 m high, with a floor of 10 mm faces whose centres are nearer."""
    known = KINDS["quad8"]
    flat = np.column_stack([known.reference_nodes, np.zeros(8)])
    dome = flat + [0.0, 0.0, 1.0] * (0.15 * (2.0 - (flat[:, :2] ** 2).sum(axis=1)))[:, None]
    xi = np.random.default_rng(3).uniform(-0.9, 0.9, (50, 2))
    places = shape_values(known, xi) @ dome
    offsets = 0.005 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    floor = ((places - [0.0, 0.0, 0.02])[:, None] + offsets).reshape(-1, 3)
    faces = {"quad4": 8 + np.arange(len(floor)).reshape(-1, 4), "quad8": np.arange(8)[None]}
    points = np.vstack([dome, floor, places]) @ TURN.T
    found = nearest_faces(points, 8 + len(floor) + np.arange(len(places)), faces)
    assert set(found.kind) == {"quad8"} and found.gap.max() < 1e-12
    assert np.einsum("mk,ki->mi", found.values, points[:8]) == pytest.approx(points[-len(places) :], abs=1e-12)


def test_a_node_on_a_large_face_beside_small_ones_is_tied_to_it():
    points, rows, _ = patches("quad4")
    lower = box("hex8")
    mesh = replace(lower, points=np.vstack([lower.points, points + [0.0, 0.0, 5.0], [0.93, 0.1, 5.0]]))
    first = len(lower.points)
    section = TrussSection(1e-4)
    ends = np.column_stack([np.full(len(points) + 1, 0), first + np.arange(len(points) + 1)])
    bars = ElementBlock("truss2", 100 + np.arange(len(ends)), ends, STEEL, section)
    mesh = replace(
        mesh,
        node_ids=np.arange(1, len(mesh.points) + 1),
        blocks=(*lower.blocks, bars),
        surfaces={"M": MeshSurface({"quad4": rows + first})},
        node_sets={"N": np.array([len(mesh.points) - 1])},
    )
    for tolerance in (None, 0.1):
        D = assemble(replace(mesh, ties=(Tie("glue", "N", "M", tolerance=tolerance),))).dependence
        row = D.D[6 * (len(mesh.points) - 1)]
        along = D.independent[row.indices] % 6 == 0
        shares = dict(zip(D.independent[row.indices][along] // 6 - first, row.data[along], strict=True))
        expected = {0: 0.07 * 0.9, 1: 0.93 * 0.9, 2: 0.93 * 0.1, 3: 0.07 * 0.1}
        assert shares == pytest.approx(expected, rel=1e-9)


def test_an_equation_on_a_rotation_that_solids_do_not_have_warns():
    mesh = box("hex8", (2, 1, 1))
    equation = Equation("EQ", np.array([1, 4]), np.array([1, 5]), np.array([1.0, -0.1]), where="a.inp:4")
    model = assemble(replace(mesh, equations=(equation,)))
    assert len(model.mesh.warnings) == 1
    expected = f"a.inp:4: EQ: the equation has no effect, because rotation y of node {mesh.node_ids[4]} is free"
    assert model.mesh.warnings[0].startswith(expected)
    assert frequencies(model) == pytest.approx(frequencies(assemble(mesh)), rel=1e-6)


def test_equations_that_bind_do_not_warn():
    """Between displacements, with a rotation that a coupling uses or that two equations share, of a node on its own."""
    mesh = box("hex8", (2, 1, 1))
    plain = Equation("EQ", np.array([1, 4]), np.array([1, 1]), np.array([1.0, -1.0]))
    turned = Equation("EQ", np.array([1, 4]), np.array([1, 5]), np.array([1.0, -0.1]))
    shared = replace(turned, nodes=np.array([2, 4]))
    rigid = Coupling("arm", "rigid", 4, np.array([0, 1]))
    alone = replace(
        mesh,
        points=np.vstack([mesh.points, [0.0, 0.0, 9.0]]),
        node_ids=np.arange(1, len(mesh.points) + 2),
        equations=(Equation("EQ", np.array([len(mesh.points), 4]), np.array([1, 1]), np.array([1.0, -1.0])),),
    )
    for joined in (
        replace(mesh, equations=(plain,)),
        replace(mesh, equations=(turned, shared)),
        replace(mesh, equations=(turned,), couplings=(rigid,)),
        alone,
    ):
        assert assemble(joined).mesh.warnings == mesh.warnings
