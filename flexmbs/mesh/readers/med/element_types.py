"""MED element types and their node orders.

MED's solids are oriented opposite to VTK's: the corners of the first face turn the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.shapes_to_mesh import mirrored


@dataclass(frozen=True)
class MedType:
    """An element type: its name, number of nodes, kind (or None), and where the kind's nodes stand in it."""

    name: str
    node_count: int
    kind: str | None
    order: tuple[int, ...]


def _type(name: str, node_count: int, kind: str | None) -> MedType:
    if kind is None:
        return MedType(name, node_count, None, tuple(range(node_count)))
    order = mirrored(kind) if KINDS[kind].dimension == 3 else range(KINDS[kind].node_count)
    return MedType(name, node_count, kind, tuple(order))


# Names of the groups in the file -> type. Where the kind has fewer nodes, those in faces and inside are left out.
TYPES: dict[str, MedType] = {
    "PO1": _type("POI1", 1, None),
    "SE2": _type("SEG2", 2, "beam2"),
    "SE3": _type("SEG3", 3, "beam3"),
    "TR3": _type("TRI3", 3, "tri3"),
    "TR6": _type("TRI6", 6, "tri6"),
    "TR7": _type("TRI7", 7, "tri6"),
    "QU4": _type("QUAD4", 4, "quad4"),
    "QU8": _type("QUAD8", 8, "quad8"),
    "QU9": _type("QUAD9", 9, "quad8"),
    "TE4": _type("TETRA4", 4, "tet4"),
    "T10": _type("TETRA10", 10, "tet10"),
    "PY5": _type("PYRA5", 5, "pyramid5"),
    "P13": _type("PYRA13", 13, "pyramid13"),
    "PE6": _type("PENTA6", 6, "wedge6"),
    "P15": _type("PENTA15", 15, "wedge15"),
    "P18": _type("PENTA18", 18, "wedge15"),
    "HE8": _type("HEXA8", 8, "hex8"),
    "H20": _type("HEXA20", 20, "hex20"),
    "H27": _type("HEXA27", 27, "hex20"),
}
UNREAD = {
    "SE4": "lines of third order",
    "OCT": "hexagonal prisms",
    "POG": "polygons",
    "PO2": "polygons of second order",
    "POE": "polyhedra",
}
