"""Blocks of numbers in fixed columns, as a Fortran format line such as (3i9,6e21.13e3) describes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.number_lines import numbers_in

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

    Parameters
    ----------
    first : number of the first line in ``file``

    Raises
    ------
    MeshError
        A field holds no number, or a line goes on after the last column.
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
    integers = _numbers(characters[:, :split], known.integers, np.int64)
    reals = _numbers(characters[:, split:], known.reals, np.float64)
    if integers is None or reals is None:
        return _read_slowly(lines, known, file, first, card)
    return integers, reals


def _numbers(characters: np.ndarray, widths: tuple[int, ...], dtype) -> np.ndarray | None:
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
