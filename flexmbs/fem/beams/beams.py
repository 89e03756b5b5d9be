"""The family of beams: their inertia, section forces and stress."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.beams.elements import ENDS, GAUSS_POINTS, GAUSS_WEIGHTS, BeamElements, beam_elements, beam_matrices, beam_shapes
from flexmbs.fem.beams.second_order import (
    evaluate,
    geometric_stiffness,
    held_element_fields,
    in_mesh_axes,
    pairs_of_unit_values,
    quadratic_inside,
    second_order_loads,
    second_order_section_motion,
    section_motion,
)
from flexmbs.fem.beams.surface import beam_surface, outline_stress
from flexmbs.fem.family import Family, Samples
from flexmbs.fem.line_elements import stress_in_mesh_axes
from flexmbs.fem.rigid_motion import turning_load, turning_softening
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, SurfaceFields, some_rows, stress_points
from flexmbs.mesh.mesh import Mesh

POINT_TOLERANCE = 1e-6  # of the body's size: a point given in decimal digits still counts as on the axis


@dataclass(frozen=True, eq=False)
class Beams(Family):
    """Straight two-node beams."""

    elements: BeamElements

    @property
    def beam_theory(self) -> str:
        return "euler-bernoulli" if self.elements.euler_bernoulli else "timoshenko"

    @property
    def rotary_inertia(self) -> bool:
        return self.elements.rotary_inertia

    def matrices_of(self, chosen: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        return _matrices(some_rows(self.elements, chosen[self.elements.block]), len(self.mesh.points))

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return second_order_loads(self.elements, len(self.mesh.points), fields, pairs)

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return geometric_stiffness(self.elements, len(self.mesh.points), displacement)

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        """Six Gauss points per element along the axis, each with four section points.

        Their first and second moments are those of the section; without rotary inertia there is one on the axis.
        """
        elements = self.elements
        first = evaluate(elements, beam_shapes(elements, GAUSS_POINTS), modes)
        linear = section_motion(elements, first.u, first.turn)
        second = second_order_section_motion(elements, GAUSS_POINTS, modes, pairs, quadratic)
        axis = elements.start[:, None] + GAUSS_POINTS[:, None] * (elements.length[:, None] * elements.frame[:, 0])[:, None]
        offsets = section_offsets(elements)
        weight = elements.line_mass[:, None] * elements.length[:, None] * GAUSS_WEIGHTS / offsets.shape[1]
        x = np.concatenate([(axis + (offset[:, None] @ elements.frame)).reshape(-1, 3) for offset in offsets.transpose(1, 0, 2)])
        W = sparse.diags(np.tile(weight.ravel(), offsets.shape[1]), format="csr")
        return x, _at_points(linear, offsets), _at_points(second, offsets), W

    def centrifugal(self, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
        """Derivatives of 1/2 int |P (x + u + theta x s + 1/2 theta x (theta x s))|^2 dm, s in the section.

        The moments of the load on the sections turn them against blade twist ("propeller moment").
        """
        elements, node_count = self.elements, len(self.mesh.points)
        shapes = beam_shapes(elements, GAUSS_POINTS)
        P = elements.frame @ across @ elements.frame.transpose(0, 2, 1)  # in local axes
        along = GAUSS_POINTS[:, None] * elements.length[:, None, None] * np.array([1.0, 0.0, 0.0])
        place = np.einsum("eij,ej->ei", elements.frame, elements.start)[:, None] + along
        spread = np.zeros_like(P)  # int s s^T dm per length
        spread[:, 1, 1], spread[:, 2, 2] = elements.rotary_mass[:, 2], elements.rotary_mass[:, 1]
        B = P @ spread
        moment = turning_load(B)
        weight = elements.length[:, None] * GAUSS_WEIGHTS
        mass = weight * elements.line_mass[:, None]
        pull, twist = mass[..., None] * np.einsum("eij,egj->egi", P, place), weight[..., None] * moment[:, None]
        load = np.einsum("egik,egi->ek", shapes.u, pull) + np.einsum("egik,egi->ek", shapes.turn, twist)
        soft = _product(mass, shapes.u, P) + _product(weight, shapes.turn, turning_softening(P, spread, B))
        # the load's work on what an element does inside to second order while its nodes are at rest
        u, turn = held_element_fields(elements, GAUSS_POINTS, *pairs_of_unit_values(shapes))
        inside = np.einsum("egi,egip->ep", pull, u) + np.einsum("egi,egip->ep", twist, turn)
        soft -= inside.reshape(-1, 12, 12)
        return elements.gathered(load[..., None], node_count)[:, 0], in_mesh_axes(elements, node_count, soft)

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        return beam_surface(self.mesh, self.elements, modes, pairs, quadratic)

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes:
        """N, Vy, Vz, T, My, Mz at both ends of every element.

        Loads act at the nodes of the model, so inside an element N and T are constant and the moments linear; shear is
        their slope, of shear-flexible beams and of others.
        """
        elements = self.elements
        shapes = beam_shapes(elements, ENDS)
        local = elements.local(fields)[:, None]
        forces = np.zeros((len(elements.nodes), 2, 6, local.shape[-1]))
        forces[:, :, 0] = elements.force_stiffness[:, None, 0, None] * (shapes.du[:, :, 0] @ local[:, 0])
        forces[:, :, 3:] = elements.moment_stiffness[:, None, :, None] * (shapes.dturn @ local)
        slope = (forces[:, 1, 4:] - forces[:, 0, 4:]) / elements.length[:, None, None]
        forces[:, :, 1], forces[:, :, 2] = -slope[:, None, 1], slope[:, None, 0]
        return SectionForceModes(
            element_ids=elements.ids,
            positions=elements.ends,
            axes=elements.frame,
            forces=np.ascontiguousarray(np.moveaxis(forces, 3, 0)),
        )

    def stress_modes(self, fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
        """Stress at the corners of the section's outline at both ends of every element, wherever it is asked for.

        sigma = N / A - y Mz / Iz + z My / Iy, and the shear of torsion tau = T r / J around the axis: exact for circles
        and too large at the corners of other sections, where it vanishes in truth. Transverse shear, which vanishes at the
        outer fibres that matter in bending, is left out.
        """
        mesh, elements = self.mesh, self.elements
        shapes = beam_shapes(elements, ENDS)
        local = elements.local(fields)[:, None]
        axial, curvature = shapes.du[:, :, 0] @ local[:, 0], shapes.dturn @ local
        ids, node_ids = elements.ids, np.asarray(mesh.node_ids)[elements.nodes]
        ends, parts = elements.ends, []
        for index in np.unique(elements.block):
            block, rows = mesh.blocks[index], elements.block == index
            outline = np.asarray(block.section.outline, float)
            stress = outline_stress(block.material, axial[rows], curvature[rows], outline)
            axes = elements.frame[rows]
            offsets = np.einsum("pi,eij->epj", np.column_stack([np.zeros(len(outline)), outline]), axes)
            shape = stress.shape[:3]  # elements, ends, corners
            points = stress_points(
                (ends[rows][:, :, None] + offsets[:, None]).reshape(-1, 3),
                element_ids=np.broadcast_to(ids[rows][:, None, None], shape).ravel(),
                node_ids=np.broadcast_to(node_ids[rows][:, :, None], shape).ravel(),
                region=index,
                axes=np.broadcast_to(axes[:, None, None], (*shape, 3, 3)).reshape(-1, 3, 3),
            )
            own = np.moveaxis(stress.reshape(len(points), 6, stress.shape[-1]), 2, 0)
            parts.append(stress_in_mesh_axes(points, own, block.material if with_strain else None))
        return StressModes.joined(parts, local.shape[-1])

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        element, s = self._locate(point)
        shapes = beam_shapes(self.elements, np.array([s]))
        frame = self.elements.frame[element]
        to_local = np.kron(np.eye(4), frame)
        rows = np.vstack([frame.T @ shapes.u[element, 0], frame.T @ shapes.turn[element, 0]]) @ to_local
        columns = (6 * self.elements.nodes[element][:, None] + np.arange(6)).ravel()
        index = (np.repeat(np.arange(6), 12), np.tile(columns, 6))
        return sparse.csr_matrix((rows.ravel(), index), shape=(6, self.M.shape[0]))

    def point_second_order(self, point: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> np.ndarray:
        element, s = self._locate(point)
        only = some_rows(self.elements, slice(element, element + 1))
        u, turn = quadratic_inside(only, np.array([s]), modes, pairs, quadratic)
        return np.vstack([only.frame[0].T @ u[0, 0], only.frame[0].T @ turn[0, 0]])

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


def beams(mesh: Mesh, beam_theory: str, rotary_inertia: bool) -> Beams:
    """The beams of a mesh."""
    elements = beam_elements(mesh, beam_theory == "euler-bernoulli", rotary_inertia)
    return Beams(mesh, *_matrices(elements, len(mesh.points)), elements)


def _matrices(elements: BeamElements, node_count: int) -> list[sparse.csr_matrix]:
    """M and K."""
    pattern = NodePattern(node_count, [elements.nodes])
    return [pattern.summed(values) for values in beam_matrices(elements)]


def section_offsets(elements: BeamElements) -> np.ndarray:
    """(ne, points, 3) offsets from the axis in local axes: mean zero, mean squares Iz/A and Iy/A."""
    if not elements.rotary_inertia:
        return np.zeros((len(elements.length), 1, 3))
    offsets = np.zeros((len(elements.length), 4, 3))
    # two of four equal weights at +-d give the mean square d^2 / 2
    y, z = np.sqrt(2.0) * elements.gyration.T
    offsets[:, 0, 1], offsets[:, 1, 1] = y, -y
    offsets[:, 2, 2], offsets[:, 3, 2] = z, -z
    return offsets


def _at_points(motion: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(n, m, 3) displacement of section points (ne, points, 3), of the ``section_motion`` (3, ne, g, 3, n)."""
    _, elements, along, _, count = motion.shape
    points = offsets.shape[1]
    result = np.empty((points, elements, along, 3, count))
    for k in range(points):
        result[k] = motion[0]
        for axis in (1, 2):
            if offsets[:, k, axis].any():
                result[k] += offsets[:, k, axis, None, None, None] * motion[axis]
    return np.ascontiguousarray(result.reshape(points * elements * along, 3, count).transpose(2, 0, 1))


def _product(weight: np.ndarray, values: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return np.einsum("eg,egik,eij,egjl->ekl", weight, values, matrix, values, optimize=True)
