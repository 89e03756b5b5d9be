"""The quintic between two points, and what it is at the ends of a step."""

import numpy as np
import pytest

from flexmbs.core.equations.quintic_interpolation import quintic


def ends(function, h):
    """Position, velocity, acceleration of a polynomial at 0 and at ``h``."""
    parts = function, function.deriv(), function.deriv(2)
    return [part(time) for time in (0.0, h) for part in parts]


@pytest.mark.parametrize("x", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_polynomials_of_degree_5_are_followed_exactly(x):
    function, h = np.polynomial.Polynomial([0.3, -1.0, 2.0, 0.7, -3.0, 5.0]), 0.4
    found = quintic(*ends(function, h), h, x)
    expected = [part(x * h) for part in (function, function.deriv(), function.deriv(2))]
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_error_is_of_sixth_order():
    """h^6 / 720 (x (1 - x))^3 times the sixth derivative of sin, which is about 1 at pi / 2."""

    def missed(h):
        start = np.pi / 2 - h / 2
        values = [part(start + time) for time in (0.0, h) for part in (np.sin, np.cos, lambda t: -np.sin(t))]
        return abs(quintic(*values, h, 0.5)[0] - 1.0)

    assert missed(0.4) == pytest.approx(0.4**6 / 720 / 64, rel=0.02)
    assert np.log2(missed(0.4) / missed(0.2)) == pytest.approx(6.0, abs=0.05)
