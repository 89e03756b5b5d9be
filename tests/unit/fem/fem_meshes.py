"""Small meshes that the tests of the finite elements share."""

import numpy as np
from scipy.linalg import eigh
from solid_meshes import CUBE_TETRAHEDRA, STEEL, box, middle_edges, six_pyramids, with_midside_nodes

from flexmbs import BeamSection, ElementBlock, Mesh

__all__ = ["CUBE_TETRAHEDRA", "STEEL", "box", "middle_edges", "six_pyramids", "with_midside_nodes"]  # for the tests of this folder


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


def rigid_rotations(points, with_turn):
    """(ndof, 3) fields of unit rotation about each axis, and their exact quadratic parts for pairs (a <= b)."""
    turns = np.eye(3)
    linear = np.cross(turns[:, None], points[None])
    pairs = np.array([(a, b) for a in range(3) for b in range(a, 3)])
    second = [
        np.cross(turns[a], np.cross(turns[b], points)) / 2 + np.cross(turns[b], np.cross(turns[a], points)) / 2 for a, b in pairs
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
