"""Bodies drawn with exaggerated deformation, moved so that joints stay closed.

Drawing a deformation k times as large moves the joints of a body away from the bodies connected there. Every body
frame is therefore moved by the smallest motion that restores each joint: the position and rotation of its second
marker relative to its first are the true ones, except along the freedoms of the joint. Open chains close exactly;
closed loops keep the gaps that their freedoms cannot take up, with the least sum of squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, eye_array
from scipy.sparse.linalg import spsolve

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, rotation_vectors
from flexmbs.reduction.modal_fields import marker_displacement, superpose
from flexmbs.view.drawable import DrawableJoint, DrawableResult, DrawableStructure


@dataclass(frozen=True)
class Drawing:
    """How a result is drawn at one time.

    Attributes
    ----------
    here : the result at that one time, with the body frames as drawn
    opening : m, largest gap of a joint in the drawing
    """

    here: DrawableResult
    opening: float


def drawing(here: DrawableResult, scale: float) -> Drawing:
    """The one-time result ``here``, with body frames moved for a deformation drawn ``scale`` times as large."""
    structure = here.structure
    if scale == 1.0 or not structure.joints or all(body.flexible is None for body in structure.bodies):
        return Drawing(here, 0.0)
    size = _arm(structure)
    joints = [HeldJoint(here, slice(None), joint, scale) for joint in structure.joints]
    position, rotation = here.trajectory.body_position[0].copy(), here.trajectory.body_rotation[0].copy()
    opening = 0.0
    for _ in range(ITERATIONS):
        errors, opening = _errors(joints, position, rotation, size)
        change = _least_change(joints, position, rotation, errors, size)
        position[1:] += change[:, :3]
        rotation[1:] = matrices_of_vectors(change[:, 3:] / size) @ rotation[1:]
        if np.abs(change).max(initial=0.0) < 1e-9 * size:
            break
    return Drawing(here.with_body_frames(position[None], rotation[None]), opening)


def _arm(structure: DrawableStructure) -> float:
    """m, longest distance from a body's origin to a joint on it: makes rotations comparable with displacements."""
    ends = {index for joint in structure.joints for index in (joint.marker_a, joint.marker_b)}
    records = [structure.markers[index] for index in ends]
    places = [record.position if record.fields is None else record.fields.position for record in records]
    return max(float(np.linalg.norm(place)) for place in places) or 1.0


def _errors(joints: list[HeldJoint], position, rotation, size: float) -> tuple[np.ndarray, float]:
    """(6 nj,) errors in m, rotations times ``size``; and the largest distance."""
    found = [joint.errors(position[None], rotation[None])[:2] for joint in joints]
    stacked = np.concatenate([np.concatenate([off[0], size * turn[0]]) for off, turn in found])
    return stacked, max(float(np.linalg.norm(off)) for off, _ in found)


def _least_change(joints: list[HeldJoint], position, rotation, errors: np.ndarray, size: float) -> np.ndarray:
    """(nb - 1, 6) smallest motion of the bodies that removes ``errors``, m (rotations times ``size``)."""
    count = 6 * (len(position) - 1)
    rows, columns, values = [], [], []
    for number, joint in enumerate(joints):
        axes = rotation[None, joint.a] @ joint.at_a.axes
        for body, block in zip((joint.a, joint.b), joint.rows(rotation[None], axes, size), strict=True):
            if body > 0:
                row, column = np.mgrid[0:6, 0:6]
                rows.append(6 * number + row.ravel())
                columns.append(6 * (body - 1) + column.ravel())
                values.append(block.ravel())
    shape = (len(errors), count)
    matrix = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsc()
    normal = matrix.T @ matrix + DAMPING * eye_array(count)
    return spsolve(normal.tocsc(), -(matrix.T @ errors)).reshape(-1, 6)


def marker_in_world(here: DrawableResult, marker: int, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """World position (3,) and axes (3, 3) of a marker of a one-time result, with deformation times ``scale``."""
    place, axes = in_world(here, slice(None), marker, scale)
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
        a, b = (in_world(here, part, marker) for marker in (joint.marker_a, joint.marker_b))
        self.distance = np.einsum("fji,fj->fi", a.axes, b.place - a.place)
        self.turn = np.swapaxes(a.axes, 1, 2) @ b.axes
        self.at_a, self.at_b = (on_body(here, part, marker, scale) for marker in (joint.marker_a, joint.marker_b))
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
        of_a[:, :3, 3:], of_b[:, :3, 3:] = to_axes @ _cross(arm_a) / size, -to_axes @ _cross(arm_b) / size
        of_a[:, 3:, 3:], of_b[:, 3:, 3:] = -to_turn, to_turn
        return of_a, of_b


def on_body(here: DrawableResult, part: slice, marker: int, scale: float) -> Place:
    """Where a marker is in the frame of its body, with deformation times ``scale``."""
    record = here.structure.markers[marker]
    body = here.structure.bodies[here.structure.body_index(record.body)]
    frames = len(here.trajectory.body_position[part])
    axes = np.broadcast_to(np.asarray(record.rotation, dtype=float), (frames, 3, 3))
    if record.fields is None:
        return Place(np.broadcast_to(np.asarray(record.position, dtype=float), (frames, 3)), axes)
    if body.flexible is None:
        return Place(np.broadcast_to(np.asarray(record.fields.position, dtype=float), (frames, 3)), axes)
    q = here.trajectory.q[part, body.coordinates]
    shift = scale * marker_displacement(body.flexible, record.fields, q)
    turn = scale * superpose(body.flexible, record.fields.Psi, record.fields.Zr, q)
    return Place(record.fields.position + shift, matrices_of_vectors(turn) @ axes)


def in_world(here: DrawableResult, part: slice, marker: int, scale: float = 1.0) -> Place:
    """Where a marker is in world axes, with deformation times ``scale``."""
    index = here.structure.body_index(here.structure.markers[marker].body)
    local, frame = on_body(here, part, marker, scale), here.trajectory.body_rotation[part, index]
    return Place(here.trajectory.body_position[part, index] + _turned(frame, local.place), frame @ local.axes)


def _turned(frames: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("fij,fj->fi", frames, vectors)


def _cross(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    zero = np.zeros(len(x))
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
