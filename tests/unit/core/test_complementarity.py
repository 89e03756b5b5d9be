"""Contact problems: the conditions themselves, all states of planar contacts, closed forms, impacts, jamming."""

from itertools import product

import numpy as np
import pytest

from flexmbs.core.contact.rigid.complementarity import solve_contacts
from flexmbs.core.contact.rigid.contact_work import (
    AMBIGUOUS,
    OPEN,
    PAINLEVE,
    RESTING,
    SLIDING,
    SOLVED,
    STICKING,
    allocate_contact_work,
)
from flexmbs.core.contact.rigid.impact_law import REDUCED, solve_impact
from flexmbs.core.contact.rigid.static_friction import solve_accelerations

GRAVITY = 9.81


def solve(W, b, mu, sliding=None, direction=None, static=None):
    """(status, lam, mode, work) of a contact problem."""
    k = len(b) // 3
    work, lam, mode = allocate_contact_work(k), np.zeros(3 * k), np.zeros(k, np.int64)
    mu = np.full(k, float(mu)) if np.ndim(mu) == 0 else mu
    sliding = np.zeros(k, np.int64) if sliding is None else np.array(sliding)
    direction = np.zeros((k, 2)) if direction is None else np.array(direction, float)
    if static is None:
        status = solve_contacts(W, b, mu, sliding, direction, lam, mode, work)
    else:
        status = solve_accelerations(W, b, mu, np.full(k, static), sliding, direction, lam, mode, work)
    return status, lam, mode, work


def impact(W, u, mu, restitution, tangential=0.0, poisson=0):
    """(status, impulses, work) of an impact."""
    k = len(u) // 3
    work, impulse, mode = allocate_contact_work(k), np.zeros(3 * k), np.zeros(k, np.int64)
    numbers = [np.full(k, float(x)) for x in (mu, restitution, tangential)]
    return solve_impact(W, u, *numbers, poisson, impulse, mode, work), impulse, work


def largest_error(W, b, mu, lam):
    """Largest violation of the conditions of contacts that may stick, relative to the magnitudes in y."""
    y, worst = W @ lam + b, 0.0
    size = np.max(np.abs(b) + np.abs(W) @ np.abs(lam))
    for i, friction in enumerate(mu):
        at = slice(3 * i + 1, 3 * i + 3)
        weight = np.trace(W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3])
        yn, fn, yt, ft = y[3 * i], lam[3 * i], y[at], lam[at]
        slip, left = np.linalg.norm(yt), friction * fn - np.linalg.norm(ft)
        opposed = np.linalg.norm(slip * ft + friction * fn * yt) / (slip + 1e-300)  # lam_t = -mu lam_n y_t / |y_t|
        normal = max(-yn, -fn * weight, min(abs(yn), abs(fn) * weight))
        worst = max(worst, normal, -left * weight, min(slip, opposed * weight))
    return worst / size


def corner_rows(a, b, height):
    """Velocities (n, t1, t2) of four points at a height over the centre of a body, of its six velocities."""
    rows = []
    for x, y in product((-a / 2, a / 2), (-b / 2, b / 2)):
        for axis in np.eye(3)[[2, 0, 1]]:
            rows.append([*axis, *np.cross([x, y, height], axis)])
    return np.array(rows)


def box(a, b, h, mass):
    """Rows of the four lower corners of a box and its inverse mass matrix."""
    inertia = mass / 12 * np.array([b * b + h * h, a * a + h * h, a * a + b * b])
    return corner_rows(a, b, -h / 2), np.diag(1.0 / np.array([mass, mass, mass, *inertia]))


def stack(boxes):
    """Contact rows and inverse masses of boxes of 2 kg, each on four corners on the one below."""
    lower, inverse_mass = box(0.3, 0.2, 0.1, 2.0)
    G = np.kron(np.eye(boxes), lower) - np.kron(np.eye(boxes, k=-1), corner_rows(0.3, 0.2, 0.05))
    return G, np.kron(np.eye(boxes), inverse_mass)


