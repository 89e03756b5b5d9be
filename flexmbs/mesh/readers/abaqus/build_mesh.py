"""From what a deck said, by its numbers and names, to a Mesh: which elements are structural, their sections and masses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import ElementBlock, Mesh, PointMass
from flexmbs.mesh.properties import BeamSection, Material, ShellSection, TrussSection
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex, TrueElements, make_blocks, other_elements, split_skin
from flexmbs.mesh.reader_tools.numbering import ElementRows, split_by
from flexmbs.mesh.readers.abaqus.cards import Card, data_line, first_number, number, numbers
from flexmbs.mesh.readers.abaqus.coupling_cards import JOINING_CARDS, Joined
from flexmbs.mesh.readers.abaqus.deck import Deck
from flexmbs.mesh.readers.abaqus.material_cards import find_orientation, made_material, system_of
from flexmbs.mesh.readers.abaqus.node_and_element_cards import element_type
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region, placed
from flexmbs.mesh.readers.abaqus.section_cards import RIGHT_CARD, SECTION_CARDS, Section
from flexmbs.mesh.readers.abaqus.sets_and_surfaces import Sets, Surfaces, named_sets


def build(deck: Deck) -> Mesh:
    """The Mesh of a deck. Raises MeshError for missing nodes, elements, materials and sets."""
    materials = {name: made_material(deck, draft) for name, draft in deck.materials.items()}
    model = placed(deck, materials)
    element_sets = Sets(model)
    node_sets = Sets(model, element_sets)
    assigned = _assign_sections(model, element_sets)
    structural, others, true = _sort_elements(model, assigned.owner > 0)
    if not structural and not others:
        raise MeshError(f"{deck.source}:1: the file has no *ELEMENT with data; a mesh needs elements.")
    unsupported = other_elements(others)
    if not structural:
        held = "; ".join(f"{len(one.ids)} {one.type_name} ({one.role}), first in {one.where}" for one in unsupported)
        wanted = "three-dimensional structural elements (solids, shells, beams, trusses, springs)"
        raise MeshError(f"{others[0].where(0)}: *ELEMENT: the file has no {wanted}. It has {held}.")
    joined = Joined(model, node_sets, element_sets, Surfaces(model, node_sets, element_sets))
    for region, card in model.cards:
        if card.key in LATER_CARDS:
            LATER_CARDS[card.key](joined, region, card)
    if joined.thickness is not None:
        joined.thickness = true.at_middles(joined.thickness)
    blocks = _structural_blocks(model, structural, assigned, joined.thickness)
    # Materials and axes that sections bring with them.
    own = {block.material.name: block.material for block in blocks if block.material is not None}
    own = {name: material for name, material in own.items() if name.startswith(("OF ", "LAYERS OF "))}
    systems = [section.orientation.system for section in assigned.sections if section and section.orientation]
    return Mesh(
        points=model.points,
        node_ids=model.node_ids,
        blocks=tuple(replace(block, ids=model.element_numbers[block.ids]) for block in blocks),
        **named_sets(model, node_sets, element_sets, joined.surfaces, ElementIndex(blocks)),
        materials={**materials, **own},
        **{kept: tuple(getattr(joined, kept)) for kept in ("couplings", "ties", "point_masses", "boundary_conditions")},
        equations=(*joined.equations, *true.equations(joined.coordinate_systems, joined.displacement_systems)),
        coordinate_systems={**{system.name: system for system in systems}, **joined.coordinate_systems},
        displacement_systems=joined.displacement_systems,
        other_elements=tuple(replace(one, ids=model.element_numbers[one.ids]) for one in unsupported),
        source=deck.source,
        file_format="Abaqus/CalculiX",
        skipped=deck.skipped.as_tuple(),
        warnings=tuple(deck.warnings),
    )


def _sort_elements(model: Model, has_section: np.ndarray) -> tuple[list[ElementRows], list[ElementRows], TrueElements]:
    """Elements that make bodies (with kinds), the others, and what was made of them; new nodes are added to the model.

    ``has_section`` (by serial number) keeps shells and beams from being mere skins.
    """
    candidates, others = [], []
    for region in model.regions:
        for rows in region.rows:
            if rows.type_name.startswith("T3D3"):  # whichever of the last two is nearer to the middle of the others comes last
                first, second, third = (model.points[rows.nodes[:, i]] for i in range(3))
                second_off = np.linalg.norm(second - (first + third) / 2.0, axis=1)
                third_off = np.linalg.norm(third - (first + second) / 2.0, axis=1)
                swapped = (second_off < third_off) & (rows.nodes >= 0).all(axis=1)
                rows.nodes = np.where(swapped[:, None], rows.nodes[:, [0, 2, 1]], rows.nodes)
            shape = element_type(rows.type_name).shape
            if rows.kind is not None:
                candidates.append(rows)
            elif shape in KINDS and rows.role in ("plane", "axisymmetric"):
                candidates.append(replace(rows, kind=shape))
            elif len(rows.ids):
                others.append(rows)
    candidates, skins = split_skin(candidates, [has_section[rows.ids] for rows in candidates])
    true, structural = TrueElements(model.node_ids, model.points), []
    for rows in candidates:
        if element_type(rows.type_name).kind:
            parts = true.of(rows, model.element_numbers[rows.ids])
            structural += [part for part in parts if part.kind]
            others += [part for part in parts if not part.kind]
        else:
            others.append(replace(rows, kind=None))
    model.take_over(true)
    return structural, others + skins, true


@dataclass
class _Assigned:
    """Section and added mass of each element by its serial number: indices into the lists, whose first entries are none."""

    owner: np.ndarray
    added_to: np.ndarray
    sections: list[Section | None]
    added: list[tuple[str, float, str] | None]  # what it is per ("LENGTH", "AREA"), value, file:line


def _assign_sections(model: Model, element_sets: Sets) -> _Assigned:
    """Read the section cards; of several for one element the last counts. Raises MeshError for undefined names."""
    none = np.zeros(len(model.element_numbers), np.int64)
    assigned = _Assigned(none, none.copy(), [None], [None])
    for region, card in model.cards:
        if card.key in SECTION_CARDS:
            name = card.required_name("ELSET")
            section = SECTION_CARDS[card.key](model, region, card)
            serials = element_sets.named(region, name, card.where)
            twice = serials[assigned.owner[serials] > 0]
            if twice.size:
                before, number = assigned.sections[assigned.owner[twice[0]]].card, model.element_numbers[twice[0]]
                doubt = f"{twice.size} elements (first: {number}) already have a section ({before.where})"
                model.deck.warn(f"{card.where}: {doubt}; the last one is used.")
            assigned.owner[serials] = len(assigned.sections)
            assigned.sections.append(section)
        elif card.key == "NONSTRUCTURALMASS":
            units = card.option("UNITS", "TOTALMASS")
            if units not in ("MASSPERLENGTH", "MASSPERAREA"):
                model.deck.skip(card, f"UNITS={units} is not read; MASS PER LENGTH and MASS PER AREA are")
                continue
            serials = element_sets.named(region, card.required_name("ELSET"), card.where)
            value = first_number(card, data_line(card, 0, "the mass"), "the mass")
            assigned.added_to[serials] = len(assigned.added)
            assigned.added.append((units.removeprefix("MASSPER"), value, card.where))
    return assigned


def _structural_blocks(
    model: Model, groups: list[ElementRows], assigned: _Assigned, thickness: np.ndarray | None
) -> tuple[ElementBlock, ...]:
    """Blocks of elements that have kinds; ``thickness`` (nn,) is that of *NODAL THICKNESS, NaN where there is none."""
    parts, keys = [], []
    has_orienting = any("orienting" in rows.data for region in model.regions for rows in region.rows)
    for group in groups:
        codes = assigned.owner[group.ids] * len(assigned.added) + assigned.added_to[group.ids]
        for code, rows in sorted(split_by(group, codes)):
            owner, added = divmod(code, len(assigned.added))
            section, family = assigned.sections[owner], element_type(rows.type_name).family
            arrays = {
                "y_axes": _y_axes(model, rows, section) if family == "beam" and has_orienting else None,
                "material_axes": _material_axes(model, rows, section, family),
                "thickness": _thickness(model, rows, section, thickness) if family == "shell" else None,
            }
            parts.append(replace(rows, data={name: values for name, values in arrays.items() if values is not None}))
            keys.append((owner, added, rows.type_name))
    blocks = make_blocks(parts, keys, lambda kind, key: _fields(model, assigned, *key))
    for block in blocks:
        if not block.property_name:
            card = RIGHT_CARD[element_type(block.type_name).family]
            needs = f"{card} and *MATERIAL" if card.endswith("SECTION") else card
            model.deck.warn(f"{block.where}: {len(block.ids)} elements of type {block.type_name} have no section; add {needs}.")
    return blocks


def _fields(model: Model, assigned: _Assigned, owner: int, added: int, type_name: str) -> dict:
    section = assigned.sections[owner]
    if section is None:
        return {}
    made = section.fitting(element_type(type_name).family, type_name)
    if added:
        per, value, where = assigned.added[added]
        if isinstance(made, ShellSection if per == "AREA" else (BeamSection, TrussSection)):
            made = replace(made, nonstructural_mass=made.nonstructural_mass + value)
        else:
            model.deck.warn(f"{where}: MASS PER {per} does not match the section of its elements; it is left out.")
    material = None if isinstance(made, ShellSection) and made.layers else section.material
    name = f"{section.card.title}, ELSET={section.card.name('ELSET')}"
    return {"material": material, "section": made, "property_name": name, "where": section.card.line.where}


def _material_axes(model: Model, rows: ElementRows, section: Section | None, family: str) -> np.ndarray | None:
    if section is None or section.orientation is None or family not in ("solid", "shell", "membrane"):
        return None
    if isinstance(section.material, Material):
        return None  # the same in all directions
    axes = section.orientation.solid_axes if family == "solid" else section.orientation.shell_axes
    return axes(model.points[rows.nodes].mean(axis=1), rows.ids)


def _thickness(model: Model, rows: ElementRows, section: Section | None, thickness: np.ndarray | None) -> np.ndarray | None:
    if thickness is None or section is None or np.isnan(thickness[rows.nodes]).all():
        return None
    if not section.card.has("NODAL THICKNESS"):  # as Abaqus and CalculiX have it
        model.deck.warn(f"{section.card.where} has no parameter NODAL THICKNESS: its own thickness is used, not *NODAL THICKNESS.")
        return None
    own = thickness[rows.nodes]
    default = getattr(section.make("shell", rows.type_name), "thickness", np.nan) if np.isnan(own).any() else np.nan
    return np.where(np.isnan(own), default or np.nan, own)


def _y_axes(model: Model, rows: ElementRows, section: Section | None) -> np.ndarray:
    """Direction of local y of each beam, from its orientation node or else from its section."""
    nodes = rows.data.get("orienting", np.full(len(rows.ids), -1))
    axes = model.points[nodes] - model.points[rows.nodes[:, 0]]
    length = np.linalg.norm(axes, axis=1, keepdims=True)
    zero = np.flatnonzero((length[:, 0] == 0.0) & (nodes >= 0))
    if zero.size:
        raise MeshError(f"{rows.where(zero[0])}: *ELEMENT: the orientation node of the beam coincides with its first node.")
    made = section.make("beam", rows.type_name) if section else None
    return np.where(nodes[:, None] < 0, getattr(made, "y_axis", np.full(3, np.nan)), axes / np.where(length > 0.0, length, 1.0))


def _mass(joined: Joined, region: Region, card: Card) -> None:
    """*MASS, ELSET=set of MASS elements: the mass of each."""
    line = data_line(card, 0, "the mass")
    if card.option("TYPE", "ISOTROPIC") != "ISOTROPIC":
        joined.model.deck.skip(card, "a different mass in each direction")
        return
    mass = first_number(card, line, "the mass", "not be negative")
    if mass == 0.0:
        joined.model.deck.warn(f"{card.at(line)}: the mass is zero; it is left out.")
    else:
        _point_masses(joined, region, card, mass, np.zeros((3, 3)))


def _rotary_inertia(joined: Joined, region: Region, card: Card) -> None:
    """*ROTARY INERTIA, ELSET=set of ROTARYI elements: I11, I22, I33, I12, I13, I23."""
    line = data_line(card, 0, "I11, I22, I33")
    xx, yy, zz, xy, xz, yz = [*numbers(card, line, "a moment of inertia"), *[0.0] * 6][:6]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rotation, name = region.scope.placement.rotation, card.name("ORIENTATION")
    if name:
        rotation = find_orientation(joined.model, region, name, card.where).solid_axes(np.zeros((1, 3)))[0]
    if np.linalg.eigvalsh(inertia)[0] < -1e-9 * np.abs(inertia).max():
        raise MeshError(f"{card.at(line)}: no body can have the moments of inertia {line.text[:60]}.")
    _point_masses(joined, region, card, 0.0, rotation @ inertia @ rotation.T)


def _point_masses(joined: Joined, region: Region, card: Card, mass: float, inertia: np.ndarray) -> None:
    name = card.required_name("ELSET")
    serials = joined.element_sets.named(region, name, card.where)
    parts = [rows.nodes[own, 0] for rows, own in joined.model.rows_of(serials) if rows.role == "mass"]
    if not parts:
        raise MeshError(f"{card.where}: the set {name} has no elements of type MASS or ROTARYI.")
    final, nodes = joined.model.final_name(region, name), np.concatenate(parts)
    if (nodes < 0).any():
        raise MeshError(f"{card.where}: an element of the set {name} has node 0, which is none.")
    for node in nodes.tolist():
        joined.point_masses.append(PointMass(final, node, mass, inertia, np.zeros(3), where=card.line.where))


def _nodal_thickness(joined: Joined, region: Region, card: Card) -> None:
    """*NODAL THICKNESS: node or node set, thickness."""
    if joined.thickness is None:
        joined.thickness = np.full(len(joined.model.points), np.nan)
    for _, where, (node, text) in card.rows(2):
        thickness = number(text, where, "the thickness", "be positive")
        joined.thickness[joined.nodes(region, node, where)] = thickness


def _transform(joined: Joined, region: Region, card: Card) -> None:
    """*TRANSFORM, NSET=set [, TYPE=R|C|S]: points a and b; displacements of the nodes are in these axes."""
    set_name, kind, values = card.required_name("NSET"), card.option("TYPE", "R"), numbers(card, card.lines(), "a coordinate")
    nodes = joined.nodes(region, set_name, card.where)
    if len(values) != 6:
        raise MeshError(f"{card.where} needs the points a and b (6 coordinates), got {len(values)} numbers.")
    if kind.startswith("S"):
        joined.model.deck.skip(card, "TYPE=S")
        return
    name = f"TRANSFORM {joined.model.final_name(region, set_name)}"
    joined.coordinate_systems[name] = system_of(name, kind, values, card.where)
    joined.displacement_systems[name] = nodes


LATER_CARDS = {
    **{"MASS": _mass, "ROTARYINERTIA": _rotary_inertia, "NODALTHICKNESS": _nodal_thickness, "TRANSFORM": _transform},
    **JOINING_CARDS,
}
