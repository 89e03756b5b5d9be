from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, clamped_modes, rectangle, rigid_rotations, solve_held, straight_beam
from scipy.integrate import quad

from flexmbs import BodyError, assemble

THEORIES = ("euler-bernoulli", "timoshenko")
OBLIQUE = dict(direction=(1.0, 2.0, -2.0), section=rectangle(y_axis=(0.0, 1.0, 1.0)))


def polynomial_field(model, column, value, slope):
    """(ndof,) nodal values of v (column 1) or w (column 2) and its slope, x along the beam."""
    x = model.mesh.points[:, 0]
    field = np.zeros((len(x), 6))
    field[:, column] = value(x)
    field[:, 5 if column == 1 else 4] = slope(x) if column == 1 else -slope(x)
    return field.ravel()


@pytest.mark.parametrize("theory", THEORIES)
def test_loads_of_rigid_rotations_give_their_exact_second_order_motion(theory):
    model = assemble(straight_beam(4, **OBLIQUE), theory)
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    loads = model.second_order_loads(turns, pairs)
    for load, motion in zip(loads.T, second, strict=True):
        H = np.zeros((len(motion), 6))
        H[:, :3] = -motion  # rotation vectors are linear in the turn
        # rounding against the largest stiffness
        assert load == pytest.approx(model.K @ H.ravel(), abs=1e-11 * abs(model.K).max())


def test_foreshortening_is_the_integral_of_the_squared_slope():
    model = assemble(straight_beam(8), "euler-bernoulli")
    # two cubics: inside the element space, so nodal results are exact
    a = polynomial_field(model, 1, lambda x: x**2 - x**3 / 3, lambda x: 2 * x - x**2)
    b = polynomial_field(model, 1, lambda x: x**3, lambda x: 3 * x**2)
    modes, pairs = np.column_stack([a, b]), np.array([[0, 0], [0, 1]])
    H = solve_held(model, np.arange(6, model.ndof), model.second_order_loads(modes, pairs))
    x = model.mesh.points[:, 0]
    exact = [
        [quad(lambda s: (2 * s - s**2) ** 2, 0, end)[0] for end in x],
        [quad(lambda s: (2 * s - s**2) * 3 * s**2, 0, end)[0] for end in x],
    ]
    # 1e-9: conditioning of the dense solve
    assert H[0::6].T == pytest.approx(np.array(exact), abs=1e-9)
    assert H[1::6] == pytest.approx(0.0, abs=1e-9)

    Z = H * [-0.5, -1.0]
    between = 0.4171
    inside = model.point_second_order((between, 0, 0), modes, pairs, Z)
    assert inside[0, 0] == pytest.approx(-0.5 * quad(lambda s: (2 * s - s**2) ** 2, 0, between)[0], abs=1e-9)
    # what the correction inside the element is for: straight interpolation is visibly off
    plain = model.point_operator((between, 0, 0)) @ Z
    assert abs(plain[0, 0] - inside[0, 0]) > 1e-4


def test_torsion_turns_the_plane_of_bending():
    model = assemble(straight_beam(4), "euler-bernoulli")
    x = model.mesh.points[:, 0]
    twist = np.zeros((len(x), 6))
    twist[:, 3] = x
    w = polynomial_field(model, 2, lambda x: x**2, lambda x: 2 * x)
    loads = model.second_order_loads(np.column_stack([twist.ravel(), w]), np.array([[0, 1]]))
    H = solve_held(model, np.arange(6, model.ndof), loads).reshape(-1, 6)
    # Z = -H obeys v2'' = -theta_x w'' = -2 x, so H_v = x^3 / 3; the slope -x^2 is that of turning by x e1 - 2 x e2, so
    # rotation vectors have no further part
    assert H[:, 1] == pytest.approx(x**3 / 3, abs=1e-9)
    assert H[:, [0, 2, 3, 4, 5]] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("center", [(0.0, 0.0), (0.013, -0.021)])
def test_torsion_shortens(theory, center):
    """Fibres become helices about the shear centre: the free beam shortens by 1/2 theta'^2 times their mean square."""
    section = replace(rectangle(0.02, 0.06), shear_center=center)
    model = assemble(straight_beam(4, section=section), theory)
    x = model.mesh.points[:, 0]
    twist = np.zeros((len(x), 6))
    twist[:, 3], twist[:, 1], twist[:, 2] = x, center[1] * x, -center[0] * x  # the shear centres stay on their line
    modes, pairs = twist.reshape(-1, 1), np.array([[0, 0]])
    H = solve_held(model, np.arange(6, model.ndof), model.second_order_loads(modes, pairs))
    squares = (section.Iy + section.Iz) / section.area + center[0] ** 2 + center[1] ** 2
    assert H[0::6, 0] == pytest.approx(squares * x, abs=1e-9 * squares)
    inside = model.point_second_order((0.4171, 0, 0), modes, pairs, -0.5 * H)
    assert inside[0, 0] == pytest.approx(-0.5 * squares * 0.4171, rel=1e-8)


def test_twist_of_bending_in_both_planes():
    model = assemble(straight_beam(4), "euler-bernoulli")
    v = polynomial_field(model, 1, lambda x: x**2, lambda x: 2 * x)
    w = polynomial_field(model, 2, lambda x: x**3, lambda x: 3 * x**2)
    loads = model.second_order_loads(np.column_stack([v, w]), np.array([[0, 1]]))
    H = solve_held(model, np.arange(6, model.ndof), loads).reshape(-1, 6)
    # q_t = 1/2 (w' v'' - v' w'') = 1/2 (6 x^2 - 12 x^2) = -3 x^2
    assert H[:, 3] == pytest.approx(-(model.mesh.points[:, 0] ** 3), abs=1e-9)


