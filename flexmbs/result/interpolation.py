"""Values between steps: quintic Hermite for coordinates, third order for frames in space, all times at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, rotation_vectors
from flexmbs.result.structure import Structure
from flexmbs.result.trajectory import Trajectory


@dataclass(frozen=True)
class Places:
    """Where times lie among the steps.

    Attributes
    ----------
    i, j : (k,) int, the steps before and behind each time (equal in a run of one step)
    s : (k,) in [0, 1], the place between them
    h : (k,) s, the length of that step
    """

    i: np.ndarray
    j: np.ndarray
    s: np.ndarray
    h: np.ndarray

    def across(self, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
        """``s`` and ``h`` with this number of additional axes."""
        shape = (len(self.s), *(1,) * dimensions)
        return self.s.reshape(shape), self.h.reshape(shape)


def as_times(given: ArrayLike) -> np.ndarray:
    """(k,) s of a time or several; ValueError for anything else."""
    try:
        return np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        raise ValueError(f"expected a time in s, or an array of times, not {given!r}") from None


def locate(t: np.ndarray, times: np.ndarray) -> Places:
    """Places of ``times`` (k,) among the steps ``t`` (nt,).

    ValueError when one lies outside of the run (beyond rounding).
    """
    times = as_times(times)
    slack = 1e-12 * max(1.0, abs(t[-1]))
    outside = ~((t[0] - slack <= times) & (times <= t[-1] + slack))
    if np.any(outside):
        time = times[outside][0]
        raise ValueError(f"time {time:.15g} s is outside the run, which covers {t[0]:.15g} to {t[-1]:.15g} s")
    if len(t) == 1:
        none = np.zeros(len(times))
        return Places(none.astype(int), none.astype(int), none, none)
    i = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = t[i + 1] - t[i]
    s = np.divide(times - t[i], h, out=np.zeros(len(times)), where=h > 0.0)
    return Places(i, i + 1, np.clip(s, 0.0, 1.0), h)


def coordinates_at(trajectory: Trajectory, structure: Structure, times: np.ndarray) -> np.ndarray:
    """q (k, nq) at ``times`` (k,): quintic Hermite from q, v and a at both ends of the step.

    Quaternions: quintic Hermite of the rotation vector from the start of the step, whose rates follow from the angular
    velocities and accelerations (in the turned frame) at both ends.
    """
    at = locate(trajectory.t, times)
    s, h = at.across(1)
    q = (1.0 - s) * trajectory.q[at.i] + s * trajectory.q[at.j]
    own = np.flatnonzero(structure.rate_of >= 0)
    q[:, own] = quintic(s, *_ends(trajectory, at, own, structure.rate_of[own]))
    if not structure.quaternion_starts:
        return q
    before, after = trajectory.q[at.i], trajectory.q[at.j]
    ends = [(h * trajectory.v[k], h * h * trajectory.a[k]) for k in (at.i, at.j)]
    for ball, start in enumerate(structure.quaternion_starts):
        first = start - ball  # a ball has four coordinates, but three velocities
        part, rates = slice(start, start + 4), slice(first, first + 3)
        spins = [(v[:, rates], a[:, rates]) for v, a in ends]
        q[:, part] = _quaternion_at(s, before[:, part], after[:, part], spins)
    return q


def _ends(trajectory: Trajectory, at: Places, own: np.ndarray, rate: np.ndarray) -> list[tuple]:
    """Value, first and second derivative with respect to s of coordinates ``own`` at both ends of the steps."""
    _, h = at.across(1)
    return [(trajectory.q[k][:, own], h * trajectory.v[k][:, rate], h * h * trajectory.a[k][:, rate]) for k in (at.i, at.j)]


def _quaternion_at(s, first: np.ndarray, last: np.ndarray, spins: list) -> np.ndarray:
    """Quaternions at s from those at both ends and (angular velocity, acceleration) there, times h and h^2."""
    turn = _quaternion_log(_quaternion_product(first * [1.0, -1.0, -1.0, -1.0], last))
    (w0, a0), (w1, a1) = spins
    rate = _inverse_tangent(-turn, w1)
    # th'' at the end from w = T_r(th) th': its rate by a difference of T_r along th', exact enough for an interpolant
    step = 1e-4
    bend = (_tangent(-(turn + step * rate), rate) - _tangent(-(turn - step * rate), rate)) / (2.0 * step)
    vector = quintic(s, (np.zeros_like(turn), w0, a0), (turn, rate, _inverse_tangent(-turn, a1 - bend)))
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    moved = np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * vector], axis=-1)
    return _quaternion_product(first, moved)


def _quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    scalar = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([scalar, vector], axis=-1)


def _quaternion_log(quaternion: np.ndarray) -> np.ndarray:
    """Rotation vectors (..., 3) of unit quaternions (..., 4), of length at most pi."""
    quaternion = np.where(quaternion[..., :1] >= 0.0, quaternion, -quaternion)
    vector = quaternion[..., 1:]
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    large = sine >= 1e-9
    factor = 2.0 * np.arctan2(sine, quaternion[..., :1]) / np.where(large, sine, 1.0)
    return vector * np.where(large, factor, 2.0)


def velocities_at(trajectory: Trajectory, structure: Structure, times: np.ndarray) -> np.ndarray:
    """v (k, nv) at ``times`` (k,): cubic Hermite from v and a at both ends of the step.

    Where a coordinate has that rate, the derivative of its quintic.
    """
    at = locate(trajectory.t, times)
    s, h = at.across(1)
    v = cubic(s, *_velocity_ends(trajectory, at))
    own = np.flatnonzero(structure.rate_of >= 0)
    rate = structure.rate_of[own]
    slopes = quintic_rate(s, *_ends(trajectory, at, own, rate))
    v[:, rate] = np.where(h > 0.0, slopes / np.where(h > 0.0, h, 1.0), v[:, rate])
    return v


def accelerations_at(trajectory: Trajectory, times: np.ndarray) -> np.ndarray:
    """a (k, nv) at ``times`` (k,): the derivative of the cubic Hermite polynomial of v."""
    at = locate(trajectory.t, times)
    s, h = at.across(1)
    slopes = cubic_rate(s, *_velocity_ends(trajectory, at))
    return np.where(h > 0.0, slopes / np.where(h > 0.0, h, 1.0), trajectory.a[at.i])


def _velocity_ends(trajectory: Trajectory, at: Places) -> tuple[np.ndarray, ...]:
    _, h = at.across(1)
    return trajectory.v[at.i], h * trajectory.a[at.i], trajectory.v[at.j], h * trajectory.a[at.j]


def frames_at(trajectory: Trajectory, times: np.ndarray, bodies: slice | list[int] = slice(None)) -> tuple[np.ndarray, np.ndarray]:
    """Positions (k, nb, 3) and rotations (k, nb, 3, 3) of body frames in world axes at ``times`` (k,).

    Cubic Hermite of the position and of the rotation vector of the step.
    """
    at = locate(trajectory.t, times)
    s, _ = at.across(2)
    p0, p1, r0, turn = _frame_steps(trajectory, at, bodies)
    velocities, spins = _frame_rates(trajectory, at, bodies, turn)
    position = cubic(s, p0, velocities[0], p1, velocities[1])
    return position, matrices_of_vectors(cubic(s, 0.0 * turn, spins[0], turn, spins[1])) @ r0


def frame_velocities_at(trajectory: Trajectory, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (k, nb, 3), m/s, and angular velocities (k, nb, 3), rad/s, of body frames in world axes.

    Rates of the frames of :func:`frames_at` (velocities must be stored at the steps): R = exp(th) R_i has the spatial
    angular velocity T_l(th) th'.
    """
    at = locate(trajectory.t, times)
    s, h = at.across(2)
    p0, p1, _, turn = _frame_steps(trajectory, at, slice(None))
    velocities, spins = _frame_rates(trajectory, at, slice(None), turn)
    vector = cubic(s, 0.0 * turn, spins[0], turn, spins[1])
    rate = cubic_rate(s, 0.0 * turn, spins[0], turn, spins[1])
    moving = h > 0.0  # at a single instant there is nothing to take the derivative of
    length = np.where(moving, h, 1.0)
    velocity = np.where(moving, cubic_rate(s, p0, velocities[0], p1, velocities[1]) / length, trajectory.body_velocity[at.i])
    return velocity, np.where(moving, _tangent(vector, rate) / length, trajectory.body_angular_velocity[at.i])


