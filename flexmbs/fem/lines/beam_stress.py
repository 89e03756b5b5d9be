"""Section forces of beams, and the stress that follows from them at the corners of the section."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.lines.beam_elements import BeamElements, beam_shapes
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.stress_field import StressModes, StressPoints, as_six, as_tensors, stress_points
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.properties import Material

ENDS = np.array([0.0, 1.0])


def beam_section_force_modes(mesh: Mesh, elements: BeamElements, fields: np.ndarray) -> SectionForceModes:
    """N, Vy, Vz, T, My, Mz at both ends of every element, of nodal ``fields`` (ndof, n).

    Loads act at the nodes of the model, so inside an element N and T are constant and the moments linear; shear is
    their slope, of shear-flexible beams and of others.
    """
    shapes = beam_shapes(elements, ENDS)
    local = elements.local(np.asarray(fields, float))[:, None]
    forces = np.zeros((len(elements.nodes), 2, 6, local.shape[-1]))
    forces[:, :, 0] = elements.force_stiffness[:, None, 0, None] * (shapes.du[:, :, 0] @ local[:, 0])
    forces[:, :, 3:] = elements.moment_stiffness[:, None, :, None] * (shapes.dturn @ local)
    slope = (forces[:, 1, 4:] - forces[:, 0, 4:]) / elements.length[:, None, None]
    forces[:, :, 1], forces[:, :, 2] = -slope[:, None, 1], slope[:, None, 0]
    return SectionForceModes(
        element_ids=section_ids(mesh, elements),
        positions=_ends(elements),
        axes=elements.frame,
        forces=np.ascontiguousarray(np.moveaxis(forces, 3, 0)),
    )


def beam_stress_modes(mesh: Mesh, elements: BeamElements, fields: np.ndarray, with_strain: bool) -> StressModes:
    """Stress at the corners of the section's outline at both ends of every element.

    sigma = N / A - y Mz / Iz + z My / Iy, and the shear of torsion tau = T r / J around the axis: exact for circles
    and too large at the corners of other sections, where it vanishes in truth. Transverse shear, which vanishes at the
    outer fibres that matter in bending, is left out.
    """
    shapes = beam_shapes(elements, ENDS)
    local = elements.local(np.asarray(fields, float))[:, None]
    axial, curvature = shapes.du[:, :, 0] @ local[:, 0], shapes.dturn @ local
    ids, node_ids = section_ids(mesh, elements), np.asarray(mesh.node_ids)[elements.nodes]
    ends, parts = _ends(elements), []
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
        parts.append(in_mesh_axes(points, own, block.material if with_strain else None))
    return StressModes.joined(parts, local.shape[-1])


def outline_stress(material, axial: np.ndarray, curvature: np.ndarray, outline: np.ndarray) -> np.ndarray:
    """(..., corners, 6, n) Pa in section axes from axial strain (..., n), twist and curvatures (..., 3, n)."""
    y, z = outline[:, :1], outline[:, 1:]
    stress = np.zeros((*axial.shape[:-1], len(outline), 6, axial.shape[-1]))
    bent = axial[..., None, :] - y * curvature[..., None, 2, :] + z * curvature[..., None, 1, :]
    stress[..., 0, :] = material.youngs_modulus * bent
    stress[..., 4, :] = material.shear_modulus * y * curvature[..., None, 0, :]
    stress[..., 5, :] = -material.shear_modulus * z * curvature[..., None, 0, :]
    return stress


def section_ids(mesh: Mesh, elements: BeamElements) -> np.ndarray:
    """(ne,) the file's element numbers."""
    ids = np.zeros(len(elements.nodes), int)
    for index in np.unique(elements.block):
        ids[elements.block == index] = mesh.blocks[index].ids
    return ids


def in_mesh_axes(points: StressPoints, own: np.ndarray, material: Material | None) -> StressModes:
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


def _ends(elements: BeamElements) -> np.ndarray:
    """(ne, 2, 3) m."""
    along = elements.length[:, None] * elements.frame[:, 0]
    return np.stack([elements.start, elements.start + along], axis=1)
