"""Numbers as Nastran writes them: 1.5, .5, 7.E3, 2.D-3, 1.5+6, 1.-3; one at a time and by the column."""

from __future__ import annotations

import re

import numpy as np

# No length, stiffness or mass is larger; products of two such numbers still are numbers.
LARGEST = 1e100

_REAL = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?: *[EeDd]? *([+-]\d+)|[ ]*[EeDd] *(\d+))?$")
_INTEGER = re.compile(r"[+-]?\d{1,18}$")
_DIGITS, _DOT, _PLUS, _MINUS, _BLANK = range(48, 58), ord("."), ord("+"), ord("-"), ord(" ")
_IN_INTEGERS = np.isin(np.arange(256), [*_DIGITS, _PLUS, _MINUS, _BLANK, 0])
_IN_REALS = np.isin(np.arange(256), [*_DIGITS, _PLUS, _MINUS, _BLANK, 0, _DOT, *b"eEdD"])
_BEFORE_SIGN = np.isin(np.arange(256), [*_DIGITS, _DOT])


def real(text: str) -> float | None:
    """The real number that a field holds (integers are taken too), or None when it is none."""
    found = _REAL.match(text.strip())
    if found is None:
        return None
    sign, digits, signed_exponent, exponent = found.groups()
    value = float(f"{sign}{digits}e{signed_exponent or exponent or 0}")
    return value if abs(value) <= LARGEST else None


def integer(text: str) -> int | None:
    """The integer that a field holds, or None when it is none."""
    text = text.strip()
    return int(text) if _INTEGER.match(text) else None


def is_blank(column: np.ndarray) -> np.ndarray:
    """(n,) bool: which fields of a column of bytes (n,) are empty."""
    characters = _characters(column)
    return ((characters == _BLANK) | (characters == 0)).all(axis=1)


def is_integer(column: np.ndarray) -> np.ndarray:
    """(n,) bool: which fields are made of digits and signs only, so are no reals."""
    return _IN_INTEGERS[_characters(column)].all(axis=1) & ~is_blank(column)


def integers(column: np.ndarray, default: int) -> tuple[np.ndarray, int | None]:
    """Integers of a column of fields (n,) bytes, ``default`` where blank; and the first row that holds none."""
    column = np.where(is_blank(column), str(default).encode(), column)
    if _IN_INTEGERS[_characters(column)].all():
        try:
            return column.astype(np.int64), None
        except (ValueError, OverflowError):
            pass  # found below, field by field
    values = [integer(text.decode("latin-1")) for text in column.tolist()]
    wrong = next((row for row, value in enumerate(values) if value is None), None)
    return np.array([0 if value is None else value for value in values], np.int64), wrong


def reals(column: np.ndarray, default: float) -> tuple[np.ndarray, int | None]:
    """Reals of a column of fields (n,) bytes, ``default`` where blank; and the first row that holds none."""
    blank = is_blank(column)
    column = np.where(blank, b"0.", column)
    if _IN_REALS[_characters(column)].all():
        try:
            values = _with_exponents(column).astype(float)
            if (np.abs(values) <= LARGEST).all():
                return np.where(blank, default, values), None
        except ValueError:
            pass  # found below, field by field
    values = [real(text.decode("latin-1")) for text in column.tolist()]
    wrong = next((row for row, value in enumerate(values) if value is None), None)
    return np.where(blank, default, [0.0 if value is None else value for value in values]), wrong


def _characters(column: np.ndarray) -> np.ndarray:
    """(n, width) uint8."""
    column = np.ascontiguousarray(column)
    return column.view(np.uint8).reshape(len(column), column.dtype.itemsize)


def _with_exponents(column: np.ndarray) -> np.ndarray:
    """The column with E before exponents that are written without, and E in place of D."""
    characters = _characters(column).copy()
    characters[(characters == ord("D")) | (characters == ord("d"))] = ord("E")
    signs = (characters == _PLUS) | (characters == _MINUS)
    signs[:, 1:] &= _BEFORE_SIGN[characters[:, :-1]]
    signs[:, 0] = False
    short = signs.any(axis=1)
    width = characters.shape[1]
    if not short.any():
        return characters.view(f"S{width}").ravel()
    at = np.where(short, signs.argmax(axis=1), width)[:, None]
    columns = np.arange(width + 1)[None, :]
    padded = np.pad(characters, ((0, 0), (0, 1)))
    source = np.broadcast_to(columns - (columns > at), padded.shape)
    result = np.take_along_axis(padded, source, axis=1)
    result[(columns == at) & short[:, None]] = ord("E")
    return np.ascontiguousarray(result).view(f"S{width + 1}").ravel()
