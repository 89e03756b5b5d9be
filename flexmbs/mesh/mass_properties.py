"""``mass_properties``: mass, centre and inertia of a mesh, straight from its elements."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.mesh.connectivity import bounding_box
from flexmbs.mesh.coordinate_systems import unit_vectors
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, is_shell, is_solid
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.omissions import missing, without_density
from flexmbs.mesh.properties import AnyMaterial, BeamSection, ShellSection, SpringSection, TrussSection
from flexmbs.mesh.quadrature import chunks, is_straight, line_samples, solid_samples, surface_samples
from flexmbs.mesh.shell_geometry import nodal_normals, nodal_thickness, shell_section, surface_offset

# Elements whose middle nodes lie off the middles by no more than this part of the edges are integrated without them,
# which changes the result by as much.
_AS_FIRST_ORDER = 1e-13


@dataclass(frozen=True)
class MassProperties:
    """Mass properties of a mesh.

    Attributes
    ----------
    mass : float or None, kg; None when an element of the body lacks density, material or section (``missing``)
    center : (3,) float or None, m, centre of mass; None without mass
    inertia : (3, 3) float or None, kg m2, about the centre of mass, mesh axes
    volume : float, m3; of all elements whose sections give them one
    missing : tuple of str
        What lacks density, material or section, and what to add; elements of unknown types, whose mass (if they have
        any) does not count. One sentence each.
    """

    mass: float | None
    center: np.ndarray | None
    inertia: np.ndarray | None
    volume: float
    missing: tuple[str, ...] = ()


def mass_properties(mesh: Mesh) -> MassProperties:
    """Mass, centre and inertia of a mesh by integration over its elements.

    Solids are integrated with their shape functions (curved edges too). Shells: area of the middle surface, which an
    offset moves off the nodes, times thickness, with layers, nonstructural mass and the thickness' own inertia
    (t^3/12); the change of area across a curved thickness is left out. Beams: area along the centroid, tapered
    linearly, with the section's own inertia.
    Trusses, masses of springs and point masses with their inertia are added.
    """
    low, high = bounding_box(mesh)
    reference = (low + high) / 2.0  # sums about a near point keep the digits of small bodies far from the origin
    sums = _Sums()
    missing = []
    for block in mesh.blocks:
        if not len(block.ids):
            continue
        lacking = _lacking(mesh, block)
        missing += lacking
        _add_block(sums, block, mesh.points - reference, density_known=not lacking)
    for point_mass in mesh.point_masses:
        position = mesh.points[point_mass.node] - reference + point_mass.offset
        sums.add_points(np.array([point_mass.mass]), position[None])
        inertia = np.asarray(point_mass.inertia, float)
        sums.second += np.trace(inertia) / 2.0 * np.eye(3) - inertia
    found = sums.result(reference, tuple(missing))
    return replace(found, missing=(*found.missing, *_unknown_elements(mesh)))


@dataclass
class _Sums:
    """Volume, mass, first and second moments (the integral of x x^T over the mass) about one point."""

    volume: float = 0.0
    mass: float = 0.0

    def __post_init__(self) -> None:
        self.first, self.second = np.zeros(3), np.zeros((3, 3))

    def add_points(self, masses: np.ndarray, positions: np.ndarray) -> None:
        """Masses (...) at positions (..., 3)."""
        masses, positions = masses.ravel(), positions.reshape(-1, 3)
        self.mass += float(masses.sum())
        weighted = masses[:, None] * positions
        self.first += weighted.sum(axis=0)
        self.second += weighted.T @ positions

    def add_moments(self, first: np.ndarray, directions: np.ndarray, positions: np.ndarray) -> None:
        """First moments (...) along ``directions`` (..., 3) of masses seen from ``positions`` (..., 3)."""
        vectors = first.ravel()[:, None] * directions.reshape(-1, 3)
        self.first += vectors.sum(axis=0)
        mixed = vectors.T @ positions.reshape(-1, 3)
        self.second += mixed + mixed.T

    def add_spread(self, second: np.ndarray, directions: np.ndarray) -> None:
        """Second moments (...) along ``directions`` (..., 3)."""
        directions = directions.reshape(-1, 3)
        self.second += (second.ravel()[:, None] * directions).T @ directions

    def result(self, reference: np.ndarray, missing: tuple[str, ...]) -> MassProperties:
        if missing:
            return MassProperties(None, None, None, self.volume, missing)
        if not self.mass > 0.0:
            return MassProperties(self.mass, None, None, self.volume)
        center = self.first / self.mass
        second = self.second - self.mass * np.outer(center, center)
        return MassProperties(self.mass, reference + center, np.trace(second) * np.eye(3) - (second + second.T) / 2.0, self.volume)


def _add_block(sums: _Sums, block: ElementBlock, points: np.ndarray, density_known: bool) -> None:
    section = block.section
    if isinstance(section, SpringSection):
        sums.add_points(np.full(block.nodes.shape, section.mass / block.nodes.shape[1]), points[block.nodes])
    elif is_shell(block.kind):
        if block.thickness is not None or section is not None:
            _add_shells(sums, block, points, density_known)
    else:
        add = _add_solids if is_solid(block.kind) else {BeamSection: _add_beams, TrussSection: _add_trusses}.get(type(section))
        if add is not None:
            add(sums, block, points, block.material.density if density_known else 0.0)


def _add_solids(sums: _Sums, block: ElementBlock, points: np.ndarray, density: float) -> None:
    for part in chunks(block.kind, len(block.ids)):
        corners = points[block.nodes[part]]
        kind = block.kind
        if kind in FIRST_ORDER:
            straight = is_straight(kind, corners, _AS_FIRST_ORDER)
            _add_solid_samples(sums, kind, corners[~straight], density)
            kind = FIRST_ORDER[kind]
            corners = corners[straight][:, : KINDS[kind].node_count]
        _add_solid_samples(sums, kind, corners, density)


def _add_solid_samples(sums: _Sums, kind: str, corners: np.ndarray, density: float) -> None:
    if not len(corners):
        return
    positions, volumes = solid_samples(kind, corners)
    sums.volume += float(volumes.sum())
    sums.add_points(density * volumes, positions)


def _add_shells(sums: _Sums, block: ElementBlock, points: np.ndarray, density_known: bool) -> None:
    section, normals = shell_section(block), nodal_normals(block.kind, points[block.nodes])
    middle = points[block.nodes] + surface_offset(block)[:, None, None] * normals
    thickness_at_nodes = nodal_thickness(block)
    for part in chunks(block.kind, len(block.ids)):
        positions, areas, shapes = surface_samples(block.kind, middle[part])
        thickness, directors = thickness_at_nodes[part] @ shapes.T, shapes @ normals[part]
        sums.volume += float(np.nansum(areas * thickness))
        if density_known:
            mass, first, second = _through_thickness(section, block.material, thickness)
            if section.behaviour in ("membrane", "shear", "twist"):
                first, second = np.zeros_like(first), np.zeros_like(second)
            sums.add_points(areas * mass, positions)
            sums.add_moments(areas * first, directors, positions)
            sums.add_spread(areas * second, directors)


def _through_thickness(section: ShellSection, material: AnyMaterial | None, thickness: np.ndarray):
    """Mass per area and its first and second moments about the middle surface; layers scale with the thickness."""
    if not section.layers:
        mass = material.density * thickness
        return mass + section.nonstructural_mass, np.zeros_like(mass), mass * thickness**2 / 12.0
    total = sum(layer.thickness for layer in section.layers)
    scale, bottom = thickness / total, -thickness / 2.0
    mass, first, second = (np.zeros_like(thickness) for _ in range(3))
    for layer in section.layers:
        height = layer.thickness * scale
        middle = bottom + height / 2.0
        own = layer.material.density * height
        mass, first, second = mass + own, first + own * middle, second + own * (middle**2 + height**2 / 12.0)
        bottom = bottom + height
    return mass + section.nonstructural_mass, first, second


def _add_beams(sums: _Sums, block: ElementBlock, points: np.ndarray, density: float) -> None:
    section = block.section
    end = section.end or section
    for part in chunks(block.kind, len(block.ids)):
        ends = points[block.nodes[part]]
        if block.offsets is not None:
            ends = ends + np.nan_to_num(block.offsets[part])
        axis, tangents, lengths, natural = line_samples(block.kind, ends)
        y, z = _section_axes(block, part, tangents)
        share = (1.0 + natural) / 2.0
        area, Iy, Iz, added, center_y, center_z = np.outer(_along(section), 1.0 - share) + np.outer(_along(end), share)
        centroids = axis + center_y[:, None] * y + center_z[:, None] * z
        sums.volume += float((lengths * area).sum())
        sums.add_points(lengths * (density * area + added), centroids)
        sums.add_spread(density * lengths * Iz, y)
        sums.add_spread(density * lengths * Iy, z)


def _along(section: BeamSection) -> tuple[float, ...]:
    """What varies linearly along a tapered beam."""
    return section.area, section.Iy, section.Iz, section.nonstructural_mass, *section.centroid


def _section_axes(block: ElementBlock, part: slice, tangents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit local y and z (ne, m, 3): the given direction made perpendicular to the line, turned to principal axes."""
    given = np.asarray(block.section.y_axis, float)[None]
    if block.y_axes is not None:
        own = np.asarray(block.y_axes, float)[part]
        given = np.where(np.isnan(own), given, own)
    y = given[:, None] - (tangents @ given[:, :, None]) * tangents
    y = unit_vectors(y)
    z = np.cross(tangents, y)
    cos, sin = np.cos(block.section.principal_angle), np.sin(block.section.principal_angle)
    return cos * y + sin * z, cos * z - sin * y


