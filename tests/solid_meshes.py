"""Boxes of solids that the tests share."""

from itertools import product

import numpy as np

from flexmbs import ElementBlock, Material, Mesh
from flexmbs.mesh.element_kinds import KINDS

STEEL = Material("steel", 210e9, 0.3, 7850.0)
# the six tetrahedra around the main diagonal of a cube, corners numbered 4 i + 2 j + k
CUBE_TETRAHEDRA = [[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]]


def box(kind, divisions=(2, 2, 2), size=(1.0, 1.0, 1.0), material=STEEL, distort=0.0, affine=None):
    """A box from the origin; ``distort`` moves inner corners at random, ``affine`` (3, 3) maps all points."""
    n = np.array(divisions)
    grid = np.array(list(product(*(range(k + 1) for k in n))))
    corners = grid / n * np.array(size)
    inner = np.all((grid > 0) & (grid < n), axis=1)
    corners[inner] += distort * np.random.default_rng(1).uniform(-1, 1, (inner.sum(), 3)) * np.array(size) / n
    if affine is not None:
        corners = corners @ np.asarray(affine).T

    def number(ijk):
        return (ijk[0] * (n[1] + 1) + ijk[1]) * (n[2] + 1) + ijk[2]

    cells = [[number(np.add(c, o)) for o in product((0, 1), repeat=3)] for c in product(*(range(k) for k in n))]
    cells = np.array(cells)
    if kind.startswith("pyramid"):
        corners, elements = six_pyramids(corners, cells[:, [0, 4, 6, 2, 1, 5, 7, 3]])
    elif kind.startswith("tet"):
        elements = np.concatenate([cells[:, tet] for tet in CUBE_TETRAHEDRA])
    else:
        elements = cells[:, [0, 4, 6, 2, 1, 5, 7, 3]]
        if kind.startswith("wedge"):
            halves = ([0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7])
            elements = np.concatenate([elements[:, half] for half in halves])
    points, elements = with_midside_nodes(corners, elements, middle_edges(kind))
    block = ElementBlock(kind, np.arange(len(elements)) + 1, elements, material)
    return Mesh(points, np.arange(len(points)) + 1, (block,), source=f"{kind} box")


def middle_edges(kind):
    """Pairs of corners, one for each midside node."""
    return KINDS[kind].edges if KINDS[kind].has_middle_nodes else ()


def six_pyramids(points, bricks):
    """Every brick cut into the pyramids from its centre to its faces."""
    tops = np.arange(len(bricks)) + len(points)
    elements = [np.column_stack([bricks[:, face[::-1]], tops]) for face in KINDS["hex8"].faces]
    return np.vstack([points, points[bricks].mean(axis=1)]), np.concatenate(elements)


def with_midside_nodes(points, elements, edges):
    points, found, extra = list(points), {}, []
    for element in elements:
        row = []
        for i, j in edges:
            key = tuple(sorted((element[i], element[j])))
            if key not in found:
                found[key] = len(points)
                points.append(0.5 * (points[key[0]] + points[key[1]]))
            row.append(found[key])
        extra.append(row)
    return np.array(points), np.hstack([elements, np.array(extra, dtype=int).reshape(len(elements), -1)])


def signed_volumes(kind, points):
    """(ne,) volumes between the corners (ne, n, 3) of solids, negative where the node order is inverted.

    Quadrilateral faces are taken as the mean of their two triangulations.
    """
    points = points - points[:, :1]
    total = np.zeros(len(points))
    for ring in KINDS[kind].faces:
        for start in (0, 1) if len(ring) == 4 else (0,):
            turned = ring[start:] + ring[:start]
            for second, third in zip(turned[1:], turned[2:], strict=False):
                a, b, c = points[:, turned[0]], points[:, second], points[:, third]
                total += np.einsum("ei,ei->e", a, np.cross(b, c)) / (6.0 * (len(ring) - 2))
    return total
