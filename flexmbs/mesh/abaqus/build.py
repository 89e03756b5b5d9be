"""From what the file said, by its numbers and names, to a Mesh."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.mesh.abaqus.deck import Deck, ElementGroup, MaterialDraft, SectionCard, SetItem
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import ElementBlock, Material, Mesh
from flexmbs.mesh.names import near_names

_NAMED_AT_MOST = 5


def build(deck: Deck, source: str) -> Mesh:
    """The Mesh of a deck. Raises MeshError for missing nodes, elements, materials and sets."""
    if not deck.nodes:
        raise MeshError(f"{source}:1: no *NODE card with data in the file; an Abaqus/CalculiX mesh lists its nodes.")
    groups = [group for group in deck.groups if group.kind]
    if not any(group.ids for group in groups):
        raise MeshError(f"{source}: no beam or solid elements (*ELEMENT, TYPE=B31, C3D10, C3D20, ...).")
    _check_numbers_once(groups)
    index_of = {node: index for index, node in enumerate(deck.nodes)}
    element_sets = _resolved(deck, deck.element_sets, "element set", {n for g in deck.groups for n in g.ids})
    kept = {number for group in groups for number in group.ids}
    node_sets = _resolved(deck, deck.node_sets, "node set", deck.nodes.keys(), element_sets)
    materials = {name: _material(draft) for name, draft in deck.materials.items() if draft.youngs_modulus is not None}
    owner = _section_of_element(deck, element_sets)
    return Mesh(
        points=np.array(list(deck.nodes.values()), float),
        node_ids=np.array(list(deck.nodes), int),
        blocks=_blocks(groups, index_of, owner, deck, materials),
        node_sets={name: np.array([index_of[n] for n in nodes], int) for name, nodes in node_sets.items()},
        element_sets={name: np.array([n for n in numbers if n in kept], int) for name, numbers in element_sets.items()},
        materials=materials,
        source=source,
        warnings=tuple(deck.warnings) + _skipped(deck),
    )


def _check_numbers_once(groups: list[ElementGroup]) -> None:
    seen = {}
    for group in groups:
        for number, line in zip(group.ids, group.lines, strict=True):
            if number in seen:
                raise MeshError(
                    f"{line.where}: element {number} is given again (first in {seen[number].where}); renumber one."
                )
            seen[number] = line


def _resolved(deck: Deck, sets, what: str, existing, element_sets=None) -> dict[str, list[int]]:
    """Members of every set, in the order given, each once; numbers that do not exist are left out with a warning."""
    nodes_of_element = {}
    if any(item.of_elements for items in sets.values() for item in items):
        nodes_of_element = {n: row for g in deck.groups for n, row in zip(g.ids, g.nodes, strict=True)}
    done: dict[str, list[int]] = {}

    def members(name: str, open_names: tuple[str, ...]) -> list[int]:
        if name in done:
            return done[name]
        numbers: dict[int, None] = {}
        for item in sets[name]:
            numbers.update(dict.fromkeys(part(item, name, open_names)))
        missing = [number for number in numbers if number not in existing]
        if missing:
            listed = ", ".join(map(str, missing[:_NAMED_AT_MOST]))
            deck.warnings.append(
                f"{sets[name][0].line.where}: {what} {name} names {len(missing)} that do not exist ({listed});"
                " they are left out."
            )
        done[name] = [number for number in numbers if number in existing]
        return done[name]

    def part(item: SetItem, name: str, open_names: tuple[str, ...]):
        if item.set_name is None:
            return item.numbers
        known = element_sets if item.of_elements else sets
        if item.set_name not in known or item.set_name in (*open_names, name):
            raise MeshError(
                f"{item.line.where}: {what} {name} is made of {item.set_name}, which is not a set of its own."
                f" {near_names(item.set_name, known)}"
            )
        if item.of_elements:
            return [node for number in element_sets[item.set_name] for node in nodes_of_element[number]]
        return members(item.set_name, (*open_names, name))

    return {name: members(name, ()) for name in list(sets)}


def _material(draft: MaterialDraft) -> Material:
    return Material(draft.name, draft.youngs_modulus, draft.poisson_ratio, draft.density)


def _section_of_element(deck: Deck, element_sets: dict[str, list[int]]) -> dict[int, int]:
    """Element number -> index of its section card."""
    owner: dict[int, int] = {}
    for index, card in enumerate(deck.sections):
        if card.element_set not in element_sets:
            raise MeshError(
                f"{card.line.where}: *{card.keyword} names the element set {card.element_set}, which is not defined."
                f" {near_names(card.element_set, element_sets)}"
            )
        for number in element_sets[card.element_set]:
            if owner.setdefault(number, index) != index:
                raise MeshError(
                    f"{card.line.where}: element {number} has a section already"
                    f" (line {deck.sections[owner[number]].line.number}); give each element one section."
                )
    return owner


def _blocks(groups, index_of, owner, deck: Deck, materials) -> tuple[ElementBlock, ...]:
    rows: dict[tuple[str, int | None], tuple[list, list]] = {}
    for group in groups:
        for number, nodes, line in zip(group.ids, group.nodes, group.lines, strict=True):
            missing = [node for node in nodes if node not in index_of]
            if missing:
                raise MeshError(
                    f"{line.where}: element {number} ({group.type_name}) uses node {missing[0]}, which no *NODE card"
                    " defines."
                )
            section = owner.get(number)
            if section is not None:
                _check_section_fits(deck.sections[section], group, number)
            ids, connectivity = rows.setdefault((group.kind, section), ([], []))
            ids.append(number)
            connectivity.append([index_of[node] for node in nodes])
    blocks = []
    for (kind, section), (ids, connectivity) in rows.items():
        card = None if section is None else deck.sections[section]
        blocks.append(
            ElementBlock(
                kind,
                np.array(ids, int),
                np.array(connectivity, int),
                _material_of(card, deck, materials),
                None if card is None else card.beam_section,
            )
        )
    return tuple(blocks)


def _check_section_fits(card: SectionCard, group: ElementGroup, number: int) -> None:
    if KINDS[group.kind].is_beam != (card.beam_section is not None):
        right = "*BEAM SECTION" if KINDS[group.kind].is_beam else "*SOLID SECTION"
        raise MeshError(
            f"{card.line.where}: *{card.keyword} is given to element {number} of type {group.type_name}; use {right}."
        )


def _material_of(card: SectionCard | None, deck: Deck, materials) -> Material | None:
    if card is None or card.material is not None:
        return None if card is None else card.material
    if card.material_name in materials:
        return materials[card.material_name]
    if card.material_name in deck.materials:
        raise MeshError(
            f"{deck.materials[card.material_name].line.where}: material {card.material_name} has no *ELASTIC card;"
            " add one with E (Pa) and nu."
        )
    raise MeshError(
        f"{card.line.where}: *{card.keyword} names the material {card.material_name}, which is not defined."
        f" {near_names(card.material_name, deck.materials)}"
    )


def _skipped(deck: Deck) -> tuple[str, ...]:
    messages = []
    for keyword, lines in deck.skipped.items():
        numbers = ", ".join(str(line.number) for line in lines[:_NAMED_AT_MOST])
        more = ", ..." if len(lines) > _NAMED_AT_MOST else ""
        messages.append(f"{lines[0].file}: *{keyword} is skipped (line {numbers}{more}).")
    return tuple(messages)
