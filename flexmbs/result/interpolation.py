"""Values between steps: quintic Hermite for coordinates, third order for frames in space."""

from __future__ import annotations

import numpy as np

from flexmbs.result.structure import Structure
from flexmbs.result.trajectory import Trajectory


def locate(t: np.ndarray, time: float) -> tuple[int, float, float]:
    """Step index i, fraction s in [0, 1] and length h of the interval [t_i, t_i+1] that holds ``time``.

    ValueError when ``time`` lies outside of the run (beyond rounding).
    """
    slack = 1e-12 * max(1.0, abs(t[-1]))
    if not (t[0] - slack <= time <= t[-1] + slack):
        raise ValueError(f"time {time:.15g} s is outside of the run, which covers {t[0]:.15g} to {t[-1]:.15g} s")
    if len(t) == 1:
        return 0, 0.0, 0.0
    index = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, len(t) - 2))
    length = float(t[index + 1] - t[index])
    fraction = 0.0 if length == 0.0 else float(np.clip((time - t[index]) / length, 0.0, 1.0))
    return index, fraction, length


def coordinates_at(trajectory: Trajectory, structure: Structure, time: float) -> np.ndarray:
    """q (nq,) at ``time``: quintic Hermite from q, v and a at both ends of the step.

    Quaternions: quintic Hermite of the rotation vector from the start of the step, whose rates follow from the angular
    velocities and accelerations (in the turned frame) at both ends.
    """
    i, s, h = locate(trajectory.t, time)
    j = min(i + 1, len(trajectory.t) - 1)
    q = (1.0 - s) * trajectory.q[i] + s * trajectory.q[j]
    own = np.flatnonzero(structure.rate_of >= 0)
    rate = structure.rate_of[own]
    ends = [
        (trajectory.q[k][own], h * trajectory.v[k][rate], h * h * trajectory.a[k][rate]) for k in (i, j)
    ]
    q[own] = _quintic(s, *ends)
    for ball, start in enumerate(structure.quaternion_starts):
        first = start - ball  # a ball has four coordinates, but three velocities
        part, rates = slice(start, start + 4), slice(first, first + 3)
        spins = [(h * trajectory.v[k][rates], h * h * trajectory.a[k][rates]) for k in (i, j)]
        q[part] = _quaternion_at(s, trajectory.q[i][part], trajectory.q[j][part], spins)
    return q


def _quaternion_at(s: float, first: np.ndarray, last: np.ndarray, spins: list) -> np.ndarray:
    """Quaternion at fraction s from those at both ends and (angular velocity, acceleration) there, times h and h^2."""
    turn = _quaternion_log(_quaternion_product(first * [1.0, -1.0, -1.0, -1.0], last))
    (w0, a0), (w1, a1) = spins
    rate = _inverse_tangent(-turn, w1)
    zero = np.zeros(3)
    # th'' at the end from w = T_r(th) th': its rate by a difference of T_r along th', exact enough for an interpolant
    step = 1e-4
    bend = (_tangent(-(turn + step * rate), rate) - _tangent(-(turn - step * rate), rate)) / (2.0 * step)
    vector = _quintic(s, (zero, w0, a0), (turn, rate, _inverse_tangent(-turn, a1 - bend)))
    angle = float(np.linalg.norm(vector))
    moved = np.concatenate([[np.cos(0.5 * angle)], 0.5 * np.sinc(0.5 * angle / np.pi) * vector])
    return _quaternion_product(first, moved)


def _quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def _quaternion_log(quaternion: np.ndarray) -> np.ndarray:
    """Rotation vector (3,) of a unit quaternion, of length at most pi."""
    quaternion = quaternion if quaternion[0] >= 0.0 else -quaternion
    sine = float(np.linalg.norm(quaternion[1:]))
    return quaternion[1:] * (2.0 if sine < 1e-9 else 2.0 * np.arctan2(sine, quaternion[0]) / sine)


