"""Closed form of a short bearing's film against quadrature over its half circle."""

import numpy as np
import pytest
from scipy.integrate import quad

from flexmbs.core.laws.film.short_bearing import film_force


@pytest.mark.parametrize("e", [0.0, 1e-9, 0.3, 0.9, 0.99])
@pytest.mark.parametrize("direction", [0.3, 2.0, 4.5])
def test_film_force(e, direction):
    ex, ey, vx, vy = e * np.cos(direction), e * np.sin(direction), 0.7, -1.2
    start = np.arctan2(vy, vx) - 0.5 * np.pi
    peak = [direction + turn for turn in (-2.0 * np.pi, 0.0) if start < direction + turn < start + np.pi]

    def integral(part):
        def pressure(p):
            n = np.cos(p), np.sin(p)
            return (vx * n[0] + vy * n[1]) * n[part] / (1.0 - ex * n[0] - ey * n[1]) ** 3

        return quad(pressure, start, start + np.pi, points=peak or None, epsabs=0.0, epsrel=1e-10, limit=200)[0]

    expected = -np.array([integral(0), integral(1)])
    assert np.array(film_force(1.0, ex, ey, vx, vy)) == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.hypot(*expected))
    assert film_force(1.0, ex, ey, 0.0, 0.0) == (0.0, 0.0)
