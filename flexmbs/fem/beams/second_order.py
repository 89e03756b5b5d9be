"""Second-order strain of beams: loads, geometric stiffness, and what follows from it inside an element."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.beams.elements import (
    GAUSS_POINTS,
    GAUSS_WEIGHTS,
    BeamElements,
    BeamFields,
    BeamShapes,
    at_shear_center,
    beam_shapes,
)
from flexmbs.fem.family import pair_factors
from flexmbs.fem.rigid_motion import cross, rotated_offset
from flexmbs.fem.sparsity_pattern import NodePattern


def evaluate(elements: BeamElements, shapes: BeamShapes, fields: np.ndarray) -> BeamFields:
    """Nodal ``fields`` (ndof, n) at the points of ``shapes``."""
    local = elements.local(fields)[:, None]
    return BeamFields(*(matrix @ local for matrix in (shapes.u, shapes.turn, shapes.du, shapes.dturn)))


def second_order_strain(elements: BeamElements, a: BeamFields, b: BeamFields) -> tuple[np.ndarray, np.ndarray]:
    """q(a, b) for force strains (axial, shear y, shear z) and for twist and curvatures, both (ne, g, 3, npairs).

    Gamma = R^T r' - e1 and kappa of R = exp(theta) expanded to second order (Simo, CMAME 49, 1985):
    gamma2 = -theta x u' + 1/2 theta x (theta x e1),  kappa2 = -1/2 theta x theta'. Nodal rotations are components of
    rotation vectors, in Euler-Bernoulli beams too, whose shear strain is 0 to second order as well: so elements that
    meet at an angle agree about the turn of their node. What stretching adds there to bending, (u' v')' beside v'', is
    left out: it is of the order of the strain.
    """
    first, second = (_across(f.du) if elements.euler_bernoulli else f.du for f in (a, b))
    force = -(cross(a.turn, second) + cross(b.turn, first))
    force += 0.5 * (twice_cross_axis(a.turn, b.turn) + twice_cross_axis(b.turn, a.turn))
    moment = -0.5 * (cross(a.turn, b.dturn) + cross(b.turn, a.dturn))
    # at the shear centre e of the section: gamma + kappa x e
    force = force + at_shear_center(elements.shear_center, moment)
    # fibres off the axis become helices: their mean strain is 1/2 (Iy + Iz) / A theta_x'^2 (H. Wagner, 1929)
    force[:, :, 0] += elements.polar_radius_squared[:, None, None] * a.dturn[:, :, 0] * b.dturn[:, :, 0]
    return force, moment


def _across(slopes: np.ndarray) -> np.ndarray:
    """Derivatives of displacement (ne, g, 3, n) without the stretch."""
    return np.concatenate([np.zeros_like(slopes[:, :, :1]), slopes[:, :, 1:]], axis=2)


def second_order_loads(elements: BeamElements, node_count: int, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """f_ab = int B^T D q(a, b) dx for every pair: (ndof, npairs)."""
    shapes = beam_shapes(elements, GAUSS_POINTS)
    values = evaluate(elements, shapes, fields)
    force, moment = second_order_strain(elements, values.pick(pairs[:, 0]), values.pick(pairs[:, 1]))
    weight = (elements.length[:, None] * GAUSS_WEIGHTS)[:, :, None, None]
    force *= weight
    moment *= weight * elements.moment_stiffness[:, None, :, None]
    loads = np.einsum("egik,egip->ekp", elements.section_forces(shapes), force, optimize=True)
    loads += np.einsum("egik,egip->ekp", shapes.dturn, moment, optimize=True)
    return elements.gathered(loads, node_count)


def geometric_stiffness(elements: BeamElements, node_count: int, displacement: np.ndarray) -> sparse.csr_matrix:
    """(ndof, ndof) int S(u) . q(N_i, N_j) dx with the section forces S and the second-order strain q."""
    shapes = beam_shapes(elements, GAUSS_POINTS)
    local = elements.local(displacement[:, None])[:, None]
    weight = (elements.length[:, None] * GAUSS_WEIGHTS)[:, :, None]
    force = (elements.section_forces(shapes) @ local)[..., 0] * weight
    moment = (shapes.dturn @ local)[..., 0] * weight * elements.moment_stiffness[:, None]
    q_force, q_moment = second_order_strain(elements, *pairs_of_unit_values(shapes))
    matrices = np.einsum("egi,egip->ep", force, q_force) + np.einsum("egi,egip->ep", moment, q_moment)
    return in_mesh_axes(elements, node_count, matrices.reshape(-1, 12, 12))


def pairs_of_unit_values(shapes: BeamShapes) -> tuple[BeamFields, BeamFields]:
    """First and second fields of all 144 pairs of unit element values."""
    first, second = np.divmod(np.arange(144), 12)
    return shapes.pick(first), shapes.pick(second)


def in_mesh_axes(elements: BeamElements, node_count: int, matrices: np.ndarray) -> sparse.csr_matrix:
    """(ndof, ndof) sum of element matrices (ne, 12, 12) in local axes."""
    turn = elements.to_local_values
    return NodePattern(node_count, [elements.nodes]).summed(turn.transpose(0, 2, 1) @ matrices @ turn)


def quadratic_inside(
    elements: BeamElements, s: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Second-order displacement and rotation vector (ne, g, 3, npairs) at s (g,) in 0..1, in local axes.

    Shape functions alone are poor here: with nodal values right, the axial displacement inside still follows
    int v'^2. So what the strain q causes in an element with held ends is added.
    """
    factor = pair_factors(pairs)
    second = evaluate(elements, beam_shapes(elements, s), quadratic)
    at_gauss = evaluate(elements, beam_shapes(elements, GAUSS_POINTS), modes)
    u, turn = held_element_fields(elements, s, at_gauss.pick(pairs[:, 0]), at_gauss.pick(pairs[:, 1]))
    return second.u - factor * u, second.turn - factor * turn


