"""Surfaces of the solids that symbols are made of: cylinders, spheres, boxes, tubes along a path."""

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