def _add_trusses(sums: _Sums, block: ElementBlock, points: np.ndarray, density: float) -> None:
    for part in chunks(block.kind, len(block.ids)):
        positions, _, lengths, _ = line_samples(block.kind, points[block.nodes[part]])
        sums.volume += float(lengths.sum()) * block.section.area
        sums.add_points(lengths * (density * block.section.area + block.section.nonstructural_mass), positions)


def _lacking(mesh: Mesh, block: ElementBlock) -> list[str]:
    """What a block lacks for its mass, one sentence each."""
    if KINDS[block.kind].dimension == 0 or block.kind.startswith("spring"):
        return []
    count = len(block.ids)
    one = f"element {block.ids[0]} of kind {block.kind} has"
    what = one if count == 1 else f"{count} elements of kind {block.kind} (first: element {block.ids[0]}) have"
    start = f"{block.where or mesh.source}: {what}"
    lacking = [missing(start, what, mesh.file_format) for what in _missing_section(block)]
    layers = block.section.layers if isinstance(block.section, ShellSection) else ()
    for material in dict.fromkeys(layer.material for layer in layers) if layers else (block.material,):
        if material is None:
            lacking.append(missing(start, "material", mesh.file_format))
        elif material.density is None:
            lacking.append(without_density(start, material.name, material.where, mesh.file_format))
    return lacking


def _missing_section(block: ElementBlock) -> list[str]:
    kind = KINDS[block.kind]
    if is_shell(block.kind):
        return ["shell thickness"] if np.isnan(nodal_thickness(block)).any() else []
    if kind.is_beam:
        return [] if isinstance(block.section, BeamSection) else ["beam section"]
    if kind.dimension == 1:
        return [] if isinstance(block.section, TrussSection) else ["truss area"]
    return []


def _unknown_elements(mesh: Mesh) -> list[str]:
    return [
        f"{other.where or mesh.source}: {len(other.ids)} elements of type {other.type_name} are of a type unknown to"
        " flexmbs; their mass is not included."
        for other in mesh.other_elements
        if other.role == "unknown"
    ]
