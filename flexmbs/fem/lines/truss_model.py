"""The finite element model of trusses, their axial force, torque and stress."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.fem.fe_model import as_pairs, pair_factors
from flexmbs.fem.lines.beam_second_order import rotated_offset
from flexmbs.fem.lines.beam_stress import in_mesh_axes
from flexmbs.fem.lines.line_elements import U1, U2, LineModel, as_samples, line_model
from flexmbs.fem.lines.truss_elements import TrussElements, truss_elements
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.stress_field import StressModes, as_six, checked_place, stress_points
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.coordinate_systems import across
from flexmbs.mesh.mesh import Mesh

# Two Gauss points integrate products of fields that are linear along the line.
GAUSS_POINTS = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0)
_DRAWN_CORNERS = 8


@dataclass(frozen=True, eq=False)
class TrussModel(LineModel):
    """``FEModel`` of trusses. They turn nothing: nodal rotations have stiffness only by torsion, and no mass."""

    elements: TrussElements

    def inertia_samples(self, modes, pairs, quadratic):
        """As ``FEModel.inertia_samples``: displacements are linear along a truss, to second order too."""
        e, s = self.elements, GAUSS_POINTS[:, None]
        ends = np.stack([e.start, e.start + e.length[:, None] * e.direction], axis=1)[..., None]
        x, first, second = (
            (1.0 - s)[..., None] * values[:, None, 0] + s[..., None] * values[:, None, 1]
            for values in (ends, self._ends(modes), self._ends(quadratic))
        )
        W = sparse.diags(np.repeat(0.5 * e.line_mass * e.length, 2), format="csr")
        return x.reshape(-1, 3), as_samples(first), as_samples(second), W

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        """Round bars of the trusses' area, turned with their lines; stress along the line, of first-order strain."""
        pairs, e = as_pairs(pairs), self.elements
        rho = _ring(e)
        axis = e.direction[:, :, None]
        u, z = self._ends(modes), self._ends(quadratic)
        slope, slope2 = ((v[:, 1] - v[:, 0]) / e.length[:, None, None] for v in (u, z))
        turn = np.cross(axis, slope, axis=1)
        turn2 = np.cross(axis, slope2, axis=1) + pair_factors(pairs) * _turn_of_stretched(e, slope, pairs)
        bent = rotated_offset(turn[:, None, :, pairs[:, 0]], turn[:, None, :, pairs[:, 1]], rho)
        bent = pair_factors(pairs) * bent + np.cross(turn2[:, None], rho[..., None], axis=2)
        first = u[:, :, None] + np.cross(turn[:, None], rho[..., None], axis=2)[:, None]
        second = z[:, :, None] + bent[:, None]
        ends = np.stack([e.start, e.start + e.length[:, None] * e.direction], axis=1)
        along = as_six(e.direction[:, :, None] * e.direction[:, None])
        stress = (e.youngs_modulus * np.sum(axis * slope, axis=1).T)[:, :, None] * along
        stress = np.repeat(stress[:, :, None], 2 * _DRAWN_CORNERS, axis=2)
        return SurfaceFields(
            points=(ends[:, :, None] + rho[:, None]).reshape(-1, 3),
            faces=_faces(len(e.nodes)),
            modes=as_samples(first),
            quadratic=as_samples(second),
            stress_modes=stress.reshape(len(stress), 2 * _DRAWN_CORNERS * len(e.nodes), 6),
            elements=np.repeat(e.ids, _DRAWN_CORNERS + 2),
        )

    def stress_modes(self, fields: np.ndarray, at: str = "nodes", with_strain: bool = False) -> StressModes:
        return truss_stress_modes(self.mesh, self.elements, fields, checked_place(at), with_strain)

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes:
        return truss_section_force_modes(self.elements, fields)

    def _ends(self, fields: np.ndarray) -> np.ndarray:
        """(ne, 2, 3, n) displacements of the ends."""
        values = self.elements.local(np.asarray(fields))
        return np.stack([values[:, U1], values[:, U2]], axis=1)


