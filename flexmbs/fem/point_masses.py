"""The family of point masses with inertia, at or beside their nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError, MeshError
from flexmbs.fem.family import Family, Samples, as_samples, by_node, no_rotation, pair_factors
from flexmbs.fem.rigid_motion import rotated_offset, skew, turning_load, turning_softening
from flexmbs.fem.sparsity_pattern import summed_blocks
from flexmbs.mesh.mesh import Mesh, PointMass

# Of the largest moment. Files give four or more digits; what is further off is no rounding.
_ROUNDING_IN_FILES = 1e-4


@dataclass(frozen=True, eq=False)
class PointMasses(Family):
    """The point masses of a mesh: rigid bodies that move and turn with their nodes."""

    spread: np.ndarray  # (k, 3, 3), kg m2: int r r^T dm of each about its own centre
    moves_rigidly: ClassVar[bool] = False

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return np.zeros((self.M.shape[0], len(pairs)))

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return sparse.csr_matrix(self.M.shape)

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        """Nodal rotations of ``quadratic`` are taken as rotation vectors.

        At the centre the mass; on each principal axis of the spread two points whose difference counts, so that
        rotary inertia without mass is integrated too.

        Raises
        ------
        BodyError
            A mass whose principal moments no body can have (the largest exceeds the sum of the two others). Without
            modes the samples only give mass properties, which are right for any inertia.
        """
        if modes.shape[1]:
            self._check_moments()
        nodes = np.array([point.node for point in self.mesh.point_masses])
        offsets, W = self._sample_points()
        first, second = (by_node(f, 6)[nodes][:, None] for f in (modes, quadratic))
        u, turn, z, turn2 = first[:, :, :3], first[:, :, 3:], second[:, :, :3], second[:, :, 3:]
        arm = offsets[..., None]
        linear = u + np.cross(turn, arm, axis=2)
        bent = rotated_offset(turn[..., pairs[:, 0]], turn[..., pairs[:, 1]], offsets)
        quadratic_there = z + np.cross(turn2, arm, axis=2) + pair_factors(pairs) * bent
        x = (self.mesh.points[nodes][:, None] + offsets).reshape(-1, 3)
        return x, as_samples(linear), as_samples(quadratic_there), W

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        raise no_rotation(self.mesh.source, "a point mass", point)

    def centrifugal(self, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
        """A rigid body at a node x, r from there: int y dm and int r x y dm with y = P (x + r), and second derivatives.

        uu: m P; u theta: int P (theta x r) dm; theta theta: int (theta x r) . P (theta x r) + y . theta x (theta x r) dm.
        """
        masses = self.mesh.point_masses
        node = np.array([point.node for point in masses])
        mass = np.array([point.mass for point in masses])[:, None, None]
        s = np.array([point.offset for point in masses], dtype=float)
        x = self.mesh.points[node]
        S = self.spread + mass * s[:, :, None] * s[:, None, :]  # int r r^T dm
        B = across @ (mass * x[:, :, None] * s[:, None, :] + S)  # int y r^T dm
        load = np.zeros((len(masses), 6))
        load[:, :3] = mass[:, 0] * (x + s) @ across
        load[:, 3:] = turning_load(B)
        soft = np.zeros((len(masses), 6, 6))
        soft[:, :3, :3] = mass * across
        soft[:, :3, 3:] = -mass * across @ skew(s)
        soft[:, 3:, :3] = soft[:, :3, 3:].transpose(0, 2, 1)
        soft[:, 3:, 3:] = turning_softening(across, S, B)
        total = np.zeros((len(self.mesh.points), 6))
        np.add.at(total, node, load)
        return total.ravel(), summed_blocks(self.M.shape[0], 6 * node[:, None] + np.arange(6), soft)

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


def point_masses(mesh: Mesh) -> PointMasses:
    """Mass matrix and mass properties of the point masses of a mesh, over all its nodes with six freedoms each.

    Raises
    ------
    MeshError
        A negative mass, an inertia that is not symmetric or has a negative principal moment.
    """
    ndof = 6 * len(mesh.points)
    blocks = np.array([_mass_matrix(point, mesh.source) for point in mesh.point_masses])
    node = np.array([point.node for point in mesh.point_masses])
    M = summed_blocks(ndof, 6 * node[:, None] + np.arange(6), blocks)
    M.eliminate_zeros()
    inertias = np.array([np.asarray(point.inertia, float) for point in mesh.point_masses])
    spread = 0.5 * np.trace(inertias, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertias
    empty = sparse.csr_matrix((ndof, ndof))
    return PointMasses(replace(mesh, blocks=()), M, empty, spread)


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
