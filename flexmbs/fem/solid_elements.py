"""Groups of like solid elements, and their stiffness and mass matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.fem.solid_shapes import Rule, SolidShape, solid_shape
from flexmbs.mesh.materials import Material
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
    """

    shape: SolidShape
    material: Material
    ids: np.ndarray
    nodes: np.ndarray
    coordinates: np.ndarray
    stiffness_rule: Rule
    mass_rule: Rule

    def chunks(self) -> Iterator[slice]:
        for first in range(0, len(self.nodes), CHUNK):
            yield slice(first, min(first + CHUNK, len(self.nodes)))


def solid_groups(mesh: Mesh) -> list[SolidGroup]:
    """All elements of ``mesh``, split by block and by straight or curved sides."""
    groups = []
    for block in mesh.blocks:
        if len(block.nodes):
            groups += _split_block(mesh, block)
    return groups


def _split_block(mesh: Mesh, block: ElementBlock) -> list[SolidGroup]:
    shape = solid_shape(block.kind)
    coordinates = mesh.points[block.nodes]
    straight = is_straight(block.kind, coordinates)
    parts = []
    for which, stiffness, mass in (
        (straight, shape.stiffness_rule, shape.mass_rule),
        (~straight, shape.curved_stiffness_rule, shape.curved_mass_rule),
    ):
        if which.any():
            ids, nodes = np.asarray(block.ids)[which], np.asarray(block.nodes)[which]
            parts.append(SolidGroup(shape, block.material, ids, nodes, coordinates[which], stiffness, mass))
    return parts


def jacobian_determinants(
    group: SolidGroup, chunk: slice, gradients: np.ndarray, source: str
) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians (ne, g, 3, 3) = d x_j / d xi_i and determinants (ne, g); MeshError where one is not positive."""
    count = len(gradients)
    jacobian = (gradients.reshape(3 * count, -1) @ group.coordinates[chunk]).reshape(-1, count, 3, 3)
    determinant = np.einsum("egi,egi->eg", jacobian[:, :, 0], np.cross(jacobian[:, :, 1], jacobian[:, :, 2]))
    if not np.all(determinant > 0.0):
        worst = int(np.argmin(np.where(np.isnan(determinant), -np.inf, determinant).min(axis=1)))
        raise MeshError(
            f"{source or 'mesh'}: {group.shape.kind} element {group.ids[chunk][worst]} has zero or negative volume "
            f"(Jacobian {determinant[worst].min():.3g} m3); check its node order and its midside nodes"
        )
    return jacobian, determinant


def physical_gradients(group: SolidGroup, chunk: slice, rule: Rule, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the shape functions by x, (ne, g, 3, nen), and weights times volume (ne, g)."""
    reference = group.shape.gradients(rule.points)
    jacobian, determinant = jacobian_determinants(group, chunk, reference, source)
    return np.linalg.inv(jacobian) @ reference, determinant * rule.weights


def stiffness_matrices(group: SolidGroup, chunk: slice, source: str) -> np.ndarray:
    """(ne, nen, 3, nen, 3) N/m, isotropic: lam N_i,a N_j,b + mu (N_i,b N_j,a + delta_ab N_i,k N_j,k)."""
    gradients, weights = physical_gradients(group, chunk, group.stiffness_rule, source)
    count, points, _, nen = gradients.shape
    flat = gradients.transpose(0, 1, 3, 2).reshape(count, points, 3 * nen)
    products = (flat.transpose(0, 2, 1) @ (flat * weights[:, :, None])).reshape(count, nen, 3, nen, 3)
    lam, mu = lame_constants(group.material)
    stiffness = lam * products + mu * products.transpose(0, 1, 4, 3, 2)
    laplace = mu * np.einsum("eiaja->eij", products)
    for axis in range(3):
        stiffness[:, :, axis, :, axis] += laplace
    return stiffness


def mass_matrices(group: SolidGroup, chunk: slice, source: str) -> np.ndarray:
    """(ne, nen, nen) kg: int N_i N_j dm."""
    rule = group.mass_rule
    values = group.shape.values(rule.points)
    _, determinant = jacobian_determinants(group, chunk, group.shape.gradients(rule.points), source)
    products = (values[:, :, None] * values[:, None, :]).reshape(len(values), -1)
    weights = group.material.density * determinant * rule.weights
    return (weights @ products).reshape(-1, values.shape[1], values.shape[1])


def lame_constants(material: Material) -> tuple[float, float]:
    """Lame's lambda and mu (Pa)."""
    nu, mu = material.poisson_ratio, material.shear_modulus
    return 2.0 * mu * nu / (1.0 - 2.0 * nu), mu


def isotropic_stress(material: Material, strain: np.ndarray) -> np.ndarray:
    """Stress tensors of strain tensors; axes 2 and 3 are the tensor's (ne, g, 3, 3, ...)."""
    lam, mu = lame_constants(material)
    stress = 2.0 * mu * strain
    pressure = lam * (strain[:, :, 0, 0] + strain[:, :, 1, 1] + strain[:, :, 2, 2])
    for axis in range(3):
        stress[:, :, axis, axis] += pressure
    return stress


def displacement_gradients(gradients: np.ndarray, group: SolidGroup, chunk: slice, fields: np.ndarray) -> np.ndarray:
    """d u_k / d x_j at points: (ne, g, 3 (j), 3 (k), n) of nodal ``fields`` (ndof, n)."""
    count, points, _, nen = gradients.shape
    nodal = fields.reshape(len(fields) // 3, 3 * fields.shape[1])[group.nodes[chunk]]
    product = gradients.reshape(count, 3 * points, nen) @ nodal
    return product.reshape(count, points, 3, 3, fields.shape[1])
