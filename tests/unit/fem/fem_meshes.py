"""Small meshes that the tests of the finite elements share."""

from itertools import product

import numpy as np
from scipy.linalg import eigh

from flexmbs.fem.solid_shapes import solid_shape
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.materials import Material
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import BeamSection

STEEL = Material("steel", 210e9, 0.3, 7850.0)
# the six tetrahedra around the main diagonal of a cube, corners numbered 4 i + 2 j + k
CUBE_TETRAHEDRA = [[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]]


def rectangle(width_y=0.004, width_z=0.02, y_axis=(0.0, 1.0, 0.0), torsion_constant=None, shear_factor=5 / 6):
    y, z = width_y / 2, width_z / 2
    Iy, Iz = width_y * width_z**3 / 12, width_z * width_y**3 / 12
    outline = np.array([[-y, -z], [y, -z], [y, z], [-y, z]])
    J = torsion_constant or 4 * Iy * Iz / (Iy + Iz)
    return BeamSection(width_y * width_z, Iy, Iz, J, outline, np.array(y_axis), shear_factor, shear_factor)


def straight_beam(elements=10, length=1.0, direction=(1.0, 0.0, 0.0), section=None, material=STEEL):
    direction = np.asarray(direction) / np.linalg.norm(direction)
    nodes = np.arange(elements + 1)
    points = np.outer(nodes / elements * length, direction)
    block = ElementBlock("beam2", nodes[1:], np.column_stack([nodes[:-1], nodes[1:]]), material, section or rectangle())
    return Mesh(points, nodes + 1, (block,), source="straight beam")


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
    points, elements = with_midside_nodes(corners, elements, solid_shape(kind).edges)
    block = ElementBlock(kind, np.arange(len(elements)) + 1, elements, material)
    return Mesh(points, np.arange(len(points)) + 1, (block,), source=f"{kind} box")


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


def rigid_rotations(points, with_turn):
    """(ndof, 3) fields of unit rotation about each axis, and their exact quadratic parts for pairs (a <= b)."""
    turns = np.eye(3)
    linear = np.cross(turns[:, None], points[None])
    pairs = np.array([(a, b) for a in range(3) for b in range(a, 3)])
    second = [
        np.cross(turns[a], np.cross(turns[b], points)) / 2 + np.cross(turns[b], np.cross(turns[a], points)) / 2
        for a, b in pairs
    ]
    if with_turn:
        linear = np.concatenate([linear, np.broadcast_to(turns[:, None], linear.shape)], axis=2)
    return linear.reshape(3, -1).T, pairs, np.array(second)


def clamped_modes(model, held_nodes, count):
    """Frequencies (rad/s), mode shapes (ndof, count) and the free degrees of freedom, dense."""
    held = (model.dofs_per_node * np.asarray(held_nodes)[:, None] + np.arange(model.dofs_per_node)).ravel()
    free = np.setdiff1d(np.arange(model.ndof), held)
    K, M = model.K[free][:, free].toarray(), model.M[free][:, free].toarray()
    values, vectors = eigh(K, M, subset_by_index=(0, count - 1))
    modes = np.zeros((model.ndof, count))
    modes[free] = vectors
    return np.sqrt(values), modes, free


def solve_held(model, free, loads):
    """Static displacements (ndof, n) with all other degrees of freedom held."""
    solution = np.zeros_like(loads)
    solution[free] = np.linalg.solve(model.K[free][:, free].toarray(), loads[free])
    return solution
