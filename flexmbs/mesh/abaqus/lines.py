"""From an Abaqus/CalculiX file to its cards: comments, continuation lines and included files are dealt with here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from flexmbs.errors import MeshError

_DEEPEST_INCLUDE = 20


class Line(NamedTuple):
    """One line that says something, and where it stands."""

    file: str
    number: int
    text: str

    @property
    def where(self) -> str:
        """``file:line``, as every message names it."""
        return f"{self.file}:{self.number}"

    def fields(self) -> list[str]:
        """The comma-separated entries; a trailing comma adds none."""
        entries = [entry.strip() for entry in self.text.split(",")]
        while entries and not entries[-1]:
            entries.pop()
        return entries


@dataclass
class Card:
    """A keyword line (upper case, one blank between words), its parameters and its data lines."""

    keyword: str
    parameters: dict[str, str]
    line: Line
    data: list[Line] = field(default_factory=list)

    def name(self, parameter: str) -> str | None:
        """Value of a parameter that names something: upper case unless quoted, as the format has it."""
        value = self.parameters.get(parameter)
        return None if value is None else label(value)

    def required_name(self, parameter: str) -> str:
        """As :meth:`name`; MeshError when the parameter is not there."""
        value = self.name(parameter)
        if not value:
            raise MeshError(f"{self.line.where}: *{self.keyword} needs the parameter {parameter}=name.")
        return value


def label(text: str) -> str:
    """A set, material or part name as it is compared: quoted names keep their case, others do not count it."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text.upper()


def read_cards(path: Path) -> Iterator[Card]:
    """Cards of the file in order, with ``*INCLUDE`` and ``INPUT=`` files in their place.

    Lines before the first keyword belong to no card and are passed over. Raises MeshError for a missing file.
    """
    card = None
    for line in _lines(path, ()):
        if line.text.startswith("*"):
            if card is not None:
                yield card
            card = _card(line)
            if "INPUT" in card.parameters:
                card.data.extend(_lines(_included(card), (path,)))
        elif card is not None:
            card.data.append(line)
    if card is not None:
        yield card


def _lines(path: Path, including: tuple[Path, ...]) -> Iterator[Line]:
    for line in _joined(path):
        if line.text[:8].upper().replace(" ", "").startswith("*INCLUDE"):
            if len(including) >= _DEEPEST_INCLUDE:
                raise MeshError(
                    f"{line.where}: *INCLUDE more than {_DEEPEST_INCLUDE} deep; does a file include itself?"
                )
            yield from _lines(_included(_card(line)), (*including, path))
        else:
            yield line


def _joined(path: Path) -> Iterator[Line]:
    """Lines without comments and blanks; a keyword line that ends in a comma goes on in the next."""
    pending: Line | None = None
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, raw in enumerate(file, start=1):
            text = raw.strip()
            if not text or text.startswith("**"):
                continue
            if "\0" in text:
                raise MeshError(f"{path}:{number}: not a text file; an Abaqus/CalculiX mesh is plain text.")
            if pending is not None:
                line, pending = pending._replace(text=pending.text + text), None
            else:
                line = Line(str(path), number, text)
            if line.text.startswith("*") and line.text.endswith(","):
                pending = line
            else:
                yield line
    if pending is not None:
        yield pending


def _card(line: Line) -> Card:
    keyword, *rest = line.text[1:].split(",")
    parameters = {}
    for entry in rest:
        name, _, value = entry.partition("=")
        if name.strip():
            parameters[name.strip().upper()] = value.strip()
    return Card(" ".join(keyword.upper().split()), parameters, line)


def _included(card: Card) -> Path:
    name = card.parameters.get("INPUT", "").strip('"')
    if not name:
        raise MeshError(f"{card.line.where}: *{card.keyword} needs the parameter INPUT=file.")
    path = Path(card.line.file).parent / name
    if not path.is_file():
        raise MeshError(f"{card.line.where}: included file {name} not found (looked for {path}).")
    return path
