"""Exodus element types: kinds, node order, numbering of sides."""

from __future__ import annotations

from functools import lru_cache

from flexmbs.mesh.element_kinds import KINDS, face_of
from flexmbs.mesh.reader_tools.shapes_to_mesh import renumbered

# Start of the name -> (number of nodes -> kind). A number that is not the kind's: nodes in faces and inside follow.
_SHELL = {3: "tri3", 4: "quad4", 6: "tri6", 7: "tri6", 8: "quad8", 9: "quad8"}
_LINE = {2: "beam2", 3: "beam3"}
_KINDS = {
    "HEX": {8: "hex8", 20: "hex20", 27: "hex20"},
    "TET": {4: "tet4", 10: "tet10", 11: "tet10", 14: "tet10", 15: "tet10"},
    "WED": {6: "wedge6", 15: "wedge15", 18: "wedge15", 20: "wedge15", 21: "wedge15"},
    "PYR": {5: "pyramid5", 13: "pyramid13", 14: "pyramid13", 18: "pyramid13", 19: "pyramid13"},
    "SHE": _SHELL,
    "QUA": _SHELL,
    "TRI": _SHELL,
    "BEA": _LINE,
    "BAR": _LINE,
    "EDG": _LINE,
    "LIN": _LINE,
    "TRU": {2: "truss2", 3: "truss3"},
    "ROD": {2: "truss2", 3: "truss3"},
}
_ROLES = {"SPH": "geometry", "CIR": "geometry", "POI": "geometry", "NOD": "geometry", "SPR": "connector"}

# Second-order hexahedra and wedges have the middle nodes of the upright edges before those of the top.
_HEX_EDGES = (*KINDS["hex20"].edges[:4], *KINDS["hex20"].edges[8:], *KINDS["hex20"].edges[4:8])
_WEDGE_EDGES = (*KINDS["wedge15"].edges[:3], *KINDS["wedge15"].edges[6:], *KINDS["wedge15"].edges[3:6])

_SIDES = {
    "hex": ((0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (0, 4, 7, 3), (0, 3, 2, 1), (4, 5, 6, 7)),
    "tet": ((0, 1, 3), (1, 2, 3), (0, 3, 2), (0, 2, 1)),
    "wed": ((0, 1, 4, 3), (1, 2, 5, 4), (0, 3, 5, 2), (0, 2, 1), (3, 4, 5)),
    "pyr": ((0, 1, 4), (1, 2, 4), (2, 3, 4), (0, 4, 3), (0, 3, 2, 1)),
    "qua": ((0, 1, 2, 3), (0, 3, 2, 1), (0, 1), (1, 2), (2, 3), (3, 0)),
    "tri": ((0, 1, 2), (0, 2, 1), (0, 1), (1, 2), (2, 0)),
    "bea": ((0, 1),),
    "tru": ((0, 1),),
}


def kind_of(type_name: str, node_count: int) -> str | None:
    """The kind of an element type, or None."""
    return _KINDS.get(type_name[:3].upper(), {}).get(node_count)


def role_of(type_name: str) -> str:
    """The role of a type that has no kind."""
    return _ROLES.get(type_name[:3].upper(), "unknown")


def node_order(kind: str) -> list[int]:
    """Where the nodes of a kind stand in an Exodus element."""
    edges = {"hex20": _HEX_EDGES, "wedge15": _WEDGE_EDGES}.get(kind, KINDS[kind].edges)
    return renumbered(kind, edges)


@lru_cache
def side(kind: str, number: int, is_flat: bool) -> tuple[str, tuple[int, ...]] | None:
    """Face or edge of a side (numbered from 1): its kind, and its nodes as positions in the kind; None: no such side.

    ``is_flat``: the type is called QUAD..., whose sides are its edges (those of SHELL... begin with its two faces).
    """
    rings = _SIDES[kind[:3]]
    rings = rings[2:] if is_flat else rings
    if not 1 <= number <= len(rings):
        return None
    return face_of(kind, rings[number - 1])
