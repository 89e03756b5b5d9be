"""Single numbers from data lines, or a MeshError that names the line."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.abaqus.cards import Card
from flexmbs.mesh.readers.abaqus.deck_text import Line

LARGEST_NUMBER = 10**15  # of a node or element; nothing real comes near
LARGEST_VALUE = 1e75  # of a property in any units; its fourth power (moments of inertia) is still a number


def integer(text: str, where: str, what: str) -> int:
    """A whole number; MeshError starting with ``where``."""
    text = text.strip()
    if is_integer(text) and abs(int(text)) <= LARGEST_NUMBER:
        return int(text)
    raise MeshError(f"{where}: {what} must be a whole number, got '{_shown(text)}'.")


def is_integer(text: str) -> bool:
    """Whether a data field is a number of a node or element rather than the name of a set."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(text) < 20


def number(text: str, where: str, what: str) -> float:
    """A finite real number (Fortran's d exponents too; blank is 0); MeshError starting with ``where``."""
    text = text.strip()
    if not text:
        return 0.0
    value = math.nan
    if "_" not in text and text.isascii() and len(text) < 100:
        try:
            value = float(text.lower().replace("d", "e"))
        except ValueError:
            pass
    if not abs(value) <= LARGEST_VALUE:
        hint = " Values of *PARAMETER are not supported; write the number." if text.startswith("<") else ""
        raise MeshError(f"{where}: {what} must be a finite number, got '{_shown(text)}'.{hint}")
    return value


def numbers(card: Card, line: Line, what: str) -> list[float]:
    """All entries of a data line of a card."""
    return [number(entry, card.at(line), what) for entry in line.fields()]


def data_line(card: Card, index: int, what: str, blank: bool = False) -> Line:
    """One data line; MeshError when the card has not that many."""
    lines = card.lines(blank)
    if len(lines) <= index:
        raise MeshError(f"{card.where} needs data line {index + 1} with {what}.")
    return lines[index]


def flat_numbers(card: Card, what: str) -> list[float]:
    """All numbers of all data lines, one after the other."""
    return [value for line in card.lines() for value in numbers(card, line, what)]


def smallest_eigenvalue(matrix: np.ndarray) -> float:
    """Of a symmetric matrix; minus infinity when its entries are no finite numbers (1e308 squared)."""
    return float(np.linalg.eigvalsh(matrix).min()) if np.isfinite(matrix).all() else -math.inf


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
