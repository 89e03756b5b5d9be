"""Bodies drawn with exaggerated deformation, moved so that joints stay closed.

Drawing a deformation k times as large moves the joints of a body away from the bodies connected there. Every body
frame is therefore moved by the smallest motion that restores each joint: the position and rotation of its second
marker relative to its first are the true ones, except along the freedoms of the joint. Open chains close exactly;
closed loops keep the gaps that their freedoms cannot take up, with the least sum of squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.fem.rigid_motion import skew
from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, rotation_vectors
from flexmbs.reduction.recovery import marker_displacement, superpose
from flexmbs.view.drawable import DrawableJoint, DrawableResult, DrawableStructure


class Drawing(NamedTuple):
    """How a result is drawn: ``here``, with its body frames as drawn, and the largest gap of a joint, ``opening`` (m)."""

    here: DrawableResult
    opening: float


def drawing(here: DrawableResult, scale: float) -> Drawing:
    """The result ``here``, with body frames moved for a deformation drawn ``scale`` times as large."""
    moving = [] if scale == 1.0 else _moving(here.structure)
    if not moving:
        return Drawing(here, 0.0)
    position, rotation, joints = _closed(here, slice(None), scale, moving)
    opening = max(float(np.linalg.norm(joint.errors(position, rotation)[0])) for joint in joints)
    return Drawing(here.with_body_frames(position, rotation), opening)


def marker_in_world(here: DrawableResult, marker: int, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """World position (3,) and axes (3, 3) of a marker of a one-time result, with deformation times ``scale``."""
    place, axes = in_world(here, marker, scale)
    return place[0], axes[0]


DAMPING = 1e-10  # of the normal equations, whose entries are about 1: only determines motions that joints leave free
ITERATIONS = 8


class Place(NamedTuple):
    """Positions ``place`` (nf, 3) m and ``axes`` (nf, 3, 3) of a marker."""

    place: np.ndarray
    axes: np.ndarray


class HeldJoint:
    """A joint over frames: its markers on the deformed bodies as drawn, and the directions it holds."""

    def __init__(self, here: DrawableResult, part: slice, joint: DrawableJoint, scale: float) -> None:
        structure = here.structure
        self.a, self.b = (structure.body_index(structure.markers[m].body) for m in (joint.marker_a, joint.marker_b))
        a, b = (in_world(here, marker, 1.0, part) for marker in (joint.marker_a, joint.marker_b))
        self.distance = np.einsum("fji,fj->fi", a.axes, b.place - a.place)
        self.turn = np.swapaxes(a.axes, 1, 2) @ b.axes
        self.at_a, self.at_b = (on_body(here, marker, scale, part) for marker in (joint.marker_a, joint.marker_b))
        self.held = np.eye(3) - joint.free_translations.T @ joint.free_translations
        free = joint.free_rotations
        self.held_turn = np.eye(3) - free.T @ free if len(free) < 2 else np.zeros((3, 3))

    def errors(self, position: np.ndarray, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(nf, 3) m and (nf, 3) rad: gap in the held directions; and the axes (nf, 3, 3) of the first marker."""
        frame_a, frame_b = rotation[:, self.a], rotation[:, self.b]
        axes = frame_a @ self.at_a.axes
        first = position[:, self.a] + _turned(frame_a, self.at_a.place)
        second = position[:, self.b] + _turned(frame_b, self.at_b.place)
        off = _turned(np.swapaxes(axes, 1, 2), second - first) - self.distance
        off_turn = np.swapaxes(axes, 1, 2) @ frame_b @ self.at_b.axes @ np.swapaxes(self.turn, 1, 2)
        return off @ self.held.T, rotation_vectors(off_turn) @ self.held_turn.T, axes

    def rows(self, rotation: np.ndarray, axes: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
        """(nf, 6, 6) derivatives of the errors (rotations times ``size``) for the motion of body a and of b."""
        arm_a = _turned(rotation[:, self.a], self.at_a.place) + _turned(axes, self.distance)
        arm_b = _turned(rotation[:, self.b], self.at_b.place)
        to_axes = self.held @ np.swapaxes(axes, 1, 2)
        to_turn = self.held_turn @ np.swapaxes(axes, 1, 2)
        of_a, of_b = np.zeros((len(axes), 6, 6)), np.zeros((len(axes), 6, 6))
        of_a[:, :3, :3], of_b[:, :3, :3] = -to_axes, to_axes
        of_a[:, :3, 3:], of_b[:, :3, 3:] = to_axes @ skew(arm_a) / size, -to_axes @ skew(arm_b) / size
        of_a[:, 3:, 3:], of_b[:, 3:, 3:] = -to_turn, to_turn
        return of_a, of_b


def on_body(here: DrawableResult, marker: int, scale: float, part: slice) -> Place:
    """Where a marker is in the frame of its body, with deformation times ``scale``."""
    record = here.structure.markers[marker]
    body = here.structure.bodies[here.structure.body_index(record.body)]
    frames = len(here.trajectory.body_position[part])
    axes = np.broadcast_to(np.asarray(record.rotation, dtype=float), (frames, 3, 3))
    if record.fields is None or body.flexible is None:
        place = record.position if record.fields is None else record.fields.position
        return Place(np.broadcast_to(np.asarray(place, dtype=float), (frames, 3)), axes)
    q = here.trajectory.q[part, body.coordinates]
    shift = scale * marker_displacement(body.flexible, record.fields, q)
    turn = scale * superpose(body.flexible, record.fields.Psi, record.fields.Zr, q)
    return Place(record.fields.position + shift, matrices_of_vectors(turn) @ axes)


def in_world(here: DrawableResult, marker: int, scale: float = 1.0, part: slice = slice(None)) -> Place:
    """Where a marker is in world axes, with deformation times ``scale``; ``part``: of the times of ``here``."""
    index = here.structure.body_index(here.structure.markers[marker].body)
    local, frame = on_body(here, marker, scale, part), here.trajectory.body_rotation[part, index]
    return Place(here.trajectory.body_position[part, index] + _turned(frame, local.place), frame @ local.axes)


def _turned(frames: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("fij,fj->fi", frames, vectors)


_ENTRIES = 4_000_000  # of the normal equations of all frames that are solved at once
MAX_BODIES = 200  # beyond it, the equations of a frame are too large
EXAGGERATED = 10.0  # the scale for which the motion is found, if the page starts with a smaller one


def pose_shift(here: DrawableResult, scale: float) -> np.ndarray | None:
    """(nf, nb, 6) change of poses for one more unit of scale: translation m, rotation vector rad, in world axes.

    Exact for the scale given (at least 10), and between 1 and it nearly so. None where nothing has to move.
    """
    structure, moving = here.structure, _moving(here.structure)
    if not moving:
        return None
    target = max(float(scale), EXAGGERATED)
    found = np.zeros((len(here.t), len(structure.bodies), 6))
    at_once = max(1, _ENTRIES // (6 * len(moving)) ** 2)
    for first in range(0, len(here.t), at_once):
        part = slice(first, first + at_once)
        position, rotation, _ = _closed(here, part, target, moving)
        start, turned = here.trajectory.body_position[part], here.trajectory.body_rotation[part]
        relative = rotation @ np.swapaxes(turned, 2, 3)
        vectors = rotation_vectors(relative.reshape(-1, 3, 3)).reshape(start.shape)
        found[part] = np.concatenate([position - start, vectors], axis=2)
    return found / (target - 1.0)


def _moving(structure: DrawableStructure) -> list[int]:
    """Bodies, without ground, that joints connect to a flexible body, directly or through others; [] for too many of them."""
    links = [
        (structure.body_index(structure.markers[joint.marker_a].body), structure.body_index(structure.markers[joint.marker_b].body))
        for joint in structure.joints
    ]
    found = {index for index, body in enumerate(structure.bodies) if body.flexible is not None}
    while True:
        more = found | {end for link in links if found & set(link) - {0} for end in link}
        if more == found:
            return sorted(found - {0}) if links and len(found) <= MAX_BODIES else []
        found = more


def _closed(here: DrawableResult, part: slice, scale: float, moving: list[int]) -> tuple[np.ndarray, np.ndarray, list[HeldJoint]]:
    """Positions (nf, nb, 3) m and rotations (nf, nb, 3, 3) of bodies that close the joints of the ``moving`` ones, and these."""
    structure, run = here.structure, here.trajectory
    place = {body: column for column, body in enumerate(moving)}
    joints = [HeldJoint(here, part, joint, scale) for joint in structure.joints]
    joints = [joint for joint in joints if joint.a in place or joint.b in place]
    position, rotation = run.body_position[part].copy(), run.body_rotation[part].copy()
    arms = [np.linalg.norm(end.place, axis=-1).max() for joint in joints for end in (joint.at_a, joint.at_b)]
    size = float(max(arms)) or 1.0  # makes rotations comparable with displacements
    for _ in range(ITERATIONS):
        change = _least_change(joints, position, rotation, place, size)
        position[:, moving] += change[..., :3]
        turns = matrices_of_vectors(change[..., 3:].reshape(-1, 3) / size).reshape(*change.shape[:2], 3, 3)
        rotation[:, moving] = turns @ rotation[:, moving]
        if np.abs(change).max(initial=0.0) < 1e-9 * size:
            break
    return position, rotation, joints


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