def section_motion(elements: BeamElements, u: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """(3, ne, g, 3, n) in mesh axes: what u and turn (ne, g, 3, n), local axes, move sections by.

    A point at y, z of the section moves by the first and y times the second and z times the third of them.
    """
    return elements.frame.transpose(0, 2, 1)[:, None] @ np.stack([u, *_turned_axes(turn)])


def second_order_section_motion(
    elements: BeamElements, s: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> np.ndarray:
    """As :func:`section_motion`, of second order at s (g,); arguments as of :func:`quadratic_inside`."""
    u, turn = quadratic_inside(elements, s, modes, pairs, quadratic)
    first = evaluate(elements, beam_shapes(elements, s), modes).turn
    a, b = first[..., pairs[:, 0]], pair_factors(pairs) * first[..., pairs[:, 1]]
    turned = _turned_axes(turn)
    for axis, moved in zip(np.eye(3)[1:], turned, strict=True):
        moved += rotated_offset(a, b, axis)
    return elements.frame.transpose(0, 2, 1)[:, None] @ np.stack([u, *turned])


def _turned_axes(turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """theta x e2 and theta x e3 along axis -2."""
    none = np.zeros_like(turn[..., 0, :])
    x, y, z = turn[..., 0, :], turn[..., 1, :], turn[..., 2, :]
    return np.stack([-z, none, x], axis=-2), np.stack([y, -x, none], axis=-2)


def held_element_fields(elements: BeamElements, s: np.ndarray, a: BeamFields, b: BeamFields) -> tuple[np.ndarray, np.ndarray]:
    """Displacement and rotation (ne, len(s), 3, npairs) that q(a, b) as an initial strain causes between held ends.

    a and b are given at the Gauss points. The element itself moves by minus half of them, since it strains less.

    Integrating the strain from the first node gives one solution; subtracting the shape functions times its values
    at the second node holds that end too, and they carry no load of their own inside the element.
    """
    force, moment = second_order_strain(elements, a, b)
    length = elements.length[:, None, None, None]
    everywhere = np.concatenate([GAUSS_POINTS, s, [1.0]])
    turn = length * np.einsum("hg,egip->ehip", _running_integral(everywhere), moment)
    # u' = strain + theta x e1
    slope = force - at_shear_center(elements.shear_center, moment)
    slope[:, :, 1] += turn[:, : len(GAUSS_POINTS), 2]
    slope[:, :, 2] -= turn[:, : len(GAUSS_POINTS), 1]
    turn = turn[:, len(GAUSS_POINTS) :]
    u = length * np.einsum("hg,egip->ehip", _running_integral(everywhere[len(GAUSS_POINTS) :]), slope)
    end = np.concatenate([u[:, -1], turn[:, -1]], axis=1)[:, None]
    shapes = beam_shapes(elements, s)
    return u[:, :-1] - shapes.u[..., 6:] @ end, turn[:, :-1] - shapes.turn[..., 6:] @ end


def twice_cross_axis(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x (b x e1) along axis -2."""
    result = a[..., :1, :] * b
    result[..., 0, :] = -a[..., 1, :] * b[..., 1, :] - a[..., 2, :] * b[..., 2, :]
    return result


def _running_integral(s: np.ndarray) -> np.ndarray:
    """(len(s), g) matrix: values at the Gauss points to int_0^s, exact for the polynomials they resolve."""
    powers = np.arange(len(GAUSS_POINTS))
    vandermonde = GAUSS_POINTS[:, None] ** powers
    return (s[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(vandermonde)
