"""Centrifugal load and softening of beams, with the rotary inertia of their sections."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.lines.beam_elements import GAUSS_POINTS, GAUSS_WEIGHTS, BeamElements, beam_shapes
from flexmbs.fem.lines.beam_inertia import in_mesh_axes, pairs_of_unit_values
from flexmbs.fem.lines.beam_second_order import held_element_fields
from flexmbs.fem.spin_softening import turning_load, turning_softening


def beam_centrifugal(elements: BeamElements, node_count: int, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
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
    pull, twist = mass[..., None] * np.einsum("eij,egj->egi", P, place), weight[..., None] * moment[:, None]
    load = np.einsum("egik,egi->ek", shapes.u, pull) + np.einsum("egik,egi->ek", shapes.turn, twist)
    soft = _product(mass, shapes.u, P) + _product(weight, shapes.turn, turning_softening(P, spread, B))
    # the load's work on what an element does inside to second order while its nodes are at rest
    u, turn = held_element_fields(elements, GAUSS_POINTS, *pairs_of_unit_values(shapes))
    inside = np.einsum("egi,egip->ep", pull, u) + np.einsum("egi,egip->ep", twist, turn)
    soft -= inside.reshape(-1, 12, 12)
    return elements.gathered(load[..., None], node_count)[:, 0], in_mesh_axes(elements, node_count, soft)


def _product(weight: np.ndarray, values: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return np.einsum("eg,egik,eij,egjl->ekl", weight, values, matrix, values, optimize=True)
