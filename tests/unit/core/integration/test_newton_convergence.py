"""When simplified Newton has converged, and what follows where it has not (Hairer-Wanner IV.8)."""

from types import SimpleNamespace

import numpy as np
import pytest

from flexmbs.analysis.run.run_in_chunks import Run
from flexmbs.core.layout.state import ALL_STALE, CURRENT, REUSABLE, TANGENT_REFRESHES
from flexmbs.core.methods.newton_iteration import (
    CONVERGED,
    DIVERGING,
    GO_ON,
    MAX_ITERATIONS,
    after_failure,
    after_singular,
    convergence,
    filter_right_side,
    initial_rate,
)

SETTINGS = SimpleNamespace(newton_tolerance=1e-3, reuse_rate=0.1)


def iterate(sizes, rate=1.0):
    """Verdicts on corrections of these sizes, up to the first that is final; the state behind them."""
    state = SimpleNamespace(convergence_rate=rate, last_convergence_rate=-1.0)
    rate, slowest, previous, verdicts = initial_rate(state), 0.0, 0.0, []
    for iteration, size in enumerate(sizes):
        verdict, rate, slowest = convergence(state, SETTINGS, iteration, size, previous, rate, slowest)
        verdicts.append(verdict)
        if verdict != GO_ON:
            break
        previous = size
    return verdicts, state


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.3])
def test_linear_convergence_stops_when_the_rest_is_below_the_tolerance(rate):
    """Corrections s, s r, s r^2 ...: what is left after one is s r / (1 - r) of it."""
    sizes = rate ** np.arange(MAX_ITERATIONS)
    verdicts, state = iterate(sizes)
    assert verdicts[-1] == CONVERGED and set(verdicts[:-1]) <= {GO_ON}
    left = rate / (1.0 - rate) * sizes
    assert left[len(verdicts) - 1] < SETTINGS.newton_tolerance
    assert len(verdicts) == 2 or left[len(verdicts) - 2] >= SETTINGS.newton_tolerance
    assert state.convergence_rate == pytest.approx(rate, rel=1e-12)
    assert state.last_convergence_rate == pytest.approx(rate, rel=1e-12)


def test_a_good_tangent_needs_one_iteration():
    verdicts, _state = iterate([1e-3], rate=1e-3)
    assert verdicts == [CONVERGED]


def test_no_correction_is_convergence():
    verdicts, _state = iterate([0.0])
    assert verdicts == [CONVERGED]


@pytest.mark.parametrize("sizes", [[1.0, 2.5], [1.0, 1.5, 1.6], [1.0, 0.9, 0.85], [np.nan], [np.inf], [1.0, np.nan]])
def test_divergence_and_too_slow_convergence_are_told(sizes):
    verdicts, _state = iterate(sizes)
    assert verdicts[-1] == DIVERGING and len(verdicts) == len(sizes)


def test_first_ratio_may_exceed_one():
    """A light coordinate may only start to follow the heavy ones."""
    verdicts, _state = iterate([1.0, 1.5, 1e-3, 1e-7])
    assert verdicts[-1] == CONVERGED


def test_rounding_is_not_blamed_on_the_tangent():
    small = 1e-4 * SETTINGS.newton_tolerance
    verdicts, state = iterate([small, small])  # it does not shrink: rounding
    assert verdicts[-1] == CONVERGED and state.last_convergence_rate == 0.0


def test_failure_asks_for_a_new_tangent_first_and_a_shorter_step_then():
    state = SimpleNamespace(
        newton_failures=0,
        tangent_refreshes_left=0,
        tangent_status=REUSABLE,
        step_size=1.0,
        last_step_rejected=0,
        mass=np.zeros((2, 2)),
        rtol=1e-6,
        replaced_count=0,
        singular_value=1.0,
        singular_value_before=2.0,
        remaining_singular_value=1.0,
        last_step_size=1.0,
        fall=1.0,  # of the singular value per rad
        passage=0.0,
        reference_singular_value=1.0,
    )
    tables = SimpleNamespace(shift_start=np.zeros(0), switches=[])
    after_failure(tables, state, 0.5)
    assert (state.tangent_status, state.step_size, state.newton_failures) == (ALL_STALE, 1.0, 1)
    assert state.tangent_refreshes_left == TANGENT_REFRESHES
    state.tangent_status = CURRENT
    after_failure(tables, state, 0.5)
    assert (state.step_size, state.last_step_rejected, state.newton_failures) == (0.25, 1, 2)
    state.singular_value = state.remaining_singular_value = 0.01  # towards a singular position: a row is replaced
    after_failure(tables, state, 0.5)
    assert (state.tangent_status, state.step_size) == (ALL_STALE, 0.25)
    assert state.passage == pytest.approx(0.01, rel=0.1)
    state.mass = np.zeros((40, 40))  # a tangent costs more there
    after_failure(tables, state, 0.5)
    assert state.tangent_refreshes_left == 2
    tables.shift_start = np.arange(8)  # unless unknowns are shifted together
    after_failure(tables, state, 0.5)
    assert state.tangent_refreshes_left == TANGENT_REFRESHES


def test_singular_matrix_asks_for_another_step():
    state = SimpleNamespace(step_size=1.0, factored_step_size=1.0)
    after_singular(state, 0.5)
    assert (state.step_size, state.factored_step_size) == (0.25, 0.0)


@pytest.mark.parametrize("band", [0, 1])
def test_filtered_error_of_a_stiff_mode_is_damped(band):
    """(M + g^2 K)^-1 (M e_v - g K e_q): of a soft coordinate the error itself, of a stiff one next to nothing."""
    n, g = 3, 1e-3
    M, K = np.diag([1.0, 2.0, 3.0]), np.diag([0.0, 1.0, 1e12])
    stored = [np.zeros((n, 3)), np.zeros((n, 3))] if band else [M, K]
    for matrix, room in zip((M, K), stored if band else (), strict=False):
        room[:, 1] = np.diag(matrix)
    state = SimpleNamespace(mass=stored[0], stiffness=stored[1], replaced=np.array([0, 0, 0]))
    scratch = SimpleNamespace(error_v=np.ones(n), error_q=np.zeros(n), real_x=np.zeros(n))
    tables = SimpleNamespace(free=np.arange(n), band=band)
    filter_right_side(tables, state, scratch, g)
    filtered = np.linalg.solve(M + g * g * K, scratch.real_x)
    assert filtered[:2] == pytest.approx([1.0, 1.0], rel=1e-6) and abs(filtered[2]) < 1e-5
    state.replaced[1] = 1
    filter_right_side(tables, state, scratch, g)
    assert scratch.real_x[1] == 0.0


@pytest.mark.parametrize(("correction", "told"), [(1e-3, True), (1e-5, False), (0.0, False)])
def test_multipliers_that_do_not_converge_are_told(correction, told):
    state = SimpleNamespace(unsettled_multiplier=correction, unsettled_time=0.5, largest_multiplier=10.0)
    notes = Run._unsettled(SimpleNamespace(state=state))
    assert len(notes) == told and all("uncertain by 0.001 N or N m at t = 0.5 s" in note for note in notes)
