"""Markers move as their positions say, gaps as their distances, and applied forces do the work of their markers."""

import numpy as np
import pytest
from random_mechanisms import Evaluation, derivative, random_tree

TREES = range(6)


def moved(mechanism, s):
    """State on a path with the velocities and accelerations of the mechanism at s = 0."""
    q, v, a = mechanism.q, mechanism.v, mechanism.a
    return q + s * v + 0.5 * s * s * a, v + s * a


@pytest.mark.parametrize("seed", TREES)
def test_gap_rate_is_the_rate_of_the_gap(seed):
    mechanism = Evaluation(random_tree(seed))
    for contact in range(2):
        rate = mechanism.gap(contact, mechanism.q, mechanism.v)[1]
        differences = derivative(lambda s, c=contact: mechanism.gap(c, *moved(mechanism, s))[0])
        # sixth-order differences of a smooth function of size 1
        assert rate == pytest.approx(differences, abs=1e-8 * max(1.0, abs(rate)))


@pytest.mark.parametrize("seed", TREES)
def test_marker_velocities_and_accelerations(seed):
    mechanism = Evaluation(random_tree(seed))
    for body, name in mechanism.model.marker_index:

        def place(s, body=body, name=name):
            return mechanism.marker(body, name, *moved(mechanism, s))

        now = mechanism.marker(body, name, mechanism.q, mechanism.v, mechanism.a)
        now[21:24] += mechanism.tables.gravity  # the kernels lift the ground instead of weighing the bodies
        rate = derivative(place)
        R = now[:9].reshape(3, 3)
        spin = rate[:9].reshape(3, 3) @ R.T
        turning = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        size = max(1.0, np.abs(now[12:]).max())
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-13
        assert np.abs(turning - now[12:15]).max() < 1e-8 * size
        assert np.abs(rate[9:12] - now[15:18]).max() < 1e-8 * size
        assert np.abs(rate[12:18] - now[18:24]).max() < 1e-8 * size


@pytest.mark.parametrize("follower", [False, True])
@pytest.mark.parametrize("is_torque", [False, True])
@pytest.mark.parametrize("seed", TREES)
def test_loads_do_the_work_of_their_markers(seed, is_torque, follower):
    vector = np.array([1.0, -2.0, 3.0])
    system, loaded = random_tree(seed), random_tree(seed)
    part = loaded.bodies["body 4"]
    (loaded.torque if is_torque else loaded.force)(part["out"], tuple(vector), follower=follower)
    without, mechanism = Evaluation(system), Evaluation(loaded)
    q, v, a = mechanism.q, mechanism.v, mechanism.a
    generalised = without.residual(q, v, a) - mechanism.residual(q, v, a)
    marker = mechanism.marker("body 4", "out", q, v)
    world = marker[:9].reshape(3, 3) @ vector if follower else vector
    expected = world @ (marker[12:15] if is_torque else marker[15:18])
    assert v @ generalised == pytest.approx(expected, abs=1e-11 * np.abs(v * generalised).sum())


@pytest.mark.parametrize("seed", TREES)
def test_dampers_take_energy_and_nothing_else(seed):
    system, damped = random_tree(seed), random_tree(seed)
    damped.spring_damper(damped.bodies["body 0"]["in"], damped.bodies["body 3"]["out"], stiffness=0.0, damping=2.0)
    without, mechanism = Evaluation(system), Evaluation(damped)
    q, v, a = mechanism.q, mechanism.v, mechanism.a
    ends = [mechanism.marker(*name, q, v) for name in (("body 0", "in"), ("body 3", "out"))]
    away, speed = ends[1][9:12] - ends[0][9:12], ends[1][15:18] - ends[0][15:18]
    stretch_rate = away @ speed / np.linalg.norm(away)
    forces = mechanism.residual(q, v, a) - without.residual(q, v, a)
    assert v @ forces == pytest.approx(2.0 * stretch_rate**2, abs=1e-11 * np.abs(v * forces).sum())


@pytest.mark.parametrize("seed", TREES)
def test_power_of_contacts_is_force_times_gap_rate(seed):
    """Contact forces are absent while the contacts are open, and push the partners apart when they touch."""
    open_contacts, touching = Evaluation(random_tree(seed), touching=False), Evaluation(random_tree(seed))
    q, v, a = touching.q, touching.v, touching.a
    power = v @ (open_contacts.residual(q, v, a) - touching.residual(q, v, a))
    expected = 0.0
    for contact, law in enumerate(touching.tables.contacts):
        gap, rate = touching.gap(contact, q, v)
        stiffness, exponent = touching.tables.pool[law["at"] : law["at"] + 2]
        expected += -np.sign(gap) * stiffness * abs(gap) ** exponent * rate
    assert power == pytest.approx(expected, rel=1e-9)
