"""One command of a deck: its name, its arguments and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.ansys.expressions import evaluate

_NAME = re.compile(r"\s*([*/~]?[A-Za-z_][\w*/.-]*)\s*,?")
_ASSIGNMENT = re.compile(r"\s*(%?[A-Za-z_]\w*%?)\s*(\([^=]*\))?\s*=(.*)$")
_COMMENTS = ("/COM", "C***", "/TITL", "/STIT")
_LARGEST_INTEGER = 2**53  # beyond it a float is no exact whole number


@dataclass(frozen=True)
class Command:
    """A command with its arguments as text.

    Attributes
    ----------
    name : str
        In upper case, as written.
    arguments : tuple of str
        Without surrounding blanks.
    """

    name: str
    arguments: tuple[str, ...]
    file: str
    line: int
    parameters: Mapping[str, float | str | None]

    @property
    def key(self) -> str:
        """What identifies the command: four characters (Ansys reads no more), all of those that begin with * or /."""
        return self.name if self.name[0] in "*/~" else self.name[:4]

    @property
    def where(self) -> str:
        """ "file:line: COMMAND", the start of every message about it."""
        return f"{self.file}:{self.line}: {self.name}"

    @property
    def place(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self.line}"

    def text(self, position: int) -> str:
        """An argument in upper case; empty when it is not given. The first has position 1, as in the manuals."""
        given = self.arguments[position - 1].upper() if position <= len(self.arguments) else ""
        value = self.parameters.get(given.strip("%")) if given.startswith("%") and given.endswith("%") else None
        return value.upper() if isinstance(value, str) else given.strip("'")

    def raw(self, position: int) -> str:
        """An argument as written."""
        return self.arguments[position - 1].strip("'") if position <= len(self.arguments) else ""

    def number(self, position: int, default: float | None = None) -> float:
        """A number; ``default`` where none is given. MeshError when it is none, or missing without a default."""
        text = self.arguments[position - 1] if position <= len(self.arguments) else ""
        if not text:
            if default is None:
                raise MeshError(f"{self.where}: argument {position} is missing; it must be a number.")
            return default
        value = evaluate(text, self.parameters)
        if value is None:
            raise MeshError(
                f"{self.where}: argument {position}, '{text[:40]}', is neither a number nor a parameter that the"
                " deck sets; write the number (CDWRITE does)."
            )
        return value

    def integer(self, position: int, default: int | None = None) -> int:
        """A whole number, as ``number``."""
        value = self.number(position, default)
        if value != int(value) or abs(value) > _LARGEST_INTEGER:
            raise MeshError(f"{self.where}: argument {position} is {value:g}; it must be a whole number.")
        return int(value)

    def integers(self, first: int) -> list[int]:
        """All whole numbers from an argument on; blanks are 0."""
        return [self.integer(position, 0) for position in range(first, len(self.arguments) + 1)]


def is_release(text: str) -> bool:
    """Whether an argument (R5.3, UNBL) says that a command has the form in which CDWRITE writes it."""
    return re.fullmatch(r"R?\d\.\d|UNBL", text) is not None


@dataclass(frozen=True)
class Assignment:
    """``NAME = value`` (``subscripts``: of an array element)."""

    name: str
    subscripts: str
    value: str


def statements(text: str, file: str, line: int, parameters) -> Iterator[Command | Assignment]:
    """The commands and assignments of one line; none for blank lines and comments.

    Raises MeshError when the line is neither (numbers outside of a block, binary garbage).
    """
    if text.lstrip().upper().startswith(_COMMENTS):
        return
    for part in _parts(text):
        if not part.strip() or part.lstrip().startswith(":"):  # a label of *GO
            continue
        assigned = _ASSIGNMENT.match(part)
        if assigned:
            yield Assignment(assigned[1].strip("%").upper(), assigned[2] or "", assigned[3].strip())
            continue
        match = _NAME.match(part)
        if match is None:
            raise MeshError(
                f"{file}:{line}: {part.strip()[:40]!r} was found instead of a command; numbers belong in a block"
                " such as NBLOCK or EBLOCK, whose first line seems to be missing or damaged."
            )
        arguments = tuple(argument.strip() for argument in _split(part[match.end() :], ","))
        yield Command(match[1].upper(), arguments, file, line, parameters)


def _parts(text: str) -> list[str]:
    if "'" not in text:
        return text.split("!", 1)[0].split("$")
    return list(_split(next(_split(text, "!")), "$"))


def _split(text: str, separator: str) -> Iterator[str]:
    """Split at a separator that is not within quotes."""
    if "'" not in text:
        yield from text.split(separator)
        return
    start, quoted = 0, False
    for at, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        elif character == separator and not quoted:
            yield text[start:at]
            start = at + 1
    yield text[start:]
