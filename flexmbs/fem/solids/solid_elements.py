"""Groups of like solid elements, and their stiffness and mass matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.fem.elasticity import Elasticity, elasticity
from flexmbs.fem.nodal_mean import regions
from flexmbs.fem.solids.incompatible_modes import condensed_stiffness, internal_modes, mode_gradients, with_internal_modes
from flexmbs.fem.solids.solid_shape_functions import Rule, SolidShape, solid_shape
from flexmbs.mesh.element_names import has_reduced_integration
from flexmbs.mesh.locking import in_single_rows
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.quadrature import is_straight

# Elements taken at a time: bounds the memory of dense element matrices to some tens of megabytes.
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class SolidGroup:
    """Elements of one kind and material, all straight-sided or all not.

    Attributes
    ----------
    ids : (ne,) int, numbers of the file
    nodes : (ne, nen) int
    coordinates : (ne, nen, 3), m, of the nodes
    density : float, kg/m3
    incompatible : bool
        The elements have the internal modes of ``incompatible_modes``.
    region : int, block that stands for the material (``nodal_mean.regions``)
    """

    shape: SolidShape
    elasticity: Elasticity
    density: float
    incompatible: bool
    ids: np.ndarray
    nodes: np.ndarray
    coordinates: np.ndarray
    stiffness_rule: Rule
    mass_rule: Rule
    region: int = 0

    def chunks(self) -> Iterator[slice]:
        for first in range(0, len(self.nodes), CHUNK):
            yield slice(first, min(first + CHUNK, len(self.nodes)))


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
        has_rule = solid_shape(block.kind).has_reduced_rule
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
    incompatible = solid_shape(block.kind).has_incompatible_modes and options.hex8 == "incompatible"
    where = f"{block.where or mesh.source or 'mesh'}: {block.kind} elements"
    elastic = elasticity(block.material, block.material_axes, where)
    coordinates = mesh.points[block.nodes]
    straight = is_straight(block.kind, coordinates)
    ids, nodes = np.asarray(block.ids), np.asarray(block.nodes)
    parts = []
    for few in (False, True):
        shape = solid_shape(block.kind, reduced=few)
        for which, stiffness, mass in (
            (straight & (reduced == few), shape.stiffness_rule, shape.mass_rule),
            (~straight & (reduced == few), shape.curved_stiffness_rule, shape.curved_mass_rule),
        ):
            if which.any():
                of_part = (ids[which], nodes[which], coordinates[which], stiffness, mass)
                of_material = (shape, elastic.of(which), block.material.density, incompatible)
                parts.append(SolidGroup(*of_material, *of_part, region))
    return parts


def jacobian_determinants(group: SolidGroup, chunk: slice, gradients: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians (ne, g, 3, 3) = d x_j / d xi_i and determinants (ne, g); MeshError where one is not positive."""
    count = len(gradients)
    jacobian = (gradients.reshape(3 * count, -1) @ group.coordinates[chunk]).reshape(-1, count, 3, 3)
    determinant = (jacobian[:, :, 0] * _cross(jacobian[:, :, 1], jacobian[:, :, 2])).sum(axis=2)
    if not np.all(determinant > 0.0):
        worst = int(np.argmin(np.where(np.isnan(determinant), -np.inf, determinant).min(axis=1)))
        raise MeshError(
            f"{source or 'mesh'}: {group.shape.kind} element {group.ids[chunk][worst]} has zero or negative volume "
            f"(Jacobian {determinant[worst].min():.3g} m3); check its node order and its midside nodes"
        )
    return jacobian, determinant


def physical_gradients(group: SolidGroup, chunk: slice, rule: Rule, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the shape functions by x, (ne, g, 3, m), and weights times volume (ne, g).

    m is the number of nodes, and three more for internal modes, which come last.
    """
    reference = group.shape.gradients(rule.points)
    jacobian, determinant = jacobian_determinants(group, chunk, reference, source)
    gradients = _inverse(jacobian, determinant) @ reference
    if group.incompatible:
        center = group.shape.gradients(np.zeros((1, 3)))
        center_jacobian, _ = jacobian_determinants(group, chunk, center, source)
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


def stiffness_matrices(group: SolidGroup, chunk: slice, source: str) -> np.ndarray:
    """(ne, nen, 3, nen, 3) N/m; internal modes are eliminated."""
    stiffness = _whole_stiffness(group, chunk, source)
    return condensed_stiffness(stiffness) if group.incompatible else stiffness


def _whole_stiffness(group: SolidGroup, chunk: slice, source: str) -> np.ndarray:
    """(ne, m, 3, m, 3) N/m of the nodes and, where the group has them, of the internal modes."""
    gradients, weights = physical_gradients(group, chunk, group.stiffness_rule, source)
    count, points, _, size = gradients.shape
    flat = gradients.transpose(0, 1, 3, 2).reshape(count, points, 3 * size)
    products = (flat.transpose(0, 2, 1) @ (flat * weights[:, :, None])).reshape(count, size, 3, size, 3)
    return group.elasticity.of(chunk).stiffness(products)


def mass_matrices(group: SolidGroup, chunk: slice, source: str) -> np.ndarray:
    """(ne, nen, nen) kg: int N_i N_j dm."""
    rule = group.mass_rule
    values = group.shape.values(rule.points)
    _, determinant = jacobian_determinants(group, chunk, group.shape.gradients(rule.points), source)
    products = (values[:, :, None] * values[:, None, :]).reshape(len(values), -1)
    weights = group.density * determinant * rule.weights
    return (weights @ products).reshape(-1, values.shape[1], values.shape[1])


def field_internal_modes(group: SolidGroup, chunk: slice, source: str) -> np.ndarray | None:
    """T of ``incompatible_modes`` for these elements; None where the group has no internal modes."""
    return internal_modes(_whole_stiffness(group, chunk, source)) if group.incompatible else None


def displacement_gradients(
    gradients: np.ndarray, group: SolidGroup, chunk: slice, fields: np.ndarray, internal: np.ndarray | None
) -> np.ndarray:
    """d u_k / d x_j at points: (ne, g, 3 (j), 3 (k), n) of nodal ``fields`` (ndof, n).

    ``gradients`` are those of ``physical_gradients``, ``internal`` those of ``field_internal_modes``.
    """
    count, points, _, size = gradients.shape
    nodal = fields.reshape(len(fields) // 3, 3, fields.shape[1])[group.nodes[chunk]]
    if internal is not None:
        nodal = with_internal_modes(internal, nodal)
    product = gradients.reshape(count, 3 * points, size) @ nodal.reshape(count, size, -1)
    return product.reshape(count, points, 3, 3, fields.shape[1])
