"""Step size control: the factor between steps, the size kept for its factorisation, the first step."""

from types import SimpleNamespace

import numpy as np
import pytest

from flexmbs.core.methods.newton_iteration import MAX_ITERATIONS
from flexmbs.core.stepping.step_size_control import (
    KEEP_UP_TO,
    MIN_FACTOR,
    SAFETY,
    first_step_size,
    next_step_size,
    step_size_factor,
)

SETTINGS = SimpleNamespace(max_growth=8.0, reuse_rate=0.1, max_step=np.inf)


def fresh(**changed):
    """Step control without a memory."""
    return SimpleNamespace(**{"last_step_size": 0.0, "last_error": 1.0, "has_prediction": 0, **changed})


def factor(state, error, order=4.0, iterations=1, h=1e-3):
    return step_size_factor(state, SETTINGS, iterations, error, order, h)


@pytest.mark.parametrize("order", [3.0, 4.0, 5.0, 8.0])
def test_factor_brings_the_error_to_the_tolerance(order):
    """The error falls as h^order: with the factor it is SAFETY^order of the tolerance, whatever it was."""
    for error in (1e-2, 0.5, 3.0, 50.0):
        found = step_size_factor(fresh(), SETTINGS, 1, error, order, 1e-3)
        if MIN_FACTOR < found < SETTINGS.max_growth:
            safety = SAFETY * (2.0 * MAX_ITERATIONS + 1.0) / (2.0 * MAX_ITERATIONS + 1.0)
            assert error * found**order == pytest.approx(safety**order, rel=1e-12)


def test_factor_is_bounded_on_both_sides():
    assert factor(fresh(), 1e-12) == SETTINGS.max_growth
    assert factor(fresh(), 1e12) == MIN_FACTOR
    assert factor(fresh(), np.inf) == MIN_FACTOR and factor(fresh(), np.nan) == MIN_FACTOR


def test_slow_newton_makes_the_next_step_shorter():
    found = [factor(fresh(), 0.3, iterations=iterations) for iterations in range(1, MAX_ITERATIONS)]
    assert np.all(np.diff(found) < 0.0)


def test_predictive_controller_follows_a_growing_error():
    """Where the error has grown from step to step, it will grow again (Gustafsson)."""
    growing = fresh(last_step_size=1e-3, last_error=0.2, has_prediction=1)
    falling = fresh(last_step_size=1e-3, last_error=0.8, has_prediction=1)
    plain = factor(fresh(), 0.5)
    assert factor(growing, 0.5) == pytest.approx(plain * (0.2 / 0.5) ** 0.25, rel=1e-12)
    assert factor(falling, 0.5) == plain  # the memory never makes a step longer
    assert factor(growing, 2.0) == factor(fresh(), 2.0)  # a rejected step has none


def test_small_growth_keeps_the_step_and_its_factors():
    def chosen(proposed, rate=0.0, is_shortened=False):
        state = SimpleNamespace(last_convergence_rate=rate)
        return next_step_size(state, SETTINGS, proposed, 1e-3, is_shortened)

    assert chosen(KEEP_UP_TO * 1e-3 * 0.99) == 1e-3
    assert chosen(KEEP_UP_TO * 1e-3 * 1.01) == KEEP_UP_TO * 1e-3 * 1.01
    assert chosen(0.99e-3) == 0.99e-3
    assert chosen(1.1e-3, rate=0.5) == 1.1e-3  # the factors are not worth keeping
    assert chosen(1.1e-3, is_shortened=True) == 1.1e-3


def first(q, v, a, tolerance, max_step=1.0):
    tables = SimpleNamespace(free=np.array([0]))
    state = SimpleNamespace(q=np.array([q]), v=np.array([v]), a=np.array([a]))
    settings = SimpleNamespace(
        rtol=tolerance, atol_q=np.array([tolerance]), atol_v=np.array([tolerance]), floor_q=np.zeros(1), max_step=max_step
    )
    scratch = SimpleNamespace(scale_q=np.zeros(1), scale_v=np.zeros(1))
    return first_step_size(tables, state, settings, scratch)


def test_first_step_is_a_hundredth_of_the_time_in_which_the_state_changes():
    """|y| / |y'| in parts of the tolerance: with q, v, a = 1, w, w^2 about 1 / w."""
    for w in (0.1, 1.0, 10.0):
        size_q, size_v = 1.0 / 0.02, w / (0.01 + 0.01 * w)
        slope_q, slope_v = w / 0.02, w * w / (0.01 + 0.01 * w)
        expected = 0.01 * np.hypot(size_q, size_v) / np.hypot(slope_q, slope_v)
        assert first(1.0, w, w * w, 0.01) == pytest.approx(expected, rel=1e-12)


def test_first_step_is_bounded():
    assert first(0.0, 0.0, 0.0, 1e-6) == 1e-6  # nothing is known
    assert first(1.0, 0.1, 1.0, 1e-6) == 1e-3  # its leading term may not exceed the tolerance by far
    assert first(1.0, 0.1, 1.0, 1e-6, max_step=1e-9) == 1e-9
