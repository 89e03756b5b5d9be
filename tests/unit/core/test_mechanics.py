"""Kernels of core.mechanics as Python, against closed forms and differences."""

import numpy as np
import pytest
from plain_state import PlainState, derivative, record, two_bodies
from scipy.spatial.transform import Rotation

import flexmbs as fm
from flexmbs.core.layout.frames import ARTICULATED, AXIS_STATE, BODY_FRAME, COLUMN, MARKER_FRAME, MARKER_IN_BODY, WRENCH
from flexmbs.core.layout.records import make_record
from flexmbs.core.layout.tables import AXIS, MARKER, PRODUCT, SUM
from flexmbs.core.mechanics import articulated_body, joint_axes, markers, signals, vectors
from flexmbs.core.mechanics.couplers import add_couplers, coupler_energy
from flexmbs.core.mechanics.inertia import kinetic_energy, set_rigid_wrench
from flexmbs.core.mechanics.rotation import inverse_tangent, rotation_between, rotation_matrix, rotation_vector, tangent

SEEDS = (0, 1, 2)


def random_frame(kind, seed):
    """A frame that moves anyhow."""
    rng, frame = np.random.default_rng(seed), record(kind)
    for name in kind.names:
        frame[name] = Rotation.random(random_state=seed).as_matrix() if name.startswith("R_") else rng.normal(size=3)
    return frame


def skew(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def numbers(frame):
    return np.concatenate([np.ravel(frame[name]) for name in frame.dtype.names])


@pytest.mark.parametrize("seed", SEEDS)
def test_vectors_are_those_of_linear_algebra(seed):
    rng = np.random.default_rng(seed)
    A, B, x, y = *Rotation.random(2, random_state=seed).as_matrix(), rng.normal(size=3), rng.normal(size=3)
    assert vectors.rotate(A, *x) == pytest.approx(A @ x)
    assert vectors.rotate_back(A, *x) == pytest.approx(A.T @ x)
    assert vectors.cross(*x, *y) == pytest.approx(np.cross(x, y))
    assert vectors.dot(x, *y) == pytest.approx(x @ y) == vectors.dot_at(np.append(9.0, x), 1, *y)
    out = np.zeros((3, 3))
    vectors.relative_rotation(A, B, out)
    assert out == pytest.approx(A.T @ B)
    vectors.post_multiply(out, B)
    assert out == pytest.approx(A.T @ B @ B)
    vectors.post_multiply_transposed(out, B)
    assert out == pytest.approx(A.T @ B)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, 3.0, np.pi - 1e-7, np.pi])
def test_rotation_vector_is_the_inverse_of_the_matrix(angle):
    vector, R = angle * np.array([2.0, -1.0, 2.0]) / 3.0, np.zeros((3, 3))
    rotation_matrix(*vector, R)
    found = np.array(rotation_vector(R))
    again = np.zeros((3, 3))
    rotation_matrix(*found, again)
    assert np.linalg.norm(found) == pytest.approx(angle, abs=1e-7)
    assert again == pytest.approx(R, abs=1e-7 if angle > 3.1 else 1e-14)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("angle", [0.0, 1e-2, 0.5, 3.0])
def test_inverse_tangent_undoes_the_tangent(angle, sign):
    vector, rate = angle * np.array([0.6, 0.0, -0.8]), np.array([0.3, -0.7, 0.5])
    assert inverse_tangent(*vector, *tangent(*vector, *rate, sign), sign) == pytest.approx(rate, abs=1e-14)


def test_rotation_between_two_rotation_vectors():
    a, b = Rotation.from_rotvec([0.3, -0.8, 0.2]), Rotation.from_rotvec([1.0, 0.4, -0.6])
    assert rotation_between(*a.as_rotvec(), *b.as_rotvec()) == pytest.approx((a.inv() * b).as_rotvec())


