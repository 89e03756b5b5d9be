"""Cards that state the mesh itself: nodes, elements, sets, parts."""

from __future__ import annotations

from flexmbs.errors import MeshError
from flexmbs.mesh.abaqus.deck import Deck, ElementGroup, SetItem, integer, number
from flexmbs.mesh.abaqus.lines import Card, Line, label
from flexmbs.mesh.element_kinds import KINDS

# Reduced integration and hybrid variants have the same nodes; their integration is the tool's own choice.
ELEMENT_TYPES = {
    "B31": "beam2",
    "B33": "beam2",
    "C3D4": "tet4",
    "C3D10": "tet10",
    "C3D10M": "tet10",
    "C3D10T": "tet10",
    "C3D8": "hex8",
    "C3D8R": "hex8",
    "C3D8I": "hex8",
    "C3D20": "hex20",
    "C3D20R": "hex20",
}
# What mesh generators write for the faces and edges of a solid: they carry no mechanics, only a group of nodes.
GEOMETRY_TYPES = {
    **{f"{family}{count}": count for family in ("CPS", "CPE", "SFM3D") for count in (3, 4, 6, 8)},
    "T3D2": 2,
    "T3D3": 3,
}


def read_nodes(deck: Deck, card: Card) -> None:
    """*NODE [, NSET=name]: number, x, y, z."""
    if card.parameters.get("SYSTEM", "R").upper() not in ("", "R"):
        raise MeshError(f"{card.line.where}: *NODE with SYSTEM= is not read; write Cartesian x, y, z.")
    numbers = []
    for line in card.data:
        entries = line.fields()
        if not 2 <= len(entries) <= 7:
            raise MeshError(f"{line.where}: a node is 'number, x, y, z', got '{line.text}'.")
        node = integer(entries[0], line, "node number")
        x, y, z = (number(entry, line, "node coordinate") for entry in (*entries[1:4], "", "")[:3])
        if node in deck.nodes and deck.nodes[node] != (x, y, z):
            raise MeshError(f"{line.where}: node {node} is given again with other coordinates; give each node once.")
        deck.nodes[node] = (x, y, z)
        numbers.append(node)
    name = card.name("NSET")
    if name:
        deck.node_sets[name].append(SetItem(card.line, numbers))


def read_elements(deck: Deck, card: Card) -> None:
    """*ELEMENT, TYPE=type [, ELSET=name]: number, nodes; an element may take several lines."""
    type_name = card.required_name("TYPE")
    kind = ELEMENT_TYPES.get(type_name) or ELEMENT_TYPES.get(type_name.removesuffix("H"))
    if kind is None and type_name not in GEOMETRY_TYPES:
        raise MeshError(
            f"{card.line.where}: element type {type_name} is not known; known are {', '.join(ELEMENT_TYPES)}."
        )
    count = KINDS[kind].node_count if kind else GEOMETRY_TYPES[type_name]
    group = ElementGroup(kind, type_name, card.line)
    row: list[int] = []
    for line in card.data:
        if not row:
            group.lines.append(line)
        row += [integer(entry, line, "element and node numbers") for entry in line.fields()]
        if len(row) > count + 1:
            raise MeshError(f"{line.where}: {type_name} takes its number and {count} nodes, got {len(row)} numbers.")
        if len(row) == count + 1:
            group.ids.append(row[0])
            group.nodes.append(row[1:])
            row = []
    if row:
        raise MeshError(
            f"{group.lines[-1].where}: element {row[0]} of type {type_name} has {len(row) - 1} nodes, needs {count}."
        )
    deck.groups.append(group)
    name = card.name("ELSET")
    if name:
        deck.element_sets[name].append(SetItem(card.line, group.ids))
        if kind is None:
            deck.node_sets[name].append(SetItem(card.line, sorted({node for row in group.nodes for node in row})))


def read_node_set(deck: Deck, card: Card) -> None:
    """*NSET, NSET=name [, GENERATE] [, ELSET=name]."""
    items = deck.node_sets[card.required_name("NSET")]
    if "ELSET" in card.parameters:
        items.append(SetItem(card.line, set_name=card.required_name("ELSET"), of_elements=True))
    items += _set_items(card)


def read_element_set(deck: Deck, card: Card) -> None:
    """*ELSET, ELSET=name [, GENERATE]."""
    items = deck.element_sets[card.required_name("ELSET")]
    items += _set_items(card)


def read_part(deck: Deck, card: Card) -> None:
    """*PART: one is read as if the file were flat."""
    deck.parts.append(card.line)
    _refuse_second(deck.parts, "part")


def read_instance(deck: Deck, card: Card) -> None:
    """*INSTANCE: one, where its part stands."""
    deck.instances.append(card.line)
    _refuse_second(deck.instances, "instance")
    if card.data:
        raise MeshError(
            f"{card.data[0].where}: the instance is moved; only an instance that stands where its part does is read."
            " Write the file flat (without parts), with final coordinates."
        )


def refuse(deck: Deck, card: Card) -> None:
    """Cards that change the mesh in a way not read here: going on would give another mesh than the file means."""
    raise MeshError(f"{card.line.where}: *{card.keyword} is not read; write all nodes and elements out in global axes.")


def _set_items(card: Card) -> list[SetItem]:
    if "GENERATE" in card.parameters:
        return [_generated(line) for line in card.data]
    items = []
    for line in card.data:
        numbers = []
        for entry in line.fields():
            # In an assembly a member is named instance.member; there is one instance, so its name adds nothing.
            member = entry if entry.startswith('"') else entry.rpartition(".")[2]
            if member.lstrip("+-").isdigit():
                numbers.append(int(member))
            elif member:
                items.append(SetItem(line, set_name=label(member)))
        items.append(SetItem(line, numbers))
    return items


def _generated(line: Line) -> SetItem:
    entries = [integer(entry, line, "entry of a GENERATE line") for entry in line.fields()]
    if len(entries) not in (2, 3) or (len(entries) == 3 and entries[2] < 1):
        raise MeshError(f"{line.where}: a GENERATE line is 'first, last, step' with step >= 1, got '{line.text}'.")
    step = entries[2] if len(entries) == 3 else 1
    return SetItem(line, range(entries[0], entries[1] + 1, step))


def _refuse_second(lines: list[Line], what: str) -> None:
    if len(lines) > 1:
        raise MeshError(
            f"{lines[1].where}: a second {what} (the first is in line {lines[0].number}); only files with one {what}"
            " are read. Write the file flat (without parts), or one file per body."
        )
