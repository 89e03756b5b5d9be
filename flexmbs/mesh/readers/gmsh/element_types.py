"""Gmsh's element types and their node orders."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.mesh.reader_tools.shapes_to_mesh import renumbered

_TET_EDGES = ((0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3))
_PYRAMID_EDGES = ((0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3), (2, 4), (3, 4))
_WEDGE_EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5))
_HEX_EDGES = ((0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7))
_TRI_EDGES = ((0, 1), (1, 2), (2, 0))
_QUAD_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))


@dataclass(frozen=True)
class GmshType:
    """An element type: its name, dimension, number of nodes, kind, and where the kind's nodes stand in it.

    ``kind`` is None for points. A type with more nodes than ``order`` has names (in faces and in the inside) is read
    without these.
    """

    name: str
    dimension: int
    node_count: int
    kind: str | None
    order: tuple[int, ...]


def _type(name: str, dimension: int, node_count: int, kind: str | None, edges=()) -> GmshType:
    order = tuple(renumbered(kind, edges)) if kind else tuple(range(node_count))
    return GmshType(name, dimension, node_count, kind, order)


TYPES: dict[int, GmshType] = {
    1: _type("2-node line", 1, 2, "beam2"),
    2: _type("3-node triangle", 2, 3, "tri3"),
    3: _type("4-node quadrangle", 2, 4, "quad4"),
    4: _type("4-node tetrahedron", 3, 4, "tet4"),
    5: _type("8-node hexahedron", 3, 8, "hex8"),
    6: _type("6-node prism", 3, 6, "wedge6"),
    7: _type("5-node pyramid", 3, 5, "pyramid5"),
    8: _type("3-node line", 1, 3, "beam3", ((0, 1),)),
    9: _type("6-node triangle", 2, 6, "tri6", _TRI_EDGES),
    10: _type("9-node quadrangle", 2, 9, "quad8", _QUAD_EDGES),
    11: _type("10-node tetrahedron", 3, 10, "tet10", _TET_EDGES),
    12: _type("27-node hexahedron", 3, 27, "hex20", _HEX_EDGES),
    13: _type("18-node prism", 3, 18, "wedge15", _WEDGE_EDGES),
    14: _type("14-node pyramid", 3, 14, "pyramid13", _PYRAMID_EDGES),
    15: _type("point", 0, 1, None),
    16: _type("8-node quadrangle", 2, 8, "quad8", _QUAD_EDGES),
    17: _type("20-node hexahedron", 3, 20, "hex20", _HEX_EDGES),
    18: _type("15-node prism", 3, 15, "wedge15", _WEDGE_EDGES),
    19: _type("13-node pyramid", 3, 13, "pyramid13", _PYRAMID_EDGES),
}


def type_advice(number: int) -> str:
    """Why a type number is not read, and what to do."""
    if 20 <= number <= 140:
        return (
            f"elements of Gmsh type {number} (third or higher order, or a polygon) are not read; mesh with"
            " Mesh.ElementOrder = 1 or 2"
        )
    return f"{number} is no element type of Gmsh; known are 1 to 19"
