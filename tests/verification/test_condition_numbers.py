"""How the condition of BDF's iteration matrix grows as the step falls, and what rounding does to the solution.

Theory: index-m equations h^-m (Petzold, Lotstedt, SIAM J. Sci. Stat. Comput. 7 (1986) 720); multipliers of index 3
carry the rounding of the constraints divided by h^2 (Bottasso, Dopico, Trainelli, Multibody Syst. Dyn. 19 (2008) 3).
"""

import numpy as np
import pytest
from iteration_matrices import (
    ACCELERATION_LEVEL,
    BDF2,
    FORMULATIONS,
    condition_numbers,
    in_accelerations,
    linear_at_start,
    rounding_errors,
    stiff_four_bar,
)

STEPS = np.logspace(-2, -9, 15)


@pytest.fixture(scope="module")
def linear():
    return linear_at_start(stiff_four_bar())


@pytest.fixture(scope="module")
def condition(linear):
    """(steps, 3) raw, equilibrated, least, per formulation."""
    return {name: np.array([condition_numbers(matrix(linear, BDF2 * h)) for h in STEPS]) for name, matrix in FORMULATIONS.items()}


def slope(values):
    """Of the last decade, where the step is far below 1 / 1e4 rad/s, the fastest oscillation."""
    return np.log10(values[-1] / values[-3])


@pytest.mark.parametrize(("name", "index"), [("I3", 3), ("SI2", 2), ("SI1", 1)])
def test_raw_condition_grows_as_the_index_says(condition, name, index):
    # 0.1: at h = 1e-8 s the bushing of 1e8 N/m still counts beside M / beta
    assert slope(condition[name][:, 0]) == pytest.approx(index, abs=0.1)


@pytest.mark.parametrize("name", ["SI1", "SI2"])
def test_equilibrated_condition_of_the_stabilised_forms_is_bounded(condition, name):
    # largest where M / beta^2 is as large as the bushing; a double carries 1e16
    assert condition[name][:, 1].max() < 1e4


def test_ruiz_scaling_leaves_a_growth_of_1_over_h_in_index_3(condition):
    # powers of two leave a factor of about two at either end
    decades = np.log10(condition["I3"][-1, 1] / condition["I3"][2, 1])
    assert decades == pytest.approx(6.0, abs=0.5)


@pytest.mark.parametrize("name", list(FORMULATIONS))
def test_some_scaling_bounds_every_formulation(condition, name):
    assert condition[name][:, 2].max() < 50.0


def test_the_matrix_in_accelerations_tends_to_a_constant(linear):
    limit = np.linalg.cond(in_accelerations(linear, 0.0))
    for h in STEPS[STEPS < 1e-4]:
        assert np.linalg.cond(in_accelerations(linear, BDF2 * h)) == pytest.approx(limit, rel=0.05)


def test_rounding_reaches_multipliers_by_the_index(linear):
    """Divided by h^2, h and 1; velocities of the stabilised forms are free of it."""
    coarse, fine = (rounding_errors(linear, BDF2 * h) for h in (1e-7, 1e-9))
    for name, power in (("I3", 2), ("SI2", 1), ("SI1", 1)):
        assert np.log10(fine[name][1] / coarse[name][1]) == pytest.approx(2.0 * power, abs=0.2), name
    assert fine["I3"][1] > 0.1
    assert fine["SI2"][1] < 1e-6
    assert fine[ACCELERATION_LEVEL][1] < 1e-13
    assert np.log10(fine["I3"][0] / coarse["I3"][0]) == pytest.approx(2.0, abs=0.2)
    assert max(fine[name][0] for name in ("SI2", "SI1", ACCELERATION_LEVEL)) < 1e-14