@pytest.mark.parametrize("seed", SEEDS)
def test_rigid_marker_moves_with_its_body(seed):
    body, out, back = random_frame(BODY_FRAME, seed), record(MARKER_FRAME), record(BODY_FRAME)
    marker = make_record(MARKER, p_BM=(0.3, -0.5, 0.2), R_BM=Rotation.random(random_state=9).as_matrix())
    marker = np.array([marker]).view(np.recarray)[0]
    markers.attach_rigid(body, marker, out)
    d = body.R_WB @ marker.p_BM
    assert out.R_WM == pytest.approx(body.R_WB @ marker.R_BM)
    assert out.p_WM == pytest.approx(body.p_WB + d)
    assert out.w_WM == pytest.approx(body.w_WB) and out.alpha_WM == pytest.approx(body.alpha_WB)
    assert out.v_WM == pytest.approx(body.v_WB + np.cross(body.w_WB, d))
    turning = np.cross(body.alpha_WB, d) + np.cross(body.w_WB, np.cross(body.w_WB, d))
    assert out.a_WM == pytest.approx(body.a_WB + turning)
    markers.detach_rigid(out, marker, back)
    assert numbers(back) == pytest.approx(numbers(body), abs=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_marker_that_moves_in_its_body(seed):
    """Coriolis and the rest: p = p_WB + R p_BM differentiated twice."""
    body, local = random_frame(BODY_FRAME, seed), random_frame(MARKER_IN_BODY, seed + 50)
    out, back = record(MARKER_FRAME), record(BODY_FRAME)
    markers.attach(body, local, out)
    R, w, alpha = body.R_WB, body.w_WB, body.alpha_WB
    d, u, b = R @ local.p_BM, R @ local.v_BM, R @ local.a_BM
    assert out.R_WM == pytest.approx(R @ local.R_BM)
    assert out.w_WM == pytest.approx(w + R @ local.w_BM)
    assert out.v_WM == pytest.approx(body.v_WB + np.cross(w, d) + u)
    assert out.alpha_WM == pytest.approx(alpha + np.cross(w, R @ local.w_BM) + R @ local.alpha_BM)
    turning = np.cross(alpha, d) + np.cross(w, np.cross(w, d)) + 2.0 * np.cross(w, u)
    assert out.a_WM == pytest.approx(body.a_WB + turning + b)
    markers.detach(out, local, back)
    assert numbers(back) == pytest.approx(numbers(body), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_of_a_rigid_body_is_that_of_newton_and_euler(seed):
    system, _markers = two_bodies()
    state, body = PlainState(system, seed), system.bodies["two"].body
    q, v, a = state.move()
    number = state.model.body_names.index("two")
    frame, wrench = state.work.frame[number], state.work.wrench[number]
    set_rigid_wrench(state.tables, number, state.work)
    R, w, alpha = frame.R_WB, frame.w_WB, frame.alpha_WB
    c, inertia = R @ body.center, R @ body.inertia @ R.T
    centre = frame.a_WB + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
    assert wrench.force == pytest.approx(body.mass * centre)
    spin = inertia @ alpha + np.cross(w, inertia @ w)
    assert wrench.moment == pytest.approx(spin + np.cross(c, body.mass * centre))
    speed = frame.v_WB + np.cross(w, c)
    energy = 0.5 * body.mass * speed @ speed + 0.5 * w @ inertia @ w
    assert kinetic_energy(state.tables, number, state.work) == pytest.approx(energy)


def moved(kind, s, direction, start):
    """A frame at time ``s``, moved through a joint axis with coordinate 0.4 + 0.9 s - 0.3 s^2."""
    w, v = start.w_WM, start.v_WM
    frame = record(MARKER_FRAME, R_WM=Rotation.from_rotvec(s * w).as_matrix() @ start.R_WM, p_WM=start.p_WM + s * v)
    frame["w_WM"], frame["v_WM"] = w, v
    value, rate, accel = 0.4 + 0.9 * s - 0.3 * s * s, 0.9 - 0.6 * s, -0.6
    u = frame.R_WM @ direction
    if kind == "rotation":
        joint_axes.rotate_about(frame, *direction, *u, value, rate, accel)
    else:
        joint_axes.translate_along(frame, *u, value, rate, accel)
    return frame


@pytest.mark.parametrize("kind", ["rotation", "translation"])
@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_behind_a_joint_axis_are_derivatives(kind, seed):
    direction, start = np.array([0.48, -0.6, 0.64]), random_frame(MARKER_FRAME, seed)
    here = moved(kind, 0.0, direction, start)
    turning = derivative(lambda s: moved(kind, s, direction, start).R_WM) @ here.R_WM.T
    assert here.R_WM @ here.R_WM.T == pytest.approx(np.eye(3), abs=1e-14)
    assert here.w_WM == pytest.approx([turning[2, 1], turning[0, 2], turning[1, 0]], abs=1e-9)
    for value, rate in (("p_WM", "v_WM"), ("v_WM", "a_WM"), ("w_WM", "alpha_WM")):
        slope = derivative(lambda s, value=value: moved(kind, s, direction, start)[value])
        assert here[rate] == pytest.approx(slope, abs=1e-9)


@pytest.mark.parametrize("factor", [1.0, -1.0])
def test_ball_runs_both_ways(factor):
    """Through a ball from a to b, and from b to a: back where it was; the angular velocity between is that of th."""
    start = random_frame(MARKER_FRAME, 4)
    frame, state, R = record(MARKER_FRAME), record(AXIS_STATE), np.zeros((3, 3))
    for name in MARKER_FRAME.names:
        frame[name] = start[name]
    q, v, a = np.array([0.3, -0.2, 0.5]), np.array([1.0, 0.4, -0.7]), np.array([0.2, 0.9, 0.1])
    reference = np.array([[0.5, 0.5, -0.5, 0.5]])
    for sign in (factor, -factor):
        joint = np.array([make_record(AXIS, coordinate=0, ball=0, factor=sign)]).view(np.recarray)[0]
        joint_axes.through_ball(joint, q, v, a, reference, frame, state, R)
        if sign == factor:
            own = np.array(tangent(*q, *v, -1.0))
            assert frame.w_WM - start.w_WM == pytest.approx(factor * state.R_WM @ own)
            assert np.abs(frame.R_WM - start.R_WM).max() > 0.1
    assert numbers(frame) == pytest.approx(numbers(start), abs=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_articulated_inertia_gives_way_to_a_coordinate(seed):
    """What is left of M after one column m: M - M m m^T M / (m^T M m), and shifts to another point."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    M, m, force = root @ root.T, rng.normal(size=6), rng.normal(size=6)
    g = record(ARTICULATED, A=np.triu(M[:3, :3]), B=M[:3, 3:], C=np.triu(M[3:, 3:]), moment=force[:3], force=force[3:])
    column = record(COLUMN, w=m[:3], v=m[3:])
    assert articulated_body.eliminate_coordinate(g, column, 0.7)
    effort = -0.7 - m @ force
    assert column.effort == pytest.approx(effort) and column.inverse == pytest.approx(1.0 / (m @ M @ m))
    left = M - np.outer(M @ m, M @ m) / (m @ M @ m)
    assert whole(g) == pytest.approx(left, abs=1e-12)
    assert np.concatenate([g.moment, g.force]) == pytest.approx(force + M @ m * effort / (m @ M @ m))
    here, there, out = rng.normal(size=3), rng.normal(size=3), record(ARTICULATED)
    articulated_body.shift(g, here, there, out)
    # (alpha, a) at `there` to that at `here`
    X = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(here - there), np.eye(3)]])
    assert whole(out) == pytest.approx(X.T @ left @ X, abs=1e-12)
    assert np.concatenate([out.moment, out.force]) == pytest.approx(X.T @ np.concatenate([g.moment, g.force]))


def test_a_coordinate_without_inertia_is_refused():
    assert not articulated_body.eliminate_coordinate(record(ARTICULATED), record(COLUMN, w=(1.0, 0.0, 0.0)), 1.0)


def whole(g):
    """The symmetric 6 x 6 matrix of an articulated inertia, of which only upper triangles are kept."""
    A, C = np.triu(g.A), np.triu(g.C)
    return np.block([[A + np.triu(A, 1).T, g.B], [g.B.T, C + np.triu(C, 1).T]])


@pytest.mark.parametrize("t, piece", [(0.3, 0), (1.7, 1), (2.999, 1)])
def test_pieces_are_polynomials(t, piece):
    times, coefficients = [0.0, 1.0, 3.0], np.array([[1.0, -2.0, 0.5, 0.3], [-0.2, 0.0, 1.5, -0.4]])
    pool = np.concatenate([[99.0, 2, 4, 0], times, coefficients.ravel()])
    out, p = np.zeros(3), np.polynomial.Polynomial(coefficients[piece])
    signals.pieces_at(pool, 1, t, out)
    x = t - times[piece]
    assert out == pytest.approx([p(x), p.deriv()(x), p.deriv(2)(x)])


def test_a_harmonic_and_its_derivatives():
    pool, out = np.array([0.0, 2.0, 3.0, 0.4, -1.0]), np.zeros(3)
    signals.harmonic_at(pool, 1, 0.6, out)
    angle = 3.0 * 0.6 + 0.4
    assert out == pytest.approx([-1.0 + 2.0 * np.sin(angle), 6.0 * np.cos(angle), -18.0 * np.sin(angle)])


@pytest.mark.parametrize("kind", [SUM, PRODUCT])
def test_sums_and_products_of_functions(kind):
    f, g = np.polynomial.Polynomial([1.0, 2.0, -0.5]), np.polynomial.Polynomial([0.3, -1.0, 2.0])
    both, out = f + g if kind == SUM else f * g, np.zeros(3)
    values = [[p.deriv(k)(0.7) if k else p(0.7) for k in range(3)] for p in (f, g, both)]
    signals.combine(kind, np.array(values[0]), np.array(values[1]), out)
    assert out == pytest.approx(values[2])


def test_couplers_have_a_potential():
    system = fm.System()
    wheels = []
    for name in ("one", "two"):
        wheel = system.add(fm.RigidBody.sphere(7850.0, 0.1), name)
        wheels.append(system.revolute(system.ground["origin"], wheel["origin"], axis="z", name=f"axle {name}"))
    system.belt(wheels, [0.1, 0.25], stiffness=4e3, damping=0.0)
    state = PlainState(system)

    def energy(s):
        return coupler_energy(state.tables, state.q + s * state.v)

    add_couplers(state.tables, state.q, 0.0 * state.v, state.residual)
    assert energy(0.0) > 0.0
    assert state.residual @ state.v == pytest.approx(derivative(energy))


def test_a_wrench_goes_back_through_a_translation():
    """The moment refers to a point that moves back by the displacement; force along the axis is the coordinate's."""
    system = fm.System()
    slider = system.add(fm.RigidBody.sphere(7850.0, 0.1), "slider")
    system.prismatic(system.ground["origin"], slider["origin"], axis="y", displacement=0.8, name="slide")
    state = PlainState(system)
    state.move()
    axes = state.tables.axes
    number = next(i for i in range(len(axes)) if state.model.coordinate_names[axes[i].coordinate] == "slide.displacement")
    u = np.array([0.0, 0.6, 0.8])
    state.work.axis[number].direction[:] = u
    q = np.full(len(state.q), 0.8)
    wrench, point, residual = record(WRENCH, force=(1.0, 2.0, -3.0)), np.zeros(3), np.zeros(len(q))
    joint_axes.back_through_axis(state.tables, number, q, point, wrench, residual, state.work)
    assert residual[axes[number].coordinate] == pytest.approx(wrench.force @ u)
    assert point == pytest.approx(-0.8 * u) and wrench.moment == pytest.approx(np.cross(0.8 * u, wrench.force))
