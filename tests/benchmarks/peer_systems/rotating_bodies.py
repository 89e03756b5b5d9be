"""Euler's equations of a rigid body about a fixed point, in a unit quaternion: written out for other integrators.

y = (w, x, y, z, omega in body axes):  q' = 1/2 q omega,  J omega' = (J omega) x omega + c x R^T (m g).
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np


@dataclass(frozen=True)
class Body:
    """Principal inertia about the fixed point (kg m2), first moment m c (kg m), gravity along -z (m/s2)."""

    inertia: tuple[float, float, float]
    first_moment: tuple[float, float, float]
    gravity: float
    omega: tuple[float, float, float]  # at the start, rad/s, body axes

    def start(self) -> np.ndarray:
        return np.array([1.0, 0.0, 0.0, 0.0, *self.omega])


def right_side(body: Body):
    """Compiled f(t, y, result)."""
    (j1, j2, j3), (c1, c2, c3), g = body.inertia, body.first_moment, body.gravity

    @numba.njit(error_model="numpy")
    def function(_t, y, result):
        w, x, z, u = y[0], y[1], y[2], y[3]
        a, b, c = y[4], y[5], y[6]
        size = 1.0 / np.sqrt(w * w + x * x + z * z + u * u)
        result[0] = 0.5 * (-x * a - z * b - u * c)
        result[1] = 0.5 * (w * a + z * c - u * b)
        result[2] = 0.5 * (w * b + u * a - x * c)
        result[3] = 0.5 * (w * c + x * b - z * a)
        w, x, z, u = w * size, x * size, z * size, u * size
        # -g e_z in body axes: minus g times the last row of R
        d1, d2, d3 = -g * 2.0 * (x * u - w * z), -g * 2.0 * (z * u + w * x), -g * (1.0 - 2.0 * (x * x + z * z))
        result[4] = ((j2 - j3) * b * c + c2 * d3 - c3 * d2) / j1
        result[5] = ((j3 - j1) * c * a + c3 * d1 - c1 * d3) / j2
        result[6] = ((j1 - j2) * a * b + c1 * d2 - c2 * d1) / j3

    return function


def point_motion(y: np.ndarray, point) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity, in world axes, of a point of the body."""
    w, *vector = y[:4] / np.linalg.norm(y[:4])
    vector, point = np.array(vector), np.asarray(point)

    def turned(p):
        return p + 2.0 * np.cross(vector, np.cross(vector, p) + w * p)

    return turned(point), turned(np.cross(y[4:], point))
