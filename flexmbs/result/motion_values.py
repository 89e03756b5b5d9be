"""Energies and gaps that follow from the motion: what is known of them between steps that are far apart.

Between two steps of a free flight, both on the floor, the height is a parabola; a curve through the stored gaps and
energies alone would not see it. What the motion does not explain (springs, contacts, second-order terms) is left to
such a curve.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.result.histories import marker_position_history
from flexmbs.result.interpolation import locate, monotone
from flexmbs.result.structure import BodyRecord, Structure
from flexmbs.result.trajectory import Trajectory

#: A gap between markers is taken for the gap of a contact if it explains all but this part of its changes.
UNEXPLAINED = 0.05
KINETIC, GRAVITY, ELASTIC = range(3)
ROWS = 8192  # at a time, to limit memory
#: What of the motion energies and gaps are computed from.
_MOTION = ("q", "v", "body_position", "body_rotation", "body_velocity", "body_angular_velocity")


class Moments:
    """Motion at some times: the arrays of a trajectory that positions and velocities follow from."""

    def __init__(self, run: Trajectory, rows: slice) -> None:
        self.t = run.t[rows]
        for name in _MOTION:
            setattr(self, name, getattr(run, name)[rows])


#: From structure and motion at k times to values (k, ...).
MotionLaw = Callable[[Structure, Moments], np.ndarray]


def gaps_between(run, sampled, structure: Structure) -> np.ndarray:
    """(k, nc) m: gaps at the times of ``sampled``, a trajectory whose motion is interpolated from that of ``run``."""
    rows = _rows_around(run, sampled)
    found, _ = _by_motion(gaps_of_motion, run.contact_gap[rows], run, rows, sampled, structure)
    return found


def energies_between(run, sampled, structure: Structure) -> np.ndarray:
    """(k, 3) J: energies at the times of ``sampled``, as :func:`gaps_between`.

    Their sum is interpolated by itself, because it often stays the same; what then is missing is added to the elastic
    energy if springs or contacts have a larger part of it than the sum changes, or else to the kinetic energy.
    """
    rows = _rows_around(run, sampled)
    stored = run.energy[rows]
    found, rest = _by_motion(energies_of_motion, stored, run, rows, sampled, structure)
    total = stored.sum(axis=1)
    missing = monotone(run.t[rows], total, sampled.t) - found.sum(axis=1)
    if np.ptp(total) < np.ptp(rest[:, ELASTIC]):
        found[:, ELASTIC] += missing
    elif np.ptp(total) < np.ptp(stored[:, KINETIC]):
        found[:, KINETIC] += missing
    return found


def _rows_around(run, sampled) -> slice:
    at = locate(run.t, sampled.t)
    return slice(max(int(at.i.min()) - 1, 0), min(int(at.j.max()) + 2, len(run.t)))


def _by_motion(
    law: MotionLaw, stored: np.ndarray, run, rows: slice, sampled, structure: Structure
) -> tuple[np.ndarray, np.ndarray]:
    """The law at the times of ``sampled`` and what it does not explain of ``stored`` there, and this at the steps."""
    explained = np.concatenate([law(structure, moments) for moments in _in_parts(run, rows)])
    use = _explains(stored, explained)
    rest = stored - np.where(use, explained, 0.0)
    found = monotone(run.t[rows], rest, sampled.t) + np.where(use, law(structure, sampled), 0.0)
    return found, rest


def _in_parts(run, rows: slice) -> list[Moments]:
    starts = range(rows.start, rows.stop, ROWS)
    return [Moments(run, slice(first, min(first + ROWS, rows.stop))) for first in starts]


def _explains(stored: np.ndarray, explained: np.ndarray) -> np.ndarray:
    """(columns,) bool: where a law leaves little to explain."""
    rest = np.ptp(stored - explained, axis=0)
    return rest <= UNEXPLAINED * np.maximum(np.ptp(stored, axis=0), np.ptp(explained, axis=0))


def energies_of_motion(structure: Structure, run: Moments) -> np.ndarray:
    """(k, 3) J: kinetic energy, gravity and the linear elastic energy of all modes."""
    found = np.zeros((len(run.t), 3))
    for index, body in enumerate(structure.bodies[1:], start=1):
        if body.flexible is None:
            if body.mass > 0.0:
                _add_rigid(found, body, index, structure.gravity, run)
        else:
            _add_flexible(found, body, index, structure.gravity, run)
    return found


def _add_rigid(found: np.ndarray, body: BodyRecord, index: int, gravity: np.ndarray, run: Moments) -> None:
    turn, spin = run.body_rotation[:, index], run.body_angular_velocity[:, index]
    arm = turn @ body.center
    velocity = run.body_velocity[:, index] + np.cross(spin, arm)
    own = np.einsum("tji,tj->ti", turn, spin)  # in body axes
    found[:, KINETIC] += 0.5 * body.mass * (velocity**2).sum(axis=1) + 0.5 * np.einsum("ti,ij,tj->t", own, body.inertia, own)
    found[:, GRAVITY] -= body.mass * (run.body_position[:, index] + arm) @ gravity


def _add_flexible(found: np.ndarray, body: BodyRecord, index: int, gravity: np.ndarray, run: Moments) -> None:
    """Of the mass-orthonormal functions of the body: those of its position, and of its velocity, in body axes."""
    flexible, turn = body.flexible, run.body_rotation[:, index]
    q, v = run.q[:, body.coordinates], run.v[:, body.rates]
    fields, root = flexible.inertia, np.sqrt(flexible.mass)
    place = fields.X + np.tensordot(q, fields.P, axes=(-1, 0))
    rate = np.tensordot(v, fields.P, axes=(-1, 0))
    if len(flexible.pairs):
        place = place + np.tensordot(flexible.quadratic_coordinates(q), fields.Z, axes=(-1, 0))
        rate = rate + np.tensordot(flexible.quadratic_coordinates(q, v), fields.Z, axes=(-1, 0))
    spin = np.einsum("tji,tj->ti", turn, run.body_angular_velocity[:, index])
    speed = rate + np.cross(spin[:, :, None], place, axisa=1, axisb=1, axisc=1)
    speed[:, :, 0] += root * np.einsum("tji,tj->ti", turn, run.body_velocity[:, index])
    found[:, KINETIC] += 0.5 * (speed**2).sum(axis=(1, 2))
    center = root * np.einsum("tij,tj->ti", turn, place[:, :, 0])
    found[:, GRAVITY] -= (flexible.mass * run.body_position[:, index] + center) @ gravity
    found[:, ELASTIC] += 0.5 * np.einsum("ta,ab,tb->t", q, flexible.Ke, q)


def gaps_of_motion(structure: Structure, run: Moments) -> np.ndarray:
    """(k, nc) m: gaps between spheres, and between spheres and planes, of all contacts as if they were such."""
    places: dict[int, np.ndarray] = {}
    for marker in {end for pair in structure.contacts for end in (pair.marker_a, pair.marker_b)}:
        places[marker] = marker_position_history(structure, structure.markers[marker], run)
    found = np.empty((len(run.t), len(structure.contacts)))
    for column, pair in enumerate(structure.contacts):
        apart = places[pair.marker_a] - places[pair.marker_b]
        if pair.normal is None:
            found[:, column] = np.linalg.norm(apart, axis=1) - pair.radius_a - pair.radius_b
        else:
            marker = structure.markers[pair.marker_b]
            turn = run.body_rotation[:, structure.body_index(marker.body)]
            normal = turn @ (marker.rotation @ pair.normal)
            found[:, column] = (apart * normal).sum(axis=1) - pair.radius_a
    return found
