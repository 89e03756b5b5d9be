"""The sections of a Gmsh file: $Name ... $EndName."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from flexmbs.common.errors import MeshError

_START = re.compile(rb"^[ \t\f]*\$([A-Za-z0-9]+)[ \t\r]*$\n?", re.MULTILINE)
_ENDS = {"NOD": "ENDNOD", "ELM": "ENDELM"}


@dataclass(frozen=True)
class Section:
    """One section: its name, where its content stands (bytes ``start`` to ``end``), in which line that starts."""

    name: str
    start: int
    end: int
    line: int


@dataclass(frozen=True)
class GmshFile:
    """A file as bytes, with its version (1.0, 2.0 to 2.2, 4.0, 4.1) and sections.

    ``order`` is "" for text, "<" or ">" for binary; ``size_bytes`` the size of counts and tags in binary 4.1.
    """

    path: Path
    data: bytes
    version: float
    order: str
    size_bytes: int
    sections: tuple[Section, ...]


def open_gmsh(path: Path) -> GmshFile:
    """Find version and sections of a file; MeshError when it is no Gmsh file, or one of its sections has no end."""
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in data[:65536] and b"\r" in data[:65536]:
        data = data.replace(b"\r", b"\n")  # line ends of old Macintoshs
    head = data[:200].lstrip()
    if not head.startswith(b"$"):
        shown = head[:40].decode("ascii", "backslashreplace").splitlines()
        what = f"starts with '{shown[0]}'" if shown else "is empty"
        raise MeshError(f"{path}:1: not a Gmsh mesh: the file {what}; a Gmsh file starts with $MeshFormat.")
    sections = _find_sections(path, data)
    header = next((section for section in sections if section.name == "MeshFormat"), None)
    if header is None:
        if not any(section.name == "NOD" for section in sections):
            raise MeshError(f"{path}:1: {data[:20].split()[0].decode('latin-1')}: the file has no $MeshFormat.")
        return GmshFile(path, data, 1.0, "", 4, tuple(sections))
    return GmshFile(path, data, *_read_header(path, data, header), tuple(sections))


def _find_sections(path: Path, data: bytes) -> list[Section]:
    sections, at, line = [], 0, 1
    while (found := _START.search(data, at)) is not None:
        name = found[1].decode("ascii")
        line += data.count(b"\n", at, found.start())
        ending = f"$End{name}" if name not in _ENDS else f"${_ENDS[name]}"
        end = data.find(ending.encode(), found.end())
        if name.startswith(("End", "END")) or end < 0:
            why = "closes a section that was not opened" if name.startswith(("End", "END")) else _unclosed(data, ending)
            raise MeshError(f"{path}:{line}: ${name}: {why}.")
        line += data.count(b"\n", found.start(), found.end())
        sections.append(Section(name, found.end(), end, line))
        line += data.count(b"\n", found.end(), end)
        at = end + len(ending)
    return sections


def _unclosed(data: bytes, ending: str) -> str:
    last = data.count(b"\n") + (not data.endswith(b"\n"))
    return f"the section is cut off: the file ends in line {last} without {ending}; save the mesh again"


def _read_header(path: Path, data: bytes, header: Section) -> tuple[float, str, int]:
    where = f"{path}:{header.line}: $MeshFormat"
    first, _, rest = data[header.start : header.end].partition(b"\n")
    words = first.split()
    try:
        version, kind, size = float(words[0]), int(words[1]), int(words[2])
    except (ValueError, IndexError):
        shown = first[:40].decode("ascii", "backslashreplace").strip()
        raise MeshError(f"{where}: '{shown}' must be version, file type and data size (such as 4.1 0 8).") from None
    if not (2.0 <= version < 3.0 or version in (4.0, 4.1)):
        raise MeshError(f"{where}: version {version:g} is not supported; save the mesh as version 4.1 or 2.2.")
    if kind == 0:
        return version, "", 8
    if kind != 1 or size not in (4, 8):
        raise MeshError(f"{where}: file type {kind} and data size {size} are unknown; they must be 0 or 1, and 8.")
    order = {b"\x01\x00\x00\x00": "<", b"\x00\x00\x00\x01": ">"}.get(rest[:4])
    if order is None:
        raise MeshError(f"{where}: the number 1 that marks the byte order of a binary file is missing; save the file again.")
    return version, order, size
