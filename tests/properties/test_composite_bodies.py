"""Laws of mass properties over random bodies: order, grouping, frames and reference points do not matter."""

import numpy as np
import pytest

import flexmbs as fm

SEEDS = range(20)


def random_body(rng):
    points = rng.normal(size=(6, 3))
    masses = rng.uniform(0.1, 2.0, 6)
    return cloud(masses, points), masses, points


def cloud(masses, points):
    """A body of point masses, by sums over them."""
    center = masses @ points / masses.sum()
    second = (points - center).T @ (masses[:, None] * (points - center))
    return fm.RigidBody(masses.sum(), np.trace(second) * np.eye(3) - second, center)


def random_place(rng):
    return rng.normal(scale=3.0, size=3), fm.EulerAngles("zxz", rng.uniform(-3.0, 3.0, 3))


def alike(a, b, rel=1e-13):
    assert a.mass == pytest.approx(b.mass, rel=rel)
    assert a.center == pytest.approx(b.center, abs=rel * (1.0 + np.abs(b.center).max()))
    assert a.inertia == pytest.approx(b.inertia, abs=10 * rel * np.abs(b.inertia).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_welding_equals_the_sum_over_all_points(seed):
    rng = np.random.default_rng(seed)
    parts, masses, points = [], [], []
    for _ in range(4):
        body, m, x = random_body(rng)
        position, rotation = random_place(rng)
        parts.append(fm.Part(body, position, rotation))
        masses.append(m)
        points.append(position + x @ rotation.matrix.T)
    alike(fm.weld(parts), cloud(np.concatenate(masses), np.concatenate(points)))


@pytest.mark.parametrize("seed", SEEDS)
def test_welding_is_associative_and_commutative(seed):
    rng = np.random.default_rng(seed)
    a, b, c = (random_body(rng)[0] for _ in range(3))
    whole = fm.weld([a, b, c])
    alike(fm.weld([fm.weld([a, b]), c]), whole)
    alike(fm.weld([a, fm.weld([b, c])]), whole)
    alike(fm.weld([c, a, b]), whole)


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_go_there_and_back_and_chain(seed):
    rng = np.random.default_rng(seed)
    body, masses, points = random_body(rng)
    (p, R), (s, Q) = random_place(rng), random_place(rng)
    alike(body.placed(p, R).in_frame(p, R), body)
    alike(body.in_frame(p, R).placed(p, R), body)
    once = body.placed(p, R).placed(s, Q)
    alike(once, body.placed(s + Q.matrix @ p, Q.matrix @ R.matrix))
    alike(body.in_frame(p, R), cloud(masses, (points - p) @ R.matrix))
    assert np.linalg.eigvalsh(once.inertia) == pytest.approx(np.linalg.eigvalsh(body.inertia), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_welding_commutes_with_a_change_of_frame(seed):
    rng = np.random.default_rng(seed)
    a, b = random_body(rng)[0], random_body(rng)[0]
    p, R = random_place(rng)
    alike(fm.weld([a, b]).placed(p, R), fm.weld([fm.Part(a, p, R), fm.Part(b, p, R)]))


@pytest.mark.parametrize("seed", SEEDS)
def test_parallel_axes(seed):
    rng = np.random.default_rng(seed)
    body, masses, points = random_body(rng)
    point = rng.normal(size=3)
    arms = points - point
    exact = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, arms, strict=True))
    assert body.inertia_about(point) == pytest.approx(exact, abs=1e-13 * np.abs(exact).max())
    # no point has smaller moments than the centre
    assert np.all(np.linalg.eigvalsh(body.inertia_about(point) - body.inertia) > -1e-12)
