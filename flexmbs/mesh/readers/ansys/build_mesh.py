"""From the deck to a Mesh: blocks with the directions of their axes, and all that goes with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem, unit_vectors
from flexmbs.mesh.element_kinds import KINDS, is_shell, is_solid
from flexmbs.mesh.mesh import ElementBlock, Mesh, PointMass
from flexmbs.mesh.properties import AnisotropicMaterial, AnyMaterial, OrthotropicMaterial, ShellSection
from flexmbs.mesh.reader_tools.element_blocks import make_blocks, other_elements
from flexmbs.mesh.reader_tools.numbering import ElementRows, check_element_numbers
from flexmbs.mesh.readers.ansys import constraints
from flexmbs.mesh.readers.ansys.components import make_sets
from flexmbs.mesh.readers.ansys.deck import Attributes, Deck, attributes_of
from flexmbs.mesh.readers.ansys.element_types import Sorted, sort_elements
from flexmbs.mesh.readers.ansys.other_commands import rotation
from flexmbs.mesh.readers.ansys.properties import make_material
from flexmbs.mesh.readers.ansys.sections import Given, make_section

_ALONG_Z = 1e-4  # sine of the angle below which Ansys takes a beam as parallel to global z


def build_mesh(deck: Deck) -> Mesh:
    """The mesh of a deck. Raises MeshError where there are no nodes or no body, for wrong numbers and wrong properties."""
    _close_nodes(deck)
    elements = sort_elements(deck)
    check_element_numbers([*elements.structural, *elements.others])
    materials = {number: make_material(deck, number, raw) for number, raw in deck.materials.items()}
    blocks = _blocks(deck, elements, materials)
    rigid, links = constraints.rigid_elements(deck, elements.others)
    masses = _point_masses(deck, elements.others)
    systems, turned_nodes = _displacement_systems(deck)
    made = elements.true.equations({system.name: system for system in systems}, turned_nodes)
    equations = [*links, *constraints.equations_of(deck), *made]
    return Mesh(
        elements.true.points,
        elements.true.ids,
        blocks,
        **make_sets(deck, blocks, elements.others),
        materials={material.name: material for material in materials.values()},
        couplings=(*rigid, *constraints.couplings_of(deck, elements.others)),
        equations=tuple(equations),
        point_masses=tuple(masses),
        boundary_conditions=tuple(constraints.supports(deck)),
        coordinate_systems={system.name: system for system in (*deck.systems.values(), *systems)},
        displacement_systems=turned_nodes,
        other_elements=other_elements([rows for rows in elements.others if rows.role not in ("mass", "rigid")]),
        source=str(deck.source.path),
        file_format="Ansys",
        skipped=deck.skipped.as_tuple(),
        warnings=tuple(deck.warnings),
    )


def _close_nodes(deck: Deck) -> None:
    missing = f" (there is no file {', '.join(deck.missing_includes)}, which it includes)" if deck.missing_includes else ""
    for entity, needed in (("NODE", "nodes (NBLOCK or N)"), ("ELEM", "elements (EBLOCK, E or EN)")):
        if not any(map(len, deck.chunks(entity))):
            raise MeshError(f"{deck.source.place}: the deck has no {needed}{missing}.")
    deck.nodes.close()


def _blocks(deck: Deck, elements: Sorted, materials: Mapping[int, AnyMaterial]) -> tuple[ElementBlock, ...]:
    sections: dict[tuple[str, Attributes], Given] = {}
    fields: dict[tuple[str, Attributes], dict] = {}
    for rows in elements.structural:
        kind, key = rows.kind, attributes_of(rows)
        if (kind, key) not in sections:
            own = make_section(deck, kind, deck.type_of(rows), key[2], key[3], materials)
            if key not in {known for _, known in sections}:  # not again for wedges among hexahedra
                _warn_missing(deck, rows, own, materials)
            sections[kind, key], fields[kind, key] = own, _fields(kind, key, own, materials)
        own = sections[kind, key]
        arrays = {
            "y_axes": _beam_axes(elements.true.points, rows, own.turned),
            "thickness": _thickness(rows, own),
            "material_axes": _material_axes(deck, elements.true.points, rows, fields[kind, key]),
        }
        rows.data.update({name: values for name, values in arrays.items() if values is not None})

    def describe(kind: str, key: Attributes) -> dict:
        return fields[kind, key]

    return make_blocks(elements.structural, [attributes_of(rows) for rows in elements.structural], describe)


def _fields(kind: str, key: Attributes, own: Given, materials: Mapping[int, AnyMaterial]) -> dict:
    """What the properties of elements give a block."""
    material, section = own.material or materials.get(key[0]), own.section
    if isinstance(section, ShellSection) and section.layers:  # those without a material have that of their element
        layers = [layer if layer.material is not None else replace(layer, material=material) for layer in section.layers]
        material, section = None, replace(section, layers=tuple(layers))
    if kind.startswith("spring"):
        material = None
    fields = {"material": material, "section": section, "property_name": f"MAT {key[0]}" if is_solid(kind) else own.name}
    where = getattr(section, "where", "") or getattr(material, "where", "")
    return {**fields, "where": where} if where else fields


def _warn_missing(deck: Deck, rows: ElementRows, given: Given, materials: Mapping[int, AnyMaterial]) -> None:
    name, material = rows.type_name, attributes_of(rows)[0]
    about = f"{rows.where(0)}: {name} elements (first: {rows.ids[0]})"
    of_layers = [layer.material for layer in getattr(given.section, "layers", ())] or [given.material]
    has_material = material in materials or None not in of_layers
    if not has_material and not rows.kind.startswith("spring"):
        deck.warn(f"{about} have material {material}, which the deck does not define; add MP,EX,{material}.")
    if given.missing:
        deck.warn(f"{about} have no section; add {given.missing}.")
        deck.skip(f"section of {name}", rows.where(0), given.missing)
    layered = name in ("SOLID185", "SOLID186") and deck.type_of(rows).option(3) == 1
    if layered or name in ("SOLID46", "SOLID191"):
        deck.warn(f"{about} are layered solids; their own material replaces the layers.")
    if name == "LINK10":
        deck.warn(f"{about} act only in tension or only in compression; they are read as linear.")


def _point_masses(deck: Deck, others: list[ElementRows]) -> list[PointMass]:
    """MASS21 elements; those whose masses differ by direction are left out and noted."""
    masses = []
    for rows in others:
        if rows.role != "mass":
            continue
        known, number = deck.type_of(rows), attributes_of(rows)[2]
        constants = deck.constants(number)
        values = [constants[place] for place in range(1, 7)] if constants is not None else [0.0] * 6
        why = _unusable_mass(known.option(1), known.option(2), known.option(3), values)
        if constants is None or why:
            constraints.omit(deck, rows, why or f"there is no R,{number} with its mass; add it")
            continue
        mass, inertia = values[0], np.diag(values[3:6]) if known.option(3) == 0 else np.zeros((3, 3))
        if (rows.nodes[:, 0] < 0).any():
            raise MeshError(f"{rows.where(0)}: MASS21: of {len(rows.ids)} elements one has no node; give its number.")
        if mass < 0.0 or (np.diag(inertia) < 0.0).any():
            raise MeshError(f"{constants.where}: the mass {mass:g} or an inertia is negative.")
        for row, (number, node) in enumerate(zip(rows.ids, rows.nodes[:, 0], strict=True)):
            masses.append(PointMass(f"MASS21 {number}", int(node), mass, inertia, np.zeros(3), rows.where(row)))
    return masses


def _unusable_mass(volumes: int, turned: int, form: int, values: list[float]) -> str:
    if volumes:
        return "KEYOPT(1): its constants are volumes, not masses"
    if form in (3, 4):
        return "KEYOPT(3): a mass in the plane"
    if form == 0 and not values[0] == values[1] == values[2]:
        return "its mass is not the same in all directions"
    if turned and form == 0 and any(values[3:6]) and len(set(values[3:6])) > 1:
        return "KEYOPT(2): its inertia rotates with the nodal system"
    return ""


def _thickness(rows: ElementRows, given: Given) -> np.ndarray | None:
    """(k, n) thickness at the nodes of shells where the corners differ; middle nodes have the mean of their edge."""
    if not given.corner_thickness:
        return None
    kind = KINDS[rows.kind]
    own, as_given = rows.nodes[:, : kind.corner_count], rows.data["corners"]
    corners = np.array(given.corner_thickness)[(own[:, :, None] == as_given[:, None, :]).argmax(axis=2)]
    if kind.node_count == kind.corner_count:
        return corners
    ends = np.array(kind.edges)
    return np.hstack([corners, (corners[:, ends[:, 0]] + corners[:, ends[:, 1]]) / 2.0])


def _beam_axes(points: np.ndarray, rows: ElementRows, turned: float) -> np.ndarray | None:
    """(k, 3) directions of local y of beams.

    With an orientation node K the local z axis points to it; without, local y is parallel to the global x-y plane
    (beams along global z: y is global y).
    """
    if not rows.kind.startswith("beam"):
        return None
    first, second = points[rows.nodes[:, 0]], points[rows.nodes[:, 1]]
    along = unit_vectors(second - first)
    y = np.cross([0.0, 0.0, 1.0], along)
    y[np.linalg.norm(y, axis=1) < _ALONG_Z] = (0.0, 1.0, 0.0)
    orientation = rows.data.get("orientation", np.full(len(y), -1))
    given = np.flatnonzero(orientation >= 0)
    across = np.cross(points[orientation[given]] - first[given], along[given])
    length = np.linalg.norm(second - first, axis=1)[given]
    wrong = np.flatnonzero(np.linalg.norm(across, axis=1) <= 1e-8 * np.maximum(length, 1e-300))
    if wrong.size:
        where, number = rows.where(given[wrong[0]]), rows.ids[given[wrong[0]]]
        raise MeshError(f"{where}: the orientation node of beam {number} lies on the line of the beam; use another.")
    y[given] = across
    y = unit_vectors(y)
    return math.cos(turned) * y + math.sin(turned) * np.cross(along, y)


def _material_axes(deck: Deck, points: np.ndarray, rows: ElementRows, fields: dict) -> np.ndarray | None:
    """(k, 3, 3) directions of materials that are not the same in all of them; None where they do not matter."""
    number, solid = attributes_of(rows)[4], is_solid(rows.kind)
    of_layers = [layer.material for layer in getattr(fields["section"], "layers", ())]
    directed = any(isinstance(own, OrthotropicMaterial | AnisotropicMaterial) for own in (fields["material"], *of_layers))
    if not directed or not (solid or is_shell(rows.kind)) or (solid and number == 0):
        return None
    points = points[rows.nodes]
    if number == 0:
        return _shell_directions(points, rows.kind)
    system = deck.system(number)
    if system is None:
        what = f"element {rows.ids[0]} has coordinate system {number}"
        raise MeshError(f"{rows.where(0)}: {what}, which no LOCAL or CS defines.")
    directions = system.directions(points.mean(axis=1))
    if system.kind == "spherical":  # Ansys: radius, azimuth, elevation
        directions = np.stack([directions[..., 0], directions[..., 2], -directions[..., 1]], axis=-1)
    return directions


def _shell_directions(points: np.ndarray, kind: str) -> np.ndarray:
    """Ansys's own axes of shells: x along the first natural direction, z along the normal."""
    if kind.startswith("quad"):
        x = points[:, 1] + points[:, 2] - points[:, 0] - points[:, 3]
        across = points[:, 2] + points[:, 3] - points[:, 0] - points[:, 1]
    else:
        x, across = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    z = unit_vectors(np.cross(x, across))
    x = unit_vectors(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _displacement_systems(deck: Deck) -> tuple[list[CoordinateSystem], dict[str, np.ndarray]]:
    """Systems of the nodes that have rotation angles, and by their names the indices of the nodes."""
    if not deck.angles:
        return [], {}
    ids = np.concatenate([ids for ids, _ in deck.angles])
    angles = np.concatenate([angles for _, angles in deck.angles])
    # The last statement about a node counts.
    _, last = np.unique(ids[::-1], return_index=True)
    chosen = len(ids) - 1 - last
    indices = deck.nodes.find(ids[chosen])
    known = (indices >= 0) & np.isfinite(angles[chosen]).all(axis=1)
    indices, angles = indices[known], angles[chosen][known]
    triples, which = np.unique(angles, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    pieces = np.split(indices[order], np.flatnonzero(np.diff(which.ravel()[order])) + 1)
    names = ["NODE ANGLES " + ",".join(f"{angle:.10g}" for angle in triple) for triple in triples]
    named = zip(names, triples, strict=True)
    systems = [CoordinateSystem(name, "rectangular", np.zeros(3), rotation(triple)) for name, triple in named]
    return systems, {name: np.sort(nodes) for name, nodes in zip(names, pieces, strict=False)}
