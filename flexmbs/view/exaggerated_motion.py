"""Bodies drawn with exaggerated deformation, moved so that joints stay closed.

Drawing a deformation k times as large moves the joints of a body away from the bodies connected there. Every body
frame is therefore moved by the smallest motion that restores each joint: the position and rotation of its second
marker relative to its first are the true ones, except along the freedoms of the joint. Open chains close exactly;
closed loops keep the gaps that their freedoms cannot take up, with the least sum of squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, eye_array
from scipy.sparse.linalg import spsolve

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors, rotation_vectors
from flexmbs.reduction.modal_fields import marker_displacement, superpose
from flexmbs.view.drawable import (
    DrawableJoint,
    DrawableMarker,
    DrawableResult,
    DrawableStructure,
    DrawableTrajectory,
)

_DAMPING = 1e-10  # of the normal equations, whose entries are about 1: only determines motions that joints leave free
_ITERATIONS = 8


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
    joints = [_Held(structure, here.trajectory, joint, scale) for joint in structure.joints]
    position, rotation = here.trajectory.body_position[0].copy(), here.trajectory.body_rotation[0].copy()
    opening = 0.0
    for _ in range(_ITERATIONS):
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


class _Held:
    """A joint: its markers on the deformed bodies as drawn, and the directions it constrains."""

    def __init__(
        self, structure: DrawableStructure, run: DrawableTrajectory, joint: DrawableJoint, scale: float
    ) -> None:
        a, b = structure.markers[joint.marker_a], structure.markers[joint.marker_b]
        self.a, self.b = structure.body_index(a.body), structure.body_index(b.body)
        first, second = (_in_world(structure, run, marker) for marker in (a, b))
        self.distance = first[1].T @ (second[0] - first[0])
        self.turn = first[1].T @ second[1]
        self.at_a, self.at_b = (_on_body(structure, run, marker, scale) for marker in (a, b))
        self.held = np.eye(3) - joint.free_translations.T @ joint.free_translations
        axes = joint.free_rotations
        self.held_turn = np.eye(3) - axes.T @ axes if len(axes) < 2 else np.zeros((3, 3))

    def errors(self, position: np.ndarray, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(3,) m and (3,) rad: gap of the joint in its constrained directions; and the axes of its first marker."""
        axes = rotation[self.a] @ self.at_a[1]
        first = position[self.a] + rotation[self.a] @ self.at_a[0]
        second = position[self.b] + rotation[self.b] @ self.at_b[0]
        off = axes.T @ (second - first) - self.distance
        turned = axes.T @ rotation[self.b] @ self.at_b[1] @ self.turn.T
        return self.held @ off, self.held_turn @ rotation_vectors(turned), axes

    def rows(self, rotation: np.ndarray, axes: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
        """(6, 6) derivatives of the errors (rotations times ``size``) with respect to the motion of body a and of b."""
        arm_a = rotation[self.a] @ self.at_a[0] + axes @ self.distance
        arm_b = rotation[self.b] @ self.at_b[0]
        to_axes, to_turn = self.held @ axes.T, self.held_turn @ axes.T
        of_a, of_b = np.zeros((6, 6)), np.zeros((6, 6))
        of_a[:3, :3], of_b[:3, :3] = -to_axes, to_axes
        of_a[:3, 3:], of_b[:3, 3:] = to_axes @ _cross(arm_a) / size, -to_axes @ _cross(arm_b) / size
        of_a[3:, 3:], of_b[3:, 3:] = -to_turn, to_turn
        return of_a, of_b


def _errors(joints: list[_Held], position, rotation, size: float) -> tuple[np.ndarray, float]:
    """(6 nj,) errors in m, rotations times ``size``; and the largest distance."""
    found = [joint.errors(position, rotation)[:2] for joint in joints]
    stacked = np.concatenate([np.concatenate([off, size * turn]) for off, turn in found])
    return stacked, max(float(np.linalg.norm(off)) for off, _ in found)


def _least_change(joints: list[_Held], position, rotation, errors: np.ndarray, size: float) -> np.ndarray:
    """(nb - 1, 6) smallest motion of the bodies that removes ``errors``, m (rotations times ``size``)."""
    count = 6 * (len(position) - 1)
    rows, columns, values = [], [], []
    for number, joint in enumerate(joints):
        axes = rotation[joint.a] @ joint.at_a[1]
        for body, block in zip((joint.a, joint.b), joint.rows(rotation, axes, size), strict=True):
            if body > 0:
                row, column = np.mgrid[0:6, 0:6]
                rows.append(6 * number + row.ravel())
                columns.append(6 * (body - 1) + column.ravel())
                values.append(block.ravel())
    shape = (len(errors), count)
    matrix = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsc()
    normal = matrix.T @ matrix + _DAMPING * eye_array(count)
    return spsolve(normal.tocsc(), -(matrix.T @ errors)).reshape(-1, 6)


def _cross(vector: np.ndarray) -> np.ndarray:
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _on_body(structure: DrawableStructure, run: DrawableTrajectory, marker: DrawableMarker, scale: float):
    """Position (3,) and axes (3, 3) of a marker in the frame of its body, with deformation times ``scale``."""
    body = structure.bodies[structure.body_index(marker.body)]
    if body.flexible is None or marker.fields is None:
        return marker.position, marker.rotation
    q = run.q[0, body.coordinates]
    shift = scale * marker_displacement(body.flexible, marker.fields, q)
    turn = scale * superpose(body.flexible, marker.fields.Psi, marker.fields.Zr, q)
    return marker.fields.position + shift, matrices_of_vectors(turn) @ marker.rotation


def marker_in_world(here: DrawableResult, marker: int, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """World position (3,) and axes (3, 3) of a marker of a one-time result, with deformation times ``scale``."""
    return _in_world(here.structure, here.trajectory, here.structure.markers[marker], scale)


def _in_world(structure: DrawableStructure, run: DrawableTrajectory, marker: DrawableMarker, scale: float = 1.0):
    index = structure.body_index(marker.body)
    place, axes = _on_body(structure, run, marker, scale)
    frame = run.body_rotation[0, index]
    return run.body_position[0, index] + frame @ place, frame @ axes
