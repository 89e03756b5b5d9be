"""How bodies of a page move when their deformation is exaggerated, so that joints stay closed.

The same motion as :func:`flexmbs.view.exaggerated_motion.drawing` finds, of all frames together: the smallest one that
restores every joint in the directions that it holds.
"""

from __future__ import annotations

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, rotation_vectors
from flexmbs.view.drawable import DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import DAMPING, ITERATIONS, HeldJoint

_ENTRIES = 4_000_000  # of the normal equations of all frames that are solved at once
MOST_BODIES = 200  # beyond it, the equations of a frame are too large
EXAGGERATED = 10.0  # the scale for which the motion is found, if the page starts with a smaller one


def pose_shift(here: DrawableResult, scale: float) -> np.ndarray | None:
    """(nf, nb, 6) change of poses for one more unit of scale: translation m, rotation vector rad, in world axes.

    Exact for the scale given (at least 10), and between 1 and it nearly so. None where nothing has to move.
    """
    structure = here.structure
    if not structure.joints or all(body.flexible is None for body in structure.bodies):
        return None
    moving = _moving(structure)
    if not moving or len(moving) > MOST_BODIES:
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
