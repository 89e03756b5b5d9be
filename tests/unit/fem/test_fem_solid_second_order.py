import numpy as np
import pytest
from fem_meshes import STEEL, box, clamped_modes, rectangle, rigid_rotations, solve_held, straight_beam

from flexmbs.fem import assemble
from flexmbs.fem.solid_shapes import SOLID_KINDS, solid_shape


def geometric_stiffness_product(mesh, w, a, b):
    """a^T K_geo(w) b = int grad a : (grad b sigma(w)) dV, element by element, written out."""
    shape = solid_shape(mesh.blocks[0].kind)
    lam, mu = STEEL.youngs_modulus * 0.3 / (1.3 * 0.4), STEEL.shear_modulus
    total = 0.0
    for nodes in mesh.blocks[0].nodes:
        for point, weight in zip(shape.stiffness_rule.points, shape.stiffness_rule.weights, strict=True):
            reference = shape.gradients(point[None])[0]
            jacobian = reference @ mesh.points[nodes]
            dN = np.linalg.solve(jacobian, reference)
            grad_w, grad_a, grad_b = ((dN @ f.reshape(-1, 3)[nodes]).T for f in (w, a, b))
            strain = 0.5 * (grad_w + grad_w.T)
            stress = lam * np.trace(strain) * np.eye(3) + 2 * mu * strain
            total += weight * np.linalg.det(jacobian) * np.sum(grad_a * (grad_b @ stress))
    return total


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_loads_project_the_geometric_stiffness(kind):
    mesh = box(kind, (2, 2, 1), distort=0.2)
    model = assemble(mesh)
    rng = np.random.default_rng(3)
    w, a, b = rng.normal(size=(3, model.ndof))
    load = model.second_order_loads(np.column_stack([a, b]), np.array([[0, 1]]))[:, 0]
    assert w @ load == pytest.approx(geometric_stiffness_product(mesh, w, a, b), rel=1e-10)


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
    assert abs(model.nodal_rotation_correction(modes, [[0, 0]])).max() == 0.0


def test_no_pairs_give_no_loads():
    model = assemble(box("tet4", (1, 1, 1)))
    assert model.second_order_loads(np.zeros((24, 2)), []).shape == (24, 0)


def test_bar_of_hex20_foreshortens_like_the_beam():
    length, width = 1.0, 0.05
    solid = assemble(box("hex20", (32, 1, 1), (length, width, width)))
    points = solid.mesh.points
    tip = np.flatnonzero(points[:, 0] > length - 1e-9)
    root = np.flatnonzero(points[:, 0] < 1e-9)
    _, _, free = clamped_modes(solid, root, 1)
    loads = np.zeros((solid.ndof, 1))
    # consistent weights of a uniform traction on an 8-node square: -1/12 at corners, 1/3 at midsides
    corner = np.all(np.isin(points[tip][:, 1:].round(9), [0, width]), axis=1)
    loads[3 * tip + 1, 0] = np.where(corner, -1 / 12, 1 / 3)
    bent = solve_held(solid, free, loads)
    H = solve_held(solid, free, solid.second_order_loads(bent, np.array([[0, 0]])))
    deflection, shortening = bent[3 * tip + 1].mean(), H[3 * tip].mean()

    beam = assemble(straight_beam(16, length, section=rectangle(width, width)))
    force = np.zeros((beam.ndof, 1))
    force[-5] = 1.0
    held = np.arange(6, beam.ndof)
    line = solve_held(beam, held, force)
    H_line = solve_held(beam, held, beam.second_order_loads(line, np.array([[0, 0]])))
    # the clamped end blocks Poisson contraction and 32 elements bend 0.4 % too little; both together stay under 1 %
    assert deflection == pytest.approx(line[-5, 0], rel=0.01)
    assert shortening / deflection**2 == pytest.approx(H_line[-6, 0] / line[-5, 0] ** 2, rel=0.01)
