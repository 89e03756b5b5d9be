"""Rotations between steps: the maps that the interpolation of frames uses."""

import numpy as np
import pytest

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, rotation_vectors
from flexmbs.result.interpolation import _inverse_tangent, _quaternion_at

VECTORS = [[0.0, 0.0, 0.0], [1e-9, 0.0, 2e-9], [0.3, -0.2, 0.5], [2.0, 1.0, -2.1], [0.0, np.pi, 0.0]]


@pytest.mark.parametrize("vector", VECTORS)
def test_rotation_vector_inverts_the_matrix(vector):
    matrix = matrices_of_vectors(np.array(vector))
    assert matrices_of_vectors(rotation_vectors(matrix)) == pytest.approx(matrix, abs=1e-9)
    assert matrix @ matrix.T == pytest.approx(np.eye(3), abs=1e-14)


@pytest.mark.parametrize("size", [1e-5, 0.4, 2.5])
def test_inverse_tangent_gives_the_rate_of_the_rotation_vector(size):
    vector, rate = size * np.array([0.6, 0.0, 0.8]), np.array([0.3, -1.0, 0.2])
    h = 1e-5
    turn = matrices_of_vectors(vector + h * rate) @ matrices_of_vectors(vector - h * rate).T
    spin = rotation_vectors(turn) / (2.0 * h)
    # central difference: error h^2 and rounding 1e-16/h
    assert _inverse_tangent(vector, spin) == pytest.approx(rate, abs=1e-8)


def quaternion_of(vector):
    angle = np.linalg.norm(vector)
    return np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) / angle * np.asarray(vector)])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_quaternions_are_interpolated_to_fifth_order(sign):
    """R(t) = exp(a t) exp(b t): body angular velocity exp(-b t) a + b, whose rate is -b x (exp(-b t) a)."""
    a, b = np.array([0.7, -0.2, 0.4]), np.array([0.1, 0.9, -0.3])

    def product(p, q):
        return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])

    def motion(t):
        seen = matrices_of_vectors(-b * t) @ a
        return product(quaternion_of(a * t), quaternion_of(b * t)), seen + b, -np.cross(b, seen)

    errors = []
    for h in (0.4, 0.2):
        (q0, w0, a0), (q1, w1, a1), (exact, *_rest) = motion(1.0), motion(1.0 + h), motion(1.0 + 0.3 * h)
        found = _quaternion_at(0.3, q0, sign * q1, [(h * w0, h * h * a0), (h * w1, h * h * a1)])
        errors.append(np.abs(found - exact).max())
    # quintic Hermite: error of the order h^6, so 64 per halving
    assert errors[1] < 1e-7 and errors[0] / errors[1] > 40.0
