"""Numbers of one section, read one way from text and from binary files.

A layout names what stands in a record: "i" an integer of 4 bytes, "s" a count or tag of 4 or 8 bytes (what the file
says), "d" a floating-point number. In text a record is a line.
"""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.number_lines import NumberLines
from flexmbs.mesh.readers.gmsh.file_sections import GmshFile, Section


def source_of(file: GmshFile, section: Section) -> NumberLines | BinarySource:
    """The numbers of a section."""
    if file.order:
        return BinarySource(file, section)
    return NumberLines(file.path, f"${section.name}", file.data, section.start, section.end, section.line)


class BinarySource:
    """Numbers of a binary section."""

    def __init__(self, file: GmshFile, section: Section) -> None:
        self.label = f"{file.path}: ${section.name}, byte"
        self._path, self._card, self._data = file.path, f"${section.name}", file.data
        self._at, self._end = section.start, section.end
        size = "u8" if file.size_bytes == 8 else "u4"
        self._types = {"i": f"{file.order}i4", "s": file.order + size, "d": f"{file.order}f8"}

    def where(self, row: int | None = None) -> str:
        """File, section and byte where reading stands."""
        return f"{self._path}: {self._card}, byte {self._at}"

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
            raise MeshError(
                f"{self.where()}: {count} x {size} bytes of {what} should follow, but the section has"
                f" {self._end - self._at} more; the file is cut off, or the count is wrong."
            )
