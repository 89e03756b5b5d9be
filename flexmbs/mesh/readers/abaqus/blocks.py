"""Elements with their sections as the blocks of a Mesh."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import BeamSection, ShellSection, TrussSection
from flexmbs.mesh.materials import Material
from flexmbs.mesh.mesh import ElementBlock, UnsupportedElements
from flexmbs.mesh.reader_tools.element_blocks import make_blocks, other_elements
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.abaqus.number_tables import data_line, number
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.section_cards import SECTION_CARDS, Section, family_of, fitting, made_section
from flexmbs.mesh.readers.abaqus.set_members import Sets

_CARD_FOR = {"solid": "*SOLID SECTION", "truss": "*SOLID SECTION", "spring": "*SPRING", "dashpot": "*DASHPOT", "joint": "*JOINT"}


class IndexTable:
    """Stands for a NodeTable where nodes are indices already."""

    card = "*NODE"

    def find(self, nodes: np.ndarray) -> np.ndarray:
        """The indices themselves."""
        return nodes


@dataclass
class Assigned:
    """Which section each element has: index into ``sections`` by serial number, -1 for none; and added masses."""

    sections: list[Section]
    owner: np.ndarray
    added: list[tuple[str, float, str]]  # what it is per ("LENGTH", "AREA"), value, file:line
    added_to: np.ndarray


def assign_sections(model: Model, element_sets: Sets) -> Assigned:
    """Read the section cards; of several for one element the last counts. Raises MeshError for undefined names."""
    assigned = Assigned(
        [], np.full(len(model.element_numbers), -1, np.int32), [], np.full(len(model.element_numbers), -1, np.int32)
    )
    for region in model.regions:
        for card in region.scope.cards:
            if card.key in SECTION_CARDS:
                _assign(model, element_sets, region, made_section(model, region, card), assigned)
            elif card.key == "NONSTRUCTURALMASS":
                _add_mass(model, element_sets, region, card, assigned)
    return assigned


def _assign(model: Model, element_sets: Sets, region: Region, section: Section, assigned: Assigned) -> None:
    where = section.card.where
    serials = element_sets.named(region, section.card.name("ELSET"), where)
    before = assigned.owner[serials]
    twice = np.flatnonzero(before >= 0)
    if twice.size:
        first = assigned.sections[before[twice[0]]]
        number = model.element_numbers[serials[twice[0]]]
        model.warn(
            f"{where}: {twice.size} elements (first: {number}) already have a section ({first.card.where}); the last one is used."
        )
    assigned.owner[serials] = len(assigned.sections)
    assigned.sections.append(section)


def _add_mass(model: Model, element_sets: Sets, region: Region, card, assigned: Assigned) -> None:
    units = card.option("UNITS", "TOTALMASS")
    if units not in ("MASSPERLENGTH", "MASSPERAREA"):
        why = f"UNITS={units} is not read; MASS PER LENGTH and MASS PER AREA are"
        model.skip(card, why)
        return
    serials = element_sets.named(region, card.required_name("ELSET"), card.where)
    line = data_line(card, 0, "the mass")
    value = number(line.fields()[0] if line.fields() else "", card.at(line), "the mass")
    assigned.added_to[serials] = len(assigned.added)
    assigned.added.append((units.removeprefix("MASSPER"), value, card.where))


def structural_blocks(
    model: Model, groups: list[ElementRows], assigned: Assigned, thickness: np.ndarray | None
) -> tuple[ElementBlock, ...]:
    """Blocks of elements that have kinds; ``thickness`` (nn,) is that of *NODAL THICKNESS, NaN where there is none."""
    parts, keys = [], []
    for rows in groups:
        for key, chosen in _by_section(rows, assigned):
            parts.append(replace(rows, ids=rows.ids[chosen], nodes=rows.nodes[chosen], lines=rows.lines[chosen]))
            keys.append([(*key, rows.type_name)])
    beams = _beam_directions(model)

    def describe(kind: str, key: tuple) -> dict:
        return _fields(model, assigned, *key)

    extra = {
        "y_axes": [_y_axes(model, rows, beams, assigned, key[0][0]) for rows, key in zip(parts, keys, strict=True)],
        "material_axes": [_material_axes(model, rows, assigned, key[0][0]) for rows, key in zip(parts, keys, strict=True)],
        "thickness": [_thickness(model, rows, assigned, key[0][0], thickness) for rows, key in zip(parts, keys, strict=True)],
    }
    blocks = make_blocks(parts, IndexTable(), keys, describe, extra)
    _warn_unsectioned(model, blocks, assigned)
    return blocks


def others(groups: list[ElementRows]) -> tuple[UnsupportedElements, ...]:
    """Elements without a kind, as they are kept."""
    return other_elements(groups, IndexTable())


def _by_section(rows: ElementRows, assigned: Assigned) -> list[tuple[tuple[int, int], np.ndarray | slice]]:
    owner = assigned.owner[rows.ids].astype(np.int64)
    code = owner * (len(assigned.added) + 1) + assigned.added_to[rows.ids]
    if len(code) and (code == code[0]).all():
        return [((int(owner[0]), int(assigned.added_to[rows.ids[0]])), slice(None))]
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return [
        ((int(owner[at]), int(assigned.added_to[rows.ids[at]])), np.flatnonzero(which == number)) for number, at in enumerate(first)
    ]


def _fields(model: Model, assigned: Assigned, owner: int, added: int, type_name: str) -> dict:
    if owner < 0:
        return {}
    section, family = assigned.sections[owner], family_of(type_name)
    fitting(section, family, type_name, section.card.title)
    made = section.make(family, type_name)
    material = section.material
    if isinstance(made, ShellSection) and made.layers:
        material = None
    if added >= 0:
        made = _with_added(model, made, *assigned.added[added])
    return {"material": material, "section": made, "property_name": section.title, "where": section.card.line.where}


def _with_added(model: Model, section, per: str, value: float, where: str):
    fits = isinstance(section, ShellSection) if per == "AREA" else isinstance(section, (BeamSection, TrussSection))
    if not fits:
        model.warn(f"{where}: MASS PER {per} does not match the section of its elements; it is left out.")
        return section
    return replace(section, nonstructural_mass=section.nonstructural_mass + value)


def _material_axes(model: Model, rows: ElementRows, assigned: Assigned, owner: int) -> np.ndarray | None:
    section = assigned.sections[owner] if owner >= 0 else None
    family = family_of(rows.type_name)
    if section is None or section.orientation is None or family not in ("solid", "shell", "membrane"):
        return None
    if isinstance(section.material, Material):
        return None  # the same in all directions
    centres = model.points[rows.nodes].mean(axis=1)
    orientation = section.orientation
    axes = orientation.solid_axes if family == "solid" else orientation.shell_axes
    return axes(centres, rows.ids)


def _thickness(model: Model, rows: ElementRows, assigned: Assigned, owner: int, thickness: np.ndarray | None) -> np.ndarray | None:
    if thickness is None or owner < 0 or family_of(rows.type_name) != "shell":
        return None
    own, section = thickness[rows.nodes], assigned.sections[owner]
    if np.isnan(own).all():
        return None
    if not section.card.has("NODAL THICKNESS"):  # as Abaqus and CalculiX have it
        model.warn(f"{section.card.where} has no parameter NODAL THICKNESS: its own thickness is used, not *NODAL THICKNESS.")
        return None
    if np.isnan(own).any():
        made = section.make("shell", rows.type_name)
        own = np.where(np.isnan(own), getattr(made, "thickness", np.nan) or np.nan, own)
    return own


def _beam_directions(model: Model) -> np.ndarray | None:
    """(number of elements,) node that orients the section of a beam, -1 for none."""
    if not any(region.scope.orientation_nodes for region in model.regions):
        return None
    nodes = np.full(len(model.element_numbers), -1, np.int64)
    for region in model.regions:
        for position, numbers in region.scope.orientation_nodes.items():
            rows, group = region.rows[position], region.scope.groups[position]
            found = region.find_nodes(numbers)
            wrong = np.flatnonzero((found < 0) & (numbers != 0))
            if wrong.size:
                raise MeshError(
                    f"{group.where(wrong[0])}: *ELEMENT: beam {group.ids[wrong[0]]} is oriented by node"
                    f" {numbers[wrong[0]]}, which no *NODE defines."
                )
            nodes[rows.ids] = found
    return nodes


def _y_axes(model: Model, rows: ElementRows, orienting, assigned: Assigned, owner: int) -> np.ndarray | None:
    """Direction of local y of each beam, from its orientation node or else from its section."""
    if orienting is None or family_of(rows.type_name) != "beam":
        return None
    nodes = orienting[rows.ids]
    axes = model.points[nodes] - model.points[rows.nodes[:, 0]]
    length = np.linalg.norm(axes, axis=1, keepdims=True)
    zero = np.flatnonzero((length[:, 0] == 0.0) & (nodes >= 0))
    if zero.size:
        raise MeshError(f"{rows.where(zero[0])}: *ELEMENT: the orientation node of the beam coincides with its first node.")
    section = assigned.sections[owner].make("beam", rows.type_name) if owner >= 0 else None
    default = getattr(section, "y_axis", np.full(3, np.nan))
    return np.where(nodes[:, None] < 0, default, axes / np.where(length > 0.0, length, 1.0))


def _warn_unsectioned(model: Model, blocks: tuple[ElementBlock, ...], assigned: Assigned) -> None:
    for block in blocks:
        if block.property_name:
            continue
        card = _CARD_FOR.get(family_of(block.type_name), f"*{family_of(block.type_name).upper()} SECTION")
        needs = "" if card in ("*SPRING", "*DASHPOT", "*JOINT") else " and *MATERIAL"
        model.warn(f"{block.where}: {len(block.ids)} elements of type {block.type_name} have no section; add {card}{needs}.")
