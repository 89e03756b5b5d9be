"""Rotations between steps: the maps that the interpolation of frames uses."""

import numpy as np
import pytest

from flexmbs.result.interpolation import _inverse_tangent, _slerp, rotation_matrix, rotation_vector

VECTORS = [[0.0, 0.0, 0.0], [1e-9, 0.0, 2e-9], [0.3, -0.2, 0.5], [2.0, 1.0, -2.1], [0.0, np.pi, 0.0]]


@pytest.mark.parametrize("vector", VECTORS)
def test_rotation_vector_inverts_the_matrix(vector):
    matrix = rotation_matrix(np.array(vector))
    assert rotation_matrix(rotation_vector(matrix)) == pytest.approx(matrix, abs=1e-9)
    assert matrix @ matrix.T == pytest.approx(np.eye(3), abs=1e-14)


@pytest.mark.parametrize("size", [1e-5, 0.4, 2.5])
def test_inverse_tangent_gives_the_rate_of_the_rotation_vector(size):
    vector, rate = size * np.array([0.6, 0.0, 0.8]), np.array([0.3, -1.0, 0.2])
    h = 1e-5
    turn = rotation_matrix(vector + h * rate) @ rotation_matrix(vector - h * rate).T
    spin = rotation_vector(turn) / (2.0 * h)
    # central difference: error h^2 and rounding 1e-16/h
    assert _inverse_tangent(vector, spin) == pytest.approx(rate, abs=1e-8)


def test_slerp_turns_evenly_and_takes_the_short_way():
    start, end = np.array([1.0, 0.0, 0.0, 0.0]), np.array([np.cos(0.5), 0.0, np.sin(0.5), 0.0])
    quarter = [np.cos(0.125), 0.0, np.sin(0.125), 0.0]
    assert _slerp(start, end, 0.25) == pytest.approx(quarter, abs=1e-14)
    assert _slerp(start, -end, 0.25) == pytest.approx(quarter, abs=1e-14)
