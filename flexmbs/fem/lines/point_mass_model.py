"""The finite element model of point masses with inertia, at or beside their nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError, MeshError
from flexmbs.fem.fe_model import FEModel, as_pairs, pair_factors
from flexmbs.fem.lines.beam_second_order import rotated_offset
from flexmbs.fem.lines.line_elements import as_samples, no_rotation
from flexmbs.fem.rigid_motion import skew
from flexmbs.mesh.couplings import PointMass
from flexmbs.mesh.mesh import Mesh

# Of the largest moment. Files give four or more digits; what is further off is no rounding.
_ROUNDING_IN_FILES = 1e-4


@dataclass(frozen=True, eq=False)
class PointMassModel(FEModel):
    """``FEModel`` of the point masses of a mesh: rigid bodies that move and turn with their nodes.

    Attributes
    ----------
    spread : (k, 3, 3), kg m2
        int r r^T dm of each about its own centre.
    """

    spread: np.ndarray

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return np.zeros((self.ndof, len(as_pairs(pairs))))

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return sparse.csr_matrix((self.ndof, self.ndof))

    def inertia_samples(self, modes, pairs, quadratic):
        """As ``FEModel.inertia_samples``, with nodal rotations of ``quadratic`` taken as rotation vectors.

        At the centre the mass; on each principal axis of the spread two points whose difference counts, so that
        rotary inertia without mass is integrated too.

        Raises
        ------
        BodyError
            A mass whose principal moments no body can have (the largest exceeds the sum of the two others). Without
            modes the samples only give mass properties, which are right for any inertia.
        """
        pairs = as_pairs(pairs)
        if modes.shape[1]:
            self._check_moments()
        nodes = np.array([point.node for point in self.mesh.point_masses])
        offsets, W = self._sample_points()
        first, second = (f.reshape(len(f) // 6, 6, f.shape[1])[nodes][:, None] for f in (modes, quadratic))
        u, turn, z, turn2 = first[:, :, :3], first[:, :, 3:], second[:, :, :3], second[:, :, 3:]
        arm = offsets[..., None]
        linear = u + np.cross(turn, arm, axis=2)
        bent = rotated_offset(turn[..., pairs[:, 0]], turn[..., pairs[:, 1]], offsets)
        quadratic_there = z + np.cross(turn2, arm, axis=2) + pair_factors(pairs) * bent
        x = (self.mesh.points[nodes][:, None] + offsets).reshape(-1, 3)
        return x, as_samples(linear), as_samples(quadratic_there), W

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        raise no_rotation(self.mesh.source, "a point mass", point)

    def _check_moments(self) -> None:
        for point, spread in zip(self.mesh.point_masses, self.spread, strict=True):
            moments = np.linalg.eigvalsh(spread)
            if moments[0] < -_ROUNDING_IN_FILES * moments[2]:
                principal = np.sort(np.trace(spread) - moments)
                raise BodyError(
                    f"{point.where or self.mesh.source}: the mass {point.name} has the principal moments of inertia"
                    f" {', '.join(f'{value:.6g}' for value in principal)} kg m2; no principal moment of a body"
                    " exceeds the sum of the other two; complete or correct the inertia"
                )

    def _sample_points(self) -> tuple[np.ndarray, sparse.csr_matrix]:
        """Seven points (k, 7, 3) from each node, m, and their weights."""
        offsets, blocks = [], []
        for point, spread in zip(self.mesh.point_masses, self.spread, strict=True):
            moments, axes = np.linalg.eigh(spread)
            # any distance will do: the radius of gyration where there is a mass
            heavy = point.mass > 0.0
            arms = np.sqrt(np.abs(moments) / point.mass) if heavy else np.ones(3)
            arms[arms == 0.0] = 1.0
            reach = axes * arms
            offsets.append(point.offset + np.vstack([np.zeros(3), reach.T, -reach.T]))
            block = np.zeros((7, 7))
            block[0, 0] = point.mass
            block[1:, 1:] = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag(0.25 * moments / arms**2))
            blocks.append(block)
        return np.array(offsets), sparse.block_diag(blocks, format="csr")


def assemble_point_masses(mesh: Mesh) -> PointMassModel:
    """Mass matrix and mass properties of the point masses of a mesh, over all its nodes with six freedoms each.

    Raises
    ------
    MeshError
        No point masses, a negative mass, an inertia that is not symmetric or has a negative principal moment.
    """
    if not mesh.point_masses:
        raise MeshError(f"{mesh.source or 'mesh'}: there are no point masses to assemble")
    ndof = 6 * len(mesh.points)
    blocks = np.array([_mass_matrix(point, mesh.source) for point in mesh.point_masses])
    first = 6 * np.array([point.node for point in mesh.point_masses])
    index = np.broadcast_to(first[:, None, None] + np.arange(6), blocks.shape)
    M = sparse.coo_matrix((blocks.ravel(), (index.transpose(0, 2, 1).ravel(), index.ravel())), shape=(ndof, ndof))
    M = M.tocsr()
    M.eliminate_zeros()
    inertias = np.array([np.asarray(point.inertia, float) for point in mesh.point_masses])
    spread = 0.5 * np.trace(inertias, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertias
    empty = sparse.csr_matrix((ndof, ndof))
    return PointMassModel(mesh, 6, M, empty, spread)


def _mass_matrix(point: PointMass, source: str) -> np.ndarray:
    """(6, 6): m |u + theta x c|^2 + theta . J theta."""
    where = f"{point.where or source}: the mass {point.name}"
    J, c = np.asarray(point.inertia, float), np.asarray(point.offset, float)
    if not (np.isfinite(point.mass) and point.mass >= 0.0 and np.isfinite(J).all() and np.isfinite(c).all()):
        raise MeshError(f"{where} has {point.mass} kg; mass, inertia and offset must be finite, the mass not negative")
    size = np.abs(J).max()
    if np.abs(J - J.T).max() > _ROUNDING_IN_FILES * size or np.linalg.eigvalsh(J)[0] < -_ROUNDING_IN_FILES * size:
        raise MeshError(f"{where} has the inertia {J.tolist()} kg m2; it must be symmetric without negative moments")
    arm = skew(c[None])[0]
    matrix = np.zeros((6, 6))
    matrix[:3, :3], matrix[:3, 3:] = point.mass * np.eye(3), -point.mass * arm
    matrix[3:, :3], matrix[3:, 3:] = point.mass * arm, 0.5 * (J + J.T) - point.mass * arm @ arm
    return matrix
