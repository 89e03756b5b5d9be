"""``check_mesh``: what would make the matrices of a mesh wrong or singular, found before they are assembled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.mesh.connectivity import bounding_box, hinged_parts, nodes_in_use, unconnected
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, ElementKind, jacobian_determinants
from flexmbs.mesh.locking import stiffening_warnings
from flexmbs.mesh.material_units import check_units
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.omissions import missing, omissions, without_density
from flexmbs.mesh.properties import BeamSection, ShellSection, UnusableMaterial
from flexmbs.mesh.quadrature import chunks, is_straight, rule
from flexmbs.mesh.shell_geometry import check_surface, check_thickness

#: Smallest over largest Jacobian of an element below which strain and stress in it are poor.
DISTORTED = 0.1


def sampled_jacobians(kind: ElementKind, corners: np.ndarray) -> np.ndarray:
    """(ne, number of samples) det dx/dxi of a solid kind, up to a constant; nodes at ``corners`` (ne, n, 3), m.

    Its sign says whether elements are inside out, its variation how distorted they are.

    Of pyramids, which have no polynomial shape functions, the volumes at the corners of the base.
    """
    if kind.sample_points is not None:
        return jacobian_determinants(kind, corners)
    base, top = corners[:, :4], corners[:, 4:5]
    after, before = np.roll(base, -1, axis=1) - base, np.roll(base, 1, axis=1) - base
    return np.einsum("eni,eni->en", np.cross(after, before), top - base)


def smallest_jacobians(kind: str, coordinates: np.ndarray) -> np.ndarray:
    """(ne,) the smallest of ``sampled_jacobians`` and of det dx/dxi at the points that integrate the mass.

    ``coordinates`` (ne, n, 3) of the elements' nodes, m.
    """
    smallest = sampled_jacobians(KINDS[kind], coordinates).min(axis=1)
    straight = is_straight(kind, coordinates) if kind in FIRST_ORDER else np.zeros(len(coordinates), bool)
    for name, rows in ((kind, np.flatnonzero(~straight)), (FIRST_ORDER.get(kind), np.flatnonzero(straight))):
        if not len(rows) or name in ("tet4", "pyramid5"):  # of these the samples say all
            continue
        for part in chunks(name, len(rows)):
            own = rows[part]
            known = KINDS[name]
            found = jacobian_determinants(known, coordinates[own, : known.node_count], rule(name)[0])
            smallest[own] = np.minimum(smallest[own], found.min(axis=1))
    return smallest


def distortion_warnings(mesh: Mesh) -> tuple[str, ...]:
    """A sentence for each kind of solid element of which some are distorted."""
    found = []
    for kind in dict.fromkeys(block.kind for block in mesh.blocks if KINDS[block.kind].dimension == 3):
        blocks = [block for block in mesh.blocks if block.kind == kind and len(block.ids)]
        ids = np.concatenate([block.ids for block in blocks])
        jacobians = np.concatenate([sampled_jacobians(KINDS[kind], mesh.points[block.nodes]) for block in blocks])
        ratio = jacobians.min(axis=1) / jacobians.max(axis=1)
        order = np.argsort(ratio, kind="stable")
        poor = order[: np.count_nonzero(ratio < DISTORTED)]
        if poor.size:
            found.append(
                f"{mesh.source or 'mesh'}: {poor.size} {kind} elements are strongly distorted (worst first:"
                f" {few(ids[poor])}; the smallest Jacobian is {ratio[poor[0]]:.2g} of the largest in the element):"
                " strain and stress in them are inaccurate; improve the mesh there."
            )
    return tuple(found)


# Shorter than this part of the mesh, two nodes are one and rounding decides the direction of the beam.
_SHORTEST_BEAM = 1e-9
_FLATTEST_ELEMENT = 1e-12


def check_mesh(mesh: Mesh, *, trust_units: bool = False, hex8: str = "incompatible", hex20: str = "file") -> tuple[str, ...]:
    """Check that a mesh can be assembled.

    Parameters
    ----------
    trust_units : bool, turn suspected units from an error into a warning (a steel part larger than 50 m is meant so)
    hex8, hex20 : as in ``assemble``, on which the error to expect depends

    Returns
    -------
    Warnings, one sentence each (what the reader left out, unconnected and hinged parts, unused nodes, elements on the
    same nodes, doubtful units, distorted elements; elements and walls one element thick that bend too stiffly, with the
    error to expect).

    Raises
    ------
    MeshError
        Coordinates that are no numbers, elements on missing nodes, no material, section or density, elements
        without or with negative volume, shells without thickness or area, beams without length, units.
    """
    _check_arrays(mesh)
    for block in mesh.blocks:
        _check_properties(mesh, block)
        if KINDS[block.kind].is_beam:
            _check_beams(mesh, block)
        elif KINDS[block.kind].dimension == 3:
            if wrong := wrong_volumes(mesh, block):
                raise MeshError(wrong)
        elif KINDS[block.kind].dimension == 2:
            check_thickness(block, f"{block.where or mesh.source}: {block.kind} elements", mesh.file_format)
            check_surface(mesh, block)
    apart = unconnected(mesh)
    found = omissions(mesh) + ((f"{apart}.",) if apart else ()) + hinged_parts(mesh)
    found += _unused_nodes(mesh) + _repeated_elements(mesh)
    found += check_units(mesh, trust_units)
    return found + distortion_warnings(mesh) + stiffening_warnings(mesh, hex8, hex20)


def _check_arrays(mesh: Mesh) -> None:
    if not mesh.blocks or not sum(len(block.ids) for block in mesh.blocks):
        raise MeshError(f"{mesh.source}: the mesh has no elements.")
    wrong = np.flatnonzero(~np.isfinite(mesh.points).all(axis=1))
    if wrong.size:
        node = mesh.node_ids[wrong[0]]
        values = mesh.points[wrong[0]].tolist()
        raise MeshError(f"{mesh.source}: node {node} has the coordinates {values}; they must be finite numbers (m).")
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


def _check_properties(mesh: Mesh, block: ElementBlock) -> None:
    count = f"{len(block.ids)} elements of kind {block.kind} (first: element {block.ids[0]})"
    what = f"{block.where or mesh.source}: {count}"
    is_beam = KINDS[block.kind].is_beam
    if block.kind.startswith("spring"):
        return
    if is_beam and block.section is None:
        raise MeshError(missing(f"{what} have", "beam section", mesh.file_format))
    if block.kind.startswith("truss") and block.section is None:
        raise MeshError(missing(f"{what} have", "truss area", mesh.file_format))
    if isinstance(block.section, ShellSection):
        for layer in block.section.layers:
            _check_properties(mesh, replace(block, material=layer.material, section=None))
        if block.section.layers:
            return
    if block.material is None:
        raise MeshError(missing(f"{what} have", "material", mesh.file_format))
    name, where = block.material.name, f" ({block.material.where})" if block.material.where else ""
    if isinstance(block.material, UnusableMaterial):
        raise MeshError(f"{what} have the material {name}{where}: {block.material.reason}")
    if block.material.density is None:
        raise MeshError(without_density(f"{what} have", name, block.material.where, mesh.file_format))
    if is_beam:
        _check_section(f"{block.section.where or block.where or mesh.source}: {count}", block.section)


def _check_section(what: str, section: BeamSection) -> None:
    for name in ("area", "Iy", "Iz", "torsion_constant"):
        value = getattr(section, name)
        if not (np.isfinite(value) and value > 0.0):
            advice = "it must be positive (m2, m4)"
            if name == "torsion_constant":
                advice = "give a positive J (m4); for bars without torsion use Iy + Iz, the value of a round section"
            raise MeshError(f"{what} have a section with {name} = {value:g}; {advice}.")


def _check_beams(mesh: Mesh, block: ElementBlock) -> None:
    low, high = bounding_box(mesh)
    along = mesh.points[block.nodes[:, 1]] - mesh.points[block.nodes[:, 0]]
    lengths = np.linalg.norm(along, axis=1)
    short = np.flatnonzero(lengths <= _SHORTEST_BEAM * np.linalg.norm(high - low))
    if short.size:
        first, second = mesh.node_ids[block.nodes[short[0], :2]]
        raise MeshError(
            f"{mesh.source}: beam element {block.ids[short[0]]} between nodes {first} and {second} has zero length;"
            " merge the nodes or remove the element."
        )
    wished = np.broadcast_to(block.section.y_axis, along.shape)
    if block.y_axes is not None:
        wished = np.where(np.isnan(block.y_axes), wished, block.y_axes)
    wished = wished / np.linalg.norm(wished, axis=1)[:, None]
    across = np.linalg.norm(np.cross(along / lengths[:, None], wished), axis=1)
    parallel = np.flatnonzero(~(across >= 1e-6))  # below this the section's axes are noise
    if parallel.size:
        raise MeshError(
            f"{mesh.source}: beam element {block.ids[parallel[0]]} lies along its section's y axis (n1)"
            f" {wished[parallel[0]].tolist()}; give a direction perpendicular to the beam."
        )


def wrong_volumes(mesh: Mesh, block: ElementBlock) -> str:
    """What is wrong with the volumes of solids, of which one is not positive somewhere; empty if nothing is."""
    corners = mesh.points[block.nodes]
    size = np.ptp(corners, axis=1).max(axis=1)
    smallest = smallest_jacobians(block.kind, corners)
    wrong = np.flatnonzero(smallest <= _FLATTEST_ELEMENT * size**3)
    if not wrong.size:
        return ""
    first = wrong[0]
    corner_count = KINDS[block.kind].corner_count
    sign = "negative" if smallest[first] < -_FLATTEST_ELEMENT * size[first] ** 3 else "zero"
    nodes = ", ".join(str(mesh.node_ids[node]) for node in block.nodes[first][:corner_count])
    middles = " and that midside nodes lie near the middle of their edges" if block.kind in FIRST_ORDER else ""
    return (
        f"{mesh.source}: element {block.ids[first]} ({block.kind}, corner nodes {nodes}) has {sign} volume"
        f" ({wrong.size} such elements in all); check its node order and that its nodes differ{middles}."
    )


def _unused_nodes(mesh: Mesh) -> tuple[str, ...]:
    unused = ~nodes_in_use(mesh)
    held = np.zeros(len(unused), bool)
    for condition in mesh.boundary_conditions:
        held[condition.nodes] = True
    advice = "what was left out may connect them" if omissions(mesh) else "drop: without_unused_nodes()"
    return tuple(
        f"{mesh.source}: {np.sum(nodes)} nodes belong to no element{what} (first: {few(mesh.node_ids[nodes])}); {then}."
        for nodes, what, then in (
            (unused & held, " but are held", "they support the body only where something connects them to it"),
            (unused & ~held, "", advice),
        )
        if nodes.any()
    )


def _repeated_elements(mesh: Mesh) -> tuple[str, ...]:
    """A warning for each kind with elements that have the same nodes, whose mass and stiffness count twice."""
    warnings = []
    for kind in dict.fromkeys(block.kind for block in mesh.blocks):
        if kind.startswith("spring"):
            continue  # one for each direction is usual
        same = [block for block in mesh.blocks if block.kind == kind]
        ids = np.concatenate([block.ids for block in same])
        nodes = np.sort(np.concatenate([block.nodes for block in same]), axis=1)
        order = np.lexsort(nodes.T)
        repeated = np.flatnonzero((nodes[order[1:]] == nodes[order[:-1]]).all(axis=1))
        if repeated.size:
            first, second = ids[order[repeated[0]]], ids[order[repeated[0] + 1]]
            warnings.append(
                f"{mesh.source}: {repeated.size} elements of kind {kind} have the same nodes as another (for example"
                f" {first} and {second}); their mass and stiffness are counted twice."
            )
    return tuple(warnings)
