"""Numbers of text files, read in bulk: separated by blanks, or in fixed columns as a Fortran format line describes them."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError

_CHUNK = 1 << 23  # bytes of text parsed at once
_LARGEST = 2.0**53  # whole numbers above are not exact as floating-point numbers


class NumberLines:
    """Numbers of one section of a text file (its bytes ``start`` to ``end``); every record is one line.

    Layouts name what stands in a record: "i" and "s" a whole number, "d" any number.

    Attributes
    ----------
    label : the file, as messages call it
    values : (n,) float, all numbers
    offsets : (rows + 1,) where in ``values`` each line that is not blank begins
    lines : (rows,) its number in the file
    """

    def __init__(self, path: Path, card: str, data: bytes, start: int, end: int, first_line: int) -> None:
        self.label = str(path)
        self._card = card
        self._last = first_line + data.count(b"\n", start, end)
        self.values, counts, self.lines = _parse_text(path, card, data, start, end, first_line)
        self.offsets = np.concatenate([[0], np.cumsum(counts)])
        self._row, self._within = 0, 0

    def where(self, row: int | None = None) -> str:
        """File, line and section of a row, or of where reading stands."""
        row = self._row if row is None else row
        line = self.lines[row] if row < len(self.lines) else self._last
        return f"{self.label}:{line}: {self._card}"

    def read(self, layout: str, what: str) -> list:
        """The next numbers of the line that is being read."""
        if self._row >= len(self.lines):
            raise MeshError(f"{self.where()}: the section ends where {what} should be; the file is cut off or wrong.")
        start = self.offsets[self._row] + self._within
        if start + len(layout) > self.offsets[self._row + 1]:
            raise MeshError(f"{self.where()}: the line ends before {what} ({len(layout)} numbers) is complete.")
        self._within += len(layout)
        values = self.values[start : start + len(layout)]
        return [self._whole(v, what) if code != "d" else float(v) for code, v in zip(layout, values, strict=True)]

    def read_list(self, code: str, count: int, what: str) -> list:
        """``count`` more numbers of the line."""
        width = self.offsets[self._row + 1] - self.offsets[self._row] if self._row < len(self.lines) else 0
        if not 0 <= count <= width:
            raise MeshError(f"{self.where()}: {count} is not a possible number of {what} for a line of {width} numbers.")
        return self.read(code * count, what) if count else []

    def end_record(self, what: str) -> None:
        """Go to the next line; MeshError when this one has numbers left."""
        left = self.offsets[self._row + 1] - self.offsets[self._row] - self._within
        if left:
            raise MeshError(f"{self.where()}: the line has {left} numbers too many for {what}.")
        self._row, self._within = self._row + 1, 0

    def table(self, count: int, layout: str, what: str) -> tuple[np.ndarray, np.ndarray]:
        """``count`` records: their numbers (count, len(layout)), integer when the layout is; and their lines."""
        left = len(self.lines) - self._row
        if not 0 <= count <= left:
            raise self._wrong_count(count, left, what)
        rows = slice(self._row, self._row + count)
        wrong = np.flatnonzero(np.diff(self.offsets[self._row : self._row + count + 1]) != len(layout))
        if wrong.size:
            row = self._row + int(wrong[0])
            width = self.offsets[row + 1] - self.offsets[row]
            raise MeshError(f"{self.where(row)}: the line has {width} numbers, but {what} has {len(layout)}.")
        values = self.values[self.offsets[self._row] : self.offsets[self._row + count]].reshape(count, len(layout))
        if "d" not in layout:
            values = self.whole_rows(values, self._row, what)
        self._row += count
        return values, self.lines[rows]

    @property
    def has_more(self) -> bool:
        """Whether lines are left."""
        return self._row < len(self.lines)

    @property
    def line(self) -> int:
        """Number in the file of the line that is being read."""
        return int(self.lines[self._row])

    def ragged(self, count: int, what: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """The rest of the section, lines of any length.

        Returns where each begins in ``values``, its width and its line, and the number of the first row. MeshError when
        these are not ``count`` lines.
        """
        left = len(self.lines) - self._row
        if count != left:
            raise self._wrong_count(count, left, f"{what} each")
        first = self._row
        self._row = len(self.lines)
        return self.offsets[first:-1], np.diff(self.offsets[first:]), self.lines[first:], first

    def whole_rows(self, values: np.ndarray, rows: int | np.ndarray, what: str) -> np.ndarray:
        """Values (k, n) as integers; MeshError naming the line of the first that is none.

        ``rows``: the row of each, or of the first when they follow each other.
        """
        fine = (np.abs(values) < _LARGEST) & (values == np.floor(values))
        if not fine.all():
            row, column = np.argwhere(~fine)[0]
            place = int(rows[row]) if isinstance(rows, np.ndarray) else rows + int(row)
            raise MeshError(f"{self.where(place)}: {values[row, column]:g} in {what} is not a whole number.")
        return values.astype(np.int64)

    def _wrong_count(self, count: int, left: int, what: str) -> MeshError:
        found = f"{count} lines with {what} should follow, but the section has {left} more"
        return MeshError(f"{self.where()}: {found}; the file is cut off, or the count is wrong.")

    def _whole(self, value: float, what: str) -> int:
        if not (abs(value) < _LARGEST and value == np.floor(value)):
            raise MeshError(f"{self.where()}: {value:g} in {what} is not a whole number.")
        return int(value)


def numbers_in(text: bytes, dtype: type) -> np.ndarray | None:
    """The numbers of a text, separated by blanks and line ends, in order; None where something in it is no number.

    Control characters may count as blanks here: compare the number of values with what is expected.
    """
    if not text.strip():
        return np.empty(0, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # how older versions of NumPy say what newer ones raise
        try:
            return np.fromstring(text, dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return None


def _parse_text(path: Path, card: str, data: bytes, start: int, end: int, line: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All numbers of a section, how many each line has that is not blank, and the numbers of these lines."""
    values, counts, lines = [np.empty(0)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    at = start
    while at < end:
        cut = data.rfind(b"\n", at, at + _CHUNK) + 1 if end - at > _CHUNK else end
        cut = cut if cut > at else end
        text = data[at:cut]
        per_line = _tokens_per_line(text)
        filled = np.flatnonzero(per_line)
        total = int(per_line.sum())
        if total:
            values.append(_numbers(text, total, f"{path}", card, line))
        counts.append(per_line[filled])
        lines.append(line + filled)
        line += text.count(b"\n")
        at = cut
    return np.concatenate(values), np.concatenate(counts), np.concatenate(lines)


def _tokens_per_line(text: bytes) -> np.ndarray:
    """(lines,) how many words separated by blanks stand in each line, the last one ended by the end of the text."""
    codes = np.frombuffer(text, np.uint8)
    filled = codes > 32
    starts = filled.copy()
    starts[1:] &= ~filled[:-1]
    ends = np.append(np.flatnonzero(codes == 10), len(codes))
    so_far = np.concatenate([[0], np.cumsum(starts, dtype=np.int32)])
    return np.diff(so_far[ends], prepend=0)


def _numbers(text: bytes, total: int, path: str, card: str, first_line: int) -> np.ndarray:
    values = numbers_in(text, float)
    if values is not None and len(values) == total:
        return values
    found = []
    for number, line in enumerate(text.split(b"\n"), first_line):
        for word in line.split():
            try:
                if b"_" in word or not word.isascii():  # numbers for Python only
                    raise ValueError
                found.append(float(word.replace(b"D", b"E").replace(b"d", b"e")))
            except ValueError:
                shown = word[:40].decode("ascii", "backslashreplace")
                raise MeshError(f"{path}:{number}: {card}: '{shown}' is not a number.") from None
    if len(found) != total:  # control characters that count as blanks for one and not for the other
        raise MeshError(f"{path}:{first_line}: {card}: there are control characters between the numbers.")
    return np.array(found)


_DESCRIPTOR = re.compile(r"(\d*)([IEFGD])(\d+)(?:\.\d+(?:E\d+)?)?")
_INTEGER = re.compile(r"[+-]?\d+(?:\.0*)?")
_REAL = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[ED]?([+-]?\d+))?", re.IGNORECASE)
_WIDEST_LINE = 2000


