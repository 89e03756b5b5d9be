"""VTK's legacy files (.vtk): unstructured grids and polygonal data, text and binary."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.number_text import numbers_in
from flexmbs.mesh.readers.vtk.grid import Grid
from flexmbs.mesh.readers.vtk.xml_file import polygon_types

_TYPES = {
    "bit": "u1",
    "unsigned_char": "u1",
    "char": "i1",
    "unsigned_short": "u2",
    "short": "i2",
    "unsigned_int": "u4",
    "int": "i4",
    "unsigned_long": "u8",
    "long": "i8",
    "float": "f4",
    "double": "f8",
    "vtkidtype": "i4",
    "vtktypeint64": "i8",
    "vtktypeuint64": "u8",
    "vtktypeint32": "i4",
    "signed_char": "i1",
    "unsigned_long_long": "u8",
    "long_long": "i8",
    "vtktypeuint32": "u4",
    "vtktypeuint8": "u1",
    "vtktypeint8": "i1",
    "vtktypefloat64": "f8",
    "vtktypefloat32": "f4",
    "vtktypeint16": "i2",
    "vtktypeuint16": "u2",
}
_POLY = {"VERTICES": (2, {1: 1}), "LINES": (4, {2: 3}), "POLYGONS": (7, {3: 5, 4: 9}), "TRIANGLE_STRIPS": (6, {3: 5})}
_COMPONENTS = {"VECTORS": 3, "NORMALS": 3, "TENSORS": 9, "TENSORS6": 6}
# The next line that begins with a word, which is no number called nan or inf.
_WORD = re.compile(rb"^[ \t]*(?!nan\b|inf)[A-Za-z]", re.MULTILINE | re.IGNORECASE)


def read_legacy(path: Path, data: bytes) -> Grid:
    """The grid of a legacy file."""
    return _LegacyFile(path, data).read()


class _LegacyFile:
    """Reads keyword after keyword; ``_at`` is the next byte, ``_line`` its line (in text files)."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path, self._data = path, data
        self._at, self._line = 0, 1
        self._keyword = "header"
        self._is_binary = False
        self._points: np.ndarray | None = None
        self._cells: list[tuple[str, np.ndarray, np.ndarray]] = []
        self._types: np.ndarray | None = None
        self._arrays: list[tuple[str, str, int, np.ndarray | None]] = []
        self._size, self._target = 0, ""
        self._cells_at = str(path)

    def read(self) -> Grid:
        """The grid of the whole file."""
        self._header()
        while (words := self._next_words()) is not None:
            self._keyword = words[0].upper()
            handler = getattr(self, f"_read_{self._keyword.lower()}", None)
            if handler is not None:
                handler(words)
            elif self._keyword in _POLY:
                self._read_cells(words)
            elif self._keyword in _COMPONENTS:
                self._keep(self._word(words, 1), _COMPONENTS[self._keyword], self._word(words, 2))
            else:
                raise MeshError(f"{self._where()}: '{words[0][:40]}' is not a keyword; the file is damaged or cut off.")
        return self._grid()

    def _where(self) -> str:
        return f"{self._path}:{self._line}: {self._keyword}"

    def _header(self) -> None:
        first = self._text_line()
        if not first.startswith("# vtk DataFile"):
            raise MeshError(f"{self._path}:1: not a VTK file: it starts with '{first[:40]}' instead of '# vtk DataFile'.")
        self._text_line()
        form = self._text_line().strip().upper()
        if form not in ("ASCII", "BINARY"):
            raise MeshError(f"{self._path}:3: '{form[:40]}' was found instead of ASCII or BINARY.")
        self._is_binary = form == "BINARY"

    def _text_line(self) -> str:
        end = self._data.find(b"\n", self._at)
        end = len(self._data) if end < 0 else end
        line = self._data[self._at : min(end, self._at + 4096)].decode("utf-8", "replace")
        self._at, self._line = end + 1, self._line + 1
        return line

    def _next_words(self) -> list[str] | None:
        """Words of the next line that is not blank; None at the end."""
        while self._at < len(self._data):
            words = self._text_line().split()
            if words:
                self._line -= 1  # of this keyword, while it is read
                return words
        return None

    def _word(self, words: list[str], index: int) -> str:
        if index >= len(words):
            raise MeshError(f"{self._where()}: the line ends too early; it needs {index + 1} words.")
        return words[index]

    def _count(self, words: list[str], index: int) -> int:
        """A count of the line, which cannot be larger than the file."""
        word = self._word(words, index)
        if not word.isdecimal() or len(word) > 18 or int(word) > len(self._data):
            raise MeshError(f"{self._where()}: '{word[:30]}' is more than {len(self._data)} bytes can hold.")
        return int(word)

    def _numbers(self, count: int, type_name: str) -> np.ndarray:
        """The numbers behind the keyword's line."""
        code = _TYPES.get(type_name.lower())
        if code is None:
            raise MeshError(f"{self._where()}: the type '{type_name[:30]}' is not known (int, float, double, ...).")
        values = self._binary(count, type_name, code) if self._is_binary else self._ascii(count, code)
        self._line += 1
        return values

    def _binary(self, count: int, type_name: str, code: str) -> np.ndarray:
        dtype = np.dtype(">" + code)
        size = (count + 7) // 8 if type_name.lower() == "bit" else count * dtype.itemsize
        if size > len(self._data) - self._at:
            raise MeshError(
                f"{self._where()}: {size} bytes should follow, but the file has {len(self._data) - self._at} more; it"
                " is cut off, or the count is wrong."
            )
        values = np.frombuffer(self._data, dtype, size // dtype.itemsize, self._at)
        self._at += size
        return values

    def _ascii(self, count: int, code: str) -> np.ndarray:
        found = _WORD.search(self._data, self._at)
        end = found.start() if found else len(self._data)
        text = self._data[self._at : end]
        values = numbers_in(text, float if code.startswith("f") else np.int64)
        if values is None:
            raise MeshError(f"{self._where()}: some of the entries are not numbers; export the file again.")
        if len(values) != count:
            raise MeshError(
                f"{self._where()}: {count} numbers should follow, but {len(values)} do; the file is cut off, or the count is wrong."
            )
        self._line += text.count(b"\n")
        self._at = end
        return values

    def _done(self) -> None:
        """Behind binary data the line ends."""
        if self._is_binary and self._data[self._at : self._at + 1] == b"\n":
            self._at += 1

    def _read_dataset(self, words: list[str]) -> None:
        kind = self._word(words, 1).upper()
        if kind not in ("UNSTRUCTURED_GRID", "POLYDATA"):
            raise MeshError(f"{self._where()}: {kind[:40]} is not supported; save it as an unstructured grid.")
        self._line += 1

    def _read_points(self, words: list[str]) -> None:
        count = self._count(words, 1)
        self._points = self._numbers(3 * count, self._word(words, 2)).astype(float).reshape(-1, 3)
        self._done()

    def _read_cells(self, words: list[str]) -> None:
        self._cells_at = self._where()
        first, second = self._count(words, 1), self._count(words, 2)
        start, line = self._at, self._line
        self._line += 1
        following = self._next_words() or [""]
        if following[0].upper() == "OFFSETS":  # from version 5 on
            ends = self._numbers(first, self._word(following, 1)).astype(np.int64)[1:]
            self._done()
            following = self._next_words() or [""]
            if following[0].upper() != "CONNECTIVITY":
                raise MeshError(f"{self._where()}: CONNECTIVITY is missing after OFFSETS; the file is cut off.")
            nodes = self._numbers(second, self._word(following, 1)).astype(np.int64)
        else:
            self._at, self._line = start, line
            nodes, ends = _without_sizes(self._numbers(second, "int").astype(np.int64), first, self._cells_at)
        self._done()
        self._cells.append((self._keyword, nodes, ends))

    def _read_cell_types(self, words: list[str]) -> None:
        self._types = self._numbers(self._count(words, 1), "int").astype(np.int64)
        self._done()

    def _read_cell_data(self, words: list[str]) -> None:
        self._size, self._target = self._count(words, 1), "cells"
        self._line += 1

    def _read_point_data(self, words: list[str]) -> None:
        self._size, self._target = self._count(words, 1), "points"
        self._line += 1

    def _read_scalars(self, words: list[str]) -> None:
        name, type_name = self._word(words, 1), self._word(words, 2)
        components = self._count(words, 3) if len(words) > 3 else 1
        at, line = self._at, self._line
        self._line += 1
        following = self._next_words() or [""]
        if following[0].upper() != "LOOKUP_TABLE":  # the line may be missing
            self._at, self._line = at, line
        self._keep(name, components, type_name)

    def _read_lookup_table(self, words: list[str]) -> None:
        type_name = "unsigned_char" if self._is_binary else "float"
        self._keep_array("LOOKUP_TABLE", self._numbers(4 * self._count(words, 2), type_name))

    def _read_color_scalars(self, words: list[str]) -> None:
        count = self._size * self._count(words, 2)
        self._keep_array(self._word(words, 1), self._numbers(count, "unsigned_char" if self._is_binary else "float"), 0)

    def _read_texture_coordinates(self, words: list[str]) -> None:
        self._keep(self._word(words, 1), self._count(words, 2), self._word(words, 3))

    def _read_global_ids(self, words: list[str]) -> None:
        self._keep("GLOBAL_IDS", 1, self._word(words, 2))

    def _read_pedigree_ids(self, words: list[str]) -> None:
        self._keep("PEDIGREE_IDS", 1, self._word(words, 2))

    def _read_field(self, words: list[str]) -> None:
        target, self._line = self._target, self._line + 1
        for _ in range(self._count(words, 2)):
            own = self._next_words()
            while own and own[0].upper() == "METADATA":
                self._read_metadata(own)
                own = self._next_words()
            if own is None:
                raise MeshError(f"{self._where()}: the file ends within the arrays of FIELD; it is cut off.")
            components, count = self._count(own, 1), self._count(own, 2)
            self._size = count if not target else self._size
            is_own = target and count == self._size
            if self._word(own, 3).lower() in ("string", "vtkstring", "variant"):
                self._skip_strings(components * count)
                continue
            values = self._numbers(components * count, own[3])
            self._keep_array(own[0], values, components if is_own else 0)

    def _skip_strings(self, count: int) -> None:
        self._line += 1
        for _ in range(count):
            if not self._is_binary:
                self._text_line()
                continue
            # The first two bits say how many bytes the length takes: 8, 4, 2 or 1.
            width = 8 >> (self._data[self._at] >> 6) if self._at < len(self._data) else 1
            length = int.from_bytes(self._data[self._at : self._at + width], "big") & ((1 << (8 * width - 2)) - 1)
            if length + width > len(self._data) - self._at:
                raise MeshError(f"{self._where()}: the file ends within a text; it is cut off.")
            self._at += width + length
        self._done()

    def _read_metadata(self, words: list[str]) -> None:
        self._line += 1
        while self._at < len(self._data) and self._text_line().strip():
            pass

    def _keep(self, name: str, components: int, type_name: str) -> None:
        line = self._line
        values = self._numbers(self._size * components, type_name)
        self._keep_array(name, values, components, line)

    def _keep_array(self, name: str, values: np.ndarray, components: int = 0, line: int | None = None) -> None:
        self._done()
        is_integer = values.dtype.kind in "iu" and components == 1
        self._arrays.append((self._target, name, line or self._line, values.astype(np.int64) if is_integer else None))

    def _grid(self) -> Grid:
        if self._points is None or not self._cells:
            missing = "POINTS" if self._points is None else "CELLS or POLYGONS"
            raise MeshError(f"{self._path}:{self._line}: the file has no {missing}, so it holds no mesh.")
        starts = np.cumsum([0] + [len(nodes) for _, nodes, _ in self._cells])
        ends = np.concatenate([ends + start for (_, _, ends), start in zip(self._cells, starts, strict=False)])
        types = self._types
        if types is None:
            if any(keyword == "CELLS" for keyword, *_ in self._cells):
                raise MeshError(f"{self._path}:{self._line}: CELL_TYPES is missing; the file is cut off.")
            sizes = [np.diff(own, prepend=0) for _, _, own in self._cells]
            words = [word for word, _, _ in self._cells]
            types = np.concatenate([polygon_types(own, *_POLY[word]) for own, word in zip(sizes, words, strict=True)])
        nodes = np.concatenate([nodes for _, nodes, _ in self._cells])
        grid = Grid(self._path, self._points, nodes, ends, types, f"{self._path}: POINTS", self._cells_at)
        grid.check()
        sizes = {"points": len(grid.points), "cells": len(ends)}
        for target, name, line, values in self._arrays:
            if values is None or len(values) != sizes.get(target):
                grid.left_out.append((name, line))
            elif name == "GLOBAL_IDS":
                setattr(grid, "cell_numbers" if target == "cells" else "point_numbers", values)
            else:
                (grid.cell_data if target == "cells" else grid.point_data)[name] = values
        return grid


def _without_sizes(values: np.ndarray, count: int, where: str) -> tuple[np.ndarray, np.ndarray]:
    """From sizes and nodes of cells one after another to the nodes alone and where each cell ends in them."""
    if count and len(values) % count == 0 and (values[:: len(values) // count] == len(values) // count - 1).all():
        width = len(values) // count  # all cells have the same size
        return values.reshape(count, width)[:, 1:].ravel(), np.arange(1, count + 1) * (width - 1)
    heads, at, flat = [], 0, values.tolist()
    for _ in range(count):
        if at >= len(flat) or flat[at] < 0 or at + flat[at] >= len(flat):
            raise MeshError(f"{where}: cell {len(heads)} lies outside the {len(flat)} numbers of all cells.")
        heads.append(at)
        at += flat[at] + 1
    if at != len(flat):
        raise MeshError(f"{where}: {count} cells take {at} numbers, but {len(flat)} are declared; make them agree.")
    keep = np.ones(len(values), bool)
    keep[heads] = False
    return values[keep], np.cumsum(values[heads]) if heads else np.empty(0, np.int64)
