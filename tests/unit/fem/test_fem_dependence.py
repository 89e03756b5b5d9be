"""Couplings, equations and ties as relations between components: chains, axes, what contradicts itself."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import box, straight_beam
from mixed_meshes import STEEL, tied_blocks, with_node

from flexmbs import CoordinateSystem, Coupling, Equation, MeshError, Tie, assemble, box_mesh
from flexmbs.fem.mpc.dependence import resolved, rows_of
from flexmbs.fem.rigid_motion import rigid_motions

ALL = (1, 2, 3, 4, 5, 6)


def relations(*rows, strict=False, count=4):
    """Conditions over ``count`` nodes: each a list of (component, factor), the first of which shall follow."""
    made = []
    for i, row in enumerate(rows):
        dofs, factors = (np.array([values]) for values in zip(*row, strict=True))
        made.append(rows_of(6 * count, dofs, factors, dofs[0, :1], [f"row {i}"], strict=strict))
    return resolved(made, np.ones(6 * count, bool), np.arange(count) + 1, 1.0)


def test_chains_are_followed_through():
    """u0 = 2 u1, u1 = u2 - u3: three of the four are left, and u0 = 2 u2 - 2 u3."""
    found = relations([(0, 1.0), (1, -2.0)], [(1, 1.0), (2, -1.0), (3, 1.0)])
    D = found.D.toarray()
    assert not set(found.independent) & {0, 1}
    column = {dof: i for i, dof in enumerate(found.independent)}
    assert D[0, column[2]] == 2.0 and D[0, column[3]] == -2.0 and D[1, column[2]] == 1.0
    assert found.follower_rows(np.array([0, 5])) == {0: "row 0"}


def test_equations_that_share_their_first_component_or_go_round_are_solved_together():
    """u0 = u1, u0 = u2, and u1 = u2 once more: two followers, all three equal."""
    found = relations([(0, 1.0), (1, -1.0)], [(0, 1.0), (2, -1.0)], [(1, 1.0), (2, -1.0)])
    assert len(found.follower) == 2
    values = found.D @ np.random.default_rng(0).standard_normal(found.D.shape[1])
    assert values[0] == pytest.approx(values[1], rel=1e-14) and values[0] == pytest.approx(values[2], rel=1e-14)


def test_any_consistent_set_of_equations_is_solved():
    """Random equations with common components: every displacement D x fulfils all of them."""
    random = np.random.default_rng(5)
    rows = [list(zip(random.choice(12, 3, False), random.uniform(0.5, 2.0, 3), strict=True)) for _ in range(7)]
    found = relations(*rows)
    for row in rows:
        assert np.abs(sum(f * found.D[dof].toarray() for dof, f in row)).max() < 1e-12
    assert found.D.shape[1] == 24 - 7


def test_couplings_that_contradict_each_other_are_named():
    mesh, node = with_node(box("hex8"), (0.5, 0.5, 2.0))
    mesh, other = with_node(mesh, (0.5, 0.5, 3.0))
    first, second = Coupling("one", "rigid", node, np.arange(4)), Coupling("two", "rigid", other, np.arange(3, 7))
    twice = r"two: displacement x of node 4 is already determined by hex8 box: one; .*remove the node"
    with pytest.raises(MeshError, match=twice):
        assemble(replace(mesh, couplings=(first, second)))
    circle = (replace(first, nodes=np.append(first.nodes, other)), Coupling("two", "rigid", other, np.array([5, node])))
    with pytest.raises(MeshError, match="one, hex8 box: two: these couplings depend on each other in a loop"):
        assemble(replace(mesh, couplings=circle))


def test_an_equation_with_a_constant_is_refused():
    mesh = box("hex8")
    equation = Equation("EQ", np.array([0, 1]), np.array([1, 1]), np.array([1.0, -1.0]), 0.1, where="a.inp:4")
    with pytest.raises(MeshError, match="a.inp:4: EQ: the constant of the equation is 0.1"):
        assemble(replace(mesh, equations=(equation,)))


def test_chain_of_couplings_of_both_kinds_is_one_rigid_motion():
    """RBE3 -> RBE2 -> RBE2 from a box to a far node: it moves as the box's end does."""
    mesh = box("hex8", (2, 1, 1), size=(1.0, 0.2, 0.2))
    end = np.flatnonzero(mesh.points[:, 0] > 0.99)
    nodes = []
    for x in (1.1, 1.5, 3.0):
        mesh, node = with_node(mesh, (x, 0.3, -0.2))
        nodes.append(node)
    a, b, c = nodes
    couplings = (
        Coupling("last", "rigid", b, np.array([c])),
        Coupling("first", "average", a, end),
        Coupling("middle", "rigid", a, np.array([b])),
    )
    model = assemble(replace(mesh, couplings=couplings))
    D = model.dependence.D
    assert D.shape[1] == 3 * 12  # all of them of the box
    u = D @ np.random.default_rng(1).standard_normal(D.shape[1])
    at_a = u[6 * a : 6 * a + 6]
    for node in (b, c):
        arm = model.mesh.points[node] - model.mesh.points[a]
        assert u[6 * node : 6 * node + 3] == pytest.approx(at_a[:3] + np.cross(at_a[3:], arm), abs=1e-12)
        assert u[6 * node + 3 : 6 * node + 6] == pytest.approx(at_a[3:], abs=1e-12)


