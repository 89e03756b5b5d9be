"""LU factors of dense and banded matrices, real and complex, against numpy.

Matrices are random with entries of size 1, their condition number is below 1e4: 1e-10 is rounding.
"""

import numpy as np
import pytest

from flexmbs.core.linalg.banded_lu import factorise_banded, solve_banded
from flexmbs.core.linalg.dense_lu import NO_PIVOT, factorise, solve
from flexmbs.core.linalg.matrix import columns_of, equilibrate, factorise_any, solve_any, solve_scaled

SIZES = (1, 2, 7, 20)


def random_matrix(n, dtype, seed):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(n, n)) + np.eye(n)
    return matrix + 1j * random.normal(size=(n, n)) if dtype is complex else matrix


def right_side(n, dtype):
    return np.arange(1, n + 1) * (1.0 - 2.0j if dtype is complex else 1.0)


def banded(matrix, band, extra=0):
    """Storage of core.linalg.banded_lu, with ``extra`` columns for the factors."""
    n = len(matrix)
    stored = np.zeros((n, 2 * band + 1 + extra), dtype=matrix.dtype)
    for i in range(n):
        first, end, shift = columns_of(i, n, band)
        stored[i, first + shift : end + shift] = matrix[i, first:end]
    return stored


def cut_to_band(matrix, band):
    i, j = np.indices(matrix.shape)
    return np.where(np.abs(i - j) <= band, matrix, 0.0)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n", SIZES)
def test_dense(n, dtype):
    matrix, x = random_matrix(n, dtype, n), right_side(n, dtype)
    factors, pivots, found = matrix.copy(), np.zeros(n, dtype=int), x.copy()
    assert factorise(factors, pivots, 0.0)
    solve(factors, pivots, found)
    assert found == pytest.approx(np.linalg.solve(matrix, x), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("band", [1, 2, 4])
def test_banded(band, dtype):
    n = 15
    matrix, x = cut_to_band(random_matrix(n, dtype, band), band), right_side(n, dtype)
    factors, pivots, found = banded(matrix, band, extra=band), np.zeros(n, dtype=int), x.copy()
    assert factorise_banded(factors, pivots, band, 0.0)
    solve_banded(factors, pivots, band, found)
    assert found == pytest.approx(np.linalg.solve(matrix, x), rel=1e-10, abs=1e-10)


def test_rows_are_exchanged_where_a_diagonal_entry_is_zero():
    matrix = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0], [0.0, 1.0, 1.0]])
    for band in (0, 1):
        factors = matrix.copy() if band == 0 else banded(matrix, 1, extra=1)
        pivots, x = np.zeros(3, dtype=int), np.array([4.0, 10.0, 5.0])
        assert factorise_any(factors, pivots, band, 0.0)
        solve_any(factors, pivots, band, x)
        assert x == pytest.approx(np.linalg.solve(matrix, [4.0, 10.0, 5.0]), rel=1e-14)


@pytest.mark.parametrize("bad", [np.zeros((2, 2)), np.ones((2, 2)), np.array([[1.0, 0.0], [0.0, np.nan]])])
def test_singular_and_broken_matrices_are_refused(bad):
    pivots = np.zeros(2, dtype=int)
    assert not factorise(bad.copy(), pivots, 0.0)
    assert not factorise_banded(banded(bad, 1, extra=1), pivots, 1, 0.0)


def test_a_tiny_pivot_is_passed_over_and_its_unknown_stays():
    """Rows 0 and 1 are equal: the second is passed over, the others are solved."""
    matrix = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 4.0]])
    for band in (0, 1):
        factors = matrix.copy() if band == 0 else banded(matrix, 1, extra=1)
        pivots, x = np.zeros(3, dtype=int), np.array([2.0, 5.0, 2.0])
        assert factorise_any(factors, pivots, band, 1e-13)
        assert factors[1, 1] == NO_PIVOT
        solve_any(factors, pivots, band, x)
        assert x == pytest.approx([1.0, 0.0, 0.5], abs=1e-250)


def test_equilibrated_rows_and_columns_have_largest_entries_about_one():
    random = np.random.default_rng(3)
    sizes = 10.0 ** random.uniform(-6, 6, size=8)
    matrix = random.uniform(0.5, 1.0, size=(8, 8)) * sizes * sizes[:, None]
    scale = np.zeros(8)
    equilibrate(matrix, 0, scale)
    scaled = np.abs(matrix * scale * scale[:, None])
    assert np.all(np.log2(scale) == np.round(np.log2(scale)))  # powers of two change no digit
    assert np.all((scaled.max(axis=0) > 0.2) & (scaled.max(axis=0) < 5.0))
    factors, pivots, x = matrix * scale * scale[:, None], np.zeros(8, dtype=int), matrix @ np.arange(8.0)
    assert factorise_any(factors, pivots, 0, 0.0)
    solve_scaled(factors, pivots, 0, scale, x)
    # the unknowns differ by twelve orders of magnitude in what they weigh
    assert matrix @ x == pytest.approx(matrix @ np.arange(8.0), rel=1e-10)