def test_timoshenko_with_stiff_shear_agrees_with_euler_bernoulli():
    # factor 1e6: shear is a millionth of its share for steel, and rounding stays below 1e-6 too
    section = rectangle(0.01, 0.02, shear_factor=1e6)
    fine = straight_beam(24, section=section)
    normal, flexible = assemble(fine, "euler-bernoulli"), assemble(fine, "timoshenko")
    _, modes, free = clamped_modes(normal, [0], 8)
    twist = np.zeros((len(fine.points), 6))
    twist[:, 3] = np.sin(0.5 * np.pi * fine.points[:, 0])
    # bending in both planes and twist; stretching left out, whose coupling with bending Euler-Bernoulli drops
    modes = np.column_stack([modes[:, :4], twist.ravel()])
    pairs = np.array([(a, b) for a in range(5) for b in range(a, 5)])
    H = [solve_held(model, free, model.second_order_loads(modes, pairs)) for model in (normal, flexible)]
    for part in (0, 1, 2, 3, 4, 5):
        # what is left of shear, and rounding by the shear stiffness: 3e-7 seen
        assert abs(H[1][part::6] - H[0][part::6]).max() < 2e-6 * abs(H[0][part::6]).max()


def rigid_in_shear(mesh, along_y=np.inf, along_z=np.inf):
    section = replace(mesh.blocks[0].section, shear_factor_y=along_y, shear_factor_z=along_z)
    return replace(mesh, blocks=(replace(mesh.blocks[0], section=section),))


@pytest.mark.parametrize("factors", [(np.inf, np.inf), (np.inf, 5 / 6), (5 / 6, np.inf)])
def test_sections_rigid_in_shear_turn_exactly_to_second_order(factors):
    model = assemble(rigid_in_shear(straight_beam(4, **OBLIQUE), *factors))
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    H = np.concatenate([-second, np.zeros_like(second)], axis=2).reshape(len(pairs), -1).T
    assert model.second_order_loads(turns, pairs) == pytest.approx(model.K @ H, abs=1e-11 * abs(model.K).max())


def test_infinite_shear_factors_are_the_limit_of_large_ones():
    fine = straight_beam(24, section=rectangle(0.01, 0.02, shear_factor=1e6))
    stiff, rigid = assemble(fine), assemble(rigid_in_shear(fine))
    _, modes, free = clamped_modes(stiff, [0], 5)
    pairs = np.array([(a, b) for a in range(5) for b in range(a, 5)])
    H = [solve_held(model, free, model.second_order_loads(modes, pairs)) for model in (stiff, rigid)]
    for part in range(6):
        # what is left of shear, and rounding by the shear stiffness
        assert abs(H[1][part::6] - H[0][part::6]).max() < 2e-6 * abs(H[0]).max()
    a, b, w = np.random.default_rng(3).standard_normal((3, rigid.ndof))
    (load,) = rigid.second_order_loads(np.column_stack([a, b]), [(0, 1)]).T
    assert a @ (rigid.geometric_stiffness(w) @ b) == pytest.approx(w @ load, rel=1e-10)


@pytest.mark.parametrize("theory", THEORIES)
def test_second_order_rotation_at_a_node_is_the_same_by_both_routes(theory):
    model = assemble(straight_beam(4, **OBLIQUE), theory)
    modes, quadratic = np.random.default_rng(5).normal(size=(2, model.ndof, 2))
    at_point = model.point_second_order(model.mesh.points[2], modes, [[0, 1], [1, 1]], quadratic)
    assert at_point == pytest.approx(quadratic[12:18], abs=1e-9)


def test_axial_strain_of_a_shear_flexible_beam_is_that_of_reissner():
    # one element, its second node moved up by 1 without turning, gives inside (s from 0 to 1, m = 1 / (1 + phi))
    # slope v' = m (6 s (1 - s) + phi) and rotation theta = 6 m s (1 - s);  2 gamma2_x = 2 theta v' - theta^2
    section = rectangle(0.3, 0.3)
    model = assemble(straight_beam(1, section=section), "timoshenko")
    moved, stretched = np.zeros((12, 1)), np.zeros(12)
    moved[7], stretched[6] = 1.0, 1.0
    load = model.second_order_loads(moved, [[0, 0]])[:, 0]
    phi = 12 * STEEL.youngs_modulus * section.Iz / (5 / 6 * STEEL.shear_modulus * section.area)
    m = 1 / (1 + phi)
    strain = quad(lambda s: 12 * m**2 * s * (1 - s) * (6 * s * (1 - s) + phi) - (6 * m * s * (1 - s)) ** 2, 0, 1)[0]
    assert stretched @ load == pytest.approx(STEEL.youngs_modulus * section.area * strain, rel=1e-10)


@pytest.mark.parametrize("theory", THEORIES)
def test_point_operator_reproduces_nodes_and_rigid_motion(theory):
    model = assemble(straight_beam(4, **OBLIQUE), theory)
    turns, _, _ = rigid_rotations(model.mesh.points, with_turn=True)
    point = 0.37 * model.mesh.points[-1]
    values = model.point_operator(point) @ turns
    assert values[:3].T == pytest.approx(np.cross(np.eye(3), point), abs=1e-13)
    assert values[3:] == pytest.approx(np.eye(3), abs=1e-13)
    at_node = model.point_operator(model.mesh.points[2]).toarray()
    assert at_node[:, 12:18] == pytest.approx(np.eye(6), abs=1e-9)


def test_point_off_the_axis_is_refused_with_its_distance():
    with pytest.raises(BodyError, match=r"0\.25 m from the axis"):
        assemble(straight_beam(4)).point_operator((0.5, 0.25, 0.0))
