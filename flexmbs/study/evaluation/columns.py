"""Columns of a study's table, and how they grow row by row: numbers as float64, text as categories."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
PARAMETER, FIGURE = "parameter", "figure"
EXACT_WHOLE = 2**53  # float64 holds each whole number up to here


@dataclass(frozen=True)
class Column:
    """One value for each run.

    Attributes
    ----------
    name, unit, help : as the case states them; unit "" for none
    role : "parameter" or "figure"
    values : (n,) float64 with nan where there is no value, or (n,) object array of text with "" where there is none
    whole : whether all numbers are whole numbers or true/false
    """

    name: str
    unit: str
    help: str
    role: str
    values: npt.NDArray[np.generic]
    whole: bool = False

    @property
    def is_text(self) -> bool:
        return self.values.dtype == object

    @property
    def label(self) -> str:
        """Name and unit, as at axes and in the header of files: "length [m]"."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def taken(self, rows: npt.NDArray[np.generic]) -> Column:
        """The same column with these rows only (mask or indices)."""
        return Column(self.name, self.unit, self.help, self.role, self.values[rows], self.whole)

    def plain_values(self) -> list[object]:
        """Values as Python numbers and text; whole numbers as int, None where there is no value."""
        if self.is_text:
            return [value or None for value in self.values]
        numbers: list[float] = self.values.tolist()
        if self.whole and not np.isinf(self.values.astype(float, copy=False)).any():
            return [int(value) if value == value else None for value in numbers]
        return [value if value == value else None for value in numbers]


class GrowingColumn:
    """A column to which values are appended; 8 bytes a number, 4 bytes a text."""

    def __init__(self, rows_before: int = 0) -> None:
        self._numbers = array("d", bytes(8 * rows_before))
        self._numbers[:] = array("d", [float("nan")]) * rows_before
        self._codes: array[int] | None = None
        self._texts: dict[str, int] = {}
        self._whole = True

    def append(self, value: object) -> None:
        """Append a number, true/false, text, or None (no value)."""
        if self._codes is not None:
            self._append_text(value)
        elif isinstance(value, float):
            self._whole = False
            self._numbers.append(value)
        elif value is None:
            self._numbers.append(float("nan"))
        elif isinstance(value, int) and -EXACT_WHOLE <= value <= EXACT_WHOLE:
            self._numbers.append(value)
        elif isinstance(value, np.number | np.bool_):
            self.append(value.item())
        else:
            self._become_text()
            self._append_text(value)

    def _append_text(self, value: object) -> None:
        assert self._codes is not None
        text = "" if value is None else str(value)
        self._codes.append(self._texts.setdefault(text, len(self._texts)))

    def _become_text(self) -> None:
        """The column holds text, or whole numbers that float64 does not: rewrite what is there."""
        self._codes = array("l")
        for number in self._numbers:
            self._append_text(None if number != number else int(number) if self._whole else number)
        self._numbers = array("d")

    def values(self) -> npt.NDArray[np.generic]:
        """(n,) float64 or object; shares memory with this column, which is not to grow any more."""
        if self._codes is None:
            return np.frombuffer(self._numbers, dtype=float) if self._numbers else np.empty(0)
        return np.array(list(self._texts), dtype=object)[np.asarray(self._codes, dtype=int)]

    @property
    def whole(self) -> bool:
        return self._whole and self._codes is None and len(self._numbers) > 0
