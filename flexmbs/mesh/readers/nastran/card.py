"""Fields of bulk data; cards one by one (``Card``), many as columns (``Batch``); what a card's fields are (``Fields``).

Nastran writes numbers as 1.5, .5, 7.E3, 2.D-3, 1.5+6, 1.-3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.text_numbers import numbers_in

LineOfDeck = tuple[str, int, str]  # file, line number, text

LARGEST = 1e100  # no length, stiffness or mass is larger; products of two such numbers still are numbers
LARGEST_NUMBER = 2_147_483_647  # of a grid point or element, for Nastran; what is larger is a damaged field

_REAL = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?: *[EeDd]? *([+-]\d+)|[ ]*[EeDd] *(\d+))?$")
_INTEGER = re.compile(r"[+-]?\d{1,18}$")
_BARE_EXPONENT = re.compile(rb"[+-](?<=[\d.][+-])")
_IN_INTEGERS = np.isin(np.arange(256), [*b"0123456789+- \0"])


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
    return ((characters == ord(" ")) | (characters == 0)).all(axis=1)


def is_integer(column: np.ndarray) -> np.ndarray:
    """(n,) bool: which fields are made of digits and signs only, so are no reals."""
    return _IN_INTEGERS[_characters(column)].all(axis=1) & ~is_blank(column)


def _characters(column: np.ndarray) -> np.ndarray:
    """(n, width) uint8."""
    column = np.ascontiguousarray(column)
    return column.view(np.uint8).reshape(len(column), column.dtype.itemsize)


def _numbers(column: np.ndarray, blank: np.ndarray, dtype: type) -> tuple[np.ndarray, int | None]:
    """Numbers of a column of fields (n,) bytes, 0 where ``blank`` (n,); and the first row that holds none."""
    texts = np.where(blank, b"0", column).tolist()
    text = b"\n".join(texts)
    if dtype is float:
        text = _BARE_EXPONENT.sub(rb"E\g<0>", text.upper().replace(b"D", b"E"))
    values = numbers_in(text, dtype)
    largest = LARGEST if dtype is float else LARGEST_NUMBER
    if values is not None and len(values) == len(texts) and (np.abs(values) <= largest).all():
        return values, None
    read = real if dtype is float else integer
    one_by_one = [read(text.decode("latin-1")) for text in texts]
    wrong = next((row for row, value in enumerate(one_by_one) if value is None or abs(value) > largest), None)
    return np.array([0 if value is None else value for value in one_by_one], dtype), wrong


@dataclass(frozen=True)
class Card:
    """One card: ``fields`` are its data fields (the second field of its first line is number 0), continuations joined.

    Continuation names (first and tenth fields) are not among them.
    """

    name: str
    fields: list[str]
    file: str
    line: int

    @property
    def place(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self.line}"

    @property
    def where(self) -> str:
        """ "file:line: NAME", as messages start."""
        return f"{self.place}: {self.name}"

    def wrong(self, what: str) -> MeshError:
        """The error that something is wrong with the thing that has the number in the first field."""
        return MeshError(f"{self.where} {self.text(0)} {what}")

    def text(self, index: int, default: str = "") -> str:
        """A field without blanks around it, upper case."""
        value = self.fields[index].strip().upper() if index < len(self.fields) else ""
        return value or default

    def integer(self, index: int, what: str, default: int | None = None, least: int | None = None) -> int:
        """An integer; MeshError when it is none, is smaller than ``least``, or is missing without a default."""
        if default is not None and not self.text(index):
            return default
        value = integer(self.text(index))
        if value is None or abs(value) > LARGEST_NUMBER or (least is not None and value < least):
            raise self._not_a(index, what, "an integer" if least is None else f"an integer of at least {least}")
        return value

    def real(self, index: int, what: str, default: float | None = None, least: float | None = None) -> float:
        """A real; MeshError when it is none, is smaller than ``least``, or is missing without a default."""
        if default is not None and not self.text(index):
            return default
        value = real(self.text(index))
        if value is None or (least is not None and value < least):
            raise self._not_a(index, what, "a number, up to 1e100" if least is None else f"a number of at least {least:g}")
        return value

    def reals(self, start: int, count: int, what: str, default: float | None = 0.0) -> list[float]:
        """``count`` reals from a field on."""
        return [self.real(start + i, what, default) for i in range(count)]

    def dofs(self, index: int, what: str, default: str = "") -> tuple[int, ...]:
        """Components as digits 1 to 6 ("123456"), rising; 0 and blank are none."""
        text = self.text(index, default)
        if not set(text) <= set("0123456"):
            raise self._not_a(index, what, "digits 1 to 6")
        return tuple(sorted({int(digit) for digit in text} - {0}))

    def filled(self, start: int = 0) -> list[int]:
        """Indices of the fields from ``start`` on that are not blank."""
        return [index for index in range(start, len(self.fields)) if self.fields[index].strip()]

    def texts(self, start: int) -> list[str]:
        """The fields from ``start`` on that are not blank."""
        return [self.text(index) for index in self.filled(start)]

    def part(self, start: int, count: int) -> Card:
        """One of several things on the card, which has ``count`` fields from ``start`` on."""
        return Card(self.name, self.fields[start : start + count], self.file, self.line)

    def _not_a(self, index: int, what: str, rule: str) -> MeshError:
        stated = f"is '{self.text(index)}'" if self.text(index) else "is missing"
        line, field = divmod(index, 8)  # the name is field 1 of its line
        place = f"{field + 2} of line {line + 1}" if line else f"{field + 2}"
        return MeshError(f"{self.where}: {what} (field {place}) {stated}; give {rule}.")


@dataclass(frozen=True)
class Batch:
    """Cards of one name with the same layout: ``fields`` (n, m) bytes."""

    name: str
    fields: np.ndarray
    file: str
    lines: np.ndarray

    def column(self, index: int) -> np.ndarray:
        """(n,) fields; blanks where the cards are shorter."""
        if index < self.fields.shape[1]:
            return np.ascontiguousarray(self.fields[:, index])
        return np.full(len(self.fields), b"", "S1")

    def filled(self, index: int) -> np.ndarray:
        """(n,) bool: where a field is not blank."""
        return ~is_blank(self.column(index))

    def integers(self, index: int, what: str, default: int | None = None, least: int | None = None) -> np.ndarray:
        """(n,) integers; MeshError at the first card with none of at least ``least`` (blank: ``default``, None: not allowed)."""
        values = self._numbers(index, what, default, np.int64)
        if least is not None and (values < least).any():
            self.card(int(np.argmax(values < least))).integer(index, what, default, least)
        return values

    def reals(self, index: int, what: str, default: float = 0.0) -> np.ndarray:
        """(n,) reals; MeshError at the first card where there is none."""
        return self._numbers(index, what, default, float)

    def _numbers(self, index: int, what: str, default: float | None, dtype: type) -> np.ndarray:
        column = self.column(index)
        blank = is_blank(column)
        values, wrong = _numbers(column, blank, dtype)
        if default is None and blank.any():
            wrong = int(np.argmax(blank))
        if wrong is not None:  # reading this one says what is wrong
            (Card.real if dtype is float else Card.integer)(self.card(wrong), index, what)
        return np.where(blank, default or 0, values)

    def where(self, row: int) -> str:
        """ "file:line: NAME" of one card."""
        return f"{self.file}:{self.lines[row]}: {self.name}"

    def card(self, row: int) -> Card:
        """One of the cards by itself."""
        fields = [field.decode("latin-1").strip() for field in self.fields[row]]
        return Card(self.name, fields, self.file, int(self.lines[row]))

    def __getitem__(self, rows) -> Batch:
        """Some of the cards."""
        return Batch(self.name, self.fields[rows], self.file, self.lines[rows])


REQUIRED: Any = object()  # default of a field that must not be blank


@dataclass(frozen=True)
class Field:
    """A field of a card: int, float, str, or tuple for components 1 to 6."""

    type: type
    default: Any = REQUIRED  # None: the value is None where the field is blank
    at: int | None = None  # index of the field; None: behind the one declared before it
    count: int = 0  # so many fields in a row, as a list; 0: one
    least: float | None = None
    label: str = ""  # what messages call it; "": its name in capitals

    def value(self, card: Card, index: int, label: str) -> Any:
        if self.default is None and not card.text(index):
            return None
        default = None if self.default is REQUIRED else self.default
        if self.type is int:
            return card.integer(index, label, default, self.least)
        if self.type is float:
            return card.real(index, label, default, self.least)
        return card.text(index, default or "") if self.type is str else card.dofs(index, label, default or "")


class Fields:
    """The fields of a card, declared once; ``read`` turns them into attributes of the same names.

    >>> PROD = Fields(mid=Field(int, at=1), a=Field(float, 0.0), j=Field(float, 0.0), nsm=Field(float, 0.0, at=5))
    """

    def __init__(self, **fields: Field) -> None:
        self.places: list[tuple[str, str, Field, int]] = []  # name, what messages call it, the field, its index
        at = 0
        for name, field in fields.items():
            at = at if field.at is None else field.at
            self.places.append((name, field.label or name.upper(), field, at))
            at += field.count or 1

    def read(self, card: Card, start: int = 0) -> SimpleNamespace:
        """The values of a card whose first field is number ``start``. Raises MeshError for fields that are wrong."""
        found = SimpleNamespace()
        for name, label, field, at in self.places:
            several = [field.value(card, start + at + i, label) for i in range(field.count or 1)]
            setattr(found, name, several if field.count else several[0])
        return found
