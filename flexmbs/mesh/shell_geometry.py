"""Thickness, offset and normals of shell elements at their nodes, and what is wrong with them."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS, shape_gradients
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.omissions import what_to_add
from flexmbs.mesh.properties import ShellSection
from flexmbs.mesh.quadrature import rule

# Of the squared size: below it an element has no area, or folds over.
_SMALLEST_AREA = 1e-9


def shell_section(block: ElementBlock) -> ShellSection:
    """The section of a block of shells; without one all that it states is absent."""
    return block.section if isinstance(block.section, ShellSection) else ShellSection(None)


def nodal_thickness(block: ElementBlock) -> np.ndarray:
    """(ne, n) m, NaN where none is given; the element's own goes before that of the section."""
    section = shell_section(block)
    common = sum(layer.thickness for layer in section.layers) if section.layers else section.thickness
    thickness = np.full(block.nodes.shape, np.nan if common is None else float(common))
    if block.thickness is None:
        return thickness
    return np.where(np.isnan(block.thickness), thickness, block.thickness)


def surface_offset(block: ElementBlock) -> np.ndarray:
    """(ne,) m from the surface of the nodes to the middle surface; the element's own goes before the section's."""
    offset = np.full(len(block.nodes), float(shell_section(block).offset))
    if block.shell_offsets is None:
        return offset
    return np.where(np.isnan(block.shell_offsets), offset, block.shell_offsets)


def nodal_normals(kind: str, points: np.ndarray) -> np.ndarray:
    """(ne, n, 3) unit normals of elements with nodes at ``points`` (ne, n, 3); zero where there is no area."""
    normals = _area_vectors(kind, points, KINDS[kind].reference_nodes)
    length = np.linalg.norm(normals, axis=2, keepdims=True)
    return normals / np.where(length > 0.0, length, 1.0)


def check_thickness(block: ElementBlock, where: str, file_format: str = "") -> None:
    """MeshError for the first element without a positive thickness."""
    thickness = nodal_thickness(block)
    wrong = np.flatnonzero(~((thickness > 0.0) & np.isfinite(thickness)).all(axis=1))
    if wrong.size:
        value = thickness[wrong[0]].min()
        said = "no thickness" if np.isnan(value) else f"thickness {value:g} m"
        raise MeshError(
            f"{where}: element {block.ids[wrong[0]]} has {said}; it must be positive (m):"
            f" {what_to_add('shell thickness', file_format)}"
        )


def check_surface(mesh: Mesh, block: ElementBlock) -> None:
    """MeshError for the first element whose area vanishes or turns over, at a node or inside."""
    kind, points = block.kind, mesh.points[block.nodes]
    normals = _area_vectors(kind, points, np.concatenate([KINDS[kind].reference_nodes, rule(kind)[0]]))
    size = np.ptp(points, axis=1).max(axis=1)
    mean = normals.mean(axis=1)
    length = np.linalg.norm(mean, axis=1)
    along = np.einsum("egk,ek->eg", normals, mean) / np.where(length > 0.0, length, 1.0)[:, None]
    wrong = np.flatnonzero(~(along.min(axis=1) > _SMALLEST_AREA * size**2))
    if wrong.size:
        first, worst = wrong[0], along[wrong[0]].argmin()
        inside = worst >= block.nodes.shape[1]
        place = "inside" if inside else f"at its node {mesh.node_ids[block.nodes[first, worst]]}"
        named = ", ".join(str(mesh.node_ids[node]) for node in block.nodes[first])
        raise MeshError(
            f"{block.where or mesh.source or 'mesh'}: {kind} element {block.ids[first]} (nodes {named}) has zero or"
            f" negative area {place} (Jacobian {along[first].min():.3g} m2; {wrong.size} such elements in all);"
            " check its node order, that its nodes differ, and that midside nodes lie near the middle of their"
            " sides"
        )


def _area_vectors(kind: str, points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(ne, m, 3) normals as long as the area per unit of reference area, at reference points (m, 2)."""
    reference = shape_gradients(KINDS[kind], at).transpose(0, 2, 1)
    tangents = np.einsum("gan,enk->egak", reference, points)
    return np.cross(tangents[:, :, 0], tangents[:, :, 1])
