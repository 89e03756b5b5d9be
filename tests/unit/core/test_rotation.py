"""Rotation vectors: the matrix is the exponential, the tangent maps rates to angular velocities."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.mechanics.rotation import rotate_quaternion, rotation_matrix, tangent, tangent_rate

ANGLES = (0.0, 1e-9, 1e-4, 1e-3, 0.02, 0.5, 2.0, 3.1)


def matrix(vector):
    out = np.zeros((3, 3))
    rotation_matrix(*vector, out)
    return out


@pytest.fixture(params=ANGLES)
def vector(request):
    axis = np.random.default_rng(3).normal(size=3)
    return request.param * axis / np.linalg.norm(axis)


def test_matrix(vector):
    assert np.abs(matrix(vector) - Rotation.from_rotvec(vector).as_matrix()).max() < 1e-14


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_tangent_gives_the_angular_velocity(vector, sign):
    """Sign +1: world axes, -1: body axes; and its rate gives the angular acceleration of a steady vector rate."""
    rate = np.array([0.3, -0.7, 0.5])

    def spin(s):
        here = matrix(vector + s * rate)
        h = 1e-3
        weights = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
        ends = [(w, matrix(vector + (s + i * h) * rate), matrix(vector + (s - i * h) * rate)) for i, w in weights]
        change = sum(w * (after - before) for w, after, before in ends) / h
        skew = change @ here.T if sign > 0 else here.T @ change
        return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])

    # sixth-order differences with steps of 1e-3
    assert np.array(tangent(*vector, *rate, sign)) == pytest.approx(spin(0.0), abs=1e-11)
    h = 1e-2
    change = (8.0 * (spin(h) - spin(-h)) - (spin(2 * h) - spin(-2 * h))) / (12.0 * h)
    assert np.array(tangent_rate(*vector, *rate, sign)) == pytest.approx(change, abs=1e-7)


def test_quaternion_turns_by_the_vector(vector):
    start = Rotation.from_rotvec([0.4, -1.0, 2.0])
    quaternion = start.as_quat()[[3, 0, 1, 2]].copy()
    rotate_quaternion(quaternion, *vector, quaternion)
    found = Rotation.from_quat(quaternion[[1, 2, 3, 0]]).as_matrix()
    assert np.abs(found - (start * Rotation.from_rotvec(vector)).as_matrix()).max() < 1e-14
    assert np.linalg.norm(quaternion) == pytest.approx(1.0, rel=1e-14)
