"""The finite element model of a body with several element families, couplings, equations, ties and point masses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.embedding import columns_with_rotations, displacements, six_a_node, with_rotations
from flexmbs.fem.fe_model import FEModel, as_pairs
from flexmbs.fem.mpc.multipoint_constraints import dependence_of
from flexmbs.fem.section_forces import SectionForceModes, ShellForces, SpringForces
from flexmbs.fem.stress_field import StressModes, StressPoints
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class MixedModel(FEModel):
    """``FEModel`` of parts that share the points of one mesh; six components a node.

    The rows and columns of M and K of components that no part has (rotations at nodes of solids) are empty;
    ``dependence`` says which components move by themselves.

    Attributes
    ----------
    parts : models of single families over all points of the mesh (solids with three components a node)
    turning : (nn,) bool, nodes that have rotations
    stiff : (ndof,) bool, components that elements or masses have
    """

    parts: tuple[FEModel, ...]
    turning: np.ndarray
    stiff: np.ndarray

    @property
    def turning_nodes(self) -> np.ndarray:
        return self.turning

    @property
    def massive_nodes(self) -> np.ndarray:
        return (self.M.diagonal().reshape(-1, 6)[:, :3] > 0.0).any(axis=1)

    @property
    def damping(self) -> sparse.csr_matrix | None:
        found = [part.damping for part in self.parts if part.damping is not None]
        return sum(found[1:], found[0]) if found else None

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        fields, pairs = np.asarray(fields), as_pairs(pairs)
        total = np.zeros((self.ndof, len(pairs)))
        for part in self.parts:
            loads = part.second_order_loads(of_part(part, fields), pairs)
            total += with_rotations(loads) if part.dofs_per_node == 3 else loads
        return total

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        column = np.asarray(displacement, dtype=float).reshape(-1, 1)
        found = [(part, part.geometric_stiffness(of_part(part, column).ravel())) for part in self.parts]
        return _summed([six_a_node(K.tocsr()) if part.dofs_per_node == 3 else K for part, K in found])

    def inertia_samples(self, modes, pairs, quadratic):
        samples = [_massive(part.inertia_samples(of_part(part, modes), pairs, of_part(part, quadratic))) for part in self.parts]
        x, modes, quadratic, W = zip(*samples, strict=True)
        joined = (np.concatenate(x), np.concatenate(modes, axis=1), np.concatenate(quadratic, axis=1))
        return *joined, sparse.block_diag(W, format="csr")

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        return joined_surfaces([part.surface(of_part(part, modes), pairs, of_part(part, quadratic)) for part in self.parts])

    def stress_modes(self, fields: np.ndarray, at: str = "nodes", with_strain: bool = False) -> StressModes:
        found = []
        for part in self.parts:
            own = part.stress_modes(of_part(part, fields), at, with_strain)
            found.append(replace(own, points=self._with_regions(part, own.points)))
        return StressModes.joined(found, fields.shape[1])

    def _with_regions(self, part: FEModel, points: StressPoints) -> StressPoints:
        """Regions as blocks of this mesh: a part has only some of them."""
        if not len(points):
            return points
        number = {id(block): index for index, block in enumerate(self.mesh.blocks)}
        blocks = np.array([number[id(block)] for block in part.mesh.blocks])
        return replace(points, region=blocks[points.region])

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes:
        found = [part.section_force_modes(of_part(part, fields)) for part in self.parts]
        return SectionForceModes.joined(found, fields.shape[1])

    def shell_forces(self, displacement: np.ndarray, at: str = "integration points") -> ShellForces:
        column = self._column(displacement)
        return ShellForces.joined([part.shell_forces(of_part(part, column), at) for part in self.parts])

    def spring_forces(self, displacement: np.ndarray) -> SpringForces:
        column = self._column(displacement)
        return SpringForces.joined([part.spring_forces(of_part(part, column)) for part in self.parts])

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        part, operator = self._part_at(point)
        return columns_with_rotations(operator) if part.dofs_per_node == 3 else operator

    def point_second_order(self, point, modes, pairs, quadratic) -> np.ndarray:
        part, _ = self._part_at(point)
        return part.point_second_order(point, of_part(part, modes), pairs, of_part(part, quadratic))

    def _part_at(self, point: np.ndarray) -> tuple[FEModel, sparse.csr_matrix]:
        """The first part that has the point, and its operator."""
        errors = []
        for part in self.parts:
            try:
                return part, part.point_operator(point)
            except BodyError as error:
                errors.append(str(error))
        raise BodyError("; ".join(dict.fromkeys(errors)))


def of_part(part: FEModel, fields: np.ndarray) -> np.ndarray:
    """Nodal values (6 nn, n) in the layout of a part."""
    return displacements(fields) if part.dofs_per_node == 3 else fields


def mixed_model(mesh: Mesh, parts: Sequence[FEModel]) -> MixedModel:
    """The parts over the points of ``mesh``, joined by its couplings, equations and ties."""
    M, K = (
        _summed([six_a_node(A) if part.dofs_per_node == 3 else A for part, A in zip(parts, matrices, strict=True)])
        for matrices in ([part.M for part in parts], [part.K for part in parts])
    )
    stiff = (M.diagonal() > 0.0) | (K.diagonal() > 0.0)
    dependence, warnings = dependence_of(mesh, stiff)
    beams = [part for part in parts if part.beam_theory]
    return MixedModel(
        mesh=replace(mesh, warnings=(*mesh.warnings, *warnings)),
        dofs_per_node=6,
        M=M,
        K=K,
        beam_theory=beams[0].beam_theory if beams else "",
        rotary_inertia=beams[0].rotary_inertia if beams else True,
        parts=tuple(parts),
        dependence=dependence,
        stiff=stiff,
        turning=np.diff(dependence.D.indptr).reshape(-1, 6)[:, 3:].all(axis=1),
    )


def _summed(matrices: Sequence[sparse.csr_matrix]) -> sparse.csr_matrix:
    return sum(matrices[1:], matrices[0]).tocsr()


def _massive(samples):
    """Samples without the points that carry no mass (nodes of other parts)."""
    x, modes, quadratic, W = samples
    kept = np.flatnonzero(np.diff(W.tocsr().indptr))
    if len(kept) == len(x):
        return samples
    return x[kept], modes[:, kept], quadratic[:, kept], W.tocsr()[kept][:, kept]


def joined_surfaces(parts: Sequence[SurfaceFields]) -> SurfaceFields:
    """All points, fields and faces, one part after the other."""
    known = [part.elements for part in parts if len(part.faces)]
    first = np.cumsum([0, *(len(part.points) for part in parts)])
    return SurfaceFields(
        points=np.concatenate([part.points for part in parts]),
        faces=np.concatenate([_moved(part.faces, start) for part, start in zip(parts, first, strict=False)]),
        modes=np.concatenate([part.modes for part in parts], axis=1),
        quadratic=np.concatenate([part.quadratic for part in parts], axis=1),
        stress_modes=np.concatenate([part.stress_modes for part in parts], axis=1),
        elements=None if any(numbers is None for numbers in known) else np.concatenate([np.zeros(0, int), *known]),
    )


def _moved(faces: np.ndarray, start: int) -> np.ndarray:
    """VTK faces [count, i, j, ..., count, ...] with ``start`` added to the points, not to the counts."""
    moved = np.asarray(faces, dtype=int) + start
    at = 0
    while at < len(moved):
        moved[at] -= start
        at += int(moved[at]) + 1
    return moved
