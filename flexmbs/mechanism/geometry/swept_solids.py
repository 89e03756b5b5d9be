"""Solids swept from plane outlines: volume, centre and second moment, exact, and the surface to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.mechanism.geometry.outline import drawn_points, moments_with_holes
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh
from flexmbs.mechanism.geometry.triangulation import triangulate

SEGMENTS = 48  # of a full turn when drawn
_AXES = {"x": [2, 0, 1], "y": [1, 2, 0], "z": [0, 1, 2]}  # which axis of the sweep becomes x, y, z


@dataclass(frozen=True, eq=False)
class Solid:
    """A homogeneous solid of density 1.

    Attributes
    ----------
    volume : m3
    center : (3,) m
    second_moment : (3, 3) m5, int x x^T dV about the centre
    surface : to draw; arcs as chords
    """

    volume: float
    center: np.ndarray
    second_moment: np.ndarray
    surface: SurfaceMesh

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) m5 about the centre."""
        return np.trace(self.second_moment) * np.eye(3) - self.second_moment

    def along(self, axis: str) -> Solid:
        """The solid with what was its z axis along x, y or z (its x and y follow in cyclic order)."""
        if axis not in _AXES:
            raise BodyError(f"axis of a solid: expected 'x', 'y' or 'z', got {axis!r}; placed() turns further")
        order = _AXES[axis]
        surface = SurfaceMesh(self.surface.points[:, order], self.surface.faces)
        return Solid(self.volume, self.center[order], self.second_moment[np.ix_(order, order)], surface)


def extruded(loops: Sequence[np.ndarray], low: float, high: float) -> Solid:
    """The outline (first loop, anticlockwise; others are holes, clockwise) swept along z from ``low`` to ``high``."""
    near = loops[0][:, :2].mean(axis=0)  # moments about a near point keep the digits of outlines far from the origin
    local = [loop - [*near, 0.0] for loop in loops]
    area, length = moments_with_holes(local, 0, 0), high - low
    mean = np.array([moments_with_holes(local, 1, 0), moments_with_holes(local, 0, 1)]) / area
    xx, xy, yy = (moments_with_holes(local, i, 2 - i) for i in (2, 1, 0))
    second = np.zeros((3, 3))
    second[:2, :2] = length * (np.array([[xx, xy], [xy, yy]]) - area * np.outer(mean, mean))
    second[2, 2] = area * length**3 / 12.0
    center = np.array([*(near + mean), 0.5 * (low + high)])
    return Solid(area * length, center, second, _extruded_surface(loops, low, high))


def revolved(loops: Sequence[np.ndarray], angle: float) -> Solid:
    """The outline in the half plane (r, z), r >= 0, swept about z from the x axis by ``angle`` (rad, up to 2 pi)."""
    full = angle >= 2.0 * np.pi * (1.0 - 1e-12)
    sine, cosine = (0.0, 1.0) if full else (np.sin(angle), np.cos(angle))
    along = np.array([sine, 1.0 - cosine])  # integrals of cos and sin over the angle
    volume = angle * moments_with_holes(loops, 1, 0)
    center = np.array([*(along * moments_with_holes(loops, 2, 0)), angle * moments_with_holes(loops, 1, 1)]) / volume
    # about the height of the centre: long bodies far up the axis keep their digits
    lifted = [loop - [0.0, center[2], 0.0] for loop in loops]
    rr, rz, zz = (moments_with_holes(lifted, i, 3 - i) for i in (3, 2, 1))
    second = np.zeros((3, 3))
    half = 0.5 * sine * cosine
    second[0, 0], second[1, 1] = (0.5 * angle + half) * rr, (0.5 * angle - half) * rr
    second[0, 1] = second[1, 0] = 0.5 * sine**2 * rr
    second[:2, 2] = second[2, :2] = along * rz
    second[2, 2] = angle * zz
    second[:2, :2] -= volume * np.outer(center[:2], center[:2])
    return Solid(volume, center, second, _revolved_surface(loops, angle, full))


def _extruded_surface(loops: Sequence[np.ndarray], low: float, high: float) -> SurfaceMesh:
    drawn = [drawn_points(loop) for loop in loops]
    flat, cap = triangulate(drawn)
    count = len(flat)
    points = np.concatenate([np.column_stack([flat, np.full(count, z)]) for z in (low, high)])
    triangles, start = [cap[:, ::-1], cap + count], 0
    for loop in drawn:
        here = start + np.arange(len(loop))
        beside = np.roll(here, -1)
        triangles += [np.column_stack([here, beside, beside + count]), np.column_stack([here, beside + count, here + count])]
        start += len(loop)
    return SurfaceMesh.of_triangles(points, np.concatenate(triangles))


def _revolved_surface(loops: Sequence[np.ndarray], angle: float, full: bool) -> SurfaceMesh:
    """Rings of points, one per drawn vertex (a single point on the axis), and end faces of a part of a turn."""
    drawn = [drawn_points(loop) for loop in loops]
    flat = np.concatenate(drawn)
    steps = max(int(np.ceil(SEGMENTS * angle / (2.0 * np.pi) - 1e-9)), 1)
    turns = angle * np.arange(steps + 1) / steps
    r, z = flat[:, 0:1], np.repeat(flat[:, 1:2], steps + 1, axis=1)
    points = np.stack([r * np.cos(turns), r * np.sin(turns), z], axis=-1).reshape(-1, 3)
    index = np.arange(len(points)).reshape(len(flat), steps + 1)
    on_axis = flat[:, 0] <= 1e-12 * flat[:, 0].max()
    index[on_axis] = index[on_axis, :1]
    if full:
        index[:, -1] = index[:, 0]
    triangles, start = [], 0
    for loop in drawn:
        here = index[start : start + len(loop)]
        beside = np.roll(here, -1, axis=0)
        a, b, c, d = here[:, :-1], here[:, 1:], beside[:, 1:], beside[:, :-1]
        triangles += [np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)]
        start += len(loop)
    if not full:
        _, cap = triangulate(drawn)
        triangles += [index[:, 0][cap], index[:, -1][cap[:, ::-1]]]
    found = np.concatenate(triangles)
    real = (found[:, 0] != found[:, 1]) & (found[:, 1] != found[:, 2]) & (found[:, 2] != found[:, 0])
    used, numbers = np.unique(found[real], return_inverse=True)
    return SurfaceMesh.of_triangles(points[used], numbers.reshape(-1, 3))
