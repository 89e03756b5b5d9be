"""Centrifugal load and softening of beams, with the rotary inertia of their sections."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.lines.beam_elements import GAUSS_POINTS, GAUSS_WEIGHTS, BeamElements, BeamShapes, beam_shapes
from flexmbs.fem.lines.beam_prestress import in_mesh_axes, pairs_of_unit_values
from flexmbs.fem.lines.beam_second_order import normal_section_turn
from flexmbs.fem.turning_inertia import turning_load, turning_softening


def beam_centrifugal(
    elements: BeamElements, node_count: int, across: np.ndarray
) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Load (ndof,) and softening (ndof, ndof) per square of the speed; ``across`` (3, 3) is the projection P.

    First and second derivatives of 1/2 int |P (x + u + theta x s + 1/2 theta x (theta x s))|^2 dm, s in the section.
    The moments of the load on the sections turn them against blade twist ("propeller moment").
    """
    shapes = beam_shapes(elements, GAUSS_POINTS)
    P = elements.frame @ across @ elements.frame.transpose(0, 2, 1)  # in local axes
    along = GAUSS_POINTS[:, None] * elements.length[:, None, None] * np.array([1.0, 0.0, 0.0])
    place = np.einsum("eij,ej->ei", elements.frame, elements.start)[:, None] + along
    spread = np.zeros_like(P)  # int s s^T dm per length
    spread[:, 1, 1], spread[:, 2, 2] = elements.rotary_mass[:, 2], elements.rotary_mass[:, 1]
    B = P @ spread
    moment = turning_load(B)
    weight = elements.length[:, None] * GAUSS_WEIGHTS
    mass = weight * elements.line_mass[:, None]
    load = np.einsum("eg,egik,eij,egj->ek", mass, shapes.u, P, place, optimize=True)
    load += np.einsum("eg,egik,ei->ek", weight, shapes.turn, moment, optimize=True)
    soft = _product(mass, shapes.u, P) + _product(weight, shapes.turn, turning_softening(P, spread, B))
    soft += _of_normal_sections(elements, shapes, weight, moment)
    return elements.gathered(load[..., None], node_count)[:, 0], in_mesh_axes(elements, node_count, soft)


def _product(weight: np.ndarray, values: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return np.einsum("eg,egik,eij,egjl->ekl", weight, values, matrix, values, optimize=True)


def _of_normal_sections(
    elements: BeamElements, shapes: BeamShapes, weight: np.ndarray, moment: np.ndarray
) -> np.ndarray:
    """(ne, 12, 12): work of the moment on the rotation that keeps Euler-Bernoulli sections normal to the axis."""
    turn = normal_section_turn(elements, *pairs_of_unit_values(shapes))
    return np.einsum("eg,ei,egip->ep", weight, moment, turn, optimize=True).reshape(-1, 12, 12)
