"""Finite element descriptors of universal files, and the order of their nodes."""

from __future__ import annotations

# Nodes of second-order elements go around: corner, middle, corner, ... Columns of the nodes in VTK order.
VTK_ORDER = {
    "beam3": [0, 2, 1],
    "truss3": [0, 2, 1],
    "tri6": [0, 2, 4, 1, 3, 5],
    "quad8": [0, 2, 4, 6, 1, 3, 5, 7],
    "tet10": [0, 2, 4, 9, 1, 3, 5, 6, 7, 8],
    "wedge15": [0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8],
    "hex20": [0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11],
}
_SURFACES = {3: "tri3", 4: "quad4", 6: "tri6", 8: "quad8"}
_SOLIDS = {
    101: ("wedge6", 6),
    102: ("wedge15", 15),
    104: ("hex8", 8),
    105: ("hex20", 20),
    111: ("tet4", 4),
    112: ("wedge6", 6),
    113: ("wedge15", 15),
    115: ("hex8", 8),
    116: ("hex20", 20),
    118: ("tet10", 10),
}
# Rods, beams, pipes by their number of nodes.
_LINES = {
    **dict.fromkeys((11,), {2: "truss2", 3: "truss3"}),
    **dict.fromkeys((21, 22, 24, 31), {2: "beam2", 3: "beam3"}),
}
# Plane stress, plates, membranes, shells: mesh generators use any of them for surfaces.
_SURFACE_IDS = (*range(41, 47), *range(61, 67), *range(71, 77), *range(91, 97))
WITH_ORIENTATION = (11, 21, 22, 23, 24, 31, 32)  # a line more: orientation node and end conditions
RIGID = (121, 122)
_ROLES = {
    **dict.fromkeys(range(51, 57), "plane"),
    **dict.fromkeys((*range(81, 89), 171, 172), "axisymmetric"),
    **dict.fromkeys((136, 137, 138, 139, 141, 142, 161, 181), "connector"),
    **dict.fromkeys((151, 152), "contact"),
    **dict.fromkeys(range(191, 197), "thermal"),
}
_NAMES = {
    **dict.fromkeys(range(41, 47), "plane stress"),
    **dict.fromkeys(range(51, 57), "plane strain"),
    **dict.fromkeys(range(61, 67), "plate"),
    **dict.fromkeys(range(71, 77), "membrane"),
    **dict.fromkeys(range(81, 89), "axisymmetric solid"),
    **dict.fromkeys(range(91, 97), "thin shell"),
    **dict.fromkeys(range(101, 107), "thick shell"),
    **dict.fromkeys(range(111, 119), "solid"),
    **dict.fromkeys((136, 137, 138, 139), "spring"),
    **dict.fromkeys((141, 142), "damper"),
    **dict.fromkeys((151, 152), "gap"),
    **dict.fromkeys((31, 32), "pipe"),
    **dict.fromkeys((121, 122), "rigid element"),
    11: "rod",
    21: "beam",
    22: "tapered beam",
    23: "curved beam",
    24: "parabolic beam",
    161: "lumped mass",
    181: "constraint",
}


def kind_of(descriptor: int, node_count: int) -> str | None:
    """Kind of elements with a descriptor and so many nodes; None when no body is made of them."""
    if descriptor in _SURFACE_IDS:
        return _SURFACES.get(node_count)
    if descriptor in _LINES:
        return _LINES[descriptor].get(node_count)
    kind, count = _SOLIDS.get(descriptor, (None, 0))
    return kind if count == node_count else None


def is_real_beam(descriptor: int, node_count: int) -> bool:
    """Whether lines of a type are beams where they name a cross section, even on edges of other elements.

    Mesh generators write the edges of their geometry as rods (11), as 22 with three nodes, or without cross sections.
    """
    return descriptor in (21, 23, 24) or (descriptor == 22 and node_count == 2)


def role_of(descriptor: int) -> str:
    """Role of elements that have no kind, as in ``OtherElements``."""
    return _ROLES.get(descriptor, "unknown")


def name_of(descriptor: int) -> str:
    """How messages and blocks call the elements."""
    return f"{_NAMES.get(descriptor, 'element')} {descriptor}"
