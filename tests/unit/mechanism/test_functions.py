"""Functions of time: exact derivatives, ends, sums and products, in Python and in the compiled loop."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.mechanics.signals import evaluate_signals
from flexmbs.model.compile_mechanism import compile_system

T = 0.0551 + 0.1433 * np.arange(20)
TABLE_T = np.linspace(0.0, 3.0, 13)
FUNCTIONS = {
    "step": fm.Step(0.5, 2.0, -1.0, 3.0),
    "ramp": fm.Ramp(0.4, 1.3, 2.5),
    "harmonic": fm.Harmonic(0.7, 1.3, phase=0.4, offset=2.0),
    "polynomial": fm.Polynomial([1.0, -2.0, 0.5, 0.3]),
    "table": fm.Table(TABLE_T, np.cos(TABLE_T)),
    "repeated table": fm.Table(np.linspace(0.0, 1.0, 9), np.sin(2.0 * np.pi * np.linspace(0.0, 1.0, 9)), "repeat"),
    "sum": fm.Step(0.5, 2.0) + 3.0 - 2.0 * fm.Harmonic(1.0, 0.5),
    "product": np.float64(2.0) * fm.Step(0.5, 2.0) * fm.Harmonic(1.0, 0.5) * (1.0 - fm.Ramp(0.0, 1.0, 0.1)),
    "with a Python function": fm.Harmonic(1.0, 0.5) * (lambda t: t**3) + (lambda t: -t),
}


def differences(function, t, h=1e-3):
    weights = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
    return sum(w * (function(t + i * h) - function(t - i * h)) for i, w in weights) / h


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_values(name):
    function = FUNCTIONS[name]
    for t in T:  # no break of a piece lies within 3 ms of these times
        assert function.rate(t) == pytest.approx(differences(function, t), abs=1e-8)
        assert function.acceleration(t) == pytest.approx(differences(function.rate, t), abs=1e-7)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_compiled_loop_sees_the_same_function(name):
    system = fm.System()
    body = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "b")
    hinge = system.revolute(system.ground["origin"], body["origin"])
    hinge.prescribe(FUNCTIONS[name])
    model = compile_system(system)
    row = int(model.tables.coordinates["signal"][0])
    out = np.zeros((len(model.tables.signals), 3))
    # a Python function is differentiated by differences at h = 1 ms, which enlarge the rounding of its values by 1/h and 1/h^2
    enlarged = np.finfo(float).eps * np.array([4.0, 4e3, 12e6]) if "Python" in name else 1e-13
    for t in T:
        evaluate_signals(model.tables, t, out)
        tolerance = enlarged * max(1.0, abs(out[row, 0])) + 1e-13 * np.abs(out[row])
        np.testing.assert_array_less(np.abs(out[row] - FUNCTIONS[name].jet(t)), tolerance)


def test_values():
    step, ramp = FUNCTIONS["step"], FUNCTIONS["ramp"]
    assert [step(t) for t in (0.0, 0.5, 1.25, 2.0, 9.0)] == pytest.approx([-1.0, -1.0, 1.0, 3.0, 3.0], abs=1e-14)
    assert step.rate(0.5) == step.rate(2.0) == 0.0
    assert ramp(0.4) == 0.0 and ramp.rate(5.0) == pytest.approx(2.5, rel=1e-14)
    assert ramp(5.0) == pytest.approx(2.5 * (5.0 - 0.85), rel=1e-14)  # half the run-up is lost
    assert FUNCTIONS["harmonic"](0.2) == pytest.approx(2.0 + 0.7 * np.sin(2.6 * np.pi * 0.2 + 0.4), rel=1e-14)
    table = FUNCTIONS["table"]
    assert [table(t) for t in TABLE_T] == pytest.approx(np.cos(TABLE_T), abs=1e-14)
    assert FUNCTIONS["repeated table"](7.125) == pytest.approx(np.sin(np.pi / 4), abs=1e-14)


def test_a_table_of_two_points_is_a_line():
    assert fm.Table([1.0, 3.0], [2.0, 6.0])(2.5) == pytest.approx(5.0, rel=1e-14)


def test_a_table_that_holds_keeps_its_ends():
    table = fm.Table([0.0, 1.0, 2.0], [1.0, 5.0, 2.0], "hold")
    assert table.jet(-1.0) == (1.0, 0.0, 0.0) and table.jet(4.0) == pytest.approx((2.0, 0.0, 0.0))


def test_a_run_stops_by_name_where_its_table_ends():
    system = fm.System()
    body = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "b")
    hinge = system.revolute(system.ground["origin"], body["origin"], name="hinge")
    hinge.prescribe(fm.Table([0.0, 0.5, 1.0], [0.0, 0.1, 0.0]))
    system.prismatic(system.ground["origin"], system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "c")["origin"], rate=1.0)
    assert system.simulate(1.0)["hinge.angle"][-1] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(fm.SimulationError, match="prescribed angle: the time is outside the table, which covers 0 s to 1 s"):
        system.simulate(1.1)
