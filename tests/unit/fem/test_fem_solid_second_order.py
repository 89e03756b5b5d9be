from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box, clamped_modes, rectangle, rigid_rotations, solve_held, straight_beam

from flexmbs import assemble
from flexmbs.fem.solids.kinds import SOLID_KINDS, solid_kind

LAM, MU = STEEL.youngs_modulus * 0.3 / (1.3 * 0.4), STEEL.shear_modulus


def stress_of(slope):
    strain = 0.5 * (slope + slope.T)
    return LAM * np.trace(strain) * np.eye(3) + 2 * MU * strain


def element_operators(shape, coordinates, incompatible):
    """At each point of one element: dN (3, n) by x, with the internal modes as the last three, and the volume."""
    center = shape.gradients(np.zeros((1, 3)))[0] @ coordinates if incompatible else None
    for point, weight in zip(shape.stiffness.points, shape.stiffness.weights, strict=True):
        reference = shape.gradients(point[None])[0]
        jacobian = reference @ coordinates
        dN, det = np.linalg.solve(jacobian, reference), np.linalg.det(jacobian)
        if incompatible:
            bubbles = np.linalg.solve(center, np.diag(-2 * point)) * np.linalg.det(center) / det
            dN = np.hstack([dN, bubbles])
        yield dN, weight * det


def with_relaxed_modes(operators, fields):
    """Element fields (nodes, 3) with the internal values under which the energy is least."""
    count = operators[0][0].shape[1]
    basis = np.eye(3 * count).reshape(-1, count, 3)
    K = sum(
        volume * np.array([[np.sum((dN @ u) * stress_of((dN @ v).T)) for u in basis] for v in basis]) for dN, volume in operators
    )
    for field in fields:
        inner = -np.linalg.solve(K[-9:, -9:], K[-9:, :-9] @ field.ravel())
        yield np.vstack([field, inner.reshape(3, 3)])


def geometric_stiffness_product(mesh, w, a, b, incompatible):
    """a^T K_geo(w) b = int grad a : (grad b sigma(w)) dV, element by element, written out."""
    shape = solid_kind(mesh.blocks[0].kind)
    total = 0.0
    for nodes in mesh.blocks[0].nodes:
        operators = list(element_operators(shape, mesh.points[nodes], incompatible))
        fields = [f.reshape(-1, 3)[nodes] for f in (w, a, b)]
        if incompatible:
            fields = list(with_relaxed_modes(operators, fields))
        for dN, volume in operators:
            grad_w, grad_a, grad_b = ((dN @ f).T for f in fields)
            total += volume * np.sum(grad_a * (grad_b @ stress_of(grad_w)))
    return total


@pytest.mark.parametrize(("kind", "hex8"), [*((kind, "plain") for kind in SOLID_KINDS), ("hex8", "incompatible")])
def test_loads_project_the_geometric_stiffness(kind, hex8):
    mesh = box(kind, (2, 2, 1), distort=0.2)
    if hex8 == "incompatible":
        mesh = box(kind, (2, 1, 1), affine=np.array([[1.0, 0.3, 0.1], [0.0, 0.8, 0.2], [0.1, 0.0, 1.2]]))
        mesh = replace(mesh, points=mesh.points + np.random.default_rng(4).uniform(-0.1, 0.1, mesh.points.shape))
    model = assemble(mesh, hex8=hex8)
    rng = np.random.default_rng(3)
    w, a, b = rng.normal(size=(3, model.ndof))
    load = model.second_order_loads(np.column_stack([a, b]), np.array([[0, 1]]))[:, 0]
    expected = geometric_stiffness_product(mesh, w, a, b, hex8 == "incompatible")
    assert w @ load == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_loads_of_rigid_rotations_give_their_exact_second_order_motion(kind):
    model = assemble(box(kind, (2, 1, 1), distort=0.2))
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=False)
    loads = model.second_order_loads(turns, pairs)
    # K H = f with H = -(quadratic part of the rotation): u - 1/2 H is then free of strain
    expected = model.K @ -second.reshape(len(pairs), -1).T
    assert loads == pytest.approx(expected, abs=1e-10 * abs(expected).max())


