"""Components and assemblies as node sets, element sets and surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS
from flexmbs.mesh.mesh import ElementBlock, MeshSurface
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex
from flexmbs.mesh.readers.ansys.deck import Component, Deck
from flexmbs.mesh.readers.ansys.element_groups import Group, Sorted

_FACES = ("SURF154", "SURF156", "MESH200", "CONTA173", "CONTA174", "SURF153")
_FACE_KINDS = {known.node_count: kind for kind, known in KINDS.items() if known.dimension == 2 and not known.inner_count}
_MOST_NODES = max(_FACE_KINDS)  # of a face; surface elements may have one more, that gives a direction


@dataclass
class Sets:
    """Sets of a mesh by name."""

    node_sets: dict[str, np.ndarray] = field(default_factory=dict)
    element_sets: dict[str, np.ndarray] = field(default_factory=dict)
    surfaces: dict[str, MeshSurface] = field(default_factory=dict)


def make_sets(deck: Deck, blocks: Sequence[ElementBlock], elements: Sorted) -> Sets:
    """All components and assemblies.

    Members that do not exist are left out with a warning. Raises MeshError for a component none of whose members
    exists.
    """
    sets, index = Sets(), ElementIndex(blocks)
    for name, component in deck.components.items():
        if component.entity == "NODE":
            _add_nodes(deck, sets, name, component)
        else:
            _add_elements(deck, sets, name, component, index, elements)
    for name in deck.groups:
        _add_group(deck, sets, name)
    for name, surface in sets.surfaces.items():
        sets.node_sets.setdefault(name, surface.nodes)
    return sets


def _add_nodes(deck: Deck, sets: Sets, name: str, component: Component) -> None:
    found = deck.nodes.find(component.ids)
    _check_members(deck, name, component, found >= 0, "nodes")
    if len(found):
        sets.node_sets[name] = np.unique(found[found >= 0])


def _add_elements(deck: Deck, sets: Sets, name: str, component: Component, index: ElementIndex, elements: Sorted) -> None:
    found = index.find(component.ids)
    faces = _faces(component.ids[found < 0], elements.other)
    others = [*elements.other, *elements.masses, *elements.rigid]
    known = np.isin(component.ids, np.concatenate([group.rows.ids for group in others] or [np.empty(0, int)]))
    _check_members(deck, name, component, (found >= 0) | known, "elements")
    if (found >= 0).any():
        sets.element_sets[name] = np.unique(found[found >= 0])
    if faces:
        sets.surfaces[name] = MeshSurface(faces)
    elif len(found) and not (found >= 0).any():
        deck.warn(f"{component.where}: the component {name} has no structural elements; it is left out.")


def _check_members(deck: Deck, name: str, component: Component, exists: np.ndarray, what: str) -> None:
    missing = component.ids[~exists]
    if not len(exists):
        if component.how == "CMBLOCK":
            raise MeshError(f"{component.where}: CMBLOCK: the component {name} is empty; list its {what} or remove it.")
        deck.warn(f"{component.where}: CM: nothing is selected for the component {name}; it is left out.")
    elif not exists.any():
        raise MeshError(
            f"{component.where}: CMBLOCK: none of the {len(missing)} {what} of the component {name} exists (first:"
            f" {missing[0]}); list {what} of the mesh or remove it."
        )
    elif missing.size:
        deck.warn(
            f"{component.where}: {len(missing)} {what} of the component {name} do not exist (first: {missing[0]});"
            " they are left out."
        )


def _faces(ids: np.ndarray, others: list[Group]) -> dict[str, np.ndarray]:
    """Faces and edges among surface elements, by their kind."""
    faces: dict[str, list[np.ndarray]] = {}
    for group in others:
        rows = group.rows
        chosen = np.isin(rows.ids, ids)
        if group.routine.name not in _FACES or not chosen.any():
            continue
        nodes = rows.nodes[chosen]
        count = min(nodes.shape[1], _MOST_NODES)
        kind = "line2" if count == 2 else _FACE_KINDS.get(count, "")
        if kind in KINDS:
            parts = true_kinds(kind, nodes[:, : KINDS[kind].node_count])
        else:
            parts = [(kind, np.arange(len(nodes)), nodes)]
        for true, _, own in parts:
            if not true or (own[:, : KINDS[true].corner_count if true in KINDS else 2] < 0).any():
                continue
            if (own < 0).any():
                true, own = FIRST_ORDER[true], own[:, : KINDS[true].corner_count]
            faces.setdefault(true, []).append(own)
    return {kind: np.concatenate(parts) for kind, parts in faces.items()}


def _add_group(deck: Deck, sets: Sets, name: str) -> None:
    members = _members(deck, name, set())
    place = deck.groups[name][1]
    missing = [own for own in members if own not in deck.components]
    if missing:
        deck.warn(f"{place}: CMGRP: the component {missing[0]} of the assembly {name} does not exist; it is left out.")
    if not any(own in deck.components for own in members):
        raise MeshError(f"{place}: CMGRP: the assembly {name} is empty; list components that exist, or remove it.")
    for named in (sets.node_sets, sets.element_sets):
        parts = [named[own] for own in members if own in named]
        if parts:
            named.setdefault(name, np.unique(np.concatenate(parts)))


def _members(deck: Deck, name: str, seen: set[str]) -> list[str]:
    """Components of an assembly and of the assemblies in it."""
    found, waiting = [], [name]
    while waiting:
        own = waiting.pop(0)
        if own in seen:
            continue
        seen.add(own)
        if own in deck.groups:
            waiting += deck.groups[own][0]
        else:
            found.append(own)
    return found
