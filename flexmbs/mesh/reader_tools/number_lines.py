"""Numbers that stand in lines of a text file, read in bulk, with the line of each for messages."""

from __future__ import annotations

import warnings
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
    label : the file, for ``Places``
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
