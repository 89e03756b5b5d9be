"""Look up what a file format calls an element in the table of ``element_table``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_table import ELEMENTS


@dataclass(frozen=True)
class FileElement:
    """A name of a format, and what it means.

    Attributes
    ----------
    node_counts : how many nodes such an element may have in the file
    order : where the nodes of the kind stand in it; nodes beyond are left out
    """

    name: str
    node_counts: tuple[int, ...]
    kind: str
    order: tuple[int, ...]


@cache
def elements_of(file_format: str) -> tuple[FileElement, ...]:
    """All names of a format, as the table spells it: "Abaqus", "Nastran", "Ansys", "Gmsh", "MED", "UNV", "VTK", ..."""
    found = []
    for row in ELEMENTS:
        own = KINDS[row.kind].node_count
        for word in row.names.get(file_format, "").split():
            name, _, counts = word.partition(":")
            first, _, last = counts.partition("-")
            allowed = tuple(range(int(first), int(last or first) + 1)) if counts else (own,)
            order = row.orders.get(f"{file_format} {name}", row.orders.get(file_format, tuple(range(own))))
            found.append(FileElement(name, allowed, row.kind, order))
    return tuple(found)


@cache
def element_named(file_format: str, name: str, node_count: int) -> FileElement | None:
    """What an element of that name and with that many nodes is in a format; None: no kind."""
    for element in elements_of(file_format):
        if element.name == name and node_count in element.node_counts:
            return element
    return None


@cache
def has_reduced_integration(kind: str, type_name: str) -> bool:
    """Whether the file calls an element of this kind by a name that asks for reduced integration."""
    names = next(row.reduced for row in ELEMENTS if row.kind == kind)
    return type_name.upper().startswith(names) if names else False
