"""What must be true of a file before meshio sees it: counts that fit its size, and no references out of its folder.

meshio allocates, and counts to, whatever number a file states.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from flexmbs.common.atomic_files import what_is
from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.reader_tools.xml_tree import XmlNode, xml_tree

# A line that is a single number, or a word and a number: where the formats state how much follows.
_COUNT_LINE = re.compile(rb"^[ \t]*(?:(?:element[ \t]+)?[A-Za-z_%]+[ \t]*(?:=[ \t]*)?)?(\d{4,})[ \t\r]*$", re.MULTILINE)
_SIZES = re.compile(
    rb"\b(?:size|Dimensions|NumberOfElements|NELEM|NPOIN|NMARK|N|E|NODES|ELEMENTS)\s*=\s*\"?(\d[\d ]*)", re.IGNORECASE
)
_HEAD_LINES = 5
_XDMF, _HDF5 = (".xdmf", ".xmf"), (".h5m", ".hmf", ".cgns")


def check_counts(path: Path) -> None:
    """MeshError when a text file states a count that its size cannot hold, or a file names data outside of its folder."""
    data = path.read_bytes()
    if not data.strip():
        raise MeshError(f"{path}:1: the file is empty.")
    if path.suffix.lower() in _XDMF:  # in any encoding
        for node in xml_tree(path, data).nested():
            _check_reference(path, node)
        return
    if path.suffix.lower() in _HDF5:
        with hdf5.opened(path):
            return
    if b"\x00" in data[:1024]:
        _check_binary(path, data)
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


def _check_reference(path: Path, node: XmlNode) -> None:
    """XDMF keeps its numbers in other files, which must be beside it."""
    kind, where = node.attributes.get("Format", "XML"), f"{path}:{node.line}: {node.tag}"
    if kind == "XML":
        return
    if node.children:
        raise MeshError(f"{where}: it contains other elements; expected the name of a file alone.")
    text = "".join(node.texts).strip()
    name, inside = (text, "") if kind == "Binary" else text.partition(":")[::2]
    folder = Path(os.path.realpath(path)).parent
    if os.path.isabs(name) or not Path(os.path.realpath(folder / name)).is_relative_to(folder):
        raise MeshError(f"{where}: {name} is outside the folder of the file; copy it there, and give its name alone.")
    if what_is(folder / name):
        raise MeshError(f"{where}: {name} {what_is(folder / name)}; expected a file with the numbers.")
    if kind == "HDF":
        with hdf5.opened(folder / name) as file:  # meshio would take any size that it declares
            hdf5.array(hdf5.needed(file, inside.strip("/"), folder / name, kind="dataset"), folder / name)
