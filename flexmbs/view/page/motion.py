"""How bodies and marks of a page move: frames, poses, displacements of marks; exaggerated deformation keeps joints closed.

That motion is the one of :func:`flexmbs.view.exaggerated_motion.drawing`, of all frames together: the smallest one that
restores every joint in the directions that it holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, quaternions, rotation_vectors
from flexmbs.reduction.modal_fields import marker_displacement, superpose
from flexmbs.view.drawable import DrawableMarker, DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import DAMPING, ITERATIONS, HeldJoint
from flexmbs.view.page.numbers import Quantised, series

PLACES, TURNS = 2e-6, 2.0**-20  # steps of positions, relative to the size of the motion, and of quaternions
COARSER = 8.0  # steps where there are so many poses that their size counts
MANY = 500_000  # values
SHIFTS = 2e-4  # steps of what exaggerates or deforms, relative to its largest value


def stored_poses(found: np.ndarray, size: float) -> tuple[Quantised, float]:
    """Poses (nf, nb, 7) as stored, for a motion of ``size`` (m), and their largest error as a part of ``size``."""
    coarser = COARSER if found.size > MANY else 1.0
    steps = np.tile(coarser * np.array([PLACES * size] * 3 + [TURNS] * 4), found.shape[1])
    return series(found.reshape(len(found), -1), steps), coarser * (np.sqrt(3.0) * 0.5 * PLACES + 2.0 * TURNS)


def stored_motion(values: np.ndarray) -> Quantised:
    """(nf, ..., 6) translations and turns: each to a part of the largest of its kind."""
    table = values.reshape(len(values), -1, 6)
    steps = [SHIFTS * float(np.abs(part).max(initial=0.0)) or 1.0 for part in (table[..., :3], table[..., 3:])]
    return series(table.reshape(len(values), -1), np.tile(np.repeat(steps, 3), table.shape[1]))


def poses(here: DrawableResult) -> np.ndarray:
    """(nf, nb, 7) x, y, z (m) and unit quaternions w, x, y, z of all bodies, without jumps of sign."""
    run = here.trajectory
    frames, bodies = run.body_position.shape[:2]
    turns = quaternions(run.body_rotation.reshape(-1, 3, 3)).reshape(frames, bodies, 4)
    flips = np.einsum("fbi,fbi->fb", turns[1:], turns[:-1]) < 0.0
    signs = np.cumprod(np.concatenate([np.ones((1, bodies)), np.where(flips, -1.0, 1.0)]), axis=0)
    return np.concatenate([run.body_position, signs[..., None] * turns], axis=2)


def mark(here: DrawableResult, marker: DrawableMarker, name: str) -> dict[str, Any]:
    """A marker: its place in the undeformed body, and how the modes move it at the times of ``here``."""
    structure = here.structure
    body = structure.bodies[structure.body_index(marker.body)]
    found: dict[str, Any] = {
        "name": name,
        "body": structure.body_index(marker.body),
        "place": _rounded(_place(marker)),
        "axes": _rounded(marker.rotation),
        "moves": None,
    }
    if body.flexible is not None and marker.fields is not None:
        q = here.trajectory.q[:, body.coordinates]
        shift = marker_displacement(body.flexible, marker.fields, q)
        turn = superpose(body.flexible, marker.fields.Psi, marker.fields.Zr, q)
        found["moves"] = stored_motion(np.concatenate([shift, turn], axis=1))
    return found


def marks_in_world(here: DrawableResult, marker: int) -> tuple[np.ndarray, np.ndarray]:
    """(nf, 3) m and (nf, 3, 3): where a marker is at the times of ``here``, without the turn by the modes."""
    structure: DrawableStructure = here.structure
    record = structure.markers[marker]
    index = structure.body_index(record.body)
    body, run = structure.bodies[index], here.trajectory
    local = np.broadcast_to(_place(record), (len(here.t), 3))
    if body.flexible is not None and record.fields is not None:
        local = local + marker_displacement(body.flexible, record.fields, run.q[:, body.coordinates])
    frames = run.body_rotation[:, index]
    return run.body_position[:, index] + np.einsum("fij,fj->fi", frames, local), frames @ record.rotation


def _place(marker: DrawableMarker) -> np.ndarray:
    return np.asarray(marker.position if marker.fields is None else marker.fields.position, dtype=float)


def _rounded(values: np.ndarray) -> list[float]:
    """Nine digits: the header is text."""
    return [float(f"{value:.9g}") for value in np.asarray(values, dtype=float).ravel()]


_ENTRIES = 4_000_000  # of the normal equations of all frames that are solved at once
MAX_BODIES = 200  # beyond it, the equations of a frame are too large
EXAGGERATED = 10.0  # the scale for which the motion is found, if the page starts with a smaller one


def pose_shift(here: DrawableResult, scale: float) -> np.ndarray | None:
    """(nf, nb, 6) change of poses for one more unit of scale: translation m, rotation vector rad, in world axes.

    Exact for the scale given (at least 10), and between 1 and it nearly so. None where nothing has to move.
    """
    structure = here.structure
    if not structure.joints or all(body.flexible is None for body in structure.bodies):
        return None
    moving = _moving(structure)
    if not moving or len(moving) > MAX_BODIES:
        return None
    target = max(float(scale), EXAGGERATED)
    found = np.zeros((len(here.t), len(structure.bodies), 6))
    at_once = max(1, _ENTRIES // (6 * len(moving)) ** 2)
    for first in range(0, len(here.t), at_once):
        part = slice(first, first + at_once)
        found[part] = _shift(here, part, target, moving)
    return found / (target - 1.0)


def _moving(structure: DrawableStructure) -> list[int]:
    """Bodies, without ground, that joints connect to a flexible body, directly or through others."""
    links = [
        (structure.body_index(structure.markers[joint.marker_a].body), structure.body_index(structure.markers[joint.marker_b].body))
        for joint in structure.joints
    ]
    found = {index for index, body in enumerate(structure.bodies) if body.flexible is not None}
    while True:
        more = found | {end for link in links if found & set(link) - {0} for end in link}
        if more == found:
            return sorted(found - {0})
        found = more


def _shift(here: DrawableResult, part: slice, scale: float, moving: list[int]) -> np.ndarray:
    structure, run = here.structure, here.trajectory
    place = {body: column for column, body in enumerate(moving)}
    joints = [HeldJoint(here, part, joint, scale) for joint in structure.joints]
    joints = [joint for joint in joints if joint.a in place or joint.b in place]
    start, turned = run.body_position[part], run.body_rotation[part]
    position, rotation = start.copy(), turned.copy()
    arms = [np.linalg.norm(end.place, axis=-1).max() for joint in joints for end in (joint.at_a, joint.at_b)]
    size = float(max(arms)) or 1.0  # makes rotations comparable with displacements
    for _ in range(ITERATIONS):
        change = _least_change(joints, position, rotation, place, size)
        position[:, moving] += change[..., :3]
        turns = matrices_of_vectors(change[..., 3:].reshape(-1, 3) / size).reshape(*change.shape[:2], 3, 3)
        rotation[:, moving] = turns @ rotation[:, moving]
        if np.abs(change).max(initial=0.0) < 1e-9 * size:
            break
    relative = rotation @ np.swapaxes(turned, 2, 3)
    vectors = rotation_vectors(relative.reshape(-1, 3, 3)).reshape(start.shape)
    return np.concatenate([position - start, vectors], axis=2)


def _least_change(joints: list[HeldJoint], position, rotation, place: dict[int, int], size: float) -> np.ndarray:
    """(nf, bodies, 6) smallest motion that closes the joints, m (rotations times ``size``)."""
    frames, count = len(position), 6 * len(place)
    normal = np.zeros((frames, count, count))
    right = np.zeros((frames, count))
    normal[:, np.arange(count), np.arange(count)] = DAMPING
    for joint in joints:
        off, turn, axes = joint.errors(position, rotation)
        errors = np.concatenate([off, size * turn], axis=1)
        blocks = zip((joint.a, joint.b), joint.rows(rotation, axes, size), strict=True)
        own = [(slice(6 * place[body], 6 * place[body] + 6), rows) for body, rows in blocks if body in place]
        for at, rows in own:
            right[:, at] -= np.einsum("fij,fi->fj", rows, errors)
            for beside, other in own:
                normal[:, at, beside] += np.swapaxes(rows, 1, 2) @ other
    return np.linalg.solve(normal, right[..., None])[..., 0].reshape(frames, -1, 6)
