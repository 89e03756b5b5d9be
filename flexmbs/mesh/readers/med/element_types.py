"""MED element types and their node orders.

MED's solids are oriented opposite to VTK's: the corners of the first face turn the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import elements_of
from flexmbs.mesh.reader_tools.shapes_to_mesh import mirrored


@dataclass(frozen=True)
class MedType:
    """An element type: its name, number of nodes, kind (or None), and where the kind's nodes stand in it."""

    name: str
    node_count: int
    kind: str | None
    order: tuple[int, ...]


def _types() -> dict[str, MedType]:
    types = {"PO1": MedType("POI1", 1, None, (0,))}
    for element in elements_of("MED"):
        (count,) = element.node_counts
        order = mirrored(element.kind) if KINDS[element.kind].dimension == 3 else element.order
        letters = 2 if count < 10 else 1
        types[f"{element.name[:letters]}{count}"] = MedType(element.name, count, element.kind, tuple(order))
    return types


# Names of the groups in the file ("TR3", "P15") -> type.
TYPES = _types()
UNREAD = {
    "SE4": "lines of third order",
    "OCT": "hexagonal prisms",
    "POG": "polygons",
    "PO2": "polygons of second order",
    "POE": "polyhedra",
}
