"""Finite element descriptors of universal files."""

from __future__ import annotations

from flexmbs.mesh.element_names import FileElement, element_named

# Plane stress, plates, membranes, shells: mesh generators use any of them for surfaces.
_FAMILIES = {
    **dict.fromkeys((*range(41, 47), *range(61, 67), *range(71, 77), *range(91, 97)), "surface"),
    **dict.fromkeys((21, 22, 24, 31), "beam"),
}
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


def element_of(descriptor: int, node_count: int, has_beams: bool) -> FileElement | None:
    """The kind of elements with a descriptor and a number of nodes; None for elements that are not structural.

    Salome writes all lines as rods (11): which they are, a section says, except in a file that ``has_beams`` besides.
    """
    family = ("rod" if has_beams else "beam") if descriptor == 11 else _FAMILIES.get(descriptor, str(descriptor))
    return element_named("UNV", family, node_count)


def is_real_beam(descriptor: int, node_count: int) -> bool:
    """Whether lines of a type are beams where they name a cross section, even on edges of other elements.

    Mesh generators write the edges of their geometry as rods (11), as 22 with three nodes, or without cross sections.
    """
    return descriptor in (21, 23, 24) or (descriptor == 22 and node_count == 2)


def role_of(descriptor: int) -> str:
    """Role of elements that have no kind, as in ``UnsupportedElements``."""
    return _ROLES.get(descriptor, "unknown")


def name_of(descriptor: int) -> str:
    """How messages and blocks call the elements."""
    return f"{_NAMES.get(descriptor, 'element')} {descriptor}"
