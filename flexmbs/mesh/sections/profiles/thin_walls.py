"""Thin-walled sections, given by the middle line of a chain of walls."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import BeamSection
from flexmbs.mesh.sections.beam_sections import principal_axes


def thin_walled_section(points: np.ndarray, thickness: np.ndarray) -> BeamSection:
    """A chain of straight thin walls, closed when its last point is its first.

    Torsion: one third of the sum of length times thickness cubed, and Bredt's formula for a closed chain. As in
    Abaqus, walls have no bending stiffness about their own middle line, and the shear factors are 1.

    Parameters
    ----------
    points : (n + 1, 2) corners of the middle line, y and z
    thickness : (n,) of each wall; 0 makes no wall (the way back along a branch)
    """
    along = np.diff(points, axis=0)
    lengths = np.linalg.norm(along, axis=1)
    areas = lengths * thickness
    if np.any(thickness < 0.0) or not areas.sum() > 0.0:
        raise MeshError("the wall thicknesses must not be negative, and the total area must not be zero.")
    size = np.ptp(points, axis=0).max()
    if thickness.max() > size:
        raise MeshError(f"a wall thickness of {thickness.max():g} exceeds the size of the section ({size:g}).")
    middles = (points[:-1] + points[1:]) / 2.0
    centroid = areas @ middles / areas.sum()
    middles = middles - centroid
    second = (areas[:, None] * middles).T @ middles + (areas[:, None] / 12.0 * along).T @ along
    angle, Iy, Iz = principal_axes(second[1, 1], second[0, 0], second[0, 1])
    if not min(Iy, Iz) > 1e-12 * max(Iy, Iz):
        raise MeshError("all walls lie on one line, so the section has no bending stiffness about it; use RECT.")
    torsion = float(np.sum(lengths * thickness**3)) / 3.0
    if np.linalg.norm(points[-1] - points[0]) < 1e-6 * size and np.all(thickness > 0.0):
        y, z = (points[:-1] - centroid).T
        enclosed = abs(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1))) / 2.0
        torsion += 4.0 * enclosed**2 / float(np.sum(lengths / thickness))
    if torsion > Iy + Iz:
        raise MeshError("the walls are too thick relative to their lengths for a thin-walled section.")
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return BeamSection(
        float(areas.sum()),
        Iy,
        Iz,
        torsion,
        (_outline(points, thickness) - centroid) @ turn,
        np.array([0.0, 1.0, 0.0]),
        1.0,
        1.0,
        angle,
        tuple((centroid @ turn).tolist()),
    )


def _outline(points: np.ndarray, thickness: np.ndarray) -> np.ndarray:
    """Along one side of the walls and back along the other."""
    along = np.diff(points, axis=0)
    lengths = np.linalg.norm(along, axis=1)
    kept = lengths > 0.0
    normals = np.column_stack([-along[kept, 1], along[kept, 0]]) / lengths[kept, None] * thickness[kept, None] / 2.0
    pairs = np.stack([points[:-1][kept], points[1:][kept]], axis=1)
    one_side = (pairs + normals[:, None]).reshape(-1, 2)
    other_side = (pairs - normals[:, None]).reshape(-1, 2)
    return np.concatenate([other_side, one_side[::-1]])
