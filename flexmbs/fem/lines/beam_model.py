"""The finite element model of a body of beams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.fe_model import FEModel, as_pairs
from flexmbs.fem.lines.beam_elements import BeamElements, beam_elements, beam_matrices, beam_shapes
from flexmbs.fem.lines.beam_inertia import beam_geometric_stiffness, beam_inertia_samples
from flexmbs.fem.lines.beam_second_order import quadratic_inside, second_order_loads
from flexmbs.fem.lines.beam_stress import beam_section_force_modes, beam_stress_modes
from flexmbs.fem.lines.beam_surface import beam_surface
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, checked_place
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.mesh import Mesh

POINT_TOLERANCE = 1e-6  # of the body's size: a point given in decimal digits still counts as on the axis


@dataclass(frozen=True, eq=False)
class BeamModel(FEModel):
    """``FEModel`` of two-node beams."""

    elements: BeamElements

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return second_order_loads(self.elements, len(self.mesh.points), fields, as_pairs(pairs))

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return beam_geometric_stiffness(self.elements, len(self.mesh.points), displacement)

    def inertia_samples(self, modes, pairs, quadratic):
        return beam_inertia_samples(self.elements, modes, as_pairs(pairs), quadratic)

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        return beam_surface(self.mesh, self.elements, modes, as_pairs(pairs), quadratic)

    def stress_modes(self, fields: np.ndarray, at: str = "nodes", with_strain: bool = False) -> StressModes:
        checked_place(at)
        return beam_stress_modes(self.mesh, self.elements, fields, with_strain)

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes:
        return beam_section_force_modes(self.mesh, self.elements, fields)

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        element, s = self._locate(point)
        shapes = beam_shapes(self.elements, np.array([s]))
        frame = self.elements.frame[element]
        to_local = np.kron(np.eye(4), frame)
        rows = np.vstack([frame.T @ shapes.u[element, 0], frame.T @ shapes.turn[element, 0]]) @ to_local
        columns = (6 * self.elements.nodes[element][:, None] + np.arange(6)).ravel()
        index = (np.repeat(np.arange(6), 12), np.tile(columns, 6))
        return sparse.csr_matrix((rows.ravel(), index), shape=(6, self.ndof))

    def point_second_order(self, point, modes, pairs, quadratic) -> np.ndarray:
        element, s = self._locate(point)
        only = self._single(element)
        u, turn = quadratic_inside(only, np.array([s]), modes, as_pairs(pairs), quadratic)
        return np.vstack([only.frame[0].T @ u[0, 0], only.frame[0].T @ turn[0, 0]])

    def _single(self, element: int) -> BeamElements:
        values = {
            name: value[element : element + 1] if isinstance(value, np.ndarray) else value
            for name, value in vars(self.elements).items()
        }
        return BeamElements(**values)

    def _locate(self, point: np.ndarray) -> tuple[int, float]:
        """Element and place 0..1 along it of the axis point at ``point``."""
        e = self.elements
        offset = np.asarray(point, dtype=float) - e.start
        along = np.clip(np.einsum("ei,ei->e", offset, e.frame[:, 0]) / e.length, 0.0, 1.0)
        distance = np.linalg.norm(offset - (along * e.length)[:, None] * e.frame[:, 0], axis=1)
        nearest = int(np.argmin(distance))
        size = np.ptp(self.mesh.points, axis=0).max()
        if not distance[nearest] <= POINT_TOLERANCE * size:
            raise BodyError(
                f"point {np.asarray(point).tolist()} m lies {distance[nearest]:.3g} m from the axis of the beams of "
                f"{self.mesh.source or 'the mesh'}; a point on a beam must lie on its axis"
            )
        return nearest, float(along[nearest])


def assemble_beams(mesh: Mesh, beam_theory: str, rotary_inertia: bool) -> BeamModel:
    """Matrices and mass properties of a mesh of beams."""
    elements = beam_elements(mesh, beam_theory == "euler-bernoulli", rotary_inertia)
    pattern = NodePattern(len(mesh.points), [elements.nodes])
    matrices = []
    for values in beam_matrices(elements):
        data = pattern.zeros(6)
        pattern.add(data, pattern.positions[0], values.reshape(-1, 2, 6, 2, 6))
        matrices.append(pattern.matrix(data))
    M, K = matrices
    return BeamModel(mesh, 6, M, K, elements, beam_theory=beam_theory, rotary_inertia=rotary_inertia)
