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
    END,
    ERROR_WEIGHTS,
    LAGRANGE,
    REAL_EIGENVALUE,
    S_COMPLEX,
    S_INVERSE_COMPLEX,
    S_INVERSE_REAL,
    S_REAL,
)
from flexmbs.core.methods.radau_coefficients import STAGES as RADAU_STAGES
from flexmbs.core.methods.radau_coefficients import A as RADAU_A
from flexmbs.core.methods.radau_coefficients import C as RADAU_C
from flexmbs.core.methods.radau_rows import ACCELERATIONS, INTERMEDIATE_ROWS, MOVES, RATES
from flexmbs.core.stepping.contact_episodes import NODES as LOBATTO_NODES
from flexmbs.core.stepping.contact_episodes import WEIGHTS as LOBATTO_WEIGHTS

ROUNDING = dict(rel=1e-12, abs=1e-12)


@pytest.fixture(params=range(len(RADAU_STAGES)), ids=lambda f: f"order {2 * RADAU_STAGES[f] - 1}")
def family(request):
    """Nodes, A, number of stages and row of the tables of Radau IIA."""
    f = request.param
    s = int(RADAU_STAGES[f])
    return RADAU_C[f, :s], RADAU_A[f, :s, :s], s, f


def test_radau_quadrature_has_its_order_and_no_more(family):
    """B(2s - 1): the stage at the end of the step integrates polynomials of degree 2s - 2, and not of 2s - 1."""
    c, A, s, _f = family
    assert c[END] == 1.0
    for k in range(1, 2 * s):
        assert A[END] @ c ** (k - 1) == pytest.approx(1.0 / k, **ROUNDING)
    assert abs(A[END] @ c ** (2 * s - 1) - 1.0 / (2 * s)) > 1e-10


def test_radau_of_order_5_has_the_published_nodes():
    assert RADAU_C[0, :3] == pytest.approx([(4.0 - 6.0**0.5) / 10.0, (4.0 + 6.0**0.5) / 10.0, 1.0], **ROUNDING)


def test_radau_is_collocation(family):
    """C(s): every stage integrates polynomials of degree s - 1; D(s - 1) gives the order with B (IV.5)."""
    c, A, s, _f = family
    for k in range(1, s + 1):
        assert A @ c ** (k - 1) == pytest.approx(c**k / k, **ROUNDING)
        if k < s:
            b = A[END]
            assert (b * c ** (k - 1)) @ A == pytest.approx(b * (1.0 - c**k) / k, **ROUNDING)


def test_radau_matrix_is_split_into_a_real_one_and_complex_ones(family):
    _c, A, s, f = family
    pairs = s // 2
    complex_S, complex_inverse = S_COMPLEX[f, :s, :pairs], S_INVERSE_COMPLEX[f, :pairs, :s]
    S = np.column_stack([S_REAL[f, :s], complex_S, np.conj(complex_S)])
    inverse = np.vstack([S_INVERSE_REAL[f, :s], complex_inverse, np.conj(complex_inverse)])
    mu = COMPLEX_EIGENVALUE[f, :pairs]
    assert S @ inverse == pytest.approx(np.eye(s), **ROUNDING)
    assert S @ np.diag([REAL_EIGENVALUE[f], *mu, *np.conj(mu)]) @ inverse == pytest.approx(A, **ROUNDING)
    assert A2[f, :s, :s] == pytest.approx(A @ A, **ROUNDING)


def test_radau_error_estimate_vanishes_for_polynomials_of_its_order(family):
    """h y'(0) + sum e_i (y(c_i) - y(0)) is zero up to degree s (order s), and not for degree s + 1."""
    c, _A, s, f = family
    weights = ERROR_WEIGHTS[f, :s]
    for degree in range(s + 1):
        slope = 1.0 if degree == 1 else 0.0
        change = c**degree - (1.0 if degree == 0 else 0.0)
        assert slope + weights @ change == pytest.approx(0.0, abs=1e-12)
    assert abs(weights @ c ** (s + 1)) > 1e-4


def test_radau_prediction_is_the_polynomial_of_the_stages(family):
    c, _A, s, f = family
    for j in range(s):
        assert LAGRANGE[f, j] * np.prod(c[j] - np.delete(c, j)) == pytest.approx(1.0, **ROUNDING)


@pytest.mark.parametrize("degree", range(5))
def test_rows_inside_a_step_follow_polynomials_of_the_stages(degree):
    """Accelerations t^degree give rates t^(degree + 1) / (degree + 1) and what these integrate to."""
    for f in (1, 2):
        s = int(RADAU_STAGES[f])
        x = np.arange(1, INTERMEDIATE_ROWS + 1) / (INTERMEDIATE_ROWS + 1.0)
        stages = RADAU_C[f, :s] ** degree
        assert ACCELERATIONS[f, :, :s] @ stages == pytest.approx(x**degree, **ROUNDING)
        assert RATES[f, :, :s] @ stages == pytest.approx(x ** (degree + 1) / (degree + 1), **ROUNDING)
        assert MOVES[f, :, :s] @ stages == pytest.approx(x ** (degree + 2) / (degree + 1) / (degree + 2), **ROUNDING)


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
