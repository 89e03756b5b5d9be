"""Groups of like solid elements, and their stiffness and mass matrices.

Hex8 bends with one element through internal modes.

Three functions 1 - xi^2, 1 - eta^2, 1 - zeta^2 in each direction are added to the displacement of an element and
eliminated inside it (E. L. Wilson et al., in: Numerical and Computer Methods in Structural Mechanics, 1973). Their
gradients are taken with the Jacobian J0 of the centre and scaled by det J0 / det J (R. L. Taylor, P. J. Beresford and
E. L. Wilson, IJNME 10, 1976), so that their mean over any element is zero: constant stress does no work on them and the
patch test holds.

They stand beside the shape functions as three further "nodes" of the element, whose values are

    a = T u,   T = -K_aa^-1 K_au

for any nodal displacement u, without loads of their own. Stress and the quadratic part of the strain are those of the
whole gradient, of u and a. A load on the strain has parts f_u and f_a; the nodes take f_u + T^T f_a. With this a
second-order load f_ab projects the geometric stiffness under the recovered stress,
w . f_ab = int sigma(w) : q(a, b) dV, as in every other element. Mass, and the motion of points inside an element, are
those of the nodes alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.fem.elasticity import Elasticity, elasticity
from flexmbs.fem.family import by_node
from flexmbs.fem.solids.kinds import Rule, SolidKind, solid_kind
from flexmbs.fem.stress_field import regions, some_rows
from flexmbs.mesh.element_names import has_reduced_integration
from flexmbs.mesh.locking import in_single_rows
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.quadrature import is_straight

MODES = 3  # further "nodes" of an element with internal modes
# Elements taken at a time: bounds the memory of dense element matrices to some tens of megabytes.
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class SolidGroup:
    """Elements of one kind and material, all straight-sided or all not."""

    shape: SolidKind
    elasticity: Elasticity
    density: float  # kg/m3
    incompatible: bool  # the elements have internal modes
    ids: np.ndarray  # (ne,) int, numbers of the file
    nodes: np.ndarray  # (ne, nen) int
    coordinates: np.ndarray  # (ne, nen, 3), m, of the nodes
    stiffness_rule: Rule
    mass_rule: Rule
    source: str  # of the mesh, for errors
    region: int = 0  # block that stands for the material (``stress_field.regions``)

    def of(self, rows: slice) -> SolidGroup:
        """Some of the elements."""
        return replace(some_rows(self, rows), elasticity=self.elasticity.of(rows))

    def chunks(self, size: int = CHUNK) -> Iterator[SolidGroup]:
        """Parts of ``size`` elements at the most."""
        for first in range(0, len(self.nodes), size):
            yield self.of(slice(first, first + size))


@dataclass(frozen=True)
class SolidOptions:
    """Formulations to choose from; see ``assemble``."""

    hex8: str = "incompatible"
    hex20: str = "file"

    def __post_init__(self) -> None:
        for name, known in (("hex8", ("incompatible", "plain")), ("hex20", ("file", "full", "reduced"))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(known)}")

    def reduced(self, mesh: Mesh, block: ElementBlock) -> np.ndarray:
        """(ne,) bool: elements whose stiffness is integrated with few points."""
        has_rule = solid_kind(block.kind).reduced_stiffness is not None
        if has_rule and self.hex20 == "file" and has_reduced_integration(block.kind, block.type_name):
            return ~in_single_rows(mesh, block)
        return np.full(len(block.nodes), has_rule and self.hex20 == "reduced")


def solid_groups(mesh: Mesh, options: SolidOptions) -> list[SolidGroup]:
    """All elements of ``mesh``, split by block and by straight or curved sides."""
    groups = []
    for block, region in zip(mesh.blocks, regions(mesh, with_section=False), strict=True):
        if len(block.nodes):
            groups += _split_block(mesh, block, options, region)
    return groups


def _split_block(mesh: Mesh, block: ElementBlock, options: SolidOptions, region: int) -> list[SolidGroup]:
    reduced = options.reduced(mesh, block)
    incompatible = solid_kind(block.kind).has_incompatible_modes and options.hex8 == "incompatible"
    where = f"{block.where or mesh.source or 'mesh'}: {block.kind} elements"
    elastic = elasticity(block.material, block.material_axes, where)
    coordinates = mesh.points[block.nodes]
    straight = is_straight(block.kind, coordinates)
    ids, nodes = np.asarray(block.ids), np.asarray(block.nodes)
    parts = []
    for few in np.unique(reduced).tolist():
        shape = solid_kind(block.kind, reduced=few)
        for which, stiffness, mass in (
            (straight & (reduced == few), shape.stiffness, shape.mass),
            (~straight & (reduced == few), shape.curved_stiffness or shape.stiffness, shape.curved_mass or shape.mass),
        ):
            if which.any():
                of_part = (ids[which], nodes[which], coordinates[which], stiffness, mass)
                of_material = (shape, elastic.of(which), block.material.density, incompatible)
                parts.append(SolidGroup(*of_material, *of_part, mesh.source or "mesh", region))
    return parts


def jacobian_determinants(group: SolidGroup, gradients: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians (ne, g, 3, 3) = d x_j / d xi_i and determinants (ne, g); MeshError where one is not positive."""
    count = len(gradients)
    jacobian = (gradients.reshape(3 * count, -1) @ group.coordinates).reshape(-1, count, 3, 3)
    determinant = (jacobian[:, :, 0] * _cross(jacobian[:, :, 1], jacobian[:, :, 2])).sum(axis=2)
    if not np.all(determinant > 0.0):
        worst = int(np.argmin(np.where(np.isnan(determinant), -np.inf, determinant).min(axis=1)))
        raise MeshError(
            f"{group.source}: {group.shape.kind} element {group.ids[worst]} has zero or negative volume "
            f"(Jacobian {determinant[worst].min():.3g} m3); check its node order and its midside nodes"
        )
    return jacobian, determinant


