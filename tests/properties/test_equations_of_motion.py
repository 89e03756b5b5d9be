"""Laws that the compiled equations obey at any state of any mechanism.

Differences of sixth order with steps of 5e-4 are good to about 1e-10 of the largest term; 1e-8 leaves room for
the cancellation between terms.
"""

import numpy as np
import pytest
from random_mechanisms import BODY_KINDS, Evaluation, derivative, joint_pair, random_tree

from flexmbs import JOINT_TYPES

PARTS = [(parent, child) for parent in BODY_KINDS for child in BODY_KINDS]
TREES = range(6)


def momentum(mechanism, q, v):
    """dT/dv; T is quadratic in v, so that central differences of any step are exact."""
    return np.array([0.5 * (mechanism.energy(q, v + e)[0] - mechanism.energy(q, v - e)[0]) for e in np.eye(len(q))])


def mass_matrix_is_symmetric_and_positive(mechanism):
    mass = mechanism.mass_matrix()
    return np.abs(mass - mass.T).max() < 1e-11 * np.abs(mass).max() and np.linalg.eigvalsh(mass)[0] > 0.0


def kinetic_energy_is_that_of_the_mass_matrix(mechanism):
    kinetic = mechanism.energy(mechanism.q, mechanism.v)[0]
    return 0.5 * mechanism.v @ mechanism.mass_matrix() @ mechanism.v == pytest.approx(kinetic, rel=1e-11)


def residual_is_lagranges_equation(mechanism):
    q, v, a = mechanism.q, mechanism.v, mechanism.a
    change = derivative(lambda s: momentum(mechanism, q + s * v + 0.5 * s * s * a, v + s * a))

    def lagrangian(q, v):
        kinetic, potential = mechanism.energy(q, v)
        return kinetic - potential

    slope = np.array([derivative(lambda s, e=e: lagrangian(q + s * e, v)) for e in np.eye(len(q))])
    scale = np.abs(change).max() + np.abs(slope).max()
    return np.abs(mechanism.residual(q, v, a) - (change - slope)).max() < 1e-8 * scale


def joints_do_no_work(mechanism):
    """The power of the residual, with any acceleration, is the rate of the energy: constraint forces add none."""
    q, v, a = mechanism.q, mechanism.v, mechanism.a
    rate = derivative(lambda s: sum(mechanism.energy(q + s * v + 0.5 * s * s * a, v + s * a)))
    power = v * mechanism.residual(q, v, a)
    return power.sum() == pytest.approx(rate, abs=1e-8 * np.abs(power).sum())


LAWS = (
    mass_matrix_is_symmetric_and_positive,
    kinetic_energy_is_that_of_the_mass_matrix,
    residual_is_lagranges_equation,
    joints_do_no_work,
)


def broken_laws(system):
    mechanism = Evaluation(system, seed=1)
    return [law.__name__ for law in LAWS if not law(mechanism)]


@pytest.mark.parametrize("joint", sorted(JOINT_TYPES))
def test_laws_hold_for_a_joint_between_all_kinds_of_bodies(joint):
    assert {parts: broken for parts in PARTS if (broken := broken_laws(joint_pair(joint, *parts)))} == {}


@pytest.mark.parametrize("seed", TREES)
def test_laws_hold_for_a_tree(seed):
    assert broken_laws(random_tree(seed)) == []