def velocities_at(trajectory: Trajectory, structure: Structure, time: float) -> np.ndarray:
    """v (nv,) at ``time``: cubic Hermite from v and a at both ends of the step; where a coordinate has that rate, the
    derivative of its quintic.
    """
    i, s, h = locate(trajectory.t, time)
    j = min(i + 1, len(trajectory.t) - 1)
    v = _cubic(s, trajectory.v[i], h * trajectory.a[i], trajectory.v[j], h * trajectory.a[j])
    if h > 0.0:
        own = np.flatnonzero(structure.rate_of >= 0)
        rate = structure.rate_of[own]
        ends = [
            (trajectory.q[k][own], h * trajectory.v[k][rate], h * h * trajectory.a[k][rate]) for k in (i, j)
        ]
        v[rate] = _quintic_rate(s, *ends) / h
    return v


def frame_at(trajectory: Trajectory, body: int, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Position (3,) and rotation (3, 3) of a body frame in world axes.

    With body velocities stored: cubic Hermite of the position and of the rotation vector of the step; otherwise
    linear, and a rotation about a constant axis.
    """
    i, s, h = locate(trajectory.t, time)
    j = min(i + 1, len(trajectory.t) - 1)
    p0, p1 = trajectory.body_position[i, body], trajectory.body_position[j, body]
    r0, r1 = trajectory.body_rotation[i, body], trajectory.body_rotation[j, body]
    turn = rotation_vector(r1 @ r0.T)
    velocity, spin = trajectory.body_velocity, trajectory.body_angular_velocity
    if velocity is None or spin is None:
        return (1.0 - s) * p0 + s * p1, rotation_matrix(s * turn) @ r0
    position = _cubic(s, p0, h * velocity[i, body], p1, h * velocity[j, body])
    end_rate = _inverse_tangent(turn, h * spin[j, body])
    return position, rotation_matrix(_cubic(s, 0.0 * turn, h * spin[i, body], turn, end_rate)) @ r0


def frame_velocity_at(trajectory: Trajectory, body: int, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocity (3,), m/s, and angular velocity (3,), rad/s, of a body frame in world axes (both stored at the steps).

    Rates of the frame of :func:`frame_at`: R = exp(th) R_i has the spatial angular velocity T_l(th) th'.
    """
    i, s, h = locate(trajectory.t, time)
    velocity, spin = trajectory.body_velocity[:, body], trajectory.body_angular_velocity[:, body]
    if h == 0.0:  # a single instant: nothing to take the derivative of
        return velocity[i], spin[i]
    j = i + 1
    p0, p1 = trajectory.body_position[i, body], trajectory.body_position[j, body]
    turn = rotation_vector(trajectory.body_rotation[j, body] @ trajectory.body_rotation[i, body].T)
    zero, start_rate, end_rate = np.zeros(3), h * spin[i], _inverse_tangent(turn, h * spin[j])
    vector = _cubic(s, zero, start_rate, turn, end_rate)
    rate = _cubic_rate(s, zero, start_rate, turn, end_rate)
    return _cubic_rate(s, p0, h * velocity[i], p1, h * velocity[j]) / h, _tangent(vector, rate) / h


def rotation_matrix(vector: np.ndarray) -> np.ndarray:
    """exp of a rotation vector (3,), rad (Rodrigues' formula)."""
    angle = float(np.linalg.norm(vector))
    cross = np.array(
        [[0.0, -vector[2], vector[1]], [vector[2], 0.0, -vector[0]], [-vector[1], vector[0], 0.0]]
    )
    if angle < 1e-8:  # second order is exact to rounding here
        return np.eye(3) + cross + 0.5 * cross @ cross
    return np.eye(3) + np.sin(angle) / angle * cross + (1.0 - np.cos(angle)) / angle**2 * cross @ cross


def rotation_vector(matrix: np.ndarray) -> np.ndarray:
    """Rotation vector (3,), rad, of a rotation matrix; its length is at most pi."""
    axial = 0.5 * np.array(
        [matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]
    )
    sine, cosine = float(np.linalg.norm(axial)), 0.5 * (float(np.trace(matrix)) - 1.0)
    angle = np.arctan2(sine, cosine)
    if sine > 1e-7:
        return axial * (angle / sine)
    if cosine > 0.0:
        return axial
    axes = 0.5 * (matrix + np.eye(3))  # a half turn: n n^T
    column = axes[:, int(np.argmax(np.diag(axes)))]
    return column * (angle / np.linalg.norm(column))


def _tangent(vector: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Spatial angular velocity T_l(vector) rate; T_r(vector) = T_l(-vector)."""
    angle = float(np.linalg.norm(vector))
    small = angle < 1e-3
    b = 0.5 - angle**2 / 24.0 if small else (1.0 - np.cos(angle)) / angle**2
    c = 1.0 / 6.0 - angle**2 / 120.0 if small else (angle - np.sin(angle)) / angle**3
    once = np.cross(vector, rate)
    return rate + b * once + c * np.cross(vector, once)


def _inverse_tangent(vector: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Rate of the rotation vector that gives the spatial angular velocity ``spin``: T_l(vector)^-1 spin.

    T_l^-1 = I - 1/2 n~ + (1/f^2 - cot(f/2)/(2 f)) n~ n~, Sonneville and Bruels (2014), appendix A.
    """
    angle = float(np.linalg.norm(vector))
    if angle < 1e-3:
        factor = 1.0 / 12.0 + angle * angle / 720.0
    else:
        factor = 1.0 / angle**2 - 0.5 / (angle * np.tan(0.5 * angle))
    once = np.cross(vector, spin)
    return spin - 0.5 * once + factor * np.cross(vector, once)


def _cubic(s: float, x0, d0, x1, d1) -> np.ndarray:
    """Cubic Hermite on [0, 1]; derivatives with respect to s."""
    return (
        (1.0 + 2.0 * s) * (1.0 - s) ** 2 * x0
        + s * (1.0 - s) ** 2 * d0
        + s * s * (3.0 - 2.0 * s) * x1
        + s * s * (s - 1.0) * d1
    )


def _cubic_rate(s: float, x0, d0, x1, d1) -> np.ndarray:
    """Derivative of :func:`_cubic` with respect to s."""
    return 6.0 * s * (1.0 - s) * (x1 - x0) + (1.0 - s) * (1.0 - 3.0 * s) * d0 + s * (3.0 * s - 2.0) * d1


def _quintic_rate(s: float, start: tuple, end: tuple) -> np.ndarray:
    """Derivative of :func:`_quintic` with respect to s."""
    (x0, d0, c0), (x1, d1, c1) = start, end
    r = 1.0 - s
    steep = 30.0 * s * s * r * r * (x1 - x0)
    slopes = r * r * (1.0 + 2.0 * s - 15.0 * s * s) * d0 + s * s * (1.0 + 2.0 * r - 15.0 * r * r) * d1
    bends = 0.5 * s * r * r * (2.0 - 5.0 * s) * c0 - 0.5 * r * s * s * (2.0 - 5.0 * r) * c1
    return steep + slopes + bends


def _quintic(s: float, start: tuple, end: tuple) -> np.ndarray:
    """Quintic Hermite on [0, 1] from value, first and second derivative with respect to s at both ends."""
    (x0, d0, c0), (x1, d1, c1) = start, end
    r = 1.0 - s
    low = r**3 * ((1.0 + 3.0 * s + 6.0 * s * s) * x0 + s * (1.0 + 3.0 * s) * d0 + 0.5 * s * s * c0)
    high = s**3 * ((1.0 + 3.0 * r + 6.0 * r * r) * x1 - r * (1.0 + 3.0 * r) * d1 + 0.5 * r * r * c1)
    return low + high
