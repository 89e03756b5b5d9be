"""Surfaces of symbols: tubes, spheres, boxes; the quarters that show how a round body turns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


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
        faces.append(shifted(solid.faces, before))
        before += len(solid.points)
    return Solid(np.concatenate(points), np.concatenate(faces))


def shifted(faces: np.ndarray, by: int) -> np.ndarray:
    """VTK-style faces whose point numbers are ``by`` higher."""
    found = np.array(faces, dtype=np.int64)
    at = 0
    while at < len(found):
        count = found[at]
        found[at + 1 : at + 1 + count] += by
        at += 1 + count
    return found


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
    faces = np.insert(quads, 0, 4, axis=1).ravel()
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
    rings = _rings(np.asarray(faces, dtype=np.int64))
    local = (points - center) @ turn
    found: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])  # light, dark
    added: list[np.ndarray] = []
    for ring in rings:
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


def _rings(faces: np.ndarray) -> list[np.ndarray]:
    found, at = [], 0
    while at < len(faces):
        found.append(faces[at + 1 : at + 1 + faces[at]])
        at += 1 + int(faces[at])
    return found