def planar_solutions(W, b, mu, sliding, direction):
    """y of all states of planar contacts (open, stick, slip either way) that fulfil the conditions."""
    k, found = len(mu), []
    for states in product(*[(0, 1) if s else (0, 1, 2, 3) for s in sliding]):
        A, c = np.eye(3 * k), np.zeros(3 * k)
        for i, state in enumerate(states):
            n, t = 3 * i, 3 * i + 1
            if state > 0:
                A[n], c[n] = W[n], -b[n]
                if state == 1 and not sliding[i]:
                    A[t], c[t] = W[t], -b[t]
                else:
                    A[t, n] = mu[i] * (direction[i, 0] if sliding[i] else 5 - 2 * state)  # slips along +-t1
        lam = np.linalg.solve(A, c)
        y = W @ lam + b
        if _is_consistent(states, sliding, mu, lam, y):
            found.append(y)
    return found


def _is_consistent(states, sliding, mu, lam, y):
    for i, state in enumerate(states):
        n, t = 3 * i, 3 * i + 1
        if (state == 0 and y[n] < 0) or (state > 0 and lam[n] < 0):
            return False
        if state == 1 and not sliding[i] and abs(lam[t]) > mu[i] * lam[n]:
            return False
        if state > 1 and y[t] * (5 - 2 * state) < 0:
            return False
    return True


@pytest.mark.parametrize("contacts", [1, 2, 3, 4])
def test_planar_contacts_as_by_trying_all_states(contacts):
    rng, solved = np.random.default_rng(contacts), 0
    for _problem in range(12):
        G = rng.normal(size=(3 * contacts, 2 * contacts + 2))
        G[2::3] = 0.0
        W, b = G @ G.T, G @ rng.normal(size=2 * contacts + 2)
        mu, sliding = rng.uniform(0.1, 0.9, contacts), rng.integers(0, 2, contacts)
        direction = np.column_stack([rng.choice([-1.0, 1.0], contacts), np.zeros(contacts)])
        solutions = planar_solutions(W, b, mu, sliding, direction)
        status, _lam, _mode, work = solve(W, b, mu, sliding, direction)
        assert (status in (SOLVED, AMBIGUOUS)) == bool(solutions)
        if status in (SOLVED, AMBIGUOUS):
            solved += 1
            assert min(np.abs(work.y - y).max() for y in solutions) < 1e-11 * np.abs(b).max()
        if status == AMBIGUOUS:
            assert len(solutions) > 1
    assert solved >= 8


