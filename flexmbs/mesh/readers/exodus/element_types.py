"""Exodus element types and the numbering of their sides."""

from __future__ import annotations

from functools import lru_cache

from flexmbs.mesh.element_kinds import face_of
from flexmbs.mesh.element_names import FileElement, element_named, elements_of

_ROLES = {"SPH": "geometry", "CIR": "geometry", "POI": "geometry", "NOD": "geometry", "SPR": "connector"}
# Sides by the shape's first three letters.
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


def element_of(type_name: str, node_count: int) -> FileElement | None:
    """What elements of a type are, by the start of its name; None: no kind."""
    return element_named("Exodus", type_name[:3].upper(), node_count)


def node_order(kind: str) -> list[int]:
    """Where the nodes of a kind stand in an Exodus element."""
    return next(list(element.order) for element in elements_of("Exodus") if element.kind == kind)


def role_of(type_name: str) -> str:
    """The role of a type that has no kind."""
    return _ROLES.get(type_name[:3].upper(), "unknown")


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
