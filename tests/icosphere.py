"""A sphere of nearly equal triangles."""

import numpy as np

import flexmbs as fm

GOLDEN = 0.5 * (1.0 + np.sqrt(5.0))
FACES = [
    (0, 11, 5),
    (0, 5, 1),
    (0, 1, 7),
    (0, 7, 10),
    (0, 10, 11),
    (1, 5, 9),
    (5, 11, 4),
    (11, 10, 2),
    (10, 7, 6),
    (7, 1, 8),
    (3, 9, 4),
    (3, 4, 2),
    (3, 2, 6),
    (3, 6, 8),
    (3, 8, 9),
    (4, 9, 5),
    (2, 4, 11),
    (6, 2, 10),
    (8, 6, 7),
    (9, 8, 1),
]


def icosphere(level: int, radius: float = 1.0) -> fm.SurfaceMesh:
    """An icosahedron whose triangles were divided into four ``level`` times, points on the sphere."""
    g = GOLDEN
    points = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g)]
    points = [np.array(p) / np.hypot(1, g) for p in [*points, (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]]
    faces, middles = FACES, {}

    def middle(a, b):
        key = min(a, b), max(a, b)
        if key not in middles:
            middles[key] = len(points)
            points.append((points[a] + points[b]) / np.linalg.norm(points[a] + points[b]))
        return middles[key]

    for _ in range(level):
        edges = [(middle(a, b), middle(b, c), middle(c, a)) for a, b, c in faces]
        corners = [(a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca) for (a, b, c), (ab, bc, ca) in zip(faces, edges, strict=True)]
        faces = np.array(corners).reshape(-1, 3)
    return fm.SurfaceMesh.of_triangles(radius * np.array(points), np.array(faces))
