"""Elasticity of solids: from what a mesh says of a material to stress and element stiffness."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import AnisotropicMaterial, Material, OrthotropicMaterial, compliance, flaw

# Place of each tensor component in the order 11, 22, 33, 12, 23, 13 of ``AnisotropicMaterial``.
_PLACES = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2]]).ravel()

# A file gives directions with six digits or so; axes that are less normal to each other are a mistake and no rounding.
_ROUNDING_IN_FILES = 1e-4


@dataclass(frozen=True, eq=False)
class IsotropicElasticity:
    """Lame's constants, Pa."""

    lam: float
    mu: float

    def of(self, rows: slice | np.ndarray) -> IsotropicElasticity:
        """For some of the elements."""
        return self

    def stress(self, strain: np.ndarray) -> np.ndarray:
        """Stress tensors of strain tensors; axes 2 and 3 are the tensor's, (ne, g, 3, 3, ...)."""
        stress = 2.0 * self.mu * strain
        pressure = self.lam * (strain[:, :, 0, 0] + strain[:, :, 1, 1] + strain[:, :, 2, 2])
        for axis in range(3):
            stress[:, :, axis, axis] += pressure
        return stress

    def stiffness(self, products: np.ndarray) -> np.ndarray:
        """Element stiffness (ne, n, 3, n, 3) from int N_i,k N_j,l dV (ne, n, 3, n, 3).

        lam N_i,a N_j,b + mu (N_i,b N_j,a + delta_ab N_i,k N_j,k)
        """
        stiffness = self.lam * products + self.mu * products.transpose(0, 1, 4, 3, 2)
        laplace = self.mu * np.einsum("eiaja->eij", products)
        for axis in range(3):
            stiffness[:, :, axis, :, axis] += laplace
        return stiffness


@dataclass(frozen=True, eq=False)
class AnisotropicElasticity:
    """The elasticity tensor in the material's own axes, and where these point."""

    tensor: np.ndarray  # (9, 9) Pa: sigma_ij = C_ijkl epsilon_kl with rows 3 i + j and columns 3 k + l
    # (ne, 3, 3), columns are the material's directions in mesh coordinates; (1, 3, 3) holds for every element, None: the
    # mesh's axes
    axes: np.ndarray | None = None

    def of(self, rows: slice | np.ndarray) -> AnisotropicElasticity:
        """For some of the elements."""
        return self if self.axes is None or len(self.axes) == 1 else replace(self, axes=self.axes[rows])

    def in_mesh_axes(self) -> np.ndarray:
        """(ne or 1, 9, 9) Pa: C_ijkl = Q_ia Q_jb Q_kc Q_ld C_abcd."""
        if self.axes is None:
            return self.tensor[None]
        turn = np.einsum("eia,ejb->eijab", self.axes, self.axes).reshape(-1, 9, 9)
        return turn @ self.tensor @ turn.transpose(0, 2, 1)

    def stress(self, strain: np.ndarray) -> np.ndarray:
        """Stress tensors of strain tensors; axes 2 and 3 are the tensor's, (ne, g, 3, 3, ...)."""
        flat = strain.reshape(*strain.shape[:2], 9, -1)
        return (self.in_mesh_axes()[:, None] @ flat).reshape(strain.shape)

    def stiffness(self, products: np.ndarray) -> np.ndarray:
        """Element stiffness (ne, n, 3, n, 3), C_akbl int N_i,k N_j,l dV, from these integrals (ne, n, 3, n, 3)."""
        count, nodes = products.shape[:2]
        tensor = self.in_mesh_axes().reshape(-1, 3, 3, 3, 3).transpose(0, 2, 4, 1, 3).reshape(-1, 9, 9)
        by_pair = products.transpose(0, 1, 3, 2, 4).reshape(count, nodes * nodes, 9) @ tensor
        return by_pair.reshape(count, nodes, nodes, 3, 3).transpose(0, 1, 3, 2, 4)


Elasticity = IsotropicElasticity | AnisotropicElasticity


def elasticity(material: Material | OrthotropicMaterial | AnisotropicMaterial, axes: np.ndarray | None, where: str) -> Elasticity:
    """Elasticity of a solid's material.

    Parameters
    ----------
    axes : (ne, 3, 3) or None
        ``ElementBlock.material_axes``; rows of NaN are the mesh's axes.
    where : str
        Starts the messages.

    Raises
    ------
    MeshError
        The stiffness is not symmetric and positive definite, or the axes are not normal to each other.
    """
    if isinstance(material, Material):
        nu, mu = material.poisson_ratio, material.shear_modulus
        return IsotropicElasticity(2.0 * mu * nu / (1.0 - 2.0 * nu), mu)
    where = f"{where}: material {material.name!r}"
    matrix = stiffness_matrix(material, where)
    return AnisotropicElasticity(matrix[np.ix_(_PLACES, _PLACES)], _unit_axes(axes, where))


def stiffness_matrix(material: OrthotropicMaterial | AnisotropicMaterial, where: str) -> np.ndarray:
    """(6, 6) Pa, order 11, 22, 33, 12, 23, 13, engineering shear strains; MeshError unless positive definite."""
    if wrong := flaw(material):
        raise MeshError(f"{where} {wrong}")
    if isinstance(material, AnisotropicMaterial):
        return 0.5 * (np.asarray(material.stiffness, float) + np.asarray(material.stiffness, float).T)
    if material.E3 is None:
        raise MeshError(f"{where} has no E3 (it is stated for plane stress); solids need all nine constants")
    whole = np.diag([0.0, 0.0, 0.0, 1.0 / material.G12, 1.0 / material.G23, 1.0 / material.G13])
    whole[:3, :3] = compliance(material)
    return np.linalg.inv(whole)


def _unit_axes(axes: np.ndarray | None, where: str) -> np.ndarray | None:
    """Axes with the identity in place of NaN; only one where all are the same."""
    if axes is None:
        return None
    axes = np.array(axes, float)
    axes[np.isnan(axes).any(axis=(1, 2))] = np.eye(3)
    if abs(axes.transpose(0, 2, 1) @ axes - np.eye(3)).max(initial=0.0) > _ROUNDING_IN_FILES:
        raise MeshError(f"{where} has material directions that are not orthonormal; check its orientation")
    return axes[:1] if len(axes) and np.all(axes == axes[0]) else axes
