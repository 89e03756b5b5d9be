"""What must be true of a file before meshio sees it: counts that fit its size, and no references out of its folder.

meshio allocates, and counts to, whatever number a file states.
"""

from __future__ import annotations

import re
from pathlib import Path

from flexmbs.common.errors import MeshError

# A line that is a single number, or a word and a number: where the formats state how much follows.
_COUNT_LINE = re.compile(rb"^[ \t]*(?:(?:element[ \t]+)?[A-Za-z_%]+[ \t]*(?:=[ \t]*)?)?(\d{4,})[ \t\r]*$", re.MULTILINE)
_SIZES = re.compile(
    rb"\b(?:size|Dimensions|NumberOfElements|NELEM|NPOIN|NMARK|N|E|NODES|ELEMENTS)\s*=\s*\"?(\d[\d ]*)", re.IGNORECASE
)
_HEAD_LINES = 5
_OUTSIDE = re.compile(rb"(?:^|[\s>\"'])(/[^\s<:]*|\.\./[^\s<:]*|[A-Za-z]:[\\/][^\s<:]*)(?=:/)", re.IGNORECASE)
_XDMF = (".xdmf", ".xmf")


def check_counts(path: Path) -> None:
    """MeshError when a text file states a count that its size cannot hold, or names data outside of its folder."""
    data = path.read_bytes()
    if not data.strip():
        raise MeshError(f"{path}:1: the file is empty.")
    if b"\x00" in data[:1024]:
        _check_binary(path, data)
        return
    if path.suffix.lower() in _XDMF:
        _check_references(path, data)
        return
    for pattern in (_COUNT_LINE, _SIZES):
        for match in pattern.finditer(data):
            for word in match[1].split():
                _check(path, data, match.start(1), word)
    at = 0
    for line in data.split(b"\n", _HEAD_LINES)[:_HEAD_LINES]:
        for word in line.split():
            if word.isdigit():
                _check(path, data, at, word)
        at += len(line) + 1


def _check(path: Path, data: bytes, at: int, word: bytes) -> None:
    if len(word) > 18 or int(word) > len(data):
        line = data.count(b"\n", 0, at) + 1
        shown = word[:30].decode("ascii", "replace")
        raise MeshError(f"{path}:{line}: {shown} is more than a file of {len(data)} bytes can hold; it is damaged.")


def _check_binary(path: Path, data: bytes) -> None:
    """Binary STL states how many triangles of 50 bytes follow its first 80 bytes."""
    if path.suffix.lower() == ".stl" and len(data) >= 84:
        count = int.from_bytes(data[80:84], "little")
        if 84 + 50 * count > len(data):
            raise MeshError(
                f"{path}: byte 80: {count} triangles are declared, but {len(data)} bytes cannot hold them; the file"
                " is damaged or cut off."
            )


def _check_references(path: Path, data: bytes) -> None:
    """XDMF keeps its numbers in other files, which must stand beside it."""
    found = _OUTSIDE.search(data)
    if found:
        line = data.count(b"\n", 0, found.start(1)) + 1
        raise MeshError(
            f"{path}:{line}: DataItem: {found[1].decode('utf-8', 'replace')} is outside the folder of the file; copy it there."
        )
    if b"<!ENTITY" in data or b"<!DOCTYPE" in data.replace(b'<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>', b""):
        raise MeshError(f"{path}:1: the XDMF file declares entities, which is not allowed.")
