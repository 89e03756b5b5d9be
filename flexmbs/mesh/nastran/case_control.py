"""Case control: the sets that it defines, and which of the deck's constraint sets it chooses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from flexmbs.errors import MeshError
from flexmbs.mesh.nastran import numbers
from flexmbs.mesh.nastran.files import LineOfDeck
from flexmbs.mesh.nastran.ranges import Ranges, read_ranges

_SET = re.compile(r"SET\s+(\d+)\s*=\s*(.*)$", re.IGNORECASE)
_CHOICE = re.compile(r"(SPC|MPC|SUPORT1)\s*=\s*(\d+)\s*$", re.IGNORECASE)
_OUTPUT = re.compile(r"([A-Z]{3,})\s*(?:\([^)]*\))?\s*=\s*(\d+)\s*$", re.IGNORECASE)
_PLOTS = re.compile(r"OUTPUT\s*\(\s*(PLOT|XYOUT|XYPLOT|CARDS|POST)", re.IGNORECASE)
_OF_NODES = ("DISP", "VECT", "VELO", "ACCE", "SPCF", "MPCF", "OLOA", "GPFO", "GPST", "GPKE", "PRES", "THER", "SVEC")
_OF_ELEMENTS = ("STRE", "STRA", "FORC", "ELFO", "ELST", "ELDA", "ESE", "EKE", "EDE", "ELSUM")


@dataclass(frozen=True)
class CaseSet:
    """``SET n = ...``: numbers of nodes or elements, whichever an output request takes it for ("nodes", "elements")."""

    number: int
    members: Ranges
    of: frozenset[str]
    file: str
    line: int


@dataclass
class CaseControl:
    """What the case control says about the mesh."""

    sets: list[CaseSet] = field(default_factory=list)
    chosen: dict[str, list[int]] = field(default_factory=dict)  # "SPC", "MPC" -> numbers, in the order given
    warnings: list[str] = field(default_factory=list)


def read_case_control(lines: Iterable[LineOfDeck]) -> CaseControl:
    """Read the lines between CEND (or the start of the file) and BEGIN BULK."""
    case = CaseControl()
    used: dict[int, set[str]] = {}
    drafts: dict[int, tuple[str, str, int]] = {}
    pending: tuple[int, str, str, int] | None = None
    plots = False
    for file, number, text in lines:
        text = text.split("$")[0].strip()
        if not text:
            continue
        if pending is not None:
            pending = (pending[0], pending[1] + " " + text, *pending[2:])
        elif found := _SET.match(text):
            pending = (int(found.group(1)[:18]), found.group(2), file, number)
        else:
            plots = plots or bool(_PLOTS.match(text))
            _note_request(text, case, used)
        if pending is not None and not text.endswith(","):
            if not plots:
                drafts[pending[0]] = pending[1:]
            pending = None
    for number, (text, file, line) in drafts.items():
        _add_set(case, number, text, frozenset(used.get(number, ())), file, line)
    return case


def _note_request(text: str, case: CaseControl, used: dict[int, set[str]]) -> None:
    if choice := _CHOICE.match(text):
        numbers_ = case.chosen.setdefault(choice.group(1).upper(), [])
        value = int(choice.group(2)[:18])
        if value not in numbers_:
            numbers_.append(value)
    elif request := _OUTPUT.match(text):
        word = request.group(1).upper()
        if word.startswith(_OF_NODES):
            used.setdefault(int(request.group(2)[:18]), set()).add("nodes")
        elif word.startswith(_OF_ELEMENTS):
            used.setdefault(int(request.group(2)[:18]), set()).add("elements")


def _add_set(case: CaseControl, number: int, text: str, of: frozenset[str], file: str, line: int) -> None:
    words = text.replace(",", " ").split()
    if any(numbers.integer(word) is None and numbers.real(word) is not None for word in words):
        return  # times or frequencies of an output request
    if any(not re.fullmatch(r"-?\d+|THRU|BY|EXCEPT|ALL", word.upper()) for word in words):
        return  # plot sets by element type, names of points and the like
    where = f"{file}:{line}: SET {number}"
    try:
        members = read_ranges(words, where, "member")
    except MeshError as error:
        case.warnings.append(f"{error} The set is left out.")
        return
    if members.parts:
        case.sets.append(CaseSet(number, members, of, file, line))
