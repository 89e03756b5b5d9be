"""What limits steps by drivers: which functions count, their sizes, and the times of their knots."""

import math

import numpy as np
import pytest
from planar_four_bar import four_bar
from sliders import slider

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.analysis.run.driver_limits import LOOSE, driver_limits
from flexmbs.core.layout.tables import ACCEL, RATE
from flexmbs.core.stepping.driver_steps import knot_after

RTOL, T_END = 1e-5, 2.0
TIMES = np.array([0.1, 0.25, 0.7])
TABLES = {
    "stop": (fm.Table(TIMES, [0.0, 1.0, 0.0]), TIMES),
    "hold": (fm.Table(TIMES, [0.0, 1.0, 0.0], beyond="hold"), TIMES),
    "repeat": (fm.Table(TIMES, [0.0, 1.0, 0.0], beyond="repeat"), np.sort(np.add.outer(0.6 * np.arange(-1, 4), TIMES).ravel())),
    "step": (fm.Step(0.3, 0.4), np.array([0.3, 0.4])),
    "ramp": (fm.Ramp(0.3, 0.4, 1.0), np.array([0.3, 0.4])),
    "polynomial": (fm.Polynomial([0.0, 1.0, 2.0]), np.zeros(0)),
}


@pytest.mark.parametrize("name", TABLES)
def test_next_knot(name):
    """Also from a knot as the steps reach it, of which the next one is wanted."""
    pieces, knots = TABLES[name]
    for t in np.concatenate([np.linspace(0.0, T_END, 401), knots[(knots >= 0.0) & (knots <= T_END)]]):
        later = knots[knots > t + 1e-11]
        assert knot_after(pieces.values, 0, t) == pytest.approx(later.min() if len(later) else math.inf, abs=1e-13)


def limits(driver, **levels) -> dict[str, np.ndarray]:
    system, _body, slide = slider()
    slide.prescribe(**levels) if levels else slide.prescribe(driver)
    return driver_limits(ready(system), T_END, RTOL)


def test_sizes_by_level():
    wave = fm.Harmonic(0.2, 3.0)
    w = 6.0 * math.pi
    for level, (kind, size) in enumerate((("position", 0.2 * w**2), ("rate", 0.2 * w), ("acceleration", 0.2))):
        found = limits(None, **{kind: wave})
        assert found["drivers"] == pytest.approx(np.array([[0, ACCEL - level, RTOL * size]]), rel=1e-3)
        assert len(found["knots"]) == 0


def test_motion_without_acceleration_limits_nothing():
    for driver in (0.3, lambda t: 0.1 + 5.0 * t, fm.Polynomial([1.0, 2.0])):
        assert len(limits(driver)["drivers"]) == 0


def test_parts_of_sums_and_products_have_knots():
    assert len(limits(fm.Step(0.1, 0.2) * fm.Ramp(0.3, 0.4, 1.0) + 2.0 * fm.Harmonic(0.1, 1.0))["knots"]) == 2


def test_forces_limit_nothing():
    system, body, _slide = slider()
    system.force(body["origin"], (fm.Step(0.1, 0.2), 0.0, 0.0))
    found = driver_limits(ready(system), T_END, RTOL)
    assert len(found["drivers"]) == len(found["knots"]) == 0


class Counted:
    """A force that notes how often it is asked for."""

    calls = 0

    def __call__(self, t: float) -> float:
        self.calls += 1
        return 1.0 + t


def test_only_drivers_are_evaluated():
    system, body, slide = slider()
    slide.prescribe(lambda t: math.sin(t))
    force = Counted()
    system.force(body["origin"], (force, 0.0, 0.0))
    model, calls = ready(system), force.calls
    assert len(driver_limits(model, T_END, RTOL)["drivers"]) == 1
    assert force.calls == calls


def test_loose_where_something_moves_by_itself():
    """A slider is driven, and a second one on it free or not; a loop is not free."""
    largest = 10.0 / math.sqrt(3.0) / 0.1**2
    for free in (True, False):
        system, body, slide = slider()
        slide.prescribe(rate=fm.Step(0.1, 0.2))
        load = system.add(fm.RigidBody(1.0, np.eye(3)), "load")
        join = system.prismatic if free else system.fixed
        join(body["origin"], load["origin"])
        _signal, column, tolerance = driver_limits(ready(system), T_END, RTOL)["drivers"][0]
        assert column == RATE
        assert tolerance == pytest.approx((LOOSE if free else RTOL) * 1.875 / 0.1, rel=0.03)
    system = four_bar()
    system.joints["A"].prescribe(fm.Step(0.1, 0.2, 0.9, 1.9))
    assert driver_limits(ready(system), T_END, RTOL)["drivers"][0, 2] == pytest.approx(RTOL * largest, rel=0.03)


def test_function_that_fails_is_told_of_where_the_run_comes_there():
    def fails(t):
        if t > 1.0:
            raise ValueError("no more")
        return math.sin(t)

    system, _body, slide = slider()
    slide.prescribe(fails)
    model = ready(system)
    assert len(driver_limits(model, T_END, RTOL)["drivers"]) == 1
    assert model.signals.error is None
