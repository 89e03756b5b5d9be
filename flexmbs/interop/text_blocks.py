"""Text files of numbers: errors and messages give file and line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import read_file
from flexmbs.common.errors import BodyError

LARGEST = 1e60  # products of four such numbers are still finite


def read_lines(path: str | Path, what: str) -> list[str]:
    """Lines of a text file; BodyError if it is missing, no file or not text."""
    try:
        content = read_file(path)
    except OSError as error:
        raise BodyError(f"{path}: cannot be read ({error.strerror or error}); expected {what}") from error
    if b"\0" in content[:4096]:
        raise BodyError(f"{path}: contains binary data; expected {what} as text")
    return content.decode("utf-8-sig", errors="replace").splitlines()


def as_float(text: str, where: str) -> float:
    """A number, possibly with a Fortran exponent D."""
    try:
        value = float(text.strip().replace("D", "E").replace("d", "e"))
    except ValueError:
        raise BodyError(f"{where}: '{text.strip()[:40]}' is not a number") from None
    if not np.isfinite(value):
        raise BodyError(f"{where}: '{text.strip()[:40]}' is not a finite number")
    if abs(value) > LARGEST:
        raise BodyError(f"{where}: {value:g} exceeds {LARGEST:g}, too large for any quantity of a body")
    return value


def as_int(text: str, where: str) -> int:
    """A whole number."""
    try:
        return int(text.strip())
    except ValueError:
        raise BodyError(f"{where}: '{text.strip()[:40]}' is not a whole number") from None


def as_floats(words: Sequence[str], where: Callable[[int], str]) -> np.ndarray:
    """All ``words`` as numbers; ``where(i)`` says where word i is."""
    try:
        values = np.array(words, dtype=float)
        if np.all(np.abs(values) <= LARGEST):
            return values
    except ValueError:  # a Fortran exponent, or no number: as_float knows which
        pass
    return np.array([as_float(word, where(i)) for i, word in enumerate(words)])


class Notes(list[str]):
    """Messages about the content of a file, to warn of: each begins with its path."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)

    def add(self, text: str) -> None:
        self.append(f"{self.path}: {text}")
