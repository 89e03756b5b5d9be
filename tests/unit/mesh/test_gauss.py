"""Gauss points integrate polynomials exactly up to the degree that is stated."""

from math import factorial, prod

import numpy as np
import pytest

from flexmbs.mesh import quadrature as gauss


def integral(points, weights, powers):
    return float(weights @ np.prod(points ** np.array(powers), axis=1))


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_cube(count, dimension):
    points, weights = gauss.cube(count, dimension)
    powers = [2 * count - 2] * dimension
    assert integral(points, weights, powers) == pytest.approx((2 / (2 * count - 1)) ** dimension)
    assert integral(points, weights, [2 * count - 1] * dimension) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("powers", [(0, 0), (1, 0), (2, 2), (0, 4), (3, 1), (0, 0, 0), (1, 0, 0), (0, 3, 0), (1, 1, 1)])
def test_simplex(powers):
    # the integral of x^a y^b z^c over the unit simplex is a! b! c! / (a + b + c + dimension)!
    exact = prod(map(factorial, powers)) / factorial(sum(powers) + len(powers))
    assert integral(*gauss.simplex(3, len(powers)), powers) == pytest.approx(exact)


def test_prism():
    points, weights = gauss.prism(gauss.simplex(2, 2), 3)
    assert integral(points, weights, (1, 1, 4)) == pytest.approx(1 / 24 * 2 / 5)
    assert weights.sum() == pytest.approx(1.0)
