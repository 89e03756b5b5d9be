"""What lines have in common: trusses and springs a few strains, constant between two nodes; beams and trusses their stress."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmbs.fem.family import Family, by_node
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, StressPoints, as_six, as_tensors, stress_points
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.properties import Material

# columns of an element's twelve components: displacement and rotation of its first node, then of its second
U1, TURN1, U2, TURN2 = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)


@dataclass(frozen=True, eq=False)
class LineElements(ABC):
    """Elements between two nodes, all components in mesh axes."""

    nodes: np.ndarray  # (ne, 2) int
    # (ne, m, 12): from the displacements and rotations of both nodes to the strains (what a strain is depends on the element: m/m,
    # rad/m, m or rad)
    strain: np.ndarray
    stiffness: np.ndarray  # (ne, m), energy of the element = 1/2 sum stiffness strain^2, J

    @abstractmethod
    def second_order_strain(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """q(a, b) (ne, m, k), symmetric and bilinear, of element values a and b (ne, 12, k), for eps + 1/2 q(u, u)."""

    def local(self, fields: np.ndarray) -> np.ndarray:
        """Nodal values (ndof, n) to element values (ne, 12, n)."""
        return by_node(fields, 6)[self.nodes].reshape(len(self.nodes), 12, fields.shape[1])

    def matrix(self, values: np.ndarray, node_count: int) -> sparse.csr_matrix:
        """Element matrices (ne, 12, 12) summed to (ndof, ndof)."""
        summed = NodePattern(node_count, [self.nodes]).summed(values)
        summed.eliminate_zeros()  # components without stiffness are not to look like entries
        return summed

    def stiffness_matrix(self, node_count: int, stiffness: np.ndarray | None = None) -> sparse.csr_matrix:
        """(ndof, ndof) int B^T D B, with ``stiffness`` (ne, m) in place of the elements' own where given."""
        D = self.stiffness if stiffness is None else stiffness
        return self.matrix(np.einsum("emi,em,emj->eij", self.strain, D, self.strain), node_count)

    def second_order_loads(self, node_count: int, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """(ndof, npairs) as ``Family.second_order_loads``."""
        values = self.local(fields)
        q = self.second_order_strain(values[..., pairs[:, 0]], values[..., pairs[:, 1]])
        loads = np.einsum("emi,em,emp->eip", self.strain, self.stiffness, q)
        total = np.zeros((node_count, 6, len(pairs)))
        np.add.at(total, self.nodes, loads.reshape(len(loads), 2, 6, len(pairs)))
        return total.reshape(6 * node_count, len(pairs))

    def geometric_stiffness(self, node_count: int, displacement: np.ndarray) -> sparse.csr_matrix:
        """(ndof, ndof) as ``Family.geometric_stiffness``."""
        force = self.stiffness * (self.strain @ self.local(displacement[:, None]))[..., 0]
        unit = np.broadcast_to(np.eye(12), (len(self.nodes), 12, 12))
        first, second = np.divmod(np.arange(144), 12)
        q = self.second_order_strain(unit[..., first], unit[..., second])
        return self.matrix(np.einsum("em,emp->ep", force, q).reshape(-1, 12, 12), node_count)


@dataclass(frozen=True, eq=False)
class LineFamily(Family):
    """The family of trusses or of springs."""

    elements: LineElements
    moves_rigidly: ClassVar[bool] = False

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return self.elements.second_order_loads(len(self.mesh.points), fields, pairs)

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return self.elements.geometric_stiffness(len(self.mesh.points), displacement)


def stress_by_block(
    mesh: Mesh, elements: Any, places: np.ndarray, inside: bool, axes: np.ndarray, stress: np.ndarray, with_strain: bool
) -> StressModes:
    """Stress (n, ne, 6) in the ``axes`` (ne, 3, 3) of elements in which it is constant, at ``places`` (ne, k, 3).

    ``elements`` have ids, nodes and block; the places are their nodes unless they lie ``inside``.
    """
    count, parts = places.shape[1], []
    for index in np.unique(elements.block):
        rows = elements.block == index
        points = stress_points(
            places[rows].reshape(-1, 3),
            element_ids=np.repeat(elements.ids[rows], count),
            node_ids=0 if inside else np.asarray(mesh.node_ids)[elements.nodes[rows]].ravel(),
            region=index,
            axes=np.repeat(axes[rows], count, axis=0),
        )
        own = np.repeat(stress[:, rows], count, axis=1)
        parts.append(stress_in_mesh_axes(points, own, mesh.blocks[index].material if with_strain else None))
    return StressModes.joined(parts, len(stress))


def stress_in_mesh_axes(points: StressPoints, own: np.ndarray, material: Material | None) -> StressModes:
    """From stress (n, m, 6) in the points' axes; strain where a material is given."""
    back = points.axes.swapaxes(1, 2)

    def turned(six: np.ndarray) -> np.ndarray:
        return as_six(back @ as_tensors(six) @ points.axes)

    strain = None
    if material is not None:
        E, nu, G = material.youngs_modulus, material.poisson_ratio, material.shear_modulus
        strain = own / (2.0 * G)
        strain[..., :3] -= nu / E * own[..., :3].sum(axis=-1, keepdims=True)
        strain = turned(strain)
    return StressModes(points, turned(own), strain)