def _frame_steps(trajectory: Trajectory, at: Places, bodies) -> tuple[np.ndarray, ...]:
    """Positions at both ends, rotations at the start, and the rotation vectors of the steps."""
    p0, p1 = trajectory.body_position[at.i][:, bodies], trajectory.body_position[at.j][:, bodies]
    r0, r1 = trajectory.body_rotation[at.i][:, bodies], trajectory.body_rotation[at.j][:, bodies]
    return p0, p1, r0, rotation_vectors(r1 @ np.swapaxes(r0, -1, -2))


def _frame_rates(trajectory: Trajectory, at: Places, bodies, turn: np.ndarray) -> tuple[list, list]:
    """Velocities of the origins and rates of the rotation vectors at both ends, with respect to s."""
    _, h = at.across(2)
    velocities = [h * trajectory.body_velocity[k][:, bodies] for k in (at.i, at.j)]
    first, last = (h * trajectory.body_angular_velocity[k][:, bodies] for k in (at.i, at.j))
    return velocities, [first, _inverse_tangent(turn, last)]


def monotone(t: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(k, ...) of what has no derivatives stored: cubics that never overshoot the steps beside them.

    Fritsch and Butland (1984), as in SciPy's PchipInterpolator; not across an event, where two steps have one time.
    """
    from scipy.interpolate import PchipInterpolator

    times = as_times(times)
    at = locate(t, times)
    if len(t) == 1 or values.size == 0:
        return values[at.i]
    found = np.empty((len(at.i), *values.shape[1:]))
    events = np.flatnonzero(np.diff(t) <= 0.0)  # the last steps of their stretches
    stretch = np.searchsorted(events, at.i)
    for number in np.unique(stretch):
        here = stretch == number
        first = 0 if number == 0 else events[number - 1] + 1
        last = events[number] if number < len(events) else len(t) - 1
        low, high = max(first, int(at.i[here].min()) - 1), min(last, int(at.j[here].max()) + 1)
        part = slice(low, high + 1)
        if high <= low or not np.all(np.isfinite(values[part])):
            found[here] = values[at.i[here]]
        else:
            found[here] = PchipInterpolator(t[part], values[part], axis=0)(np.clip(times[here], t[low], t[high]))
    return found


def _tangent(vector: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Spatial angular velocity T_l(vector) rate, all (..., 3); T_r(vector) = T_l(-vector)."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    small = angle < 1e-3
    f = np.where(small, 1.0, angle)
    b = np.where(small, 0.5 - angle**2 / 24.0, (1.0 - np.cos(f)) / f**2)
    c = np.where(small, 1.0 / 6.0 - angle**2 / 120.0, (f - np.sin(f)) / f**3)
    once = np.cross(vector, rate)
    return rate + b * once + c * np.cross(vector, once)


def _inverse_tangent(vector: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Rates (..., 3) of rotation vectors that give the spatial angular velocities ``spin``: T_l(vector)^-1 spin.

    T_l^-1 = I - 1/2 n~ + (1/f^2 - cot(f/2)/(2 f)) n~ n~, Sonneville and Bruels (2014), appendix A.
    """
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    small = angle < 1e-3
    f = np.where(small, 1.0, angle)
    factor = np.where(small, 1.0 / 12.0 + angle**2 / 720.0, 1.0 / f**2 - 0.5 / (f * np.tan(0.5 * f)))
    once = np.cross(vector, spin)
    return spin - 0.5 * once + factor * np.cross(vector, once)


def cubic(s, x0, d0, x1, d1) -> np.ndarray:
    """Value, from values and first derivatives at both ends."""
    return (1.0 + 2.0 * s) * (1.0 - s) ** 2 * x0 + s * (1.0 - s) ** 2 * d0 + s * s * (3.0 - 2.0 * s) * x1 + s * s * (s - 1.0) * d1


def cubic_rate(s, x0, d0, x1, d1) -> np.ndarray:
    """First derivative of :func:`cubic`."""
    return 6.0 * s * (1.0 - s) * (x1 - x0) + (1.0 - s) * (1.0 - 3.0 * s) * d0 + s * (3.0 * s - 2.0) * d1


def quintic(s, start: tuple, end: tuple) -> np.ndarray:
    """Value, from value, first and second derivative at both ends."""
    (x0, d0, c0), (x1, d1, c1) = start, end
    r = 1.0 - s
    low = r**3 * ((1.0 + 3.0 * s + 6.0 * s * s) * x0 + s * (1.0 + 3.0 * s) * d0 + 0.5 * s * s * c0)
    high = s**3 * ((1.0 + 3.0 * r + 6.0 * r * r) * x1 - r * (1.0 + 3.0 * r) * d1 + 0.5 * r * r * c1)
    return low + high


def quintic_rate(s, start: tuple, end: tuple) -> np.ndarray:
    """First derivative of :func:`quintic`."""
    (x0, d0, c0), (x1, d1, c1) = start, end
    r = 1.0 - s
    steep = 30.0 * s * s * r * r * (x1 - x0)
    slopes = r * r * (1.0 + 2.0 * s - 15.0 * s * s) * d0 + s * s * (1.0 + 2.0 * r - 15.0 * r * r) * d1
    bends = 0.5 * s * r * r * (2.0 - 5.0 * s) * c0 - 0.5 * r * s * s * (2.0 - 5.0 * r) * c1
    return steep + slopes + bends
