"""Triangles of polygons with holes cover them once."""

import numpy as np
import pytest

from flexmbs.mechanism.geometry.outline import checked_loops, circle, drawn_points, inside, moments_with_holes
from flexmbs.mechanism.geometry.triangulation import triangulate

COMB = [[0, 0], [7, 0], [7, 3], [6, 3], [6, 1], [5, 1], [5, 3], [4, 3], [4, 1], [3, 1], [3, 3], [0, 3]]
SHAPES = {
    "square": ([[0, 0], [1, 0], [1, 1], [0, 1]], []),
    "with points on its sides": ([[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2], [0, 1]], []),
    "comb": (COMB, []),
    "comb with holes": (COMB, [circle(0.7, 0.7, 0.3), circle(0.7, 2.0, 0.4), circle(2.0, 1.5, 0.5), circle(6, 0.5, 0.2)]),
    "grid of holes": ([[0, 0], [4, 0], [4, 4], [0, 4]], [circle(x + 0.5, y + 0.5, 0.4) for x in range(4) for y in range(4)]),
    "ring": (circle(0, 0, 2.0), [circle(0.0, 0.0, 1.9)]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_triangles_cover_the_polygon(name):
    drawn = [drawn_points(loop) for loop in checked_loops(*SHAPES[name], "shape")]
    points, triangles = triangulate(drawn)
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    straight = [np.column_stack([loop, np.zeros(len(loop))]) for loop in drawn]
    # none turned over, and together the area of the polygon: they cover it once
    assert areas.min() >= -1e-12
    assert areas.sum() == pytest.approx(moments_with_holes(straight, 0, 0), rel=1e-12)
    assert set(triangles.ravel()) == set(range(len(points)))
    centers = (a + b + c)[areas > 1e-9] / 3.0
    assert all(inside(center, drawn[0]) for center in centers)
    assert not any(inside(center, hole) for center in centers for hole in drawn[1:])


def test_random_stars():
    rng = np.random.default_rng(2)
    for _ in range(20):
        angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, 40))
        star = rng.uniform(0.5, 3.0, 40)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
        gap = np.diff(angles, append=angles[0] + 2.0 * np.pi).max()
        if gap > 2.0:
            continue  # the middle could lie outside
        loops = checked_loops(star, [circle(0.0, 0.0, 0.1)], "star")
        drawn = [drawn_points(loop) for loop in loops]
        points, triangles = triangulate(drawn)
        a, b, c = np.moveaxis(points[triangles], 1, 0)
        areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        straight = [np.column_stack([loop, np.zeros(len(loop))]) for loop in drawn]
        assert areas.min() >= -1e-12
        assert areas.sum() == pytest.approx(moments_with_holes(straight, 0, 0), rel=1e-12)
