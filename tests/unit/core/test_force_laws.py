"""Force laws as Python, against closed forms; energies are potentials."""

import numpy as np
import pytest
from plain_state import PlainState, derivative, two_bodies

from flexmbs.core.laws.force import friction, motor, spring, stop, table
from flexmbs.core.laws.force.bushing import add_bushings, bushing_energy
from flexmbs.core.laws.force.elements import add_elements, element_energy
from flexmbs.core.laws.force.loads import add_loads
from flexmbs.core.layout.tables import history_size
from flexmbs.mechanism.characteristics import Characteristic

SPRING = np.array(spring.SpringLaw(300.0, 4.0, 0.1, 5.0).parameters())
FRICTION = np.array(friction.FrictionLaw(0.3, 0.2, 0.01, 0.05, 0.4, None).parameters())
STOP = np.array(stop.StopLaw(-0.2, 0.3, 5e4, 1.5, 80.0, 0.01).parameters())
CURVE = Characteristic(np.array([-1.0, 0.0, 0.5, 2.0]), np.array([-3.0, 0.0, 1.0, 5.0]))


def test_spring_and_damper():
    assert spring.spring_force(SPRING, 0.25, -0.5, 0.0) == pytest.approx(-(300.0 * 0.15 + 5.0 - 2.0))
    assert spring.deformation_energy(SPRING, 0.25) == pytest.approx(150.0 * 0.15**2 + 5.0 * 0.15)


def test_tables_take_the_place_of_numbers():
    curve, numbers = CURVE.packed(), np.array(spring.SpringLaw(CURVE, CURVE, 0.1, 5.0).parameters())
    expected = -(5.0 + table.table_value(curve, 0, 0.15) + table.table_value(curve, 0, -0.5))
    assert spring.spring_force(numbers, 0.25, -0.5, 0.0) == pytest.approx(expected)
    slope = derivative(lambda s: spring.deformation_energy(numbers, 0.25 + s))
    force = spring.spring_force(numbers, 0.25, 0.0, 0.0)
    assert slope == pytest.approx(-force + table.table_value(curve, 0, 0.0))


@pytest.mark.parametrize("x, y", [(-1.0, -3.0), (0.0, 0.0), (0.5, 1.0), (2.0, 5.0)])
def test_a_table_goes_through_its_points(x, y):
    assert table.table_value(CURVE.packed(), 0, x) == pytest.approx(y)


@pytest.mark.parametrize("x", [-2.0, -0.3, 0.2, 1.0, 3.0])
def test_the_integral_of_a_table_is_one(x):
    pool = CURVE.packed()
    slope = derivative(lambda s: table.table_integral(pool, 0, x + s))
    assert slope == pytest.approx(table.table_value(pool, 0, x), abs=1e-9)


@pytest.mark.parametrize("rate, coefficient", [(0.0, 0.0), (0.01, 0.3), (0.05, 0.2), (3.0, 0.2), (0.03, 0.25)])
def test_friction_rises_to_the_static_and_falls_to_the_dynamic_coefficient(rate, coefficient):
    assert friction.friction_coefficient(FRICTION, rate) == pytest.approx(coefficient)
    assert friction.friction_coefficient(FRICTION, -rate) == pytest.approx(-coefficient)
    assert friction.friction_force(FRICTION, 0.0, rate, 50.0) == pytest.approx(-coefficient * 50.0 * 0.4)
    assert friction.friction_force(FRICTION, 0.0, rate, -50.0) == 0.0


@pytest.mark.parametrize("rate", [0.01, 0.05])
def test_friction_has_no_kink_where_its_pieces_meet(rate):
    h = 1e-6
    below, here, above = (friction.friction_coefficient(FRICTION, rate + k * h) for k in (-1, 0, 1))
    assert (above - here) / h == pytest.approx((here - below) / h, abs=1e-4)


def test_stops_push_inwards_only():
    for x, rate in ((0.3, 9.0), (-0.2, -9.0), (0.1, 9.0)):
        assert stop.stop_force(STOP, x, rate, 0.0) == 0.0
    assert stop.stop_force(STOP, 0.32, 0.5, 0.0) == pytest.approx(-(5e4 * 0.02**1.5 + 80.0 * 0.5))
    assert stop.stop_force(STOP, -0.22, -0.5, 0.0) == pytest.approx(5e4 * 0.02**1.5 + 80.0 * 0.5)
    assert stop.stop_force(STOP, 0.31, -1e3, 0.0) == 0.0  # it never pulls
    slope = derivative(lambda s: stop.stop_energy(STOP, 0.32 + s))
    assert slope == pytest.approx(-stop.stop_force(STOP, 0.32, 0.0, 0.0))


@pytest.mark.parametrize("command", [1.0, -0.4])
def test_a_motor_has_its_curve_in_both_directions(command):
    numbers = np.array(motor.MotorLaw(CURVE, command).parameters())
    expected = command * table.table_value(CURVE.packed(), 0, 0.3 if command > 0.0 else -0.3)
    assert motor.motor_force(numbers, 0.0, 0.3, command) == pytest.approx(expected)


def line(system, a, b):
    system.spring_damper(a, b, 40.0, 0.0, 0.3)


def angle(system, a, b):
    system.torsion_spring(a, b, 6.0, 0.0, axis="y")


def bushing(system, a, b):
    root = np.random.default_rng(2).normal(size=(6, 6))
    system.bushing(a, b, root @ root.T, rest=[0.1, -0.2, 0.3, 0.1, 0.2, -0.1])


def bushing_with_a_free_axis(system, a, b):
    root, axis = np.random.default_rng(2).normal(size=(6, 6)), np.array([0.6, 0.0, 0.8])
    root[3:] -= np.outer(axis, axis @ root[3:])
    system.bushing(a, b, root @ root.T, rest=[0.1, -0.2, 0.3, 0.1, 0.2, -0.1], preload=[0.2, 0, 0, 0.5, -1.0, 2.0])


@pytest.mark.parametrize(
    "add, forces, energy",
    [
        (line, add_elements, element_energy),
        (angle, add_elements, element_energy),
        (bushing, add_bushings, bushing_energy),
        (bushing_with_a_free_axis, add_bushings, bushing_energy),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_power_of_elastic_forces_is_the_loss_of_their_energy(add, forces, energy, seed):
    system, (a, b) = two_bodies()
    add(system, a, b)
    state = PlainState(system, seed)
    history = np.zeros(history_size(state.tables))
    slope = derivative(lambda s: energy(state.tables, *state.move(s), history, state.work))
    q, v, acceleration = state.move()
    forces(state.tables, q, v, acceleration, history, state.work, state.residual)
    assert abs(slope) > 1e-3
    assert state.power(v) == pytest.approx(-slope, rel=1e-8)


@pytest.mark.parametrize("follower", [False, True])
def test_a_load_acts_at_its_marker(follower):
    system, (a, _b) = two_bodies()
    system.force(a, (1.0, -2.0, 3.0), follower=follower)
    state = PlainState(system)
    q, v, acceleration = state.move()
    state.work.signal[:, 0] = [1.0, -2.0, 3.0]
    add_loads(state.tables, q, v, acceleration, state.work, state.residual)
    marker, body = state.work.marker[0], state.model.body_names.index(a.body)
    force = marker.R_WM @ [1.0, -2.0, 3.0] if follower else np.array([1.0, -2.0, 3.0])
    frame, wrench = state.work.frame[body], state.work.wrench[body]
    assert wrench.force == pytest.approx(-force)
    assert wrench.moment == pytest.approx(-np.cross(marker.p_WM - frame.p_WB, force))
