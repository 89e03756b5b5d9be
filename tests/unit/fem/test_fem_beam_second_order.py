import numpy as np
import pytest
from fem_meshes import STEEL, clamped_modes, rectangle, rigid_rotations, solve_held, straight_beam
from scipy.integrate import quad

from flexmbs.errors import BodyError
from flexmbs.fem import assemble

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
    for load, (a, b), motion in zip(loads.T, pairs, second, strict=True):
        H = np.zeros((len(motion), 6))
        H[:, :3] = -motion
        if theory == "euler-bernoulli":
            # nodal rotations of H are slopes of its deflection, those of the linear map x -> -1/2 (a x (b x x) + ...)
            e1 = np.array(OBLIQUE["direction"]) / 3
            bend = np.cross(np.eye(3)[a], np.cross(np.eye(3)[b], e1)) / 2
            bend += np.cross(np.eye(3)[b], np.cross(np.eye(3)[a], e1)) / 2
            H[:, 3:] = -np.cross(e1, bend)
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
    # Z = -H obeys v2'' = -theta_x w'' = -2 x, so H_v = x^3 / 3
    assert H[:, 1] == pytest.approx(x**3 / 3, abs=1e-9)
    assert H[:, 5] == pytest.approx(x**2, abs=1e-9)
    assert H[:, [0, 2, 3, 4]] == pytest.approx(0.0, abs=1e-9)


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
    factor = np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)
    H[0] -= normal.nodal_rotation_correction(modes, pairs) / factor
    for part in (0, 1, 2, 3, 4, 5):
        scale = max(abs(H[0][part::6]).max(), 1e-3 * abs(H[0]).max())
        # inside an element the two theories take different second-order shear: order (h / wavelength)^2
        assert abs(H[1][part::6] - H[0][part::6]).max() < 0.01 * scale


def test_bending_foreshortening_of_timoshenko_counts_the_shear_angle():
    # shear only: v' = gamma, theta = 0 has axial strain 1/2 theta^2-terms zero in Reissner's beam
    model = assemble(straight_beam(3, section=rectangle(0.1, 0.1)), "timoshenko")
    x = model.mesh.points[:, 0]
    shear = np.zeros((len(x), 6))
    shear[:, 1] = x
    stretch = np.zeros((len(x), 6))
    stretch[:, 0] = x
    load = model.second_order_loads(shear.reshape(-1, 1), np.array([[0, 0]]))[:, 0]
    # the element's rotation field has no rotation at nodes but, driven by the nodal deflection, -3/2 s (1 - s) form:
    # gamma2_x = -2 theta_z... of that field; integrate it by hand
    phi = 12 * STEEL.youngs_modulus * 0.1**4 / 12 / (5 / 6 * STEEL.shear_modulus * 0.01 * (1 / 3) ** 2)
    m = 1 / (1 + phi)

    def turn(s):
        return m * 6 * (s - s**2)

    def slope(s):
        return m * (6 * s - 6 * s**2 + phi)

    strain = quad(lambda s: 2 * turn(s) * slope(s) - turn(s) ** 2, 0, 1)[0]
    assert stretch.ravel() @ load == pytest.approx(STEEL.youngs_modulus * 0.01 * strain, rel=1e-10)


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
