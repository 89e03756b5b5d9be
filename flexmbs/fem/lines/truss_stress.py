"""Axial force, torque and stress of trusses."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.lines.beam_stress import in_mesh_axes
from flexmbs.fem.lines.truss_elements import TrussElements
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.stress_field import StressModes, stress_points
from flexmbs.mesh.coordinate_systems import across
from flexmbs.mesh.mesh import Mesh


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
