"""The one table of element kinds: what each is, what the file formats call it, and how they order its nodes.

To add a kind, add its row here and its formulation in ``fem``; no reader changes (docs/architecture.md). To let a
format's name mean an existing kind, add the name to the kind's row.

Names are words separated by spaces; ``name:n`` is an element with n nodes where that is not the kind's own number
(``name:n-m``: with n to m). Nodes beyond the kind's own lie in faces and inside, come last in all these formats, and
are left out. A name without the number of nodes that the file gives means nothing. How a format matches names (letters
after an Abaqus name, the start of an Exodus name) is the reader's matter; ``element_names`` looks them up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flexmbs.mesh import element_shapes as shapes
from flexmbs.mesh.element_shapes import Powers, Shape


@dataclass(frozen=True)
class ElementRow:
    """One kind.

    Attributes
    ----------
    kind : str
        Its name here, which begins with its shape, or with "beam", "truss", "spring".
    shape : None for springs, which have only nodes
    monomials : powers that span the shape functions
    gauss_points : in each direction, for mass properties. Exact for position times position times Jacobian (degree 4 in
        each direction of hexahedra and wedges of first order, 9 of those with curved sides; 2 and 7 in tetrahedra).
        Areas of warped surfaces are no polynomials.
    first_order : the kind that the corners alone make; empty for first-order kinds
    inner : natural coordinates of nodes inside, after those of the edges
    locking : c of sqrt(1 + c (L / h)^2), the frequency of bending over the exact one (``locking.py``)
    waves : c of 1 + c (L / wave length)^2, for kinds that do not lock
    names : format -> the names that mean this kind
    orders : format, or format and name -> where the kind's nodes stand in an element of the file; absent: in our order
    reduced : names of the same element with reduced integration
    """

    kind: str
    shape: Shape | None = None
    monomials: Powers = ()
    gauss_points: int = 0
    first_order: str = ""
    inner: Powers = ()
    locking: float | None = None
    waves: float | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    reduced: tuple[str, ...] = ()


# Universal files go around a second-order element: corner, middle, corner, ...
_HEX20_AROUND = (0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11)
# Nastran and Exodus list the midside nodes of bottom, upright and top edges; VTK bottom, top, upright.
_HEX20_UPRIGHT = (*range(12), 16, 17, 18, 19, 12, 13, 14, 15)
_WEDGE15_UPRIGHT = (*range(9), 12, 13, 14, 9, 10, 11)

ELEMENTS = (
    ElementRow("spring1", names={"Abaqus": "SPRING1 DASHPOT1"}),  # to ground
    ElementRow("spring2", names={"Abaqus": "SPRING2 SPRINGA DASHPOT2 DASHPOTA", "Ansys": "COMBIN14"}),
    ElementRow(
        "truss2",
        shapes.LINE,
        shapes.LINE2,
        gauss_points=3,
        names={
            "Abaqus": "T3D2",
            "Nastran": "CROD CTUBE CONROD",
            "Ansys": "LINK180 LINK8 LINK10 MESH200.0 MESH200.2",
            "UNV": "rod",
            "Exodus": "TRU ROD",
        },
    ),
    ElementRow(
        "truss3",
        shapes.LINE,
        shapes.LINE3,
        gauss_points=5,
        first_order="truss2",
        names={"Abaqus": "T3D3", "Ansys": "MESH200.1 MESH200.3", "UNV": "rod", "Exodus": "TRU ROD"},
        orders={"UNV": (0, 2, 1)},
    ),
    ElementRow(
        "beam2",
        shapes.LINE,
        shapes.LINE2,
        gauss_points=3,
        names={
            "Abaqus": "B31:2-3 B33:2-3 PIPE31:2-3",  # the last node only orients the section
            "Nastran": "CBAR CBEAM",
            "Ansys": "BEAM188 BEAM4 BEAM44 BEAM24 PIPE288 PIPE16 PIPE20",
            "Gmsh": "1",
            "MED": "SEG2",
            "UNV": "beam",
            "VTK": "3 4 68",
            "Exodus": "BEA BAR EDG LIN",
            "Medit": "Edges",
        },
    ),
    ElementRow(
        "beam3",
        shapes.LINE,
        shapes.LINE3,
        gauss_points=5,
        first_order="beam2",
        names={
            "Abaqus": "B32:3-4 PIPE32:3-4",
            "Ansys": "BEAM189 PIPE289",
            "Gmsh": "8",
            "MED": "SEG3",
            "UNV": "beam",
            "VTK": "21 68",
            "Exodus": "BEA BAR EDG LIN",
            "Medit": "EdgesP2",
        },
        orders={"Abaqus": (0, 2, 1), "UNV": (0, 2, 1)},
    ),
    ElementRow(
        "tri3",
        shapes.TRI,
        shapes.TRI3,
        gauss_points=2,
        names={
            "Abaqus": "S3 STRI3 M3D3",
            "Nastran": "CTRIA3 CTRIAR CTRIA6",
            "Ansys": "MESH200.4",
            "Gmsh": "2",
            "MED": "TRI3",
            "UNV": "surface",
            "VTK": "5 6 7 69",
            "Exodus": "SHE QUA TRI",
            "Medit": "Triangles",
        },
    ),
    ElementRow(
        "tri6",
        shapes.TRI,
        shapes.TRI6,
        gauss_points=5,
        first_order="tri3",
        names={
            "Abaqus": "S6 STRI65 M3D6",
            "Nastran": "CTRIA6",
            "Ansys": "MESH200.5",
            "Gmsh": "9",
            "MED": "TRI6 TRI7:7",
            "UNV": "surface",
            "VTK": "22 34:7 69 69:7",
            "Exodus": "SHE QUA TRI SHE:7 QUA:7 TRI:7",
            "Medit": "TrianglesP2",
        },
        orders={"UNV": (0, 2, 4, 1, 3, 5)},
    ),
    ElementRow(
        "quad4",
        shapes.QUAD,
        shapes.QUAD4,
        gauss_points=3,
        names={
            "Abaqus": "S4 S4R5 M3D4",
            "Nastran": "CQUAD4 CQUADR CSHEAR CQUAD8 CQUAD",
            "Ansys": "SHELL181 SHELL63 SHELL43 SHELL28 SHELL41 SHELL143 MESH200.6",
            "Gmsh": "3",
            "MED": "QUAD4",
            "UNV": "surface",
            "VTK": "7 8 9 70",
            "Exodus": "SHE QUA TRI",
            "Medit": "Quadrilaterals",
        },
        orders={"VTK 8": (0, 1, 3, 2)},
    ),
    ElementRow(
        "quad8",
        shapes.QUAD,
        shapes.QUAD8,
        gauss_points=4,
        first_order="quad4",
        names={
            "Abaqus": "S8 S8R5:8-9 M3D8",
            "Nastran": "CQUAD8 CQUAD:9",
            "Ansys": "SHELL281 SHELL93 SHELL91 SHELL99 SHELL150 MESH200.7",
            "Gmsh": "16",
            "MED": "QUAD8",
            "UNV": "surface",
            "VTK": "23",
            "Exodus": "SHE QUA TRI",
        },
        orders={"UNV": (0, 2, 4, 6, 1, 3, 5, 7)},
    ),
    ElementRow(
        "quad9",
        shapes.QUAD,
        tuple((i, j) for i in range(3) for j in range(3)),
        gauss_points=4,
        first_order="quad4",
        inner=((0, 0),),
        names={"Abaqus": "S9R5 M3D9", "Gmsh": "10", "MED": "QUAD9", "VTK": "28 70", "Exodus": "SHE QUA TRI"},
    ),
    ElementRow(
        "tet4",
        shapes.TET,
        shapes.TET4,
        gauss_points=3,
        locking=1.2,
        names={
            "Abaqus": "C3D4",
            "Nastran": "CTETRA",
            "Ansys": "SOLID285 SOLID72 MESH200.8",
            "Gmsh": "4",
            "MED": "TETRA4",
            "UNV": "111",
            "VTK": "10 71",
            "Exodus": "TET",
            "Medit": "Tetrahedra",
        },
    ),
    ElementRow(
        "tet10",
        shapes.TET,
        shapes.TET10,
        gauss_points=5,
        first_order="tet4",
        waves=1.15,
        names={
            "Abaqus": "C3D10",
            "Nastran": "CTETRA",
            "Ansys": "SOLID187 SOLID92 SOLID148 SOLID168 MESH200.9",
            "Gmsh": "11",
            "MED": "TETRA10",
            "UNV": "118",
            "VTK": "24 71",
            "Exodus": "TET TET:11 TET:14 TET:15",
            "Medit": "TetrahedraP2",
        },
        orders={"Gmsh": (*range(8), 9, 8), "UNV": (0, 2, 4, 9, 1, 3, 5, 6, 7, 8)},
    ),
    # Pyramids have no polynomial shape functions in their own coordinates (``quadrature.py``).
    ElementRow(
        "pyramid5",
        shapes.PYRAMID,
        shapes.PYRAMID5,
        gauss_points=3,
        locking=0.8,
        names={
            "Abaqus": "C3D5",
            "Nastran": "CPYRAM CPYRA",
            "Gmsh": "7",
            "MED": "PYRA5",
            "VTK": "14 74",
            "Exodus": "PYR",
            "Medit": "Pyramids",
        },
    ),
    ElementRow(
        "pyramid13",
        shapes.PYRAMID,
        shapes.PYRAMID13,
        gauss_points=5,
        first_order="pyramid5",
        waves=1.15,
        names={
            "Nastran": "CPYRAM CPYRA",
            "Gmsh": "19 14:14",
            "MED": "PYRA13",
            "VTK": "27 37:19",
            "Exodus": "PYR PYR:14 PYR:18 PYR:19",
        },
        orders={"Gmsh": (*range(6), 8, 10, 6, 7, 9, 11, 12)},
    ),
    ElementRow(
        "wedge6",
        shapes.WEDGE,
        shapes.WEDGE6,
        gauss_points=3,
        names={
            "Abaqus": "C3D6 SC6",
            "Nastran": "CPENTA",
            "Gmsh": "6",
            "MED": "PENTA6",
            "UNV": "101 112",
            "VTK": "13 73",
            "Exodus": "WED",
            "Medit": "Prisms",
        },
    ),
    ElementRow(
        "wedge15",
        shapes.WEDGE,
        shapes.WEDGE15,
        gauss_points=5,
        first_order="wedge6",
        waves=1.15,
        names={
            "Abaqus": "C3D15 C3D15V:15-18",
            "Nastran": "CPENTA",
            "Gmsh": "18 13:18",
            "MED": "PENTA15 PENTA18:18",
            "UNV": "102 113",
            "VTK": "26 32:18",
            "Exodus": "WED WED:18 WED:20 WED:21",
        },
        orders={
            "Nastran": _WEDGE15_UPRIGHT,
            "Gmsh": (*range(7), 9, 7, 12, 14, 13, 8, 10, 11),
            "UNV": (0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8),
            "Exodus": _WEDGE15_UPRIGHT,
        },
    ),
    ElementRow(
        "hex8",
        shapes.HEX,
        shapes.HEX8,
        gauss_points=3,
        waves=2.8,
        names={
            "Abaqus": "C3D8 SC8 CSS8",
            "Nastran": "CHEXA",
            "Ansys": "SOLID185 SOLID45 SOLID64 SOLID65 SOLID73 SOLID46 SOLSH190 MESH200.10",
            "Gmsh": "5",
            "MED": "HEXA8",
            "UNV": "104 115",
            "VTK": "11 12 72",
            "Exodus": "HEX",
            "Medit": "Hexahedra Hexaedra",
        },
        orders={"VTK 11": (0, 1, 3, 2, 4, 5, 7, 6)},
    ),
    ElementRow(
        "hex20",
        shapes.HEX,
        shapes.HEX20,
        gauss_points=5,
        first_order="hex8",
        waves=1.15,
        names={
            "Abaqus": "C3D20 C3D27:21-27",
            "Nastran": "CHEXA",
            "Ansys": "SOLID186 SOLID95 SOLID191 SOLID147 MESH200.11",
            "Gmsh": "17 12:27",
            "MED": "HEXA20 HEXA27:27",
            "UNV": "105 116",
            "VTK": "25 29:27 33:24",
            "Exodus": "HEX HEX:27",
        },
        orders={
            "Nastran": _HEX20_UPRIGHT,
            "Gmsh": (*range(9), 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15),
            "UNV": _HEX20_AROUND,
            "Exodus": _HEX20_UPRIGHT,
        },
        reduced=("C3D20R",),
    ),
)
