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

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.view.drawable import DrawableResult, DrawableStructure
from flexmbs.view.held_joints import DAMPING, ITERATIONS, HeldJoint, in_world


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