@pytest.mark.parametrize("contacts, freedoms", [(1, 6), (4, 6), (10, 20), (40, 90)])
def test_cones_in_space(contacts, freedoms):
    """W is singular but for one contact."""
    rng = np.random.default_rng(contacts)
    modes = set()
    for _problem in range(max(2, 40 // contacts)):
        G = rng.normal(size=(3 * contacts, freedoms))
        W, b = G @ G.T, G @ (rng.normal(size=freedoms) - 0.5 * G[::3].sum(axis=0) / np.sqrt(contacts))
        mu = rng.uniform(0.2, 0.8, contacts)
        status, lam, mode, work = solve(W, b, mu)
        assert status == SOLVED
        assert largest_error(W, b, mu, lam) < 1e-13
        assert work.y @ lam <= 1e-13 * np.abs(b) @ np.abs(lam)
        assert np.all((lam[::3] > 0.0) == ((mode == SLIDING) | (mode == STICKING)))
        modes |= set(mode)
    assert modes >= ({SLIDING} if contacts == 1 else {OPEN, SLIDING, STICKING})


def test_block_on_four_corners_loads_them_equally():
    G, inverse_mass = box(0.3, 0.2, 0.1, 2.0)
    W, b = G @ inverse_mass @ G.T, G @ [0.0, 0.0, -GRAVITY, 0.0, 0.0, 0.0]
    status, lam, mode, _work = solve(W, b, 0.3)
    assert status == SOLVED
    assert set(mode) == {STICKING}
    assert lam.reshape(4, 3) == pytest.approx(np.outer(np.ones(4), [2.0 * GRAVITY / 4, 0, 0]), abs=1e-11)


@pytest.mark.parametrize("slope, slips", [(0.35, False), (0.45, True)])
def test_block_on_an_incline_with_static_friction(slope, slips):
    G, inverse_mass = box(0.3, 0.2, 0.1, 2.0)
    load = GRAVITY * np.array([np.sin(slope), 0.0, -np.cos(slope), 0.0, 0.0, 0.0])
    status, lam, mode, work = solve(G @ inverse_mass @ G.T, G @ load, 0.3, static=0.4)  # atan 0.4 = 0.3805
    slip = GRAVITY * (np.sin(slope) - 0.3 * np.cos(slope)) if slips else 0.0
    assert status == SOLVED
    assert set(mode) == {SLIDING if slips else STICKING}
    assert work.y.reshape(4, 3) == pytest.approx(np.outer(np.ones(4), [0.0, slip, 0.0]), abs=1e-13 * GRAVITY)
    assert lam[::3].sum() == pytest.approx(2.0 * GRAVITY * np.cos(slope), rel=1e-13)


@pytest.mark.parametrize("slope", [0.0, 0.15, 0.4])
def test_stack_of_ten_boxes(slope):
    """Redundant contacts; at 0.4 rad the stack slides as a whole, all its contacts just at their limit."""
    G, inverse_mass = stack(10)
    load = np.tile(GRAVITY * np.array([np.sin(slope), 0.0, -np.cos(slope), 0.0, 0.0, 0.0]), 10)
    status, lam, mode, _work = solve(G @ inverse_mass @ G.T, G @ load, 0.2)
    slides = np.tan(slope) > 0.2
    along = GRAVITY * (np.sin(slope) - 0.2 * np.cos(slope)) if slides else 0.0
    assert status == SOLVED
    assert list(mode) == [SLIDING if slides else STICKING] * 4 + [STICKING] * 36
    assert load + inverse_mass @ G.T @ lam == pytest.approx(np.tile([along, 0, 0, 0, 0, 0], 10), abs=1e-9)


def test_a_contact_may_stay_closed_without_force():
    G, inverse_mass = box(0.3, 0.2, 0.1, 2.0)
    W, b = G @ inverse_mass @ G.T, np.zeros(12)
    _status, lam, mode, _work = solve(W, b, 0.3)
    assert set(mode) == {RESTING}
    assert not lam.any()


@pytest.mark.parametrize(
    "poisson, restitution, after", [(0, 1.0, [-1 / 3, 2 / 3, 2 / 3]), (1, 1.0, [-1 / 3, 2 / 3, 2 / 3]), (1, 0.8, [-0.2, 0.6, 0.6])]
)
def test_three_touching_balls(poisson, restitution, after):
    G = np.zeros((6, 3))
    G[0], G[3] = [-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]
    before = np.array([1.0, 0.0, 0.0])
    status, impulse, work = impact(G @ G.T, G @ before, 0.0, restitution, poisson=poisson)
    assert status == SOLVED
    assert before + G.T @ impulse == pytest.approx(after, abs=1e-14)
    assert work.energy == pytest.approx(0.5 * (1.0 - np.dot(after, after)), abs=1e-14)


def test_sphere_dropped_with_spin():
    """First impact of the spinning ball: the tangential impulse stops the slip within the cone."""
    mass, radius, shape, e = 0.5, 0.05, 0.4, 0.8
    inverse_mass = np.diag([1 / mass, 1 / mass, 1 / (shape * mass * radius**2)])
    G = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -radius], [0.0, 0.0, 0.0]])
    before = np.array([0.5, -np.sqrt(2 * GRAVITY), 60.0])
    status, impulse, work = impact(G @ inverse_mass @ G.T, G @ before, 0.15, e)
    rolling = mass * 2.5 / (1 + 1 / shape)  # m slip / (1 + 1 / beta)
    assert status == SOLVED
    assert impulse == pytest.approx([mass * (1 + e) * np.sqrt(2 * GRAVITY), rolling, 0.0], rel=1e-13)
    assert work.energy == pytest.approx(0.5 * mass * 2 * GRAVITY * (1 - e * e) + 0.5 * rolling * 2.5, rel=1e-13)