@dataclass(frozen=True)
class Format:
    """Widths of the integer fields and of the real ones after them."""

    integers: tuple[int, ...]
    reals: tuple[int, ...]

    @property
    def width(self) -> int:
        """Columns of a whole line."""
        return sum(self.integers) + sum(self.reals)


def parse_format(text: str, where: str) -> Format:
    """The fields of a format line; MeshError when it is none, starting with ``where``."""
    body = text.split("!")[0].replace(" ", "").upper()
    descriptors = _DESCRIPTOR.findall(body)
    integers = tuple(int(width) for count, kind, width in _counted(descriptors) if kind == "I")
    reals = tuple(int(width) for count, kind, width in _counted(descriptors) if kind != "I")
    known = Format(integers, reals)
    if not (re.fullmatch(r"\([^()]*\)", body) and descriptors and 0 < known.width <= _WIDEST_LINE):
        raise MeshError(f"{where}: '{text.strip()[:40]}' is not the format of a block, such as (3i9,6e21.13e3).")
    kinds = "".join("I" if kind == "I" else "R" for _, kind, _ in descriptors)
    if 0 in integers + reals or "RI" in kinds:
        raise MeshError(f"{where}: the format '{text.strip()[:40]}' must give integers, then real numbers, with widths.")
    return known


