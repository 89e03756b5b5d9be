"""Events and impulses of contacts on known motions: a slider above a plane, whose gap is its coordinate.

Positions at both ends of a step, and points inside, are those of a polynomial of degree 5, which the interpolant
follows exactly: what is found is exact up to the bisection and the quadrature, 1e-12.
"""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.core.layout import state as s
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.method_table import METHODS
from flexmbs.core.stepping.contact_episodes import record_contacts
from flexmbs.core.stepping.contact_events import first_event

STIFFNESS = 1e4


@pytest.fixture(scope="module")
def parts():
    """Tables, state, scratch, workspace of a slider along z above the plane z = 0, with a linear spring as its law."""
    system = fm.System()
    block = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="block")
    ground = system.ground["origin"]
    system.prismatic(ground, block["origin"], name="guide", axis="z", displacement=1.0)
    system.contact(fm.Point(block["origin"]), fm.Plane(ground, normal=(0.0, 0.0, 1.0)), law=fm.PowerLaw(STIFFNESS), name="stop")
    model = ready(system)
    method = METHODS["explicit"]
    return (model.tables, s.make_state(model.tables, 0, 0), s.make_scratch(model.tables, method), make_workspace(model.tables))


def put(parts, function, h, active=0, rows=0):
    """The step from 0 to ``h`` of a polynomial motion."""
    _tables, state, scratch, _work = parts
    motions = function, function.deriv(), function.deriv(2)
    state.q[0], state.v[0], state.a[0] = (motion(0.0) for motion in motions)
    scratch.end_q[0], scratch.end_v[0], scratch.end_a[0] = (motion(h) for motion in motions)
    for row in range(rows):
        inside = scratch.intermediate_q[row], scratch.intermediate_v[row], scratch.intermediate_a[row]
        for array, motion in zip(inside, motions, strict=True):
            array[0] = motion(h * (row + 1.0) / (rows + 1.0))
    state.active[0], state.time = active, 0.0
    state.episode[0].impulse = state.episode[0].peak_force = 0.0


def event(parts, function, h, active=0):
    tables, state, scratch, work = parts
    put(parts, function, h, active)
    return first_event(tables, state, scratch, work, h, 0)[:2]


def test_onset_is_where_the_gap_vanishes(parts):
    function = np.polynomial.Polynomial([0.3, -1.0, 0.0, -0.2])
    root = float(function.roots()[np.isreal(function.roots())].real.min())
    assert event(parts, function, 0.5) == (pytest.approx(root / 0.5, abs=1e-12), 0)


def test_end_is_where_the_penetration_vanishes(parts):
    assert event(parts, np.polynomial.Polynomial([-0.3, 1.0]), 0.5, active=1) == (pytest.approx(0.6, abs=1e-12), 0)


@pytest.mark.parametrize("function", [[1.0, -1.0], [0.3, 1.0], [0.1, -1.0, 2.6]])
def test_there_is_no_event_while_the_gap_is_open(parts, function):
    assert event(parts, np.polynomial.Polynomial(function), 0.5) == (2.0, -1)


def test_a_dip_between_samples_is_found(parts):
    """Below zero for a fiftieth of the step only, between two of the points that are looked at."""
    function = np.polynomial.Polynomial([0.06**2 - 0.005**2, -2 * 0.06, 1.0])  # (t - 0.06)^2 - 0.005^2
    x, contact = event(parts, function, 0.5)
    assert contact == 0 and x == pytest.approx(0.055 / 0.5, abs=1e-12)


def test_an_event_at_the_start_is_not_found_again(parts):
    """A contact that has just ended (gap zero, opening) does not start at once; it does where the gap closes."""
    assert event(parts, np.polynomial.Polynomial([0.0, 1.0]), 0.5) == (2.0, -1)
    x, contact = event(parts, np.polynomial.Polynomial([0.0, 1.0, -4.0]), 0.5)
    assert contact == 0 and x == pytest.approx(0.25 / 0.5, abs=1e-12)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_impulse_is_the_integral_of_the_force(parts, rows):
    """F = -k q with q of degree 5 is integrated exactly."""
    tables, state, scratch, work = parts
    function, h = np.polynomial.Polynomial([-0.1, -1.0, 3.0, -2.0, 1.0, -0.5]), 0.5
    put(parts, function, h, active=1, rows=rows)
    record_contacts(tables, state, scratch, work, h, rows)
    expected = -STIFFNESS * (function.integ()(h) - function.integ()(0.0))
    assert state.episode[0].impulse == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rows", [0, 3])
def test_largest_force_is_that_of_the_deepest_point(parts, rows):
    tables, state, scratch, work = parts
    function, h = np.polynomial.Polynomial([-0.1, -1.0, 3.0]), 0.5  # deepest at 1/6
    put(parts, function, h, active=1, rows=rows)
    record_contacts(tables, state, scratch, work, h, rows)
    assert state.episode[0].peak_force == pytest.approx(-STIFFNESS * function(1.0 / 6.0), rel=1e-12)
    assert state.episode[0].peak_time == pytest.approx(1.0 / 6.0, abs=1e-7)


def test_open_contacts_have_no_impulse(parts):
    tables, state, scratch, work = parts
    put(parts, np.polynomial.Polynomial([-0.1]), 0.5, active=0)
    record_contacts(tables, state, scratch, work, 0.5, 0)
    assert state.episode[0].impulse == 0.0
