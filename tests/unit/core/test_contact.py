"""Contact geometry and forces as Python, against closed forms and differences."""

import numpy as np
import pytest
from plain_state import PlainState, derivative, two_bodies

import flexmbs as fm
from flexmbs.core.contact.gap import add_contacts, contact_force, contact_geometry

NONE = np.zeros(0)  # what the law remembers
NORMAL = np.array([0.36, 0.48, -0.8])


def state_with(kind: str, seed: int = 0) -> PlainState:
    system, (a, b) = two_bodies()
    second = fm.Plane(b, tuple(NORMAL)) if kind == "plane" else fm.Sphere(b, 0.2)
    system.contact(fm.Sphere(a, 0.1), second, law=fm.PowerLaw(2e5, 1.5), name="hit")
    return PlainState(system, seed)


@pytest.mark.parametrize("kind", ["plane", "sphere"])
def test_gap_is_that_of_the_centres(kind):
    state = state_with(kind)
    q, v, a = state.move()
    gap, _rate, *normal = contact_geometry(state.tables, 0, q, v, a, state.work)
    one, two = state.work.marker[0], state.work.marker[1]
    between = one.p_WM - two.p_WM
    if kind == "plane":
        assert normal == pytest.approx(two.R_WM @ NORMAL)
        assert gap == pytest.approx(between @ two.R_WM @ NORMAL - 0.1)
    else:
        assert normal == pytest.approx(between / np.linalg.norm(between))
        assert gap == pytest.approx(np.linalg.norm(between) - 0.3)


@pytest.mark.parametrize("kind", ["plane", "sphere"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rate_of_the_gap_is_its_derivative(kind, seed):
    state = state_with(kind, seed)

    def gap(s):
        return contact_geometry(state.tables, 0, *state.move(s), state.work)[0]

    slope = derivative(gap)
    assert contact_geometry(state.tables, 0, *state.move(), state.work)[1] == pytest.approx(slope, abs=1e-9)


@pytest.mark.parametrize("gap", [-0.02, 0.0, 0.01])
def test_an_active_contact_continues_antisymmetrically(gap):
    tables = state_with("plane").tables
    contact = tables.contacts[0]
    assert contact_force(tables, contact, NONE, gap, 0.3) == -contact_force(tables, contact, NONE, -gap, -0.3)
    assert contact_force(tables, contact, NONE, -0.02, 0.3) == pytest.approx(2e5 * 0.02**1.5)


@pytest.mark.parametrize("kind", ["plane", "sphere"])
def test_contact_forces_balance_and_work_on_the_gap(kind):
    """Forces and moments about the origin of the world add up to nothing; their power is force times gap rate."""
    state = state_with(kind)
    q, v, a = state.move()
    gap, rate, *_normal = contact_geometry(state.tables, 0, q, v, a, state.work)
    add_contacts(state.tables, np.ones(1, dtype=np.int64), NONE, q, v, a, state.work, state.residual)
    force, moment = np.zeros(3), np.zeros(3)
    for frame, wrench in zip(state.work.frame, state.work.wrench, strict=True):
        force += wrench.force
        moment += wrench.moment + np.cross(frame.p_WB, wrench.force)
    pushed = contact_force(state.tables, state.tables.contacts[0], NONE, gap, rate)
    size = abs(pushed)
    assert size > 1.0
    assert np.abs(force).max() < 1e-12 * size and np.abs(moment).max() < 1e-12 * size
    assert state.power(v) == pytest.approx(pushed * rate, rel=1e-10)


def test_a_contact_that_is_not_active_does_nothing():
    state = state_with("plane")
    add_contacts(state.tables, np.zeros(1, dtype=np.int64), NONE, *state.move(), state.work, state.residual)
    assert not any(wrench.force.any() or wrench.moment.any() for wrench in state.work.wrench)
