"""Coefficients of Radau IIA, of backward differentiation and of dense output, by the conditions that define them.

The explicit pairs: tests/unit/core/test_explicit_coefficients.py.  Sums of some products in double precision: 1e-12.
"""

import numpy as np
import pytest

from flexmbs.core.methods.bdf_coefficients import difference_constant, differentiation, error_constant, extrapolation
from flexmbs.core.methods.dense_output_coefficients import A_MORE, NODES, STAGES
from flexmbs.core.methods.explicit_coefficients import HIGH, A, C
from flexmbs.core.methods.intermediate_rows import polynomial
from flexmbs.core.methods.radau_coefficients import (
    A2,
    COMPLEX_EIGENVALUE,
    ERROR_WEIGHTS,
    LAGRANGE,
    REAL_EIGENVALUE,
    S_COMPLEX,
    S_INVERSE_COMPLEX,
    S_INVERSE_REAL,
    S_REAL,
)
from flexmbs.core.methods.radau_coefficients import A as RADAU_A
from flexmbs.core.methods.radau_coefficients import C as RADAU_C
from flexmbs.core.stepping.contact_episodes import NODES as LOBATTO_NODES
from flexmbs.core.stepping.contact_episodes import WEIGHTS as LOBATTO_WEIGHTS

ROUNDING = dict(rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("k", range(1, 6))
def test_radau_quadrature_has_order_5(k):
    """B(5): the last stage, which is the end of the step, integrates polynomials of degree 4."""
    assert RADAU_A[2] @ RADAU_C ** (k - 1) == pytest.approx(1.0 / k, **ROUNDING)


def test_radau_quadrature_has_no_order_6():
    assert abs(RADAU_A[2] @ RADAU_C**5 - 1.0 / 6.0) > 1e-4


@pytest.mark.parametrize("k", range(1, 4))
def test_radau_is_collocation(k):
    """C(3): every stage integrates polynomials of degree 2; D(2) gives order 5 with B(5) (Hairer-Wanner IV.5)."""
    assert RADAU_A @ RADAU_C ** (k - 1) == pytest.approx(RADAU_C**k / k, **ROUNDING)
    if k < 3:
        b = RADAU_A[2]
        assert (b * RADAU_C ** (k - 1)) @ RADAU_A == pytest.approx(b * (1.0 - RADAU_C**k) / k, **ROUNDING)


def test_radau_matrix_is_split_into_a_real_and_a_complex_one():
    S = np.column_stack([S_REAL, S_COMPLEX, np.conj(S_COMPLEX)])
    inverse = np.vstack([S_INVERSE_REAL, S_INVERSE_COMPLEX, np.conj(S_INVERSE_COMPLEX)])
    eigenvalues = np.diag([REAL_EIGENVALUE, COMPLEX_EIGENVALUE, np.conj(COMPLEX_EIGENVALUE)])
    assert S @ inverse == pytest.approx(np.eye(3), **ROUNDING)
    assert S @ eigenvalues @ inverse == pytest.approx(RADAU_A, **ROUNDING)
    assert A2 == pytest.approx(RADAU_A @ RADAU_A, **ROUNDING)


@pytest.mark.parametrize("degree", range(4))
def test_radau_error_estimate_vanishes_for_polynomials_of_its_order(degree):
    """h y'(0) + sum e_i (y(c_i) - y(0)) is zero up to degree 3 (order 3), and not for degree 4."""
    slope = 1.0 if degree == 1 else 0.0
    change = RADAU_C**degree - (1.0 if degree == 0 else 0.0)
    assert slope + ERROR_WEIGHTS @ change == pytest.approx(0.0, abs=1e-12)
    assert abs(ERROR_WEIGHTS @ RADAU_C**4) > 1e-2


def test_radau_prediction_is_the_polynomial_of_the_stages():
    powers = np.vander(RADAU_C, 3, increasing=True)
    assert LAGRANGE @ powers.T == pytest.approx(np.eye(3), **ROUNDING)


@pytest.mark.parametrize("k", range(1, 9))
def test_lobatto_quadrature_of_impulses_has_order_8(k):
    assert LOBATTO_WEIGHTS @ LOBATTO_NODES ** (k - 1) == pytest.approx(1.0 / k, **ROUNDING)
    assert abs(LOBATTO_WEIGHTS @ LOBATTO_NODES**8 - 1.0 / 9.0) > 1e-5


def history(order, ratio=1.0):
    """Times of points before the present one, whose distances change by ``ratio`` from one to the next."""
    return -np.cumsum(ratio ** np.arange(order + 2))


TABLES = {  # y_n+1 = beta h y' + sum (Gear 1971)
    1: (1.0, [1.0]),
    2: (2 / 3, [4 / 3, -1 / 3]),
    3: (6 / 11, [18 / 11, -9 / 11, 2 / 11]),
    4: (12 / 25, [48 / 25, -36 / 25, 16 / 25, -3 / 25]),
    5: (60 / 137, [300 / 137, -300 / 137, 200 / 137, -75 / 137, 12 / 137]),
    6: (60 / 147, [360 / 147, -450 / 147, 400 / 147, -225 / 147, 72 / 147, -10 / 147]),
}


@pytest.mark.parametrize("order", range(1, 7))
def test_bdf_at_equal_steps_is_that_of_the_tables(order):
    weights = np.zeros(9)
    beta = differentiation(history(order), order, 1.0, weights)
    expected_beta, expected = TABLES[order]
    assert beta == pytest.approx(expected_beta, **ROUNDING)
    assert -beta * weights[:order] == pytest.approx(expected, **ROUNDING)


@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("ratio", [0.6, 1.0, 1.7])
def test_bdf_differentiates_polynomials_of_its_order_at_unequal_steps(order, ratio):
    times, h, weights = history(order, ratio), 0.8, np.zeros(9)
    points = np.append(0.0, times[: order - 1])
    beta = differentiation(times, order, h, weights)
    for degree in range(order + 1):
        found = h**degree / beta + weights[:order] @ points**degree
        assert found == pytest.approx(degree * h ** max(degree - 1, 0), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("count", range(1, 8))
def test_extrapolation_follows_polynomials(count):
    times, h, weights = history(count, 1.3), 0.7, np.zeros(9)
    extrapolation(times, count, h, weights)
    points = np.append(0.0, times[: count - 1])
    for degree in range(count):
        assert weights[:count] @ points**degree == pytest.approx(h**degree, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("ratio", [0.7, 1.0, 1.4])
def test_bdf_error_is_estimated_exactly_where_the_next_derivative_is_constant(order, ratio):
    """y = t^(order + 1): the error of a step from exact values, from the difference to the extrapolation."""
    times, h, weights, ahead = history(order, ratio), 0.9, np.zeros(9), np.zeros(9)
    points, degree = np.append(0.0, times), order + 1
    beta = differentiation(times, order, h, weights)
    step = beta * degree * h**order - beta * weights[:order] @ points[:order] ** degree
    extrapolation(times, order + 1, h, ahead)
    guess = ahead[: order + 1] @ points[: order + 1] ** degree
    error = step - h**degree  # where the extrapolation falls short, the step goes too far
    assert error_constant(times, order, h) * (step - guess) == pytest.approx(error, rel=1e-9)
    assert difference_constant(times, order, h) * (h**degree - guess) == pytest.approx(error, rel=1e-9)


def test_error_constants_at_equal_steps():
    """1 / (order + 1) of the difference to an exact value is beta h^(k+1) y^(k+1) / (k + 1)."""
    for order in range(1, 7):
        beta = TABLES[order][0]
        assert difference_constant(history(order), order, 1.0) == pytest.approx(beta / (order + 1), **ROUNDING)


@pytest.mark.parametrize("degree", range(7))
@pytest.mark.parametrize("x", [0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
def test_dense_output_integrates_polynomials_of_degree_6(degree, x):
    """Order 7 in the quadrature conditions: slopes t^degree at all 16 stages give t^(degree + 1) / (degree + 1)."""
    nodes = np.concatenate([C[HIGH], NODES])
    assert len(nodes) == STAGES
    slopes, h = nodes[:, None] ** degree, 1.0
    found = polynomial(slopes, h, x, 0, 1.0 / (degree + 1))
    assert found == pytest.approx(x ** (degree + 1) / (degree + 1), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("row", range(3))
def test_stages_of_dense_output_lie_at_their_nodes(row):
    own = np.vstack([np.hstack([A[HIGH], np.zeros((13, 3))]), A_MORE])
    nodes = np.concatenate([C[HIGH], NODES])
    for k in (1, 2, 3):
        assert own[13 + row] @ nodes ** (k - 1) == pytest.approx(NODES[row] ** k / k, rel=1e-11, abs=1e-12)
