"""Symbols of joints, in axes of their first marker: hinge pins, slider rails, balls, blocks of fixed joints."""

from __future__ import annotations

import numpy as np

from flexmbs.view.drawable import DrawableJoint, DrawableStructure
from flexmbs.view.parts.solids import EMPTY, Solid, axes_along, box, cylinder, joined, sphere

PIN_LENGTH, PIN_RADIUS = 1.6, 0.42  # of hinges, relative to ``size``
OVERHANG, LONGEST = 0.35, 5.0  # of a pin beyond what it carries, and half of its length, relative to ``size``
NEARBY = 2.5  # of ``size``: what lies so far from the axis is what the pin carries
RAIL = (0.3, 0.3, 4.0)  # of sliders
BLOCK = 0.6  # of joints without freedom
SMALLEST_BODY = 0.16  # size of a symbol relative to the smaller of the bodies that it connects


def joint_symbol(joint: DrawableJoint, size: float, thickness: float = 0.0) -> Solid:
    """Surface of the symbol of a joint of ``size`` (m), in axes of marker a at the start; empty for a free joint.

    One free rotation is a pin along its axis, two a cross of pins, three a ball; a free translation is a rail along it.
    What moves along a curve is a ball. A joint without freedom is a block. ``thickness``: half of that of the bodies
    along the axis of a hinge, m: the pin is longer.
    """
    turns, slides = joint.free_rotations, joint.free_translations
    if len(joint.curve):
        return sphere(0.5 * size)
    if len(turns) == 3 and len(slides) == 3:
        return EMPTY
    parts = [_rail(direction, size) for direction in slides if len(slides) < 3]
    if len(turns) == 3:
        parts.append(sphere(0.6 * size))
    else:
        parts += [_pin(axis, size, thickness) for axis in turns]
    if not parts:
        parts = [box(np.full(3, BLOCK * size))]
    return joined(parts)


def joint_size(structure: DrawableStructure, joint: DrawableJoint, most: float) -> float:
    """m, of the symbol of a joint: ``most``, or less where it connects small bodies."""
    sizes = []
    for marker in (joint.marker_a, joint.marker_b):
        points = _points(structure, marker)
        if len(points):
            sizes.append(float(np.linalg.norm(np.ptp(points, axis=0))))
    return min([most, *(SMALLEST_BODY * size for size in sizes if size > 0.0)])


def thickness_at(structure: DrawableStructure, joint: DrawableJoint, size: float) -> float:
    """m, how far the bodies of a hinge reach along its axis, near the hinge, from its markers (undeformed)."""
    if len(joint.free_rotations) != 1:
        return 0.0
    axis_of_a, reach = joint.free_rotations[0], 0.0
    for marker in (joint.marker_a, joint.marker_b):
        points, record = _points(structure, marker), structure.markers[marker]
        if not len(points):
            continue
        away = (points - record.position) @ record.rotation  # in axes of the marker: both share the axis of the hinge
        along = away @ axis_of_a
        beside = np.linalg.norm(away - along[:, None] * axis_of_a, axis=1)
        near = np.abs(along[beside < max(NEARBY * size, 1.05 * float(beside.min()))])
        reach = max(reach, float(near.max(initial=0.0)))
    return reach


def _points(structure: DrawableStructure, marker: int) -> np.ndarray:
    """(k, 3) m, surface of the body of a marker, in axes of the body; empty without one."""
    body = structure.bodies[structure.body_index(structure.markers[marker].body)]
    return body.shape_points if body.flexible is None else body.flexible.surface.points


def _pin(axis: np.ndarray, size: float, thickness: float) -> Solid:
    reach = max(0.5 * PIN_LENGTH * size, min(thickness + OVERHANG * size, LONGEST * size)) * axis
    return cylinder(-reach, reach, PIN_RADIUS * size)


def _rail(direction: np.ndarray, size: float) -> Solid:
    return box(size * np.array(RAIL)).moved(np.zeros(3), axes_along(direction))
