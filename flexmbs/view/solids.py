"""Surfaces: tubes, spheres, boxes, symbols of joints, springs and belts; the quarters that show how a round body turns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.view.drawable import DrawableJoint, DrawableStructure


class Solid(NamedTuple):
    """A surface: ``points`` (np, 3) m and ``faces`` (k,) int, VTK style [count, i, j, k, ...]."""

    points: np.ndarray
    faces: np.ndarray

    def moved(self, position: np.ndarray, rotation: np.ndarray) -> Solid:
        """The same surface in another frame."""
        return Solid(position + self.points @ rotation.T, self.faces)


EMPTY = Solid(np.zeros((0, 3)), np.zeros(0, dtype=np.int64))


def joined(solids: list[Solid]) -> Solid:
    """All surfaces as one."""
    points, faces, before = [EMPTY.points], [EMPTY.faces], 0
    for solid in solids:
        points.append(solid.points)
        faces.append(vtk_faces(*(rings + before for rings in polygons(solid.faces).values())))
        before += len(solid.points)
    return Solid(np.concatenate(points), np.concatenate(faces))


def polygons(faces: np.ndarray) -> dict[int, np.ndarray]:
    """Faces in VTK style, by their number of points: (k, number) indices."""
    starts, at = [], 0
    flat = np.asarray(faces, dtype=np.int64)
    if len(flat) and len(flat) % (flat[0] + 1) == 0 and np.all(flat[:: flat[0] + 1] == flat[0]):
        return {int(flat[0]): flat.reshape(-1, flat[0] + 1)[:, 1:]}
    while at < len(flat):
        starts.append(at)
        at += int(flat[at]) + 1
    places = np.array(starts, dtype=np.int64)
    counts = flat[places] if len(places) else np.zeros(0, np.int64)
    return {int(n): flat[places[counts == n][:, None] + 1 + np.arange(n)] for n in np.unique(counts)}


def vtk_faces(*rings: np.ndarray) -> np.ndarray:
    """Faces with corners (k, n) each, in VTK style."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *(np.insert(one, 0, one.shape[1], axis=1).ravel() for one in rings)])


def axes_along(direction: np.ndarray) -> np.ndarray:
    """(3, 3) rotation whose third column is the direction (3,)."""
    third = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(third)))], third)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(third, first), third], axis=1)


def tube(path: np.ndarray, radius: float, sides: int = 12) -> Solid:
    """Round tube along the points ``path`` (k, 3), closed at both ends."""
    tangents = np.gradient(path, axis=0)
    axes = axes_along(tangents[0])
    angle = 2.0 * np.pi * np.arange(sides) / sides
    rings = []
    for place, tangent in zip(path, tangents, strict=True):
        along = tangent / max(float(np.linalg.norm(tangent)), 1e-300)
        first = axes[:, 0] - (axes[:, 0] @ along) * along  # carried along without twist
        first /= max(float(np.linalg.norm(first)), 1e-300)
        axes = np.stack([first, np.cross(along, first), along], axis=1)
        rings.append(place + radius * (np.cos(angle)[:, None] * axes[:, 0] + np.sin(angle)[:, None] * axes[:, 1]))
    return _between_rings(np.array(rings))


def cylinder(start: np.ndarray, end: np.ndarray, radius: float, sides: int = 24) -> Solid:
    """Round cylinder between two points (3,)."""
    return tube(np.array([start, end], dtype=float), radius, sides)


def sphere(radius: float, rings: int = 12, sides: int = 20) -> Solid:
    """Sphere around the origin."""
    turn = np.pi * np.arange(rings + 1) / rings
    angle = 2.0 * np.pi * np.arange(sides) / sides
    across = np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1)
    found = radius * (np.sin(turn)[:, None, None] * across + np.cos(turn)[:, None, None] * np.array([0.0, 0.0, 1.0]))
    return _between_rings(found, ends=False)


def box(size: np.ndarray) -> Solid:
    """Box around the origin with edges ``size`` (3,)."""
    corners = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]) * size
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return Solid(corners, np.array([[4, *quad] for quad in quads], dtype=np.int64).ravel())


def _between_rings(rings: np.ndarray, ends: bool = True) -> Solid:
    """Surface through rings (k, n, 3) of points, with a lid on both ends."""
    count, sides = rings.shape[:2]
    here = np.arange(sides)
    after = (here + 1) % sides
    low = sides * np.arange(count - 1)[:, None]
    quads = np.stack([low + here, low + after, low + sides + after, low + sides + here], axis=2).reshape(-1, 4)
    faces = vtk_faces(quads)
    if ends:
        last = sides * (count - 1)
        faces = np.concatenate([faces, [sides], here[::-1], [sides], last + here])
    return Solid(rings.reshape(-1, 3), faces.astype(np.int64))


