"""What the element types of Abaqus and CalculiX are for a flexible body: kind, number of nodes, order of nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from flexmbs.mesh.element_kinds import KINDS


@dataclass(frozen=True)
class ElementType:
    """One element type of the format.

    Attributes
    ----------
    kind : str or None
        A name in ``KINDS``; None for types that no flexible body is made of (``role`` says why).
    counts : tuple of int or None
        Numbers of nodes that an element may have; None: as many as its line gives.
    order : tuple of int or None
        Which of the file's nodes come in which place (VTK order); None: all as they are.
    shape : str
        Kind of a face or edge that elements without ``kind`` may be on a solid ("tri3"); empty: none.
    family : str
        Which section card the type takes: "solid", "shell", "membrane", "beam", "truss", "spring", "dashpot", "mass".
    left_out : str
        What is dropped of it (where it has more nodes than ``order``), for a warning.
    """

    kind: str | None = None
    counts: tuple[int, ...] | None = None
    order: tuple[int, ...] | None = None
    role: str = ""
    shape: str = ""
    family: str = ""
    left_out: str = ""


def _type(kind: str, family: str, **more) -> ElementType:
    return ElementType(kind, **{"counts": (KINDS[kind].node_count,), "family": family, **more})


def _other(role: str, counts: tuple[int, ...] | None = None, shape: str = "") -> ElementType:
    return ElementType(role=role, counts=counts, shape=shape)


_BEAM2 = _type("beam2", "beam", counts=(2, 3))
# The file's order is end, middle, end; a fourth node only orients the section.
_BEAM3 = _type("beam3", "beam", counts=(3, 4), order=(0, 2, 1))
_18, _27 = tuple(range(15, 19)), tuple(range(21, 28))
_FACE_CENTRES = "the nodes in the middle of its faces and volume are left out"
_CONTINUUM_SHELL = "continuum shells are taken as solids"

# The first pattern that fits the whole name wins. Letters after the number of nodes (R, I, H, T, M, E, P, ...) choose
# integration and coupled fields: other solvers' means for the same nodes.
_PATTERNS: list[tuple[str, ElementType]] = [
    (r"C3D4[A-Z]*", _type("tet4", "solid")),
    (r"C3D5[A-Z]*", _type("pyramid5", "solid")),
    (r"C3D6[A-Z]*", _type("wedge6", "solid")),
    (r"C3D8[A-Z]*", _type("hex8", "solid")),
    (r"C3D10[A-Z]*", _type("tet10", "solid")),
    (r"C3D15V[A-Z]*", _type("wedge15", "solid", counts=_18, order=tuple(range(15)), left_out=_FACE_CENTRES)),
    (r"C3D15[A-Z]*", _type("wedge15", "solid")),
    (r"C3D20[A-Z]*", _type("hex20", "solid")),
    (r"C3D27[A-Z]*", _type("hex20", "solid", counts=_27, order=tuple(range(20)), left_out=_FACE_CENTRES)),
    (r"SC6[A-Z]*", _type("wedge6", "solid", left_out=_CONTINUUM_SHELL)),
    (r"(SC8|CSS8)[A-Z]*", _type("hex8", "solid", left_out=_CONTINUUM_SHELL)),
    (r"S3[A-Z]*|STRI3", _type("tri3", "shell")),
    (r"S4([A-Z]*|R5)", _type("quad4", "shell")),
    (r"S6[A-Z]*|STRI65", _type("tri6", "shell")),
    (r"S8[A-Z]*", _type("quad8", "shell")),
    (r"S8R5", _type("quad8", "shell", counts=(8, 9), order=tuple(range(8)), left_out=_FACE_CENTRES)),
    (r"S9R5", _type("quad8", "shell", counts=(9,), order=tuple(range(8)), left_out=_FACE_CENTRES)),
    (r"M3D3[A-Z]*", _type("tri3", "membrane")),
    (r"M3D4[A-Z]*", _type("quad4", "membrane")),
    (r"M3D6[A-Z]*", _type("tri6", "membrane")),
    (r"M3D8[A-Z]*", _type("quad8", "membrane")),
    (r"M3D9[A-Z]*", _type("quad8", "membrane", counts=(9,), order=tuple(range(8)), left_out=_FACE_CENTRES)),
    (r"(B31|B33|PIPE31)[A-Z]*", _BEAM2),
    (r"(B32|PIPE32)[A-Z]*", _BEAM3),
    (r"T3D2[A-Z]*", _type("truss2", "truss")),
    (r"T3D3[A-Z]*", _type("truss3", "truss")),
    (r"SPRING1", _type("spring1", "spring")),
    (r"SPRING(2|A)", _type("spring2", "spring")),
    (r"DASHPOT1", _type("spring1", "dashpot")),
    (r"DASHPOT(2|A)", _type("spring2", "dashpot")),
    (r"MASS", ElementType(role="mass", counts=(1,), family="mass")),
    (r"ROTARYI", ElementType(role="mass", counts=(1,), family="mass")),
    (r"DCOUP3D", ElementType(role="connector", counts=(1,), family="distributing")),
    (r"(CPS|CPE|CPEG)3[A-Z]*", _other("plane", (3,), "tri3")),
    (r"(CPS|CPE|CPEG)4[A-Z]*", _other("plane", (4,), "quad4")),
    (r"(CPS|CPE|CPEG)6[A-Z]*", _other("plane", (6,), "tri6")),
    (r"(CPS|CPE|CPEG)8[A-Z]*", _other("plane", (8,), "quad8")),
    (r"(CAX|CGAX)3[A-Z]*", _other("axisymmetric", (3,), "tri3")),
    (r"(CAX|CGAX)4[A-Z]*", _other("axisymmetric", (4,), "quad4")),
    (r"(CAX|CGAX)6[A-Z]*", _other("axisymmetric", (6,), "tri6")),
    (r"(CAX|CGAX)8[A-Z]*", _other("axisymmetric", (8,), "quad8")),
    (r"(SFM3D|R3D)3[A-Z]*", _other("geometry", (3,), "tri3")),
    (r"(SFM3D|R3D)4[A-Z]*", _other("geometry", (4,), "quad4")),
    (r"SFM3D6[A-Z]*", _other("geometry", (6,), "tri6")),
    (r"SFM3D8[A-Z]*", _other("geometry", (8,), "quad8")),
    (r"RB3D2[A-Z]*", _other("geometry", (2,), "line2")),
    (r"(SAX|MAX|MGAX|SFMAX|SFMGAX|RAX|DSAX|DCAX|ACAX|CAXA|SAXA)\d.*", _other("axisymmetric")),
    (r"(B2\d|PIPE2\d)[A-Z]*", _other("plane")),
    (r"T2D\d[A-Z]*", _other("plane")),
    (r"(R2D2|RB2D2|WARP2D\d|COH2D4|CONN2D2|GK2D\d|GKPS\d|GKPE\d|CINPE\d|CINPS\d)[A-Z]*", _other("plane")),
    (r"AC(2D|3D|IN3D|IN2D|AX)\d+[A-Z]*", _other("fluid")),
    (r"(F2D|F3D|FC3D|FAX)\d+[A-Z]*", _other("fluid")),
    (r"(FLINK|FP3D\d|FPC3D\d|FPT3D\d|EC3D8R|EC3D8RT|PC3D)", _other("fluid")),
    (r"D", _other("fluid", (3,))),  # network elements of CalculiX
    (r"(DC1D|DC2D|DC3D|DCC1D|DCC2D|DCC3D|DS|DGAP)\d+[A-Z]*", _other("thermal")),
    (r"HEATCAP", _other("thermal", (1,))),
    (r"(GAP|ITT|ITS|ISL|IRS|ISP|PSI|ASI|DRAG|LS)[A-Z0-9]*", _other("contact")),
    (r"(CONN3D2|JOINTC|COH3D\d+P?|GK3D\d+[A-Z]*|FRAME3D|TUBE\d+|ESPRNG[A-Z0-9]*|JOINT3D)", _other("connector")),
]


@lru_cache(maxsize=256)
def element_type(name: str) -> ElementType:
    """The type of that name (upper case); an unknown one has the role "unknown"."""
    for pattern, known in _PATTERNS:
        if re.fullmatch(pattern, name):
            return known
    return _other("unknown")