def test_second_order_at_a_point_is_interpolated():
    model = assemble(box("hex20", (1, 1, 1)))
    modes, quadratic = np.random.default_rng(5).normal(size=(2, model.ndof, 1))
    at_corner = model.point_second_order(model.mesh.points[0], modes, [[0, 0]], quadratic)
    assert at_corner[:3, 0] == pytest.approx(quadratic[:3, 0], abs=1e-12)


def test_a_stretched_point_turns_as_its_rotation_says():
    """x -> exp(q1 w~) (1 + q2 S) x: half the curl of the product q1 q2 w~ S x is a rotation of no point."""
    model = assemble(box("hex8", (2, 1, 1), distort=0.2))
    x, w = model.mesh.points, np.array([0.3, -0.5, 0.7])
    S = np.array([[1.0, 0.2, 0.1], [0.2, -0.4, 0.3], [0.1, 0.3, 2.0]])
    turning, stretching, both = np.cross(w, x), x @ S, np.cross(w, x @ S)
    modes = np.column_stack([turning.ravel(), stretching.ravel()])
    second = np.column_stack([0.5 * np.cross(w, turning).ravel(), both.ravel(), 0.0 * x.ravel()])
    pairs = [[0, 0], [0, 1], [1, 1]]
    point = np.array([0.61, 0.37, 0.52])
    found = model.point_second_order(point, modes, pairs, second)
    assert found[:3, 1] == pytest.approx(np.cross(w, S @ point), abs=1e-12)
    assert found[3:] == pytest.approx(0.0, abs=1e-12)  # the rotation vector is q1 w
    assert np.abs((model.point_operator(point) @ second)[3:]).max() > 0.1


def test_no_pairs_give_no_loads():
    model = assemble(box("tet4", (1, 1, 1)))
    assert model.second_order_loads(np.zeros((24, 2)), []).shape == (24, 0)


# The clamped end blocks Poisson contraction and 32 elements bend 0.4 % too little; both together stay under 1 %. One
# hex8 carries constant curvature and no more: 1 / (2 * 32)^2 of the deflection and shortening each, far below that.
@pytest.mark.parametrize("kind", ("hex20", "hex8"))
def test_bar_of_bricks_foreshortens_like_the_beam(kind):
    length, width = 1.0, 0.05
    solid = assemble(box(kind, (32, 1, 1), (length, width, width)))
    points = solid.mesh.points
    tip = np.flatnonzero(points[:, 0] > length - 1e-9)
    root = np.flatnonzero(points[:, 0] < 1e-9)
    _, _, free = clamped_modes(solid, root, 1)
    loads = np.zeros((solid.ndof, 1))
    # consistent weights of a uniform traction on an 8-node square: -1/12 at corners, 1/3 at midsides
    corner = np.all(np.isin(points[tip][:, 1:].round(9), [0, width]), axis=1)
    loads[3 * tip + 1, 0] = np.where(corner, -1 / 12, 1 / 3) if kind == "hex20" else 1 / 4
    bent = solve_held(solid, free, loads)
    H = solve_held(solid, free, solid.second_order_loads(bent, np.array([[0, 0]])))
    deflection, shortening = bent[3 * tip + 1].mean(), H[3 * tip].mean()

    beam = assemble(straight_beam(16, length, section=rectangle(width, width)))
    force = np.zeros((beam.ndof, 1))
    force[-5] = 1.0
    held = np.arange(6, beam.ndof)
    line = solve_held(beam, held, force)
    H_line = solve_held(beam, held, beam.second_order_loads(line, np.array([[0, 0]])))
    assert deflection == pytest.approx(line[-5, 0], rel=0.01)
    assert shortening / deflection**2 == pytest.approx(H_line[-6, 0] / line[-5, 0] ** 2, rel=0.01)