def physical_gradients(group: SolidGroup, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the shape functions by x, (ne, g, 3, m), and weights times volume (ne, g).

    m is the number of nodes, and three more for internal modes, which come last.
    """
    reference = group.shape.gradients(rule.points)
    jacobian, determinant = jacobian_determinants(group, reference)
    gradients = _inverse(jacobian, determinant) @ reference
    if group.incompatible:
        center = group.shape.gradients(np.zeros((1, 3)))
        center_jacobian, _ = jacobian_determinants(group, center)
        modes = mode_gradients(center_jacobian[:, 0], determinant, rule.points)
        gradients = np.concatenate([gradients, modes], axis=3)
    return gradients, determinant * rule.weights


def _inverse(matrices: np.ndarray, determinants: np.ndarray) -> np.ndarray:
    """(ne, g, 3, 3), by cofactors: LAPACK takes two to four times as long."""
    first, second, third = matrices[:, :, 0], matrices[:, :, 1], matrices[:, :, 2]
    columns = [_cross(second, third), _cross(third, first), _cross(first, second)]
    return np.stack(columns, axis=3) / determinants[:, :, None, None]


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As np.cross on the last axis, which takes up to twice as long."""
    product = np.empty_like(a)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        product[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return product


def stiffness_matrices(group: SolidGroup) -> np.ndarray:
    """(ne, nen, 3, nen, 3) N/m; internal modes are eliminated."""
    stiffness = _whole_stiffness(group)
    return condensed_stiffness(stiffness) if group.incompatible else stiffness


def _whole_stiffness(group: SolidGroup) -> np.ndarray:
    """(ne, m, 3, m, 3) N/m of the nodes and, where the group has them, of the internal modes."""
    gradients, weights = physical_gradients(group, group.stiffness_rule)
    count, points, _, size = gradients.shape
    flat = gradients.transpose(0, 1, 3, 2).reshape(count, points, 3 * size)
    products = (flat.transpose(0, 2, 1) @ (flat * weights[:, :, None])).reshape(count, size, 3, size, 3)
    return group.elasticity.stiffness(products)


def mass_matrices(group: SolidGroup) -> np.ndarray:
    """(ne, nen, nen) kg: int N_i N_j dm."""
    rule = group.mass_rule
    values = group.shape.values(rule.points)
    _, determinant = jacobian_determinants(group, group.shape.gradients(rule.points))
    products = (values[:, :, None] * values[:, None, :]).reshape(len(values), -1)
    weights = group.density * determinant * rule.weights
    return (weights @ products).reshape(-1, values.shape[1], values.shape[1])


def field_internal_modes(group: SolidGroup) -> np.ndarray | None:
    """T of the head of this file for these elements; None where the group has no internal modes."""
    return internal_modes(_whole_stiffness(group)) if group.incompatible else None


def displacement_gradients(gradients: np.ndarray, group: SolidGroup, fields: np.ndarray, internal: np.ndarray | None) -> np.ndarray:
    """d u_k / d x_j at points: (ne, g, 3 (j), 3 (k), n) of nodal ``fields`` (ndof, n).

    ``gradients`` are those of ``physical_gradients``, ``internal`` those of ``field_internal_modes``.
    """
    count, points, _, size = gradients.shape
    nodal = by_node(fields, 3)[group.nodes]
    if internal is not None:
        nodal = with_internal_modes(internal, nodal)
    product = gradients.reshape(count, 3 * points, size) @ nodal.reshape(count, size, -1)
    return product.reshape(count, points, 3, 3, fields.shape[1])


def mode_gradients(center: np.ndarray, determinants: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Derivatives by x of the three functions, (ne, g, 3, 3): component, function.

    ``center`` (ne, 3, 3) Jacobians d x_j / d xi_i at the centre; ``determinants`` (ne, g) of the Jacobian at the points;
    ``points`` (g, 3) reference coordinates.
    """
    scale = np.linalg.det(center)[:, None] / determinants
    return np.linalg.inv(center)[:, None] * (-2.0 * points[:, None, :]) * scale[:, :, None, None]


def internal_modes(stiffness: np.ndarray) -> np.ndarray:
    """T (ne, 3 MODES, 3 nen) from the stiffness (ne, nen + MODES, 3, nen + MODES, 3) of nodes and modes."""
    count, size = len(stiffness), 3 * stiffness.shape[1]
    flat = stiffness.reshape(count, size, size)
    nodal = size - 3 * MODES
    return -np.linalg.solve(flat[:, nodal:, nodal:], flat[:, nodal:, :nodal])


def condensed_stiffness(stiffness: np.ndarray) -> np.ndarray:
    """(ne, nen, 3, nen, 3) for the nodes alone; argument as ``internal_modes``."""
    count, size = len(stiffness), 3 * stiffness.shape[1]
    nodal = size - 3 * MODES
    flat = stiffness.reshape(count, size, size)
    condensed = flat[:, :nodal, :nodal] + flat[:, :nodal, nodal:] @ internal_modes(stiffness)
    # rounding of the elimination leaves the two triangles 1e-16 apart
    condensed = 0.5 * (condensed + condensed.transpose(0, 2, 1))
    return condensed.reshape(count, nodal // 3, 3, nodal // 3, 3)


def with_internal_modes(internal: np.ndarray, nodal: np.ndarray) -> np.ndarray:
    """Nodal fields (ne, nen, 3, n) with the values of the modes appended, (ne, nen + MODES, 3, n)."""
    count, nodes, _, columns = nodal.shape
    modes = internal @ nodal.reshape(count, 3 * nodes, columns)
    return np.concatenate([nodal, modes.reshape(count, MODES, 3, columns)], axis=1)


def condensed_loads(internal: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Loads (ne, nen + MODES, 3, n) on nodes and modes, brought to the nodes: (ne, nen, 3, n)."""
    count, size, _, columns = loads.shape
    nodes = size - MODES
    on_modes = loads[:, nodes:].reshape(count, 3 * MODES, columns)
    return loads[:, :nodes] + (internal.transpose(0, 2, 1) @ on_modes).reshape(count, nodes, 3, columns)