def _counted(descriptors):
    for count, kind, width in descriptors:
        for _ in range(min(int(count or 1), 100) if len(count) < 4 and len(width) < 4 else 0):
            yield count, kind, width


def read_table(lines: list[str], known: Format, file: str, first: int, card: str) -> tuple[np.ndarray, np.ndarray]:
    """Integers (n, i) and reals (n, r) of lines in fixed columns; blank or missing fields are 0.

    Raises MeshError when a field holds no number, or a line goes on after the last column; ``first`` is the number of the
    first line in ``file``.
    """
    width = known.width
    longest = max(map(len, lines), default=0)
    if longest > width:
        lines = [line.rstrip() for line in lines]
        for row, line in enumerate(lines):
            if len(line) > width:
                what = f"the line has {len(line)} columns, but the format of the block only {width}"
                raise MeshError(f"{file}:{first + row}: {card}: {what}; they must agree.")
    text = "".join([line.ljust(width) for line in lines]).encode("latin-1", "replace")
    characters = np.frombuffer(text, np.uint8).reshape(len(lines), width)
    split = sum(known.integers)
    integers = _column_numbers(characters[:, :split], known.integers, np.int64)
    reals = _column_numbers(characters[:, split:], known.reals, np.float64)
    if integers is None or reals is None:
        return _read_slowly(lines, known, file, first, card)
    return integers, reals


def _column_numbers(characters: np.ndarray, widths: tuple[int, ...], dtype) -> np.ndarray | None:
    """Numbers of all rows, or None when numpy does not take every field as exactly one number."""
    count = len(characters)
    spaced = np.full((count, sum(widths) + len(widths)), ord(" "), np.uint8)
    start = 0
    for column, width in enumerate(widths):
        own = characters[:, start : start + width]
        into = spaced[:, start + column : start + column + width]
        into[:] = own
        into[(own == ord(" ")).all(axis=1), -1] = ord("0")
        start += width
    if dtype is np.float64:
        spaced[(spaced == ord("D")) | (spaced == ord("d"))] = ord("E")
    values = numbers_in(spaced.tobytes(), dtype)
    return None if values is None or len(values) != count * len(widths) else values.reshape(count, len(widths))


def _read_slowly(lines, known: Format, file: str, first: int, card: str) -> tuple[np.ndarray, np.ndarray]:
    integers = np.zeros((len(lines), len(known.integers)), np.int64)
    reals = np.zeros((len(lines), len(known.reals)))
    for row, line in enumerate(lines):
        start = 0
        for column, width in enumerate(known.integers + known.reals):
            field = line[start : start + width].strip()
            start += width
            is_integer = column < len(known.integers)
            if not field:
                continue
            value = integer(field) if is_integer else real(field)
            if value is None:
                what = f"'{field}' in columns {start - width + 1} to {start} is not a {'whole ' if is_integer else ''}number"
                raise MeshError(f"{file}:{first + row}: {card}: {what}; the format line of the block defines the columns.")
            if is_integer:
                integers[row, column] = value
            else:
                reals[row, column - len(known.integers)] = value
    return integers, reals


def integer(text: str) -> int | None:
    """A whole number that an index can have; None when ``text`` is none."""
    if not _INTEGER.fullmatch(text) or len(text) > 25:
        return None
    value = int(text.split(".")[0])
    return value if abs(value) < 2**62 else None


def real(text: str) -> float | None:
    """A real number as Fortran writes it (1.5E3, 1.5D+3, 1.5+3); None when ``text`` is none."""
    match = _REAL.fullmatch(text)
    if match is None or len(text) > 400:
        return None
    mantissa, exponent = match.groups()
    return float(f"{mantissa}e{exponent or 0}")
