"""What the file formats call the kinds of element, and how they order their nodes.

To let a format's name mean an existing kind, add the name to the format's text. A name without the number of nodes that
the file gives means nothing. How a format matches names (letters after an Abaqus name, the start of an Exodus name) is the
reader's matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flexmbs.mesh.element_kinds import KINDS

# Names with commas between. ``name:n`` is an element with n nodes where that is not the kind's own number (``name:n-m``:
# with n to m). Nodes beyond the kind's own lie in faces and inside, come last in all these formats, and are left out; the
# last node of beams in Abaqus only orients the section.
NAMES = {
    "Abaqus": """
        spring1=SPRING1,DASHPOT1 spring2=SPRING2,SPRINGA,DASHPOT2,DASHPOTA truss2=T3D2 truss3=T3D3
        beam2=B31:2-3,B33:2-3,PIPE31:2-3 beam3=B32:3-4,PIPE32:3-4 tri3=S3,STRI3,M3D3 tri6=S6,STRI65,M3D6 quad4=S4,S4R5,M3D4
        quad8=S8,S8R5:8-9,M3D8 quad9=S9R5,M3D9 tet4=C3D4 tet10=C3D10 pyramid5=C3D5 wedge6=C3D6,SC6 wedge15=C3D15,C3D15V:15-18
        hex8=C3D8,SC8,CSS8 hex20=C3D20,C3D27:21-27
    """,
    "Ansys": """
        spring2=COMBIN14 truss2=LINK180,LINK8,LINK10,MESH200.0,MESH200.2 truss3=MESH200.1,MESH200.3
        beam2=BEAM188,BEAM4,BEAM44,BEAM24,PIPE288,PIPE16,PIPE20 beam3=BEAM189,PIPE289 tri3=MESH200.4 tri6=MESH200.5
        quad4=SHELL181,SHELL63,SHELL43,SHELL28,SHELL41,SHELL143,MESH200.6
        quad8=SHELL281,SHELL93,SHELL91,SHELL99,SHELL150,MESH200.7 tet4=SOLID285,SOLID72,MESH200.8
        tet10=SOLID187,SOLID92,SOLID148,SOLID168,MESH200.9
        hex8=SOLID185,SOLID45,SOLID64,SOLID65,SOLID73,SOLID46,SOLSH190,MESH200.10
        hex20=SOLID186,SOLID95,SOLID191,SOLID147,MESH200.11
    """,
    "Nastran": """
        truss2=CROD,CTUBE,CONROD beam2=CBAR,CBEAM tri3=CTRIA3,CTRIAR,CTRIA6 tri6=CTRIA6 quad4=CQUAD4,CQUADR,CSHEAR,CQUAD8,CQUAD
        quad8=CQUAD8,CQUAD:9 tet4=CTETRA tet10=CTETRA pyramid5=CPYRAM,CPYRA pyramid13=CPYRAM,CPYRA wedge6=CPENTA wedge15=CPENTA
        hex8=CHEXA hex20=CHEXA
    """,
    "UNV": """
        truss2=rod truss3=rod beam2=beam beam3=beam tri3=surface tri6=surface quad4=surface quad8=surface tet4=111 tet10=118
        wedge6=101,112 wedge15=102,113 hex8=104,115 hex20=105,116
    """,
    "Exodus": """
        truss2=TRU,ROD truss3=TRU,ROD beam2=BEA,BAR,EDG,LIN beam3=BEA,BAR,EDG,LIN tri3=SHE,QUA,TRI
        tri6=SHE,QUA,TRI,SHE:7,QUA:7,TRI:7 quad4=SHE,QUA,TRI quad8=SHE,QUA,TRI quad9=SHE,QUA,TRI tet4=TET
        tet10=TET,TET:11,TET:14,TET:15 pyramid5=PYR pyramid13=PYR,PYR:14,PYR:18,PYR:19 wedge6=WED
        wedge15=WED,WED:18,WED:20,WED:21 hex8=HEX hex20=HEX,HEX:27
    """,
    "Gmsh": """
        beam2=1 beam3=8 tri3=2 tri6=9 quad4=3 quad8=16 quad9=10 tet4=4 tet10=11 pyramid5=7 pyramid13=19,14:14 wedge6=6
        wedge15=18,13:18 hex8=5 hex20=17,12:27
    """,
    "MED": """
        beam2=SEG2 beam3=SEG3 tri3=TRI3 tri6=TRI6,TRI7:7 quad4=QUAD4 quad8=QUAD8 quad9=QUAD9 tet4=TETRA4 tet10=TETRA10
        pyramid5=PYRA5 pyramid13=PYRA13 wedge6=PENTA6 wedge15=PENTA15,PENTA18:18 hex8=HEXA8 hex20=HEXA20,HEXA27:27
    """,
    "VTK": """
        beam2=3,4,68 beam3=21,68 tri3=5,6,7,69 tri6=22,34:7,69,69:7 quad4=7,8,9,70 quad8=23 quad9=28,70 tet4=10,71 tet10=24,71
        pyramid5=14,74 pyramid13=27,37:19 wedge6=13,73 wedge15=26,32:18 hex8=11,12,72 hex20=25,29:27,33:24
    """,
    "Medit": """
        beam2=Edges beam3=EdgesP2 tri3=Triangles tri6=TrianglesP2 quad4=Quadrilaterals tet4=Tetrahedra tet10=TetrahedraP2
        pyramid5=Pyramids wedge6=Prisms hex8=Hexahedra,Hexaedra
    """,
}
# Nastran and Exodus list the midside nodes of bottom, upright and top edges; VTK bottom, top, upright.
_HEX20_UPRIGHT = (*range(12), 16, 17, 18, 19, 12, 13, 14, 15)
_WEDGE15_UPRIGHT = (*range(9), 12, 13, 14, 9, 10, 11)
# By format and kind (and name): where the kind's nodes stand in an element of the file; absent: in our order. Universal
# files go around a second-order element: corner, middle, corner, ...
ORDERS = {
    "Abaqus beam3": (0, 2, 1),
    "Nastran wedge15": _WEDGE15_UPRIGHT,
    "Nastran hex20": _HEX20_UPRIGHT,
    "Exodus wedge15": _WEDGE15_UPRIGHT,
    "Exodus hex20": _HEX20_UPRIGHT,
    "Gmsh tet10": (*range(8), 9, 8),
    "Gmsh pyramid13": (*range(6), 8, 10, 6, 7, 9, 11, 12),
    "Gmsh wedge15": (*range(7), 9, 7, 12, 14, 13, 8, 10, 11),
    "Gmsh hex20": (*range(9), 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15),
    "UNV truss3": (0, 2, 1),
    "UNV beam3": (0, 2, 1),
    "UNV tri6": (0, 2, 4, 1, 3, 5),
    "UNV quad8": (0, 2, 4, 6, 1, 3, 5, 7),
    "UNV tet10": (0, 2, 4, 9, 1, 3, 5, 6, 7, 8),
    "UNV wedge15": (0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8),
    "UNV hex20": (0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11),
    "VTK quad4 8": (0, 1, 3, 2),
    "VTK hex8 11": (0, 1, 3, 2, 4, 5, 7, 6),
}
_REDUCED = {"hex20": "C3D20R"}  # the same element with reduced integration


@dataclass(frozen=True)
class FileElement:
    """A name of a format, and what it means."""

    name: str
    node_counts: tuple[int, ...]  # how many nodes such an element may have in the file
    kind: str | None  # None: points
    order: tuple[int, ...]  # where the nodes of the kind stand in it; nodes beyond are left out


@cache
def elements_of(file_format: str) -> tuple[FileElement, ...]:
    """All names of a format, as ``NAMES`` spells it; KeyError for a format without names."""
    found = []
    for words in NAMES[file_format].split():
        kind, _, names = words.partition("=")
        own = KINDS[kind].node_count
        for word in names.split(","):
            name, _, counts = word.partition(":")
            first, _, last = counts.partition("-")
            allowed = tuple(range(int(first), int(last or first) + 1)) if counts else (own,)
            order = ORDERS.get(f"{file_format} {kind} {name}", ORDERS.get(f"{file_format} {kind}", tuple(range(own))))
            found.append(FileElement(name, allowed, kind, order))
    return tuple(found)


@cache
def element_named(file_format: str, name: str, node_count: int) -> FileElement | None:
    """What an element of that name and with that many nodes is in a format; None: no kind."""
    for element in elements_of(file_format):
        if element.name == name and node_count in element.node_counts:
            return element
    return None


def has_reduced_integration(kind: str, type_name: str) -> bool:
    """Whether the file calls an element of this kind by a name that asks for reduced integration."""
    return kind in _REDUCED and type_name.upper().startswith(_REDUCED[kind])