def test_components_follow_in_the_axes_of_their_node():
    """Only the direction 1 of a node's own axes is coupled."""
    beam = straight_beam(2)
    angle = 0.7
    axes = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    local = {
        "coordinate_systems": {"C": CoordinateSystem("C", "rectangular", np.zeros(3), axes)},
        "displacement_systems": {"C": np.array([2])},
    }
    coupling = Coupling("slider", "rigid", 0, np.array([2]), dofs=(1,))
    equation = Equation("same", np.array([2, 0]), np.array([2, 2]), np.array([1.0, -1.0]))
    for joints, direction, arm in (({"couplings": (coupling,)}, 0, True), ({"equations": (equation,)}, 1, False)):
        model = assemble(replace(beam, **local, **joints))
        D = model.dependence.D
        assert D.shape[1] == 17
        u = (D @ np.random.default_rng(2).standard_normal(17)).reshape(3, 6)
        along = axes[:, direction]
        if arm:
            assert along @ u[2, :3] == pytest.approx(along @ (u[0, :3] + np.cross(u[0, 3:], [1.0, 0, 0])), abs=1e-12)
        else:
            assert along @ u[2, :3] == pytest.approx(u[0, 1], abs=1e-12)
        assert np.abs(np.delete(axes.T @ u[2, :3], direction)).min() > 1e-3  # the others are free


def test_all_three_displacements_are_the_same_in_any_axes():
    beam = straight_beam(2)
    local = replace(
        beam,
        coordinate_systems={"C": CoordinateSystem("C", "cylindrical", np.array([0.0, 1.0, 0.0]), np.eye(3))},
        displacement_systems={"C": np.array([0, 2])},
    )
    for kind in ("rigid", "average"):
        coupling = Coupling("hand", kind, 0, np.array([1, 2]), ALL)
        plain, turned = (assemble(replace(mesh, couplings=(coupling,))).dependence.D for mesh in (beam, local))
        assert abs(plain - turned).max() < 1e-12


def test_tied_nodes_follow_the_shape_functions_of_the_face():
    """Displacements that are linear on the face are carried exactly, with the rotation of the face across the gap."""
    for kind in ("hex8", "hex20"):
        mesh = tied_blocks(gap=0.0005, kind=kind)
        model = assemble(mesh)
        D, independent = model.dependence.D, model.dependence.independent
        slopes = np.array([[1e-3, 2e-3, -1e-3], [4e-3, -2e-3, 5e-4], [-3e-3, 1e-3, 2e-3]])
        field = np.zeros((len(mesh.points), 6))
        field[:, :3] = mesh.points @ slopes.T
        tied = mesh.node_sets["SECOND ROOT"]
        u = (D @ field.ravel()[independent]).reshape(-1, 6)
        on_face = mesh.points[tied] - [0.0005, 0.0, 0.0]
        normal = np.array([0.0005, 0.0, 0.0])
        found = u[tied, :3] - on_face @ slopes.T
        # the face lies across x: u_x alone tells how it turns about y and z
        turn = np.array([0.5 * (slopes[2, 1] - slopes[1, 2]), slopes[0, 2], -slopes[0, 1]])
        assert found == pytest.approx(np.broadcast_to(np.cross(turn, normal), found.shape), abs=1e-12)


def test_ties_across_too_wide_gaps():
    mesh = tied_blocks(gap=0.002)
    with pytest.raises(MeshError, match=r"no node of SECOND ROOT lies on FACE; .* is 0.002 m away and 0.000707 m"):
        assemble(mesh)
    glued = assemble(replace(mesh, ties=(replace(mesh.ties[0], tolerance=0.002),)))
    R = rigid_motions(glued.mesh.points, 6, np.zeros(3))
    D = glued.dependence.D
    assert D @ R[glued.dependence.independent] == pytest.approx((np.diff(D.indptr) > 0)[:, None] * R, abs=1e-12)
    points = mesh.points.copy()
    points[mesh.node_sets["SECOND ROOT"][0]] += [1e-4, 0.0, 0.0]
    partly = assemble(replace(mesh, points=points, ties=(replace(mesh.ties[0], tolerance=0.00205),)))
    assert any("1 of 40 nodes of SECOND ROOT are too far from FACE" in text for text in partly.mesh.warnings)


def test_a_tie_needs_faces():
    mesh = box_mesh((0.1, 0.1, 0.1), (1, 1, 1), STEEL)
    with pytest.raises(MeshError, match="neither ROOT nor TIP is a surface with faces"):
        assemble(replace(mesh, ties=(Tie("glue", "ROOT", "TIP"),)))


@pytest.mark.parametrize("turn", [np.eye(3), np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]])
@pytest.mark.parametrize(("nodes", "place"), [([4, 5, 6, 7], 1), ([4, 5], 2), ([4, 5], 1), ([4], 1), ([4], 0)])
def test_rotations_that_turn_nothing_leave_no_singular_matrix(turn, nodes, place):
    """A reference node with nodes on a face, on an edge (seen from the side or along it), at one point, on itself."""
    mesh = box("hex8", (1, 1, 1))
    line = mesh.points[5] - mesh.points[4]
    at = (mesh.points[4], mesh.points[4] + [0.3, 0.2, 0.5], mesh.points[4] - 0.5 * line)[place]
    mesh, node = with_node(mesh, at)
    joint = Coupling("C", "rigid", node, np.array(nodes))
    model = assemble(replace(mesh, points=mesh.points @ turn.T, couplings=(joint,)))
    D, independent = model.dependence.D, model.dependence.independent
    R = rigid_motions(model.mesh.points, 6, model.center)
    assert D @ R[independent] == pytest.approx((np.diff(D.indptr) > 0)[:, None] * R, abs=1e-12)
    values = np.linalg.eigvalsh((D.T @ model.K @ D).toarray())
    assert np.count_nonzero(np.abs(values) < 1e-9 * values[-1]) == 6  # those of the whole body
