"""Symbols between bodies: of joints, in axes of their first marker; and lines of springs, rods, cables, belts."""

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


TURNS, PER_TURN = 9, 16
ARC = 25  # points of a belt on each pulley
STRAIGHT = 0.12  # part of the length at each end of a coil


def coil(start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """(k, 3) m, the wire of a coil spring of ``radius`` (m) from ``start`` to ``end`` (3,).

    It always has the same number of points, so that a spring that gets longer moves them only.
    """
    span = end - start
    length = float(np.linalg.norm(span))
    axes = axes_along(span if length > 0.0 else np.array([0.0, 0.0, 1.0]))
    turn = np.linspace(0.0, 1.0, TURNS * PER_TURN + 1)
    angle = 2.0 * np.pi * TURNS * turn
    fade = np.minimum(1.0, 12.0 * np.minimum(turn, 1.0 - turn))  # the wire leaves the axis and comes back to it
    along = length * (STRAIGHT + (1.0 - 2.0 * STRAIGHT) * turn)
    local = np.stack([fade * radius * np.cos(angle), fade * radius * np.sin(angle), along], axis=1)
    return np.concatenate([start[None], start + local @ axes.T, end[None]])


def belt(centers: np.ndarray, radii: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """(k, 3) m, the line of a belt over pulleys at ``centers`` (n, 3) with parallel axes along ``axis`` (3,).

    It passes them in their order. ``radii`` (n,) m: negative for pulleys on the other side of the belt. If the first
    centre is also the last one, the belt is closed. The number of points depends on that of the pulleys only.
    """
    axes = axes_along(axis)
    flat = centers @ axes[:, :2]
    turned = -1.0 if _area(flat) < 0.0 else 1.0  # it runs around them in the sense of their order
    signed = turned * np.asarray(radii, dtype=float)
    normals = np.array([_left(b - a, q - p) for a, b, p, q in zip(flat, flat[1:], signed, signed[1:], strict=False)])
    closed = len(flat) > 2 and np.allclose(flat[0], flat[-1])
    points = [flat[0] - signed[0] * normals[0]]
    for here in range(1, len(flat)):
        leaving = normals[here] if here < len(normals) else normals[0] if closed else normals[-1]
        points += list(_arc(flat[here], signed[here], normals[here - 1], leaving))
    depth = centers.mean(axis=0) @ axes[:, 2]
    return np.array(points) @ axes[:, :2].T + depth * axes[:, 2]


def _left(span: np.ndarray, more: float) -> np.ndarray:
    """(2,) unit normal to the left of the tangent from one pulley to the next, whose radius is larger by ``more``."""
    length = max(float(np.linalg.norm(span)), 1e-300)
    along = span / length
    part = float(np.clip(more / length, -1.0, 1.0))
    return part * along + np.sqrt(1.0 - part * part) * np.array([-along[1], along[0]])


def _arc(center: np.ndarray, radius: float, arriving: np.ndarray, leaving: np.ndarray) -> np.ndarray:
    """(ARC, 2) points of the belt on a pulley, from one normal of the belt to the next."""
    start = np.arctan2(arriving[1], arriving[0])
    turn = (np.arctan2(leaving[1], leaving[0]) - start) % (2.0 * np.pi)
    if radius < 0.0:
        turn = -((-turn) % (2.0 * np.pi))
    angle = start + turn * np.linspace(0.0, 1.0, ARC)
    return center - radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _area(corners: np.ndarray) -> float:
    """Twice the signed area of a polygon (n, 2)."""
    after = np.roll(corners, -1, axis=0)
    return float(np.sum(corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]))
