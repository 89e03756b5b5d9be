"""A family of elements (solids, shells, beams, ...): what its elements add to the matrices and integrals of a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.section_forces import SectionForceModes, ShellForces, SpringForces
from flexmbs.fem.stress_field import StressModes, SurfaceFields
from flexmbs.mesh.mesh import Mesh

Samples = tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix]


@dataclass(frozen=True, eq=False)
class Family(ABC):
    """Elements of one family over all points of a mesh; ``FEModel`` sums what they give."""

    mesh: Mesh  # all points, and the blocks of this family only, none empty
    # M, K: (components nn, components nn) csr, consistent mass (kg, kg m, kg m2) and stiffness (N/m, N, N m)
    M: sparse.csr_matrix
    K: sparse.csr_matrix
    # 3 for displacements alone, 6 with rotations; fields and loads of the methods have as many a node
    components: ClassVar[int] = 6
    moves_rigidly: ClassVar[bool] = True  # elements that share nodes can move without strain as one rigid body only
    # beam_theory, rotary_inertia: as of ``FEModel``
    beam_theory: ClassVar[Any] = ""
    rotary_inertia: ClassVar[Any] = True

    @abstractmethod
    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """(components nn, npairs), as ``FEModel.second_order_loads``."""

    @abstractmethod
    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        """Of the linear displacement (components nn,), as ``FEModel.geometric_stiffness``."""

    @abstractmethod
    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        """As ``FEModel.inertia_samples``."""

    @abstractmethod
    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        """(6, components nn), as ``FEModel.point_operator``."""

    def point_second_order(self, point: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> np.ndarray:
        """(6, npairs), as ``FEModel.point_second_order``."""
        return self.point_operator(point) @ quadratic

    def centrifugal(self, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
        """Load (components nn,) and softening per square of the speed: derivatives of 1/2 int |P (x + u)|^2 dm.

        P = ``across`` (3, 3) projects across the axis. Here of elements whose mass moves with displacements alone (solids,
        shear panels, trusses, springs).
        """
        in_plane = np.zeros((self.components, self.components))
        in_plane[:3, :3] = across
        projection = sparse.kron(sparse.eye(len(self.mesh.points)), in_plane, format="csr")
        position = np.zeros((len(self.mesh.points), self.components))
        position[:, :3] = self.mesh.points
        load = projection @ (self.M @ (projection @ position.ravel()))
        return load, (projection @ self.M @ projection).tocsr()

    def matrices_of(self, chosen: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """M and K of the elements of some blocks, ``chosen`` (blocks,) bool; of families with materials alone."""
        raise NotImplementedError

    @property
    def damping(self) -> sparse.csr_matrix | None:
        """(6 nn, 6 nn) constants of dashpots, N s/m, N s, N m s."""
        return None

    @property
    def restraining(self) -> tuple[str, ...]:
        """Names of elements that resist motion of the whole body as a rigid one."""
        return ()

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields | None:
        """What is drawn; None: nothing."""
        return None

    def stress_modes(self, fields: np.ndarray, at: str, with_strain: bool) -> StressModes | None:
        """Stress of each of the fields, regions by blocks of the family's mesh; None: these elements have none."""
        return None

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes | None:
        """Section forces of each of the fields; None: these elements have none."""
        return None

    def shell_forces(self, displacement: np.ndarray, at: str) -> ShellForces | None:
        """Of shells alone, for a column (6 nn, 1)."""
        return None

    def spring_forces(self, displacement: np.ndarray) -> SpringForces | None:
        """Of springs alone, for a column (6 nn, 1)."""
        return None


def no_rotation(source: str, part: str, point: np.ndarray) -> BodyError:
    """The error for a marker at a point of what has no rotation of its own."""
    return BodyError(
        f"point {np.asarray(point).tolist()} m of {source or 'the mesh'}: {part} cannot carry a marker because it"
        " has no rotation; use a node or a node set"
    )


def pair_factors(pairs: np.ndarray) -> np.ndarray:
    """(npairs,) factor that turns a bilinear q(a, b) into the coefficient of q_a q_b in 1/2 q(u, u)."""
    return np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)


def by_node(fields: np.ndarray, components: int) -> np.ndarray:
    """(components nn, n) -> (nn, components, n)."""
    return fields.reshape(len(fields) // components, components, fields.shape[1])


def as_samples(values: np.ndarray) -> np.ndarray:
    """(..., 3, n) of every element to (n, m, 3), as ``FEModel.inertia_samples`` gives its fields."""
    count = int(np.prod(values.shape[:-2]))
    return np.ascontiguousarray(np.moveaxis(values.reshape(count, 3, values.shape[-1]), 2, 0))


# From the three components a node of solids to the six of a body that has other elements too, and back.


def six_a_node(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """(3 nn, 3 nn) -> (6 nn, 6 nn) csr, rows and columns of rotations empty."""
    nn = matrix.shape[0] // 3
    counts = np.zeros((nn, 6), dtype=np.int64)
    counts[:, :3] = np.diff(matrix.indptr).reshape(nn, 3)
    indptr = np.concatenate([[0], np.cumsum(counts.ravel())])
    indices = 6 * (matrix.indices.astype(np.int64) // 3) + matrix.indices % 3
    return sparse.csr_matrix((matrix.data, indices, indptr), shape=(6 * nn, 6 * nn))


def displacements(fields: np.ndarray) -> np.ndarray:
    """(6 nn, n) -> (3 nn, n)."""
    nn, count = len(fields) // 6, fields.shape[1]
    return np.ascontiguousarray(fields.reshape(nn, 6, count)[:, :3]).reshape(3 * nn, count)


def with_rotations(fields: np.ndarray) -> np.ndarray:
    """(3 nn, n) -> (6 nn, n), rotations zero."""
    nn, count = len(fields) // 3, fields.shape[1]
    result = np.zeros((nn, 6, count))
    result[:, :3] = fields.reshape(nn, 3, count)
    return result.reshape(6 * nn, count)


def columns_with_rotations(operator: sparse.spmatrix) -> sparse.csr_matrix:
    """(m, 3 nn) -> (m, 6 nn)."""
    found = operator.tocoo()
    shape = (operator.shape[0], 2 * operator.shape[1])
    return sparse.csr_matrix((found.data, (found.row, 6 * (found.col // 3) + found.col % 3)), shape=shape)


def summed(matrices: Sequence[Any]) -> Any:
    """The sum of one or more arrays or matrices; a single one itself."""
    return sum(matrices[1:], matrices[0])
