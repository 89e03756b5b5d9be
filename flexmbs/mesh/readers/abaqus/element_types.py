"""Element types of Abaqus and CalculiX: kind, number of nodes, node order."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import FileElement, elements_of


@dataclass(frozen=True)
class ElementType:
    """One element type of the format."""

    name: str = ""
    kind: str | None = None  # a name in ``KINDS``; None for types that are not structural (``role`` says why)
    counts: tuple[int, ...] | None = None  # numbers of nodes that an element may have; None: as many as its line gives
    order: tuple[int, ...] | None = None  # which of the file's nodes come in which place (VTK order); None: as they are
    role: str = ""
    shape: str = ""  # kind of a face that elements without ``kind`` may be on a solid ("tri3")
    family: str = ""  # which section card it takes: solid, shell, membrane, beam, truss, spring, dashpot, joint, mass
    left_out: str = ""  # what is dropped of it (where it has more nodes than ``order``), for a warning


def _surfaces(pattern: str, role: str, highest: int = 8) -> list[tuple[str, ElementType]]:
    """Types of surfaces, which may be faces of solids: one for each number of nodes {n}."""
    counts = {row.node_count: kind for kind, row in KINDS.items() if row.dimension == 2 and row.node_count <= highest}
    return [(pattern.replace("{n}", str(n)), ElementType(role=role, counts=(n,), shape=kind)) for n, kind in counts.items()]


_FAMILIES = {"M3D": "membrane", "DASHPOT": "dashpot", "SPRING": "spring"}  # of others the dimension says it
_WHOLE_NAME = re.compile(r"STRI|SPRING|DASHPOT|S\dR5")  # names that take no letters
_FACE_CENTRES = "the nodes in the middle of its faces and volume are left out"
_CONTINUUM_SHELL = "continuum shells are read as solids"
# Types that are not in the table of kinds; the first pattern that fits the whole name wins.
_PATTERNS: list[tuple[str, ElementType]] = [
    *_surfaces(r"(CPS|CPE|CPEG){n}[A-Z]*", "plane"),
    *_surfaces(r"(CAX|CGAX){n}[A-Z]*", "axisymmetric"),
    *_surfaces(r"SFM3D{n}[A-Z]*", "geometry"),
    *_surfaces(r"R3D{n}[A-Z]*", "geometry", highest=4),
    (r"MASS|ROTARYI", ElementType(role="mass", counts=(1,), family="mass")),
    (r"JOINTC", ElementType(kind="spring2", counts=(2,), family="joint")),  # springs in all directions, unlike SPRING2
    (r"DCOUP3D", ElementType(role="connector", counts=(1,), family="distributing")),
    (r"RB3D2[A-Z]*", ElementType(role="geometry", counts=(2,), shape="line2")),
    (r"D", ElementType(role="fluid", counts=(3,))),  # network elements of CalculiX
    (r"HEATCAP", ElementType(role="thermal", counts=(1,))),
    *(
        (pattern, ElementType(role=role))
        for role, pattern in (
            ("axisymmetric", r"(SAX|MAX|MGAX|SFMAX|SFMGAX|RAX|DSAX|DCAX|ACAX|CAXA|SAXA)\d.*"),
            ("plane", r"(B2\d|PIPE2\d|T2D\d|R2D2|RB2D2|WARP2D\d|COH2D4|CONN2D2|GK2D\d|GKPS\d|GKPE\d|CINPE\d|CINPS\d)[A-Z]*"),
            ("fluid", r"(AC(2D|3D|IN3D|IN2D|AX)|F2D|F3D|FC3D|FAX)\d+[A-Z]*"),
            ("fluid", r"(FLINK|FP3D\d|FPC3D\d|FPT3D\d|EC3D8R|EC3D8RT|PC3D)"),
            ("thermal", r"(DC1D|DC2D|DC3D|DCC1D|DCC2D|DCC3D|DS|DGAP)\d+[A-Z]*"),
            ("contact", r"(GAP|ITT|ITS|ISL|IRS|ISP|PSI|ASI|DRAG|LS)[A-Z0-9]*"),
            ("connector", r"(CONN3D2|COH3D\d+P?|GK3D\d+[A-Z]*|FRAME3D|TUBE\d+|ESPRNG[A-Z0-9]*|JOINT3D)"),
        )
    ),
]


@cache
def element_type(name: str) -> ElementType:
    """The type of that name (upper case); an unknown one has the role "unknown".

    Letters after the number of nodes (R, I, H, T, M, E, P, ...) choose integration and coupled fields: other solvers'
    means for the same nodes.
    """
    for end in range(len(name), 0, -1):  # the longest name of the table with only letters after it
        for element in elements_of("Abaqus"):
            if element.name == name[:end] and (end == len(name) or not _WHOLE_NAME.match(element.name)):
                return _structural(name, element)
        if not name[end - 1].isalpha():
            break
    for pattern, known in _PATTERNS:
        if re.fullmatch(pattern, name):
            return replace(known, name=name)
    return ElementType(name, role="unknown")


def _structural(name: str, element: FileElement) -> ElementType:
    known = KINDS[element.kind]
    is_longer = max(element.node_counts) > known.node_count and not known.is_beam  # the last node of beams orients the section
    order = element.order if is_longer or element.order != tuple(range(known.node_count)) else None
    left_out = _FACE_CENTRES if is_longer else _CONTINUUM_SHELL if name.startswith(("SC", "CSS")) else ""
    family = {3: "solid", 2: "shell", 1: "beam" if known.is_beam else "truss"}.get(known.dimension, "")
    family = next((own for start, own in _FAMILIES.items() if name.startswith(start)), family)
    return ElementType(name, element.kind, element.node_counts, order, family=family, left_out=left_out)