def assemble_trusses(mesh: Mesh) -> TrussModel:
    """Matrices and mass properties of the trusses of a mesh, over all its nodes with six freedoms each.

    Raises
    ------
    MeshError
        No trusses; no isotropic material, density or section; length zero.
    """
    elements = truss_elements(mesh)
    line = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0, np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    return line_model(TrussModel, mesh, elements, (elements.line_mass * elements.length)[:, None, None] * line)


def _turn_of_stretched(elements: TrussElements, slope: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(ne, 3, npairs): second-order rotation of a line, e x u' - (e . u') (e x u'), its bilinear quadratic part."""
    axis = elements.direction[:, :, None]
    a, b = slope[..., pairs[:, 0]], slope[..., pairs[:, 1]]
    along_a, along_b = (np.sum(axis * v, axis=1, keepdims=True) for v in (a, b))
    return -(along_a * np.cross(axis, b, axis=1) + along_b * np.cross(axis, a, axis=1))


def _ring(elements: TrussElements) -> np.ndarray:
    """(ne, corners, 3) m: a polygon of the section's area around the line."""
    y, z = across(elements.direction)
    angle = 2.0 * np.pi * np.arange(_DRAWN_CORNERS) / _DRAWN_CORNERS
    radius = np.sqrt(elements.area / (0.5 * _DRAWN_CORNERS * np.sin(2.0 * np.pi / _DRAWN_CORNERS)))
    return radius[:, None, None] * (np.cos(angle)[:, None] * y[:, None] + np.sin(angle)[:, None] * z[:, None])


def _faces(count: int) -> np.ndarray:
    """VTK faces of closed prisms with consecutive points: first end, second end."""
    k = _DRAWN_CORNERS
    i = np.arange(k)
    j = np.roll(i, -1)
    one = [np.column_stack([i, j, k + j, k + i]), i[::-1], k + i]
    faces = []
    for number in range(count):
        base = 2 * k * number
        faces.append(np.column_stack([np.full(k, 4), base + one[0]]).ravel())
        faces += [np.concatenate([[k], base + ring]) for ring in one[1:]]
    return np.concatenate(faces)


def truss_section_force_modes(elements: TrussElements, fields: np.ndarray) -> SectionForceModes:
    """N and T of every truss, the same at both ends, of nodal ``fields`` (ndof, n)."""
    strain = elements.strain @ elements.local(np.asarray(fields, float))
    rigidity = elements.stiffness / elements.length[:, None]
    both = rigidity[:, :, None] * strain
    forces = np.zeros((both.shape[2], len(both), 2, 6))
    forces[..., 0], forces[..., 3] = both[:, 0].T[..., None], both[:, 1].T[..., None]
    return SectionForceModes(elements.ids, _ends(elements), truss_axes(elements), forces)


def truss_stress_modes(mesh: Mesh, elements: TrussElements, fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
    """N / A along the line, at the middle ("integration points") or at both ends."""
    stress = elements.axial_force(elements.local(np.asarray(fields, float))) / elements.area[:, None]
    ends, axes, parts = _ends(elements), truss_axes(elements), []
    inside = at == "integration points"
    for index in np.unique(elements.block):
        rows = elements.block == index
        places = ends[rows].mean(axis=1, keepdims=True) if inside else ends[rows]
        per_element = places.shape[1]
        points = stress_points(
            places.reshape(-1, 3),
            element_ids=np.repeat(elements.ids[rows], per_element),
            node_ids=0 if inside else np.asarray(mesh.node_ids)[elements.nodes[rows]].ravel(),
            region=index,
            axes=np.repeat(axes[rows], per_element, axis=0),
        )
        own = np.zeros((stress.shape[1], len(points), 6))
        own[..., 0] = np.repeat(stress[rows], per_element, axis=0).T
        parts.append(in_mesh_axes(points, own, mesh.blocks[index].material if with_strain else None))
    return StressModes.joined(parts, stress.shape[1])


def _ends(elements: TrussElements) -> np.ndarray:
    """(ne, 2, 3) m."""
    return np.stack([elements.start, elements.start + elements.length[:, None] * elements.direction], axis=1)


def truss_axes(elements: TrussElements) -> np.ndarray:
    """(ne, 3, 3) rows: along, and any two directions across."""
    return np.stack([elements.direction, *across(elements.direction)], axis=1)
