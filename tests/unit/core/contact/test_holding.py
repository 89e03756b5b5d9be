"""Margin of contacts that stick: closed forms, linear programs with cutting planes, what it must not depend on."""

import numpy as np
import pytest
from scipy.optimize import linprog

from flexmbs.core.contact.rigid.cone_program import solve_cone_program
from flexmbs.core.contact.rigid.holding import factor_delassus, holding_margin_of
from flexmbs.core.layout.cone_work import allocate_cone_work

WEIGHT = 19.62
INVERSE_MASS = np.diag(1 / np.array([2.0, 2.0, 2.0, 0.01, 0.02, 0.03]))


def rows(points):
    """Normal and tangents of contacts on a floor, of the six velocities of a body."""
    return np.array([[*axis, *np.cross(r, axis)] for r in points for axis in np.eye(3)[[2, 0, 1]]])


def corners(length, width, height):
    return [(x, y, -height) for x in (-length / 2, length / 2) for y in (-width / 2, width / 2)]


def margin(G, mu, load, inverse_mass=INVERSE_MASS, lam=None):
    """(s, forces (k, 3)) of the load (6,) on a body, or of forces ``lam``."""
    lam = np.linalg.lstsq(G.T, load, rcond=1e-12)[0] if lam is None else lam
    mu = np.full(len(G) // 3, float(mu)) if np.ndim(mu) == 0 else mu
    out, work = np.full(3 * len(mu), np.nan), allocate_cone_work(len(mu))
    s = holding_margin_of(G @ inverse_mass @ G.T, mu, lam, out, work)
    assert work.error < 1e-13 and work.steps < 30
    return s, out.reshape(-1, 3)


def slack(forces, mu):
    mu = np.broadcast_to(mu, len(forces))
    grip = np.linalg.norm(forces[:, 1:], axis=1) / np.where(mu > 0, mu, 1.0)
    return forces[:, 0] - np.where(mu > 0, grip, 0.0)


def random_polygon(seed, smooth=False):
    """(G, mu, load) of 3 to 8 points on a floor; some of them are without friction if ``smooth``."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 9))
    points = np.column_stack([rng.normal(size=(k, 2)) * 0.2, np.full(k, -0.1)])
    mu = rng.uniform(0.2, 0.7, k)
    if smooth:
        mu[2::2] = 0.0
    return rows(points), mu, np.array([0, 0, WEIGHT, 0, 0, 0]) + rng.normal(size=6) * [3, 3, 3, 0.3, 0.3, 0.1]


def margin_of_linear_program(G, mu, load):
    """The cones are approached from outside by planes that touch them where the last solution left them."""
    k = len(mu)
    sides = [np.column_stack([np.cos(a), np.sin(a)]) for a in [np.linspace(0, 2 * np.pi, 16, endpoint=False)] * k]
    equal = np.hstack([G.T, np.zeros((6, 1))])
    frictionless = [(0, 0) if mu[i // 3] == 0 and i % 3 else (None, None) for i in range(3 * k)]
    for _ in range(60):
        above = []
        for i in range(k):
            for d in sides[i] if mu[i] > 0 else np.zeros((1, 2)):
                row = np.zeros(3 * k + 1)
                row[3 * i], row[3 * i + 1 : 3 * i + 3], row[-1] = -1.0, d / max(mu[i], 1e-300), 1.0
                above.append(row)
        options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        found = linprog(
            -np.eye(3 * k + 1)[-1],
            np.array(above),
            np.zeros(len(above)),
            equal,
            load,
            [*frictionless, (None, None)],
            options=options,
        )
        assert found.status == 0
        s, forces = found.x[-1], found.x[:-1].reshape(k, 3)
        if (slack(forces, mu) - s).min() > -1e-10 * WEIGHT:
            break
        for i in range(k):
            size = np.linalg.norm(forces[i, 1:])
            sides[i] = np.vstack([sides[i], forces[i, 1:] / size]) if size > 0 else sides[i]
    return s


def test_a_single_contact_has_one_force():
    for n, t, u, mu in (
        (10.0, 3.0, 4.0, 0.6),
        (10.0, 3.0, 4.0, 0.5),
        (2.0, 3.0, -4.0, 0.4),
        (-1.0, 0.1, 0.2, 0.3),
        (5.0, 0.0, 0.0, 0.2),
    ):
        s, forces = margin(np.eye(3), mu, None, np.diag([2.0, 1.0, 3.0]), np.array([n, t, u]))
        assert s == pytest.approx(n - np.hypot(t, u) / mu, abs=1e-12)
        assert np.allclose(forces, [[n, t, u]], rtol=0, atol=1e-12)


@pytest.mark.parametrize("push", [0.0, 2.0, 9.0, 9.81, 15.0])
def test_a_box_that_is_pushed_at_the_floor_shares_the_push_equally(push):
    s, forces = margin(rows(corners(0.2, 0.1, 0.05)), 0.5, [push, 0, WEIGHT, 0, -0.05 * push, 0])
    assert s == pytest.approx((WEIGHT - push / 0.5) / 4, abs=1e-11)
    assert np.allclose(slack(forces, 0.5), s, rtol=0, atol=1e-10)


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0, 1.5])
def test_a_box_that_is_pushed_at_height_tips_over_its_edge(part):
    length, height = 0.2, 0.3
    push = part * WEIGHT * length / (2 * height)  # the limit at 1
    s, _ = margin(rows(corners(length, 0.1, 0.0)), 2.0, [push, 0, WEIGHT, 0, height * push, 0])
    assert s == pytest.approx(WEIGHT * (1 - part) / 4, abs=1e-11)


def test_of_a_stack_the_upper_contacts_have_less_to_spare():
    lower, upper = rows(corners(0.2, 0.1, 0.05)), rows(corners(0.2, 0.1, -0.05))
    G = np.block([[lower, np.zeros((12, 6))], [-upper, lower]])
    s, forces = margin(G, 0.5, np.tile([0, 0, WEIGHT, 0, 0, 0], 2), np.kron(np.eye(2), INVERSE_MASS))
    assert s == pytest.approx(WEIGHT / 4, abs=1e-11)
    assert forces[:4, 0].sum() == pytest.approx(2 * WEIGHT, abs=1e-11)


@pytest.mark.parametrize("seed", range(20))
def test_polygons_have_the_margin_of_a_linear_program(seed):
    """It is accurate to the tolerance 1e-10 of its constraints."""
    for smooth in (False, True):
        G, mu, load = random_polygon(seed, smooth)
        if smooth and np.linalg.matrix_rank(G[np.repeat(mu > 0, 3) | (np.arange(len(G)) % 3 == 0)]) < 6:
            continue
        s, forces = margin(G, mu, load)
        assert s == pytest.approx(margin_of_linear_program(G, mu, load), abs=1e-7)
        size = max(np.linalg.norm(load), np.abs(forces).max())
        assert np.abs(G.T @ forces.ravel() - load).max() < 1e-12 * size
        assert slack(forces, mu).min() > s - 1e-12 * size
        assert not forces[mu == 0, 1:].any()


@pytest.mark.parametrize("seed", range(10))
def test_margins_do_not_depend_on_order_axes_and_units(seed):
    G, mu, load = random_polygon(seed)
    k, rng = len(mu), np.random.default_rng(seed)
    lam = np.linalg.lstsq(G.T, load, rcond=1e-12)[0]
    s, _ = margin(G, mu, load)
    same = pytest.approx(s, abs=1e-11 * WEIGHT)
    order = rng.permutation(k)
    assert margin(G.reshape(k, 3, 6)[order].reshape(-1, 6), mu[order], load)[0] == same
    turned = G.reshape(k, 3, 6).copy()
    for i, angle in enumerate(rng.uniform(0, 7, k)):
        c, d = np.cos(angle), np.sin(angle)
        turned[i, 1:] = [[c, d], [-d, c]] @ turned[i, 1:]
    assert margin(turned.reshape(-1, 6), mu, load)[0] == same
    null = np.eye(3 * k) - np.linalg.pinv(G.T) @ G.T  # forces without a resultant
    assert margin(G, mu, None, lam=lam + null @ rng.normal(size=3 * k) * 100)[0] == pytest.approx(s, abs=1e-10 * WEIGHT)
    for factor in (1e-6, 1e6):
        assert margin(G, mu, load, INVERSE_MASS / factor)[0] == same
        assert margin(G, mu, factor * load)[0] / factor == same


def test_the_same_numbers_have_the_same_result():
    G, mu, load = random_polygon(3)
    first, again = margin(G, mu, load), margin(G, mu, load)
    assert first[0] == again[0] and np.array_equal(first[1], again[1])


def test_no_load_needs_no_forces():
    G, mu, _ = random_polygon(1)
    null = np.eye(len(G)) - np.linalg.pinv(G.T) @ G.T
    for lam in (np.zeros(len(G)), null @ np.ones(len(G))):
        s, forces = margin(G, mu, None, lam=lam)
        assert s == pytest.approx(0.0, abs=1e-12) and np.allclose(forces, 0.0, rtol=0, atol=1e-10)


def test_a_leg_that_cannot_carry_has_nothing_to_spare():
    """The centre of mass is above the edge between two of three legs: the third one is at zero."""
    points = [(0.2, -0.1, -0.3), (-0.2, -0.1, -0.3), (0.0, 0.3, -0.3)]
    s, forces = margin(rows(points), 0.5, [0, 0, WEIGHT, -0.1 * WEIGHT, 0, 0])
    assert s == pytest.approx(0.0, abs=1e-11) and np.allclose(forces[2], 0.0, atol=1e-9)


def test_what_contacts_without_friction_leave_is_lacking():
    s, forces = margin(np.eye(3), 0.0, None, np.eye(3), np.array([5.0, 3.0, 4.0]))
    assert s == pytest.approx(-5.0 / np.sqrt(3.0), abs=1e-12)
    assert np.allclose(forces, [[5, 0, 0]], rtol=0, atol=1e-12)
    s, _ = margin(np.eye(3), 0.0, None, np.eye(3), np.array([5.0, 0.0, 0.0]))
    assert s == pytest.approx(5.0, abs=1e-11)
    box = rows(corners(0.2, 0.1, 0.05))
    assert margin(box, 0.0, [0, 0, WEIGHT, 0, 0, 0])[0] == pytest.approx(WEIGHT / 4, abs=1e-11)
    s, forces = margin(box, 0.0, [1e-3, 0, WEIGHT, 0, -5e-5, 0])
    assert -1e-3 < s < -1e-4 and np.allclose(forces[:, 0], WEIGHT / 4, atol=1e-2)


def test_one_contact_with_friction_holds_those_without():
    """A table on four legs of which one is rough: it carries the push; normal forces are a, b, b, a in equilibrium."""
    points = corners(0.2, 0.1, 0.0)
    push, mu = np.cross(points[0], [1.0, 0, 0]), np.array([0.5, 0, 0, 0])
    s, forces = margin(rows(points), mu, [1.0, 0, WEIGHT, *push])
    assert np.allclose(forces[0, 1:], [1, 0], rtol=0, atol=1e-11)
    assert s == pytest.approx((WEIGHT - 4.0) / 4, abs=1e-11)  # a - 2 = b
    assert forces[:, 0].sum() == pytest.approx(WEIGHT, abs=1e-11)


def test_the_margin_of_a_wedged_body_is_bounded():
    """A plate between two contacts that face each other may be pressed by any forces."""
    G = np.vstack([np.eye(3), np.diag([-1.0, 1.0, 1.0])])
    load = np.array([0.0, 3.0, 0.0])
    s, forces = margin(G, 0.3, load, np.eye(3))
    assert s == pytest.approx(10 * 3.0 / np.sqrt(3.0), abs=1e-10)
    assert slack(forces, 0.3).min() > s - 1e-11


def test_factors_of_singular_matrices():
    for seed in range(5):
        G, mu, _ = random_polygon(seed)
        W = G @ INVERSE_MASS @ G.T
        F = np.full_like(W, np.nan)
        p = factor_delassus(W, len(W), F)
        assert p == 6 and np.abs(F[:, :p] @ F[:, :p].T - W).max() < 1e-13 * W.max()
    assert factor_delassus(np.zeros((3, 3)), 3, np.zeros((3, 3))) == 0


def test_a_quadratic_program_projects_on_cones():
    rng, work = np.random.default_rng(0), allocate_cone_work(3)
    for _ in range(5):
        a = rng.normal(size=11)
        expected = np.maximum(a, 0.0)
        for i in range(2, 11, 3):
            size = np.linalg.norm(a[i + 1 : i + 3])
            part = np.clip((a[i] + size) / (2 * size), 0.0, None)
            outer = np.array([1.0, *a[i + 1 : i + 3] / size]) * part * size
            expected[i : i + 3] = a[i : i + 3] if a[i] >= size else outer
        work.AT[:], work.g[:] = np.eye(12, 13), 0.0
        work.P[:11], work.q[:11] = 1.0, -a
        assert solve_cone_program(work, 11, 11, 2) < 2e-14
        assert np.allclose(work.x[:11], expected, rtol=0, atol=1e-7)
        assert np.allclose(work.x[:11] - a, work.z[:11], rtol=0, atol=1e-12)


def test_a_quadratic_program_with_unknowns_of_no_weight():
    """A block of unit mass that slides: min |x|^2 / 2 + c |x_t + b_t|, x_n + b_n >= 0; friction c takes from its slip."""
    work = allocate_cone_work(1)
    for b, c in (([-2.0, 3.0, 4.0], 2.0), ([1.0, 3.0, 4.0], 0.5), ([-1.0, 0.3, 0.4], 2.0)):
        work.AT[:], work.P[:4], work.q[:4] = 0.0, [1, 1, 1, 0], [0, 0, 0, c]
        work.AT[0, 0] = work.AT[3, 1] = work.AT[1, 2] = work.AT[2, 3] = 1.0
        work.g[:4] = b[0], 0.0, b[1], b[2]
        assert solve_cone_program(work, 4, 4, 1) < 2e-14
        slip = np.array(b[1:]) * max(0.0, 1 - c / np.hypot(*b[1:]))
        assert np.allclose(work.x[:3], [max(b[0], 0) - b[0], *(slip - b[1:])], rtol=0, atol=1e-7)
        assert np.allclose(work.z[:4], [max(-b[0], 0), c, *(slip - b[1:])], rtol=0, atol=1e-7)


def test_numbers_that_are_none_are_passed_on():
    out, work = np.zeros(6), allocate_cone_work(2)
    s = holding_margin_of(np.eye(6), np.array([0.5, 0.5]), np.array([1.0, 0, 0, np.nan, 0, 0]), out, work)
    assert np.isnan(s) and not work.error < 1.0
