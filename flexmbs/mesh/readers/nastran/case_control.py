"""Case control: the sets that it defines, and which of the deck's constraint sets it chooses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran import number_fields
from flexmbs.mesh.readers.nastran.deck_files import LineOfDeck
from flexmbs.mesh.readers.nastran.thru_ranges import Ranges, read_ranges

_SET = re.compile(r"SET\s+(\d+)\s*=\s*(.*)$", re.IGNORECASE)
_CHOICE = re.compile(r"(SPC|MPC|SUPORT1)\s*=\s*(\d+)\s*$", re.IGNORECASE)
_OUTPUT = re.compile(r"([A-Z]{3,})\s*(?:\([^)]*\))?\s*=\s*(\d+)\s*$", re.IGNORECASE)
_SECTION = re.compile(r"OUTPUT\s*\(\s*(PLOT|XYOUT|XYPLOT|CARDS|POST)", re.IGNORECASE)
_SURFACE = re.compile(r"(?:SURFACE|VOLUME)\s+\d+\s.*?\bSET\s*=?\s*(\d+)", re.IGNORECASE)  # of OUTPUT(POST)
_OF_NODES = ("DISP", "VECT", "VELO", "ACCE", "SPCF", "MPCF", "OLOA", "GPFO", "GPST", "GPKE", "PRES", "THER", "SVEC")
_OF_ELEMENTS = ("STRE", "STRA", "FORC", "ELFO", "ELST", "ELDA", "ESE", "EKE", "EDE", "ELSUM")


@dataclass(frozen=True)
class CaseSet:
    """``SET n = ...``: numbers of nodes or elements, whichever an output request takes it for ("nodes", "elements").

    ``section`` : "POST" for a set of OUTPUT(POST) whose number another set has too; else ""
    """

    number: int
    members: Ranges
    of: frozenset[str]
    file: str
    line: int
    section: str = ""


@dataclass
class CaseControl:
    """What the case control says about the mesh."""

    sets: list[CaseSet] = field(default_factory=list)
    chosen: dict[str, list[int]] = field(default_factory=dict)  # "SPC", "MPC" -> numbers, in the order given
    warnings: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str, int, str]] = field(default_factory=list)  # sets: card, file, line, why


def read_case_control(lines: Iterable[LineOfDeck]) -> CaseControl:
    """Read the lines between CEND (or the start of the file) and BEGIN BULK."""
    case = CaseControl()
    used: dict[tuple[str, int], set[str]] = {}
    drafts: dict[tuple[str, int], tuple[str, str, int]] = {}
    pending: tuple[int, str, str, int] | None = None
    section = ""
    for file, number, text in lines:
        text = text.split("$")[0].strip()
        if not text:
            continue
        if pending is not None:
            pending = (pending[0], pending[1] + " " + text, *pending[2:])
        elif found := _SET.match(text):
            pending = (int(found.group(1)[:18]), found.group(2), file, number)
        elif begins := _SECTION.match(text):
            section = begins.group(1).upper()
        else:
            _note_request(text, case, used, section)
        if pending is not None and not text.endswith(","):
            if section in ("", "POST"):
                drafts[section, pending[0]] = pending[1:]
            else:
                case.left_out.append((f"SET {pending[0]}", *pending[2:], f"a set for plots, in OUTPUT({section})"))
            pending = None
    for key, (text, file, line) in drafts.items():
        # A set that stands before OUTPUT(POST) may be used there.
        of = used.get(key, used.get(("POST", key[1]), ()) if not key[0] else ())
        _add_set(case, key if ("", key[1]) in drafts else ("", key[1]), text, frozenset(of), file, line)
    return case


def _note_request(text: str, case: CaseControl, used: dict[tuple[str, int], set[str]], section: str) -> None:
    if choice := _CHOICE.match(text):
        numbers_ = case.chosen.setdefault(choice.group(1).upper(), [])
        value = int(choice.group(2)[:18])
        if value not in numbers_:
            numbers_.append(value)
    elif request := _OUTPUT.match(text):
        word = request.group(1).upper()
        if word.startswith(_OF_NODES):
            used.setdefault((section, int(request.group(2)[:18])), set()).add("nodes")
        elif word.startswith(_OF_ELEMENTS):
            used.setdefault((section, int(request.group(2)[:18])), set()).add("elements")
    elif section == "POST" and (surface := _SURFACE.match(text)):
        used.setdefault((section, int(surface.group(1)[:18])), set()).add("elements")


def _add_set(case: CaseControl, key: tuple[str, int], text: str, of: frozenset[str], file: str, line: int) -> None:
    section, number = key
    words = text.replace(",", " ").split()
    if any(number_fields.integer(word) is None and number_fields.real(word) is not None for word in words):
        case.left_out.append((f"SET {number}", file, line, "times or frequencies of an output request"))
        return
    if any(not re.fullmatch(r"-?\d+|THRU|BY|EXCEPT|ALL", word.upper()) for word in words):
        case.left_out.append((f"SET {number}", file, line, "its members are not numbers"))
        return
    where = f"{file}:{line}: SET {number}"
    try:
        members = read_ranges(words, where, "member")
    except MeshError as error:
        case.warnings.append(f"{error} The set is left out.")
        return
    if not members.parts:
        case.left_out.append((f"SET {number}", file, line, "it lists no individual nodes or elements"))
    else:
        case.sets.append(CaseSet(number, members, of, file, line, section))
