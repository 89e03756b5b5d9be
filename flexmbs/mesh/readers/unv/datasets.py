"""The datasets of a universal file: the content between two lines of -1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.text_numbers import Format, integer, read_table, real

_MARK = re.compile(rb"\s{0,8}-1\s*$")
_NUMBER = re.compile(rb"\s*(\d{1,7})(b?)\b", re.IGNORECASE)
_CHUNK = 20000


class Dataset:
    """One dataset, whose lines are read as they are asked for."""

    def __init__(self, reader: UniversalFile, number: int, header: str, line: int) -> None:
        self._reader, self.number, self.header, self.line = reader, number, header, line
        self.file, self.card = str(reader.path), f"dataset {number}"  # for messages
        self._ended = False
        self._waiting: list[str] = []

    def where(self) -> str:
        """ "file:line: dataset n", of the line read last."""
        return f"{self.file}:{self.line_read}: {self.card}"

    @property
    def line_read(self) -> int:
        """Number of the line read last."""
        return self._reader.line - len(self._waiting)

    def next_line(self) -> str | None:
        """The next line; None after the last one. MeshError where the file ends before the dataset does."""
        if self._waiting:
            return self._waiting.pop()
        if self._ended:
            return None
        line = self._reader.read_line()
        if line is None:
            what = f"the dataset that begins in line {self.line} (a line with -1 ends it)"
            raise MeshError(f"{self.where()}: the file ends within {what}; it is cut off.")
        if _MARK.match(line):
            self._ended = True
            return None
        return line.decode("latin-1")

    def needed_line(self, what: str) -> str:
        """The next line; MeshError if the dataset ends where ``what`` was expected."""
        line = self.next_line()
        if line is None:
            raise MeshError(f"{self.where()}: the dataset ends where {what} was expected; it is cut off.")
        return line

    def chunks(self) -> Iterator[tuple[list[str], int, bool]]:
        """Lines, the number of the first, and whether they are the last; lines pushed back come in the next chunk."""
        while True:
            lines: list[str] = []
            while len(lines) < _CHUNK and (line := self.next_line()) is not None:
                lines.append(line)
            ended = self._ended and not self._waiting
            first = self._reader.line - len(self._waiting) - len(lines) + (0 if self._ended else 1)
            yield lines, first, ended
            if ended:
                return

    def push_back(self, lines: list[str]) -> None:
        """Push lines back, to be read again."""
        self._waiting += lines[::-1]

    def skip(self) -> None:
        """Read on to the end of the dataset."""
        self._waiting.clear()
        while self.next_line() is not None:
            pass

    def table(self, lines: list[str], known: Format, first: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of lines in fixed columns; of lines that keep to none, the numbers between blanks."""
        try:
            return read_table(lines, known, self.file, first, self.card)
        except MeshError as error:
            return self._free_table(lines, known, first, error)

    def _free_table(self, lines, known: Format, first: int, error: MeshError) -> tuple[np.ndarray, np.ndarray]:
        integers = np.zeros((len(lines), len(known.integers)), np.int64)
        reals = np.zeros((len(lines), len(known.reals)))
        for row, line in enumerate(lines):
            fields = line.split()
            whole, broken = fields[: len(known.integers)], fields[len(known.integers) :]
            values = [integer(field) for field in whole]
            others = [real(field) for field in broken]
            if None in values or None in others or len(others) != len(known.reals):
                raise error
            integers[row, : len(values)] = values
            reals[row] = others
        return integers, reals


class UniversalFile:
    """A universal file, dataset by dataset."""

    def __init__(self, path: Path) -> None:
        self.path, self.line = path, 0
        self._file, self._size = open(path, "rb"), path.stat().st_size
        head = self._file.read(65536)
        self._file.seek(0)
        self._old_mac = b"\r" in head and b"\n" not in head
        self._lines: list[bytes] = []

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def read_line(self) -> bytes | None:
        """The next line without its end; None at the end of the file."""
        if self._old_mac and not self._lines:
            self._lines, self._old_mac = self._file.read().split(b"\r")[::-1], False
        line = self._lines.pop() if self._lines else self._file.readline()
        if not line and not self._lines:
            return None
        self.line += 1
        line = line.removeprefix(b"\xef\xbb\xbf") if self.line == 1 else line
        return line.rstrip(b"\r\n\x1a\x0c")

    def datasets(self) -> Iterator[Dataset]:
        """The datasets in their order; what a caller does not read of one is skipped."""
        while (line := self.read_line()) is not None:
            if not line.strip():
                continue
            if not _MARK.match(line):
                what = f"{line[:30]!r} was found instead of -1, the start of a dataset"
                raise MeshError(f"{self.path}:{self.line}: {what}; the file is damaged or not a universal file.")
            start = self.line
            header = self.read_line()
            match = _NUMBER.match(header or b"")
            if header is None and start > 1:
                return  # a file that ends with one mark too many
            if match is None:
                what = f"{(header or b'')[:30]!r} was found instead of the number of a dataset"
                raise MeshError(f"{self.path}:{self.line}: {what}; the file is damaged or cut off.")
            dataset = Dataset(self, int(match[1]), header.decode("latin-1"), self.line)
            if match[2]:
                self._skip_binary(dataset)
            yield dataset
            dataset.skip()

    def _skip_binary(self, dataset: Dataset) -> None:
        """Jump over the bytes of a binary dataset (58b), whose first line says how many follow how many lines."""
        fields = [integer(field) for field in dataset.header.split()[1:6]]
        if len(fields) < 5 or None in fields or not 0 <= fields[3] <= 100:
            raise MeshError(f"{self.path}:{dataset.line}: {dataset.card}: the header of a binary dataset is damaged.")
        for _ in range(fields[3]):
            if self.read_line() is None:
                break
        if not 0 <= fields[4] <= self._size - self._file.tell():
            raise MeshError(f"{self.path}:{dataset.line}: {dataset.card}: {fields[4]} bytes are declared, more than the file has.")
        self._file.seek(fields[4], 1)
