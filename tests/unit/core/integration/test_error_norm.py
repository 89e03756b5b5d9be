"""Weighted rms norm of errors: what counts, and what the tolerance means."""

from types import SimpleNamespace

import numpy as np
import pytest

from flexmbs.core.layout.tables import ACCELERATION_LEVEL, COORDINATE, POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.methods.error_norm import (
    MIN_ERROR,
    error_norm,
    position_weight,
    set_squared_errors,
    set_weights,
    squared_error,
    velocity_weight,
)
from flexmbs.core.methods.one_stage import add_quadrature_errors

RTOL, ATOL_Q, ATOL_V = 1e-3, 1e-5, 1e-4


def blocks(n, free=None, **columns):
    """Tables of ``n`` coordinates, a state at rest, settings and scratch."""
    coordinates = np.zeros(n, dtype=COORDINATE).view(np.recarray)
    coordinates.signal = -1
    for name, values in columns.items():
        coordinates[name] = values
    free = np.arange(n) if free is None else np.array(free)
    m = len(free)
    algebraic = int(np.count_nonzero((coordinates.multiplier[free] != 0) | (coordinates.unit[free] != 0.0)))
    tables = SimpleNamespace(coordinates=coordinates, free=free, groups=())
    state = SimpleNamespace(q=np.zeros(n), v=np.zeros(n), a=np.zeros(n), worst_coordinate=-1)
    settings = SimpleNamespace(rtol=RTOL, atol_q=np.full(n, ATOL_Q), atol_v=np.full(n, ATOL_V), floor_q=np.zeros(n), by_motion=0)
    scratch = SimpleNamespace(
        error_q=np.zeros(m),
        error_v=np.zeros(m),
        weight_q=np.zeros(m),
        weight_v=np.zeros(m),
        algebraic=algebraic,
        squared_error=np.full(n, np.nan),
        end_q=np.zeros(n),
        end_v=np.zeros(n),
        end_a=np.zeros(n),
        missed_q=np.full(n, np.nan),
        missed_v=np.full(n, np.nan),
        scale_q=np.zeros(n),
        scale_v=np.zeros(n),
    )
    return tables, state, settings, scratch


def norm(tables, state, settings, scratch):
    set_squared_errors(tables, state, settings, scratch)
    return error_norm(tables, state, settings, scratch, None)


def test_weights_are_reciprocal_tolerances():
    _tables, _state, settings, scratch = blocks(1)
    assert position_weight(settings, scratch, 0, 0.0) == pytest.approx(1.0 / ATOL_Q, rel=1e-15)
    assert position_weight(settings, scratch, 0, 2.0) == pytest.approx(1.0 / (ATOL_Q + 2.0 * RTOL), rel=1e-15)
    assert velocity_weight(settings, scratch, 0, 3.0) == pytest.approx(1.0 / (ATOL_V + 3.0 * RTOL), rel=1e-15)
    settings.floor_q[0] = 1.0  # a rotation vector, whose size is not that of the rotation
    assert position_weight(settings, scratch, 0, 0.0) == pytest.approx(1.0 / (ATOL_Q + RTOL), rel=1e-15)
    tables, state, settings, scratch = blocks(2)
    state.q[:], state.v[:] = (1.0, -2.0), (3.0, 0.0)
    set_weights(tables, state, settings, scratch)
    assert scratch.weight_q == pytest.approx([1.0 / (ATOL_Q + RTOL), 1.0 / (ATOL_Q + 2.0 * RTOL)], rel=1e-15)
    assert scratch.weight_v == pytest.approx([1.0 / (ATOL_V + 3.0 * RTOL), 1.0 / ATOL_V], rel=1e-15)


def test_errors_as_large_as_the_tolerance_have_norm_one():
    tables, state, settings, scratch = blocks(3)
    state.q[:], scratch.end_q[:] = (0.0, 1.0, -2.0), (0.5, 0.0, 1.0)
    scratch.end_v[:] = (1.0, 0.0, -4.0)
    scratch.error_q[:] = ATOL_Q + RTOL * np.array([0.5, 1.0, 2.0])  # of the larger of both ends
    scratch.error_v[:] = ATOL_V + RTOL * np.array([1.0, 0.0, 4.0])
    assert norm(tables, state, settings, scratch) == pytest.approx(1.0, rel=1e-14)
    scratch.error_q *= 0.1
    scratch.error_v *= 0.1
    assert norm(tables, state, settings, scratch) == pytest.approx(0.1, rel=1e-14)


def test_norm_is_the_mean_over_positions_and_velocities():
    tables, state, settings, scratch = blocks(2)
    scratch.error_v[1] = 6.0 * ATOL_V
    assert norm(tables, state, settings, scratch) == pytest.approx(6.0 / np.sqrt(4.0), rel=1e-14)
    assert state.worst_coordinate == 1


def test_multipliers_and_condensed_modes_do_not_count():
    tables, state, settings, scratch = blocks(4, multiplier=[0, 0, 0, 1], unit=[0.0, 0.0, 1.0, 0.0])
    scratch.error_q[:] = scratch.error_v[:] = (0.0, 2.0 * ATOL_Q, 1.0, 1.0)
    expected = np.sqrt((2.0**2 + (2.0 * ATOL_Q / ATOL_V) ** 2) / 4.0)
    assert norm(tables, state, settings, scratch) == pytest.approx(expected, rel=1e-14)
    assert state.worst_coordinate == 1


def test_no_error_is_the_smallest_one_not_zero():
    assert norm(*blocks(2)) == MIN_ERROR  # the controller divides by it


@pytest.mark.parametrize(
    ("level", "counts_q", "counts_v"),
    [(POSITION_LEVEL, False, False), (VELOCITY_LEVEL, True, False), (ACCELERATION_LEVEL, True, True)],
)
def test_of_driven_coordinates_counts_what_is_integrated(level, counts_q, counts_v):
    """One step of a free coordinate and a driven one; x = t^4 is beyond Hermite's quadrature of degree 3."""
    tables, state, settings, scratch = blocks(2, free=[0], signal=[-1, 0], level=[0, level])
    h = 0.1
    scratch.end_q[1], scratch.end_v[1], scratch.end_a[1] = h**5, 5.0 * h**4, 20.0 * h**3
    set_squared_errors(tables, state, settings, scratch)
    add_quadrature_errors(tables, state, settings, scratch, h)
    error_q = (h**5 - h * (0.5 * 5.0 * h**4 - h * 20.0 * h**3 / 12.0)) / (ATOL_Q + RTOL * h**5)
    error_v = (5.0 * h**4 - 0.5 * h * 20.0 * h**3) / (ATOL_V + RTOL * 5.0 * h**4)
    expected = counts_q * error_q**2 + counts_v * error_v**2
    assert scratch.squared_error[1] == pytest.approx(expected, rel=1e-12)
    count = 2.0 * (1 + (level != POSITION_LEVEL))
    assert error_norm(tables, state, settings, scratch, None) == pytest.approx(max(np.sqrt(expected / count), MIN_ERROR), rel=1e-12)


def test_velocity_of_a_driven_rate_is_no_error():
    tables, state, settings, scratch = blocks(1, signal=[0], level=[VELOCITY_LEVEL])
    assert squared_error(tables, state, settings, scratch, 0, 0.0, 1.0) == 0.0