_ROUND = 1e-3  # relative difference of principal moments of a surface that counts as one of revolution
_LARGEST = 200_000  # points


def light_and_dark(points: np.ndarray, faces: np.ndarray) -> tuple[Solid, Solid]:
    """A surface of revolution in two parts: the dark ones are two opposite quarters, of a ball four eighths.

    Faces with more than four corners that contain the axis are cut into triangles. Other surfaces are all light.
    """
    axes = _axes(points)
    if axes is None:
        return Solid(points, np.asarray(faces, dtype=np.int64)), EMPTY
    center, turn, is_ball = axes
    local = (points - center) @ turn
    found: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])  # light, dark
    added: list[np.ndarray] = []
    for ring in (ring for alike in polygons(faces).values() for ring in alike):
        middle = local[ring].mean(axis=0)
        if len(ring) > 4 and np.linalg.norm(middle[:2]) < 1e-3 * np.abs(local[ring][:, :2]).max():
            number = len(points) + len(added)
            added.append(center + turn @ middle)
            ends = np.stack([ring, np.roll(ring, -1)], axis=1)
            halfway = local[ends].mean(axis=1)
            for pair, at in zip(ends, halfway, strict=True):
                found[_dark(at, is_ball)].append(np.array([3, *pair, number]))
        else:
            found[_dark(middle, is_ball)].append(np.concatenate([[len(ring)], ring]))
    every = np.concatenate([points, np.array(added).reshape(-1, 3)])
    return tuple(Solid(every, np.concatenate(part)) if part else EMPTY for part in found)  # type: ignore[return-value]


def _dark(at: np.ndarray, is_ball: bool) -> bool:
    sign = at[0] * at[1]
    return bool((sign * at[2] if is_ball else sign) > 0.0)


def _axes(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool] | None:
    """Centre, axes (3, 3) with the one of revolution last, whether it is a ball; None if it is not of revolution."""
    if not 24 <= len(points) <= _LARGEST:
        return None
    rows = np.unique(np.round(points / max(float(np.ptp(points)), 1e-300), 9), axis=0, return_index=True)[1]
    center = points[rows].mean(axis=0)
    moments, turn = np.linalg.eigh((points[rows] - center).T @ (points[rows] - center))
    near = [abs(moments[k + 1] - moments[k]) < _ROUND * moments[2] for k in (0, 1)]
    if not any(near):
        return None
    order = [0, 1, 2] if near[0] else [1, 2, 0]
    local = (points - center) @ turn[:, order]
    if not _is_round(local):
        return None
    away = np.linalg.norm(local, axis=1)
    return center, turn[:, order], bool(all(near) and np.ptp(away) < 0.01 * away.max())


def _is_round(local: np.ndarray) -> bool:
    """Whether points with the same height have the same distance from the axis z: a box or a cross has not."""
    size = float(np.ptp(local)) or 1.0
    away = np.linalg.norm(local[:, :2], axis=1)
    levels = np.round(local[:, 2] / size, 6)
    widest = np.abs(away - away.max()) < 1e-6 * size
    turn = np.sort(np.arctan2(local[widest, 1], local[widest, 0]))
    gaps = np.diff(np.concatenate([turn, turn[:1] + 2.0 * np.pi]))
    return len(np.unique(levels)) >= 2 and len(np.unique(np.round(turn, 6))) >= 12 and float(gaps.max()) < 0.6


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
    rail = box(size * np.array(RAIL))
    parts = [rail.moved(np.zeros(3), axes_along(direction)) for direction in slides if len(slides) < 3]
    if len(turns) == 3:
        parts.append(sphere(0.6 * size))
    else:
        parts += [_pin(axis, size, thickness) for axis in turns]
    if not parts:
        parts = [box(np.full(3, BLOCK * size))]
    return joined(parts)


def joint_size(structure: DrawableStructure, joint: DrawableJoint, most: float) -> float:
    """m, of the symbol of a joint: ``most``, or less where it connects small bodies."""
    bodies = [points for marker in (joint.marker_a, joint.marker_b) if len(points := _points(structure, marker))]
    sizes = [float(np.linalg.norm(np.ptp(points, axis=0))) for points in bodies]
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
