"""Gmsh's element types and their node orders."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import elements_of

_WORDS = {
    "beam": "line",
    "tri": "triangle",
    "quad": "quadrangle",
    "tet": "tetrahedron",
    "hex": "hexahedron",
    "wedge": "prism",
    "pyramid": "pyramid",
}


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


def _types() -> dict[int, GmshType]:
    types = {15: GmshType("point", 0, 1, None, (0,))}
    for element in elements_of("Gmsh"):
        (count,) = element.node_counts
        name = f"{count}-node {_WORDS[element.kind.rstrip('0123456789')]}"
        dimension = KINDS[element.kind].dimension
        types[int(element.name)] = GmshType(name, dimension, count, element.kind, element.order)
    return types


TYPES = _types()


def type_advice(number: int) -> str:
    """Why a type number is not read, and what to do."""
    if 20 <= number <= 140:
        return (
            f"elements of Gmsh type {number} (third or higher order, or a polygon) are not supported; mesh with"
            " Mesh.ElementOrder = 1 or 2"
        )
    return f"{number} is not a Gmsh element type; known are 1 to 19"