def test_two_corners_of_a_slider_hit_flat():
    """First impact of the slider-crank of Flores, Leine and Glocker (2010), omega3 = 0; own event-driven figures."""
    l1, l2, a, half = 0.153, 0.306, 0.05, 0.025
    m1, m2, m3, J1, J2, J3 = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6
    t1, t2, before = 0.3553044550277448, -0.17150954094017373, [109.55768154315014, -49.33078996193144, 0.0]
    coupling = (m2 / 2 + m3) * l1 * l2 * np.cos(t1 - t2)
    M = np.diag([J1 + m1 * l1**2 / 4 + (m2 + m3) * l1**2, J2 + m2 * l2**2 / 4 + m3 * l2**2, J3])
    M[0, 1] = M[1, 0] = coupling
    G = np.zeros((6, 3))
    for i, x in enumerate((-a, a)):
        G[3 * i] = [-l1 * np.cos(t1), -l2 * np.cos(t2), -x]
        G[3 * i + 1] = [-l1 * np.sin(t1), -l2 * np.sin(t2), -half]
    status, impulse, work = impact(G @ np.linalg.solve(M, G.T), G @ before, 0.01, 0.4)
    assert status == SOLVED
    assert impulse[::3] == pytest.approx([0.05574032307375233, 0.055185692993416496], rel=1e-10)
    assert impulse[1::3] == pytest.approx([0.0005574032307375233, 0.000551856929934165], rel=1e-10)
    assert work.energy == pytest.approx(0.037410243719912195, rel=1e-10)
    after = before + np.linalg.solve(M, G.T @ impulse)
    assert after == pytest.approx([108.7245800017673, -52.84229042028754, 0.0], abs=1e-8)


@pytest.mark.parametrize("poisson", [0, 1])
def test_no_impact_gains_energy(poisson):
    """Newton's law with friction may gain energy (Kane and Levinson 1985): random impacts of one and two points."""
    rng, reduced = np.random.default_rng(5), 0
    for _problem in range(150):
        k = int(rng.integers(1, 3))
        G = rng.normal(size=(3 * k, 3 * k + 1))
        u = G @ rng.normal(size=3 * k + 1)
        W, before = G @ G.T, 0.5 * u @ np.linalg.solve(G @ G.T, u)
        status, impulse, work = impact(W, u, rng.uniform(0.1, 1.0), rng.uniform(0.5, 1.0), poisson=poisson)
        after = 0.5 * work.velocity @ np.linalg.solve(W, work.velocity)
        assert status in (SOLVED, SOLVED + REDUCED)
        assert after <= before * (1 + 1e-10)
        assert work.energy == pytest.approx(before - after, abs=1e-9 * before)
        assert (work.reduction < 1.0) == (status == SOLVED + REDUCED)
        reduced += status == SOLVED + REDUCED
    assert reduced > 0 or poisson == 1


def painleve_rod(mu, spin, angle=1.0, length=1.0):
    """A homogeneous rod of 1 kg that slides on its end with the velocity -t1, at an angle from the ground."""
    arm = -length / 2 * np.array([np.cos(angle), np.sin(angle)])
    G = np.array([[0.0, 1.0, arm[0]], [1.0, 0.0, -arm[1]], [0.0, 0.0, 0.0]])
    W = G @ np.diag([1.0, 1.0, 12.0 / length**2]) @ G.T
    b = np.array([-GRAVITY - arm[1] * spin**2, -arm[0] * spin**2, 0.0])
    return solve(W, b, mu, [1], [[-1.0, 0.0]])


def test_painleve_rod_is_named():
    """Critical (1 + 3 cos^2) / (3 sin cos), at least 4/3 over all angles (Genot and Brogliato 1999)."""
    critical = (1 + 3 * np.cos(1.0) ** 2) / (3 * np.sin(1.0) * np.cos(1.0))
    status, lam, mode, _work = painleve_rod(critical - 0.01, 0.0)
    assert (status, mode[0]) == (SOLVED, SLIDING)
    assert lam[0] == pytest.approx(GRAVITY / (0.01 * 3 * np.sin(1.0) * np.cos(1.0)), rel=1e-11)
    for spin, expected in ((0.0, PAINLEVE), (10.0, AMBIGUOUS)):
        status, lam, mode, work = painleve_rod(critical + 0.01, spin)
        assert (status, work.contact, mode[0]) == (expected, 0, OPEN)
        assert work.critical_friction == pytest.approx(critical, rel=1e-13)
        assert not lam.any()
    worst = np.arctan(2.0)  # the angle at which the coefficient is least
    assert painleve_rod(1.4, 0.0, worst)[3].critical_friction == pytest.approx(4 / 3, rel=1e-13)
    assert painleve_rod(1.3, 0.0, worst)[0] == SOLVED
