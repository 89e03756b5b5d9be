"""``check_mesh``: what would make the matrices of a mesh wrong or singular, found before they are assembled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.mesh.advice import what_to_add
from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants
from flexmbs.mesh.materials import UnusableMaterial
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.names import few
from flexmbs.mesh.node_use import nodes_in_use
from flexmbs.mesh.operations import bounding_box
from flexmbs.mesh.properties import BeamSection, ShellSection
from flexmbs.mesh.units import check_units

_NAMED_AT_MOST = 5
# Shorter than this part of the mesh, two nodes are one and rounding decides the direction of the beam.
_SHORTEST_BEAM = 1e-9
_FLATTEST_ELEMENT = 1e-12


def check_mesh(mesh: Mesh, *, trust_units: bool = False) -> tuple[str, ...]:
    """Check that a mesh can be assembled.

    Parameters
    ----------
    trust_units : bool
        Turn suspected units from an error into a warning (a steel part larger than 50 m is meant so).

    Returns
    -------
    Warnings, one sentence each (unused nodes, elements on the same nodes, doubtful units).

    Raises
    ------
    MeshError
        Coordinates that are no numbers, elements on missing nodes, no material, section or density, elements
        without or with negative volume, beams without length, unconnected parts, beams mixed with solids, units.
    """
    _check_arrays(mesh)
    for block in mesh.blocks:
        _check_properties(mesh, block)
        if KINDS[block.kind].is_beam:
            _check_beams(mesh, block)
        elif KINDS[block.kind].sample_points is not None:
            _check_volumes(mesh, block)
    _check_connected(mesh)
    return _unused_nodes(mesh) + _repeated_elements(mesh) + check_units(mesh, trust_units)


def _check_arrays(mesh: Mesh) -> None:
    if not mesh.blocks or not sum(len(block.ids) for block in mesh.blocks):
        raise MeshError(f"{mesh.source}: the mesh has no elements.")
    wrong = np.flatnonzero(~np.isfinite(mesh.points).all(axis=1))
    if wrong.size:
        node = mesh.node_ids[wrong[0]]
        values = mesh.points[wrong[0]].tolist()
        raise MeshError(f"{mesh.source}: node {node} has coordinates {values}; finite numbers (m) are needed.")
    for block in mesh.blocks:
        if block.kind not in KINDS:
            raise MeshError(f"{mesh.source}: element kind {block.kind} is not known; known are {', '.join(KINDS)}.")
        outside = (block.nodes < 0) | (block.nodes >= len(mesh.points))
        if outside.any():
            row = int(np.flatnonzero(outside.any(axis=1))[0])
            raise MeshError(
                f"{mesh.source}: element {block.ids[row]} uses a node that does not exist (index"
                f" {block.nodes[row][outside[row]][0]}, the mesh has {len(mesh.points)} nodes)."
            )
    kinds = {block.kind for block in mesh.blocks}
    if any(KINDS[kind].is_beam for kind in kinds) and any(KINDS[kind].dimension == 3 for kind in kinds):
        raise MeshError(f"{mesh.source}: beams and solids in one mesh; make a body of each and join them.")


def _check_properties(mesh: Mesh, block: ElementBlock) -> None:
    count = f"{len(block.ids)} elements of kind {block.kind} (first: element {block.ids[0]})"
    what = f"{block.where or mesh.source}: {count}"
    is_beam = KINDS[block.kind].is_beam
    if is_beam and block.section is None:
        raise MeshError(f"{what} have no section; {what_to_add('beam section', mesh.file_format)}.")
    if isinstance(block.section, ShellSection):
        _check_thickness(what, block)
        for layer in block.section.layers:
            _check_properties(mesh, replace(block, material=layer.material, section=None))
        if block.section.layers:
            return
    if block.material is None:
        raise MeshError(f"{what} have no material; {what_to_add('material', mesh.file_format)}.")
    name, where = block.material.name, f" ({block.material.where})" if block.material.where else ""
    if isinstance(block.material, UnusableMaterial):
        raise MeshError(f"{what} have the material {name}{where}: {block.material.reason}")
    if block.material.density is None:
        advice = what_to_add("density", mesh.file_format)
        raise MeshError(f"{what} have the material {name} without density{where}; {advice}.")
    if is_beam:
        _check_section(what, block.section)


def _check_thickness(what: str, block: ElementBlock) -> None:
    section = block.section
    common = sum(layer.thickness for layer in section.layers) if section.layers else section.thickness
    thickness = np.full(block.nodes.shape, np.nan if common is None else common, float)
    if block.thickness is not None:
        thickness = np.where(np.isnan(block.thickness), thickness, block.thickness)
    if not thickness.min(initial=np.inf) > 0.0:  # NaN too
        raise MeshError(f"{what} have thickness {thickness.min():g} m; shells need a positive one in their section.")


def _check_section(what: str, section: BeamSection) -> None:
    for name in ("area", "Iy", "Iz", "torsion_constant"):
        value = getattr(section, name)
        if not (np.isfinite(value) and value > 0.0):
            raise MeshError(f"{what} have a section with {name} = {value:g}; it must be positive (m2, m4).")


def _check_beams(mesh: Mesh, block: ElementBlock) -> None:
    low, high = bounding_box(mesh)
    along = mesh.points[block.nodes[:, 1]] - mesh.points[block.nodes[:, 0]]
    lengths = np.linalg.norm(along, axis=1)
    short = np.flatnonzero(lengths <= _SHORTEST_BEAM * np.linalg.norm(high - low))
    if short.size:
        first, second = mesh.node_ids[block.nodes[short[0]]]
        raise MeshError(
            f"{mesh.source}: beam element {block.ids[short[0]]} between nodes {first} and {second} has zero length;"
            " join the nodes or remove the element."
        )
    wished = np.broadcast_to(block.section.y_axis, along.shape) if block.y_axes is None else block.y_axes
    wished = wished / np.linalg.norm(wished, axis=1)[:, None]
    across = np.linalg.norm(np.cross(along / lengths[:, None], wished), axis=1)
    parallel = np.flatnonzero(~(across >= 1e-6))  # below this the section's axes are noise
    if parallel.size:
        raise MeshError(
            f"{mesh.source}: beam element {block.ids[parallel[0]]} lies along its section's y axis (n1)"
            f" {wished[parallel[0]].tolist()}; give a direction across the beam."
        )


def _check_volumes(mesh: Mesh, block: ElementBlock) -> None:
    corners = mesh.points[block.nodes]
    size = np.ptp(corners, axis=1).max(axis=1)
    smallest = jacobian_determinants(KINDS[block.kind], corners).min(axis=1)
    wrong = np.flatnonzero(smallest <= _FLATTEST_ELEMENT * size**3)
    if wrong.size:
        first = wrong[0]
        corner_count = KINDS[block.kind].corner_count
        sign = "negative" if smallest[first] < -_FLATTEST_ELEMENT * size[first] ** 3 else "zero"
        nodes = ", ".join(str(mesh.node_ids[node]) for node in block.nodes[first][:corner_count])
        raise MeshError(
            f"{mesh.source}: element {block.ids[first]} ({block.kind}, corner nodes {nodes})"
            f" has {sign} volume (in all {wrong.size} such elements); check its node order and that its nodes differ."
        )


def _check_connected(mesh: Mesh) -> None:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    first = np.concatenate([np.repeat(block.nodes[:, 0], block.nodes.shape[1]) for block in mesh.blocks])
    other = np.concatenate([block.nodes.ravel() for block in mesh.blocks])
    count = len(mesh.points)
    links = coo_matrix((np.ones(len(first)), (first, other)), (count, count))
    _, part_of_node = connected_components(links, directed=False)
    used = np.unique(other)
    parts, examples, sizes = np.unique(part_of_node[used], return_index=True, return_counts=True)
    if len(parts) > 1:
        named = list(zip(mesh.node_ids[used[examples]], sizes, strict=True))[:_NAMED_AT_MOST]
        listed = ", ".join(f"node {node} in one of {size}" for node, size in named)
        raise MeshError(
            f"{mesh.source}: the mesh falls into {len(parts)} unconnected parts (for example {listed} nodes); merge"
            " coincident nodes, or make a body of each part."
        )


def _unused_nodes(mesh: Mesh) -> tuple[str, ...]:
    used = nodes_in_use(mesh)
    if used.all():
        return ()
    count, named = np.sum(~used), few(mesh.node_ids[~used])
    return (f"{mesh.source}: {count} nodes belong to no element (first: {named}); drop: without_unused_nodes().",)


def _repeated_elements(mesh: Mesh) -> tuple[str, ...]:
    """A warning for each kind of which two elements have the same nodes: they count twice."""
    warnings = []
    for kind in dict.fromkeys(block.kind for block in mesh.blocks):
        same = [block for block in mesh.blocks if block.kind == kind]
        ids = np.concatenate([block.ids for block in same])
        nodes = np.sort(np.concatenate([block.nodes for block in same]), axis=1)
        order = np.lexsort(nodes.T)
        repeated = np.flatnonzero((nodes[order[1:]] == nodes[order[:-1]]).all(axis=1))
        if repeated.size:
            first, second = ids[order[repeated[0]]], ids[order[repeated[0] + 1]]
            warnings.append(
                f"{mesh.source}: {repeated.size} elements of kind {kind} have the same nodes as another (for example"
                f" {first} and {second}); their mass and stiffness count twice."
            )
    return tuple(warnings)
