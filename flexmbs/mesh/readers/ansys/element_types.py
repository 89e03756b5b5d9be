"""The element library of Ansys: which of its elements are which kinds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Routine:
    """An element of the library.

    Attributes
    ----------
    name : str
        "SOLID186"
    kind : str or None
        Kind by the full number of its nodes; None for what is no part of a body.
    role : str
        Of what is none, as in ``OtherElements``; "mass", "rigid" and "spring" are made into masses, couplings, springs.
    node_count : int
        Nodes that define the element; one more may give the orientation of a beam. 0: varies.
    """

    name: str
    kind: str | None
    role: str
    node_count: int


def _routines() -> dict[int, Routine]:
    known: dict[int, Routine] = {}

    def add(family: str, kind: str | None, node_count: int, numbers: str, role: str = "") -> None:
        for number in map(int, numbers.split()):
            known[number] = Routine(f"{family}{number}", kind, role, node_count)

    add("SOLID", "hex8", 8, "185 45 64 65 73 46")
    add("SOLID", "hex20", 20, "186 95 191 147")
    add("SOLID", "tet10", 10, "187 92 148 168")
    add("SOLID", "tet4", 4, "285 72")
    add("SOLSH", "hex8", 8, "190")
    add("SHELL", "quad4", 4, "181 63 43 28 41 143")
    add("SHELL", "quad8", 8, "281 93 91 99 150")
    add("LINK", "truss2", 2, "180 8 10")
    add("BEAM", "beam2", 2, "188 4 44 24")
    add("BEAM", "beam3", 3, "189")
    add("PIPE", "beam2", 2, "288 16 20")
    add("PIPE", "beam3", 3, "289")
    add("COMBIN", "spring2", 2, "14", "spring")
    add("MASS", None, 1, "21", "mass")
    add("MPC", None, 2, "184", "rigid")
    add("MESH", None, 0, "200", "geometry")
    add("SURF", None, 0, "153 154 156 159 19 22", "geometry")
    add("FOLLW", None, 1, "201", "geometry")
    add("PRETS", None, 3, "179", "connector")
    add("COMBIN", None, 2, "7 37 39 40", "connector")
    add("COMBI", None, 2, "214 165 250", "connector")
    add("LINK", None, 2, "11 160 167", "connector")
    add("MATRIX", None, 0, "27 50", "connector")
    add("PLANE", None, 0, "2 25 42 82 83 145 146 182 183 162", "plane")
    add("LINK", None, 2, "1", "plane")
    add("BEAM", None, 2, "3 23 54", "plane")
    add("SHELL", None, 0, "51 61 208 209", "axisymmetric")
    add("SOLID", None, 0, "272 273", "axisymmetric")
    add("FLUID", None, 0, "29 30 38 79 80 81 116 129 130 136 138 139 141 142 218 220 221 243 244", "fluid")
    add("HSFLD", None, 0, "241 242", "fluid")
    add("PLANE", None, 0, "13 35 53 55 67 75 77 78 121 223 230 233 238 292 293", "thermal")
    add(
        "SOLID",
        None,
        0,
        "5 62 69 70 87 90 96 97 98 117 122 123 226 227 225 231 232 236 237 239 240 278 279 291",
        "thermal",
    )
    add("SHELL", None, 0, "57 131 132 157", "thermal")
    add("LINK", None, 0, "31 32 33 34 68", "thermal")
    add("SURF", None, 0, "151 152 155 251 252", "thermal")
    add("MASS", None, 1, "71", "thermal")
    add("CONTA", None, 0, "171 172 173 174 175 176 177 178", "contact")
    add("TARGE", None, 0, "169 170", "contact")
    add("CONTAC", None, 0, "12 26 48 49 52", "contact")
    add("INTER", None, 0, "192 193 194 195 202 203 204 205", "contact")
    return known


ROUTINES = _routines()
_MESH_ONLY = (
    "truss2",
    "truss3",
    "truss2",
    "truss3",
    "tri3",
    "tri6",
    "quad4",
    "quad8",
    "tet4",
    "tet10",
    "hex8",
    "hex20",
)


def routine_of(number: int) -> Routine:
    """The element with that number; one of role "unknown" when it is not in the list."""
    return ROUTINES.get(number, Routine(f"element type {number}", None, "unknown", 0))


def mesh_only_kind(option: int) -> str | None:
    """Kind of a MESH200 element by its KEYOPT(1); None when there is no such option."""
    return _MESH_ONLY[option] if 0 <= option < len(_MESH_ONLY) else None
