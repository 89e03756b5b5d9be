"""The sections of a Gmsh file ($Name ... $EndName), and their numbers, read one way from text and from binary files.

A layout names what stands in a record: "i" an integer of 4 bytes, "s" a count or tag of 4 or 8 bytes (what the file
says), "d" a floating-point number. In text a record is a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.text_numbers import NumberLines


class BinarySource:
    """Numbers of a binary section."""

    has_more = False  # nothing says so

    def __init__(self, file: GmshFile, section: Section) -> None:
        self.label, self._data = f"{file.path}: ${section.name}, byte", file.data
        self._at, self._end = section.start, section.end
        size = "u8" if file.size_bytes == 8 else "u4"
        self._types = {"i": f"{file.order}i4", "s": file.order + size, "d": f"{file.order}f8"}

    def where(self, row: int | None = None) -> str:
        """File, section and byte where reading stands."""
        return f"{self.label} {self._at}"

    def read(self, layout: str, what: str) -> list:
        """The next numbers."""
        return [self._take(1, code, what)[0].item() for code in layout]

    def read_list(self, code: str, count: int, what: str) -> list:
        """``count`` more numbers."""
        return self._take(count, code, what).tolist()

    def end_record(self, what: str) -> None:
        """Nothing separates records."""

    def text_line(self) -> str:
        """A line of text before binary data."""
        end = self._data.find(b"\n", self._at, self._end)
        end = self._end if end < 0 else end
        line = self._data[self._at : min(end, self._at + 100)].decode("ascii", "backslashreplace").strip()
        self._at = min(end + 1, self._end)
        return line

    def repeated(self, head: tuple[int, ...], width: int, at_most: int, what: str) -> tuple[np.ndarray, np.ndarray]:
        """Records of ``width`` 4-byte integers, the second and later ones behind the same head as the first.

        Reading stands behind the first head. Returns the records (k, width) without heads, and their bytes.
        """
        self.check(1, 4 * width, what)
        stride = 4 * (len(head) + width)
        start = self._at - 4 * len(head)
        possible = min((self._end - start) // stride, at_most)
        shape = (possible, len(head) + width)
        rows = np.frombuffer(self._data, self._types["i"], possible * shape[1], start).reshape(shape)
        count, step = 1, 64
        while count < possible:  # in growing steps: runs are short or very long
            same = (rows[count : count + step, : len(head)] == head).all(axis=1)
            if not same.all():
                count += int(np.argmin(same))
                break
            count, step = count + len(same), 4 * step
        self._at = start + count * stride
        return rows[:count, len(head) :].astype(np.int64), start + stride * np.arange(count)

    def table(self, count: int, layout: str, what: str) -> tuple[np.ndarray, np.ndarray]:
        """``count`` records: their numbers (count, len(layout)), integer when the layout is; and their bytes."""
        start = self._at
        dtype = np.dtype([(f"f{i}", self._types[code]) for i, code in enumerate(layout)])
        if len(set(layout)) == 1:
            values = self._take(count * len(layout), layout[0], what).reshape(count, len(layout))
            values = values.astype(float if layout[0] == "d" else np.int64)
        else:
            self.check(count, dtype.itemsize, what)
            records = np.frombuffer(self._data, dtype, count, self._at)
            self._at += count * dtype.itemsize
            values = np.stack([records[name].astype(float) for name in dtype.names], axis=1)
        return values, start + dtype.itemsize * np.arange(count)

    def _take(self, count: int, code: str, what: str) -> np.ndarray:
        dtype = np.dtype(self._types[code])
        self.check(count, dtype.itemsize, what)
        values = np.frombuffer(self._data, dtype, count, self._at)
        self._at += count * dtype.itemsize
        return values

    def check(self, count: int, size: int, what: str) -> None:
        """MeshError when ``count`` records of ``size`` bytes do not fit into the section."""
        if count < 0 or count * size > self._end - self._at:
            left = f"but the section has {self._end - self._at} more; the file is cut off, or the count is wrong"
            raise MeshError(f"{self.where()}: {count} x {size} bytes of {what} should follow, {left}.")


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

    def numbers(self, section: Section) -> NumberLines | BinarySource:
        """The numbers of a section."""
        if self.order:
            return BinarySource(self, section)
        return NumberLines(self.path, f"${section.name}", self.data, section.start, section.end, section.line)


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
        if name.startswith(("End", "END")):
            raise MeshError(f"{path}:{line}: ${name}: closes a section that was not opened.")
        if end < 0:
            last = data.count(b"\n") + (not data.endswith(b"\n"))
            what = f"the section is cut off: the file ends in line {last} without {ending}"
            raise MeshError(f"{path}:{line}: ${name}: {what}; save the mesh again.")
        line += data.count(b"\n", found.start(), found.end())
        sections.append(Section(name, found.end(), end, line))
        line += data.count(b"\n", found.end(), end)
        at = end + len(ending)
    return sections


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
