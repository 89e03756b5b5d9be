"""Cards of the bulk data: one by one (``Card``), and many of one name as columns (``Batch``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran import number_fields

# Nastran's own largest number of a grid point or element; what is larger is a damaged field.
LARGEST_NUMBER = 2_147_483_647


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
    def where(self) -> str:
        """ "file:line: NAME", as messages start."""
        return f"{self.file}:{self.line}: {self.name}"

    @property
    def place(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self.line}"

    def text(self, index: int, default: str = "") -> str:
        """A field without blanks around it, upper case."""
        value = self.fields[index].strip().upper() if index < len(self.fields) else ""
        return value or default

    def integer(self, index: int, what: str, default: int | None = None, least: int | None = None) -> int:
        """An integer; MeshError when it is none, is smaller than ``least``, or is missing without a default."""
        text = self.text(index)
        if not text:
            if default is None:
                raise MeshError(f"{self.where}: {what} (field {field_number(index)}) is missing; give an integer.")
            return default
        value = number_fields.integer(text)
        if value is None or abs(value) > LARGEST_NUMBER or (least is not None and value < least):
            rule = "an integer" if least is None else f"an integer of at least {least}"
            raise MeshError(f"{self.where}: {what} (field {field_number(index)}) is '{text}'; give {rule}.")
        return value

    def real(self, index: int, what: str, default: float | None = None) -> float:
        """A real; MeshError when it is none, or is missing without a default."""
        text = self.text(index)
        if not text:
            if default is None:
                raise MeshError(f"{self.where}: {what} (field {field_number(index)}) is missing; give a number.")
            return default
        value = number_fields.real(text)
        if value is None:
            raise MeshError(f"{self.where}: {what} (field {field_number(index)}) is '{text}'; give a number, up to 1e100.")
        return value

    def reals(self, start: int, count: int, what: str, default: float | None = 0.0) -> list[float]:
        """``count`` reals from a field on."""
        return [self.real(start + i, what, default) for i in range(count)]

    def dofs(self, index: int, what: str, default: str = "") -> tuple[int, ...]:
        """Components as digits 1 to 6 ("123456"), rising; 0 and blank are none."""
        text = self.text(index, default)
        if not set(text) <= set("0123456"):
            raise MeshError(f"{self.where}: {what} (field {field_number(index)}) is '{text}'; give digits 1 to 6.")
        return tuple(sorted({int(digit) for digit in text} - {0}))

    def filled(self, start: int = 0) -> list[int]:
        """Indices of the fields from ``start`` on that are not blank."""
        return [index for index in range(start, len(self.fields)) if self.fields[index].strip()]


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
        return ~number_fields.is_blank(self.column(index))

    def integers(self, index: int, what: str, default: int | None = None) -> np.ndarray:
        """(n,) integers; MeshError at the first card where there is none (blank: ``default``, None: not allowed)."""
        column = self.column(index)
        if default is None:
            self._refuse_blanks(column, index, what)
        values, wrong = number_fields.integers(column, default or 0)
        if wrong is None:
            large = np.flatnonzero(np.abs(values) > LARGEST_NUMBER)
            wrong = int(large[0]) if large.size else None
        if wrong is not None:
            raise MeshError(f"{self.where(wrong)}: {what} is '{_text(column[wrong])}'; give an integer.")
        return values

    def reals(self, index: int, what: str, default: float = 0.0) -> np.ndarray:
        """(n,) reals; MeshError at the first card where there is none."""
        column = self.column(index)
        values, wrong = number_fields.reals(column, default)
        if wrong is not None:
            raise MeshError(f"{self.where(wrong)}: {what} is '{_text(column[wrong])}'; give a number (up to 1e100).")
        return values

    def where(self, row: int) -> str:
        """ "file:line: NAME" of one card."""
        return f"{self.file}:{self.lines[row]}: {self.name}"

    def card(self, row: int) -> Card:
        """One of the cards by itself."""
        return Card(self.name, [_text(field) for field in self.fields[row]], self.file, int(self.lines[row]))

    def subset(self, rows: np.ndarray) -> Batch:
        """Some of the cards."""
        return Batch(self.name, self.fields[rows], self.file, self.lines[rows])

    def _refuse_blanks(self, column: np.ndarray, index: int, what: str) -> None:
        blank = np.flatnonzero(number_fields.is_blank(column))
        if blank.size:
            raise MeshError(f"{self.where(blank[0])}: {what} (field {field_number(index)}) is missing; give an integer.")


def field_number(index: int) -> str:
    """The manual's number of a field by its index ("4", "3 of line 2")."""
    line, field = divmod(index, 8)
    return f"{field + 2}" if line == 0 else f"{field + 2} of line {line + 1}"


def _text(field: bytes) -> str:
    return field.decode("latin-1").strip()
