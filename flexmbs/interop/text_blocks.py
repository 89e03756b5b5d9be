"""Text files of numbers, and of numbered blocks of words; errors give file and line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

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

    def __init__(self, path: str | Path, texts: Iterable[str] = ()) -> None:
        super().__init__(texts)
        self.path = str(path)

    def add(self, text: str) -> None:
        self.append(f"{self.path}: {text}")


@dataclass
class NumberedBlock:
    """The words of a block, and the line of each; ``line``: where it begins, ``name``: of the block in messages."""

    path: str | Path
    line: int
    name: str
    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def fail(self, what: str, line: int = 0) -> NoReturn:
        raise BodyError(f"{self.where(line)}: {what}")

    def where(self, line: int = 0) -> str:
        return f"{self.path}:{line or self.line}: {self.name}"

    def numbers(self, shape: tuple[int, ...], expectation: str) -> np.ndarray:
        """All words as an array of this shape."""
        if len(self.words) != math.prod(shape):
            found = f"{len(self.words)} numbers; {math.prod(shape)} expected {expectation}"
            self.fail(found, self.lines[-1] if self.lines else self.line)
        return as_floats(self.words, lambda i: self.where(self.lines[i])).reshape(shape)


def numbered_blocks(path: str | Path, what: str, heading: re.Pattern[str], name: Callable[[int], str]) -> dict[int, NumberedBlock]:
    """Blocks by number, each after a comment ("**") like ``heading``; ``name(number)``: of a block in messages."""
    found: dict[int, NumberedBlock] = {}
    current = None
    for line, text in enumerate(read_lines(path, what), start=1):
        if text.lstrip().startswith("**"):
            if opened := heading.match(text.lstrip()):
                number = as_int(opened[1], f"{path}:{line}")
                if number in found:
                    raise BodyError(f"{path}:{line}: {name(number)} is repeated (line {found[number].line})")
                current = found[number] = NumberedBlock(path, line, name(number))
        elif current is not None:
            words = text.replace(",", " ").split()
            current.words += words
            current.lines += [line] * len(words)
    return found
