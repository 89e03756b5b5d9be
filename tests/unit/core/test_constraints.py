"""Constraints as Python: rows are derivatives of each other, and multipliers work on nothing but their rows."""

import numpy as np
import pytest
from plain_state import PlainState, derivative, two_bodies

from flexmbs.core.constraints.cable import add_cable
from flexmbs.core.constraints.closure import add_closure
from flexmbs.core.constraints.component import add_component
from flexmbs.core.constraints.coupling import add_coupling
from flexmbs.core.constraints.distance import add_distance
from flexmbs.core.constraints.rolling import add_rolling
from flexmbs.core.layout.tables import OPENINGS, POSITION_LEVEL, VELOCITY_LEVEL

SEEDS = (0, 1, 2)


def rod(system, a, b):
    system.rod(a, b, 0.9)


def cable(system, a, b):
    system.cable([a, system.ground.marker("eye", position=(0.2, 0.1, -1.5)), b], 3.0, parts=[2.0, 1.0])


def component(system, a, b):
    system.prescribe_point(a, b, "y", 0.3)


def weld(system, a, b):
    system.fixed(a, b, name="joint")


def hinge(system, a, b):
    system.revolute(a, b, axis="x", name="joint")


def ball(system, a, b):
    system.spherical(a, b, name="joint")


def slide_and_turn(system, a, b):
    system.cylindrical(a, b, axis="y", name="joint")


def disc(system, a, b):
    system.rolling_disc(a, b, radius=0.4, normal="z", axle="y")


def sphere(system, a, b):
    system.rolling_ball(a, b, radius=0.4, normal="z")


KINDS = {
    "rod": (rod, add_distance),
    "cable": (cable, add_cable),
    "component": (component, add_component),
    "weld": (weld, add_closure),
    "hinge": (hinge, add_closure),
    "ball": (ball, add_closure),
    "slide and turn": (slide_and_turn, add_closure),
    "disc": (disc, add_rolling),
    "sphere": (sphere, add_rolling),
}


class Rows:
    """Value, rate and second derivative of the rows of the only constraint."""

    def __init__(self, kind: str, seed: int):
        add, self.kernel = KINDS[kind]
        system, markers = two_bodies()
        add(system, *markers)
        self.state = PlainState(system, seed)
        constraint = self.state.tables.constraints[0]
        self.rows = np.arange(constraint.row, constraint.row + constraint.rows)

    def at(self, s: float, multipliers=0.0):
        state = self.state
        q, v, a = state.move(s)
        a = a.copy()
        a[self.rows] = multipliers
        state.work.signal[:] = 0.0
        self.kernel(state.tables, 0, q, v, a, state.work, state.residual)
        value, rate = state.work.constraint[self.rows, POSITION_LEVEL], state.work.constraint[self.rows, VELOCITY_LEVEL]
        return value.copy(), rate.copy(), state.residual[self.rows].copy()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_derivatives(kind, seed):
    found = Rows(kind, seed)
    _value, rate, second = found.at(0.0)
    slope, change = derivative(lambda s: found.at(s)[0]), derivative(lambda s: found.at(s)[1])
    holonomic = slice(0, 1) if kind in ("disc", "sphere") else slice(None)  # no slip has no position
    assert np.abs(rate).max() > 0.1
    assert rate[holonomic] == pytest.approx(slope[holonomic], abs=1e-8)
    assert second == pytest.approx(change, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_multipliers_work_on_their_rows(kind, seed):
    """The power of all forces and moments of the multipliers is lam . g': they are G^T lam, on both markers."""
    found = Rows(kind, seed)
    lam = np.random.default_rng(seed).normal(size=len(found.rows))
    _value, rate, second = found.at(0.0, lam)
    state = found.state
    state.residual[found.rows] = 0.0  # the rows themselves are no forces
    assert state.power(state.v) == pytest.approx(lam @ rate, rel=1e-10, abs=1e-12)
    assert second == pytest.approx(found.at(0.0)[2], abs=1e-12)  # which do not depend on the multipliers


@pytest.mark.parametrize("seed", SEEDS)
def test_openings_of_a_weld_are_relative_angular_velocities(seed):
    found = Rows("weld", seed)
    found.state.work.extent[0] = OPENINGS
    _value, rate, _second = found.at(0.0)
    end, second = found.state.work.marker[2], found.state.work.marker[1]
    assert rate[3:] == pytest.approx(end.R_WM.T @ (second.w_WM - end.w_WM))


def test_a_coupling_is_a_sum_of_coordinates():
    system, markers = two_bodies()
    joint = system.cylindrical(*markers, axis="y", name="joint")
    system.couple((joint, "angle", 2.0), (joint, "displacement", -0.5), value=0.0)
    state = PlainState(system)
    number = state.model.constraint_names.index(next(iter(system.constraints)))
    row = state.tables.constraints[number].row
    at = [state.model.coordinate_index[f"joint.{name}"] for name in ("angle", "displacement")]
    factors, a = np.array([2.0, -0.5]), state.a.copy()
    a[row] = 1.7
    state.work.signal[:] = 0.0
    add_coupling(state.tables, number, state.q, state.v, a, state.work, state.residual)
    assert state.work.constraint[row, POSITION_LEVEL] == pytest.approx(factors @ state.q[at])
    assert state.work.constraint[row, VELOCITY_LEVEL] == pytest.approx(factors @ state.v[at])
    assert state.residual[row] == pytest.approx(factors @ state.a[at])
    assert state.residual[at] == pytest.approx(-1.7 * factors)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_signal_is_subtracted_from_its_level_on(level):
    system, (a, b) = two_bodies()
    given = ({"position": 0.3}, {"rate": 0.3}, {"acceleration": 0.3})[level]
    system.prescribe_point(a, b, "x", **given)
    state = PlainState(system)
    found = []
    for values in ([0.0, 0.0, 0.0], [0.7, -1.1, 2.3]):
        q, v, acceleration = state.move()
        state.work.signal[0] = values
        add_component(state.tables, 0, q, v, acceleration, state.work, state.residual)
        row = state.tables.constraints[0].row
        found.append([*state.work.constraint[row, :2], state.residual[row]])
    expected = ([0.7, -1.1, 2.3], [0.0, 0.7, -1.1], [0.0, 0.0, 0.7])[level]
    assert np.array(found[0]) - found[1] == pytest.approx(expected)
    assert found[0][:level] == [0.0] * level  # below its level nothing is prescribed
