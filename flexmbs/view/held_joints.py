"""Joints of drawings with exaggerated deformation: how far they are open, frame by frame, and what closes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, rotation_vectors
from flexmbs.reduction.modal_fields import marker_displacement, superpose
from flexmbs.view.drawable import DrawableJoint, DrawableResult

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
