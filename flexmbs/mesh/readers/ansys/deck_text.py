"""The text of a deck: its lines and those of included files, and commands with their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.included_files import Includes
from flexmbs.mesh.readers.ansys.expressions import evaluate

_DIGITS = frozenset("0123456789")
_BOM = "\xef\xbb\xbf"  # as latin-1 reads it


class Source:
    """A deck, line by line; ``include`` puts the lines of another file in front of the rest.

    Attributes
    ----------
    path : Path
        The deck; other files must lie in its folder unless ``allow_outside``.
    file : str
        The file of the line that ``next_line`` gave last.
    line : int
        Its number in that file.
    """

    def __init__(self, path: Path, allow_outside: bool = False) -> None:
        self.path, self._includes = path, Includes(path, allow_outside)
        self._stack: list[tuple[TextIO, Path, int]] = []
        self._waiting: list[str] = []
        self.file, self.line = str(path), 0
        self._open(path)

    @property
    def in_include(self) -> bool:
        """Whether the present line is one of an included file."""
        return len(self._stack) > 1

    def next_line(self) -> str | None:
        """The next line without its end; None after the last one of the deck."""
        if self._waiting:
            self.line += 1
            return self._waiting.pop()
        while self._stack:
            text = self._stack[-1][0].readline()
            if text:
                self.line += 1
                return (text.removeprefix(_BOM) if self.line == 1 else text).rstrip("\r\n\x1a")
            self.leave_file()
        return None

    def number_lines(self, most: int) -> list[str]:
        """The next lines, as long as they begin with a digit (after blanks), at most so many."""
        lines: list[str] = []
        if not self._stack or self._waiting:
            line = self.next_line()
            if line is None or line.lstrip()[:1] not in _DIGITS:
                self.push_back([] if line is None else [line])
                return lines
            return [line]
        for text in islice(self._stack[-1][0], most):
            if text.lstrip()[:1] not in _DIGITS:
                self._waiting.append(text.rstrip("\r\n\x1a"))
                break
            lines.append(text.rstrip())
        self.line += len(lines)
        return lines

    def push_back(self, lines: list[str]) -> None:
        """Give lines back that were read from the present file; they come again."""
        self._waiting += lines[::-1]
        self.line -= len(lines)

    def leave_file(self) -> None:
        """Go on after the line that included the present file, or end the deck."""
        opened, _, line_before = self._stack.pop()
        opened.close()
        self._waiting.clear()
        if self._stack:
            self.file, self.line = str(self._stack[-1][1]), line_before

    def close(self) -> None:
        """Close all files, also when the deck was not read to its end."""
        while self._stack:
            self._stack.pop()[0].close()

    def include(self, name: str, where: str) -> bool:
        """Read ``name`` next; False when there is no such file. ``where`` starts the message of errors.

        Raises MeshError when the file lies outside the deck's folder, includes itself, or too many are included.
        """
        path = self._includes.find(name, where, [opened for _, opened, _ in self._stack])
        if path is None:
            return False
        self._open(path)
        return True

    def _open(self, path: Path) -> None:
        try:
            opened = open(path, encoding="latin-1")  # any byte is a character; universal newlines
            head = opened.read(4096)
        except OSError as error:
            raise MeshError(f"{path}: cannot be read: {error.strerror}.") from error
        if "\x00" in head:
            opened.close()
            raise MeshError(
                f"{path}:1: binary data (it starts with {head[:8].encode('latin-1')!r}), not the commands of an Ansys"
                " deck; write the model as text with CDWRITE,DB."
            )
        opened.seek(0)
        self._stack.append((opened, path, self.line))
        self.file, self.line = str(path), 0


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


def data_line(source: Source, command: Command, what: str) -> str:
    """The next line of numbers of a block; MeshError where it ends before it has as many as its first line declares."""
    line = source.next_line()
    text = "" if line is None else line.strip()
    if line is None or text in ("", "-1") or text[0].isalpha() or text[0] in "/*!":
        raise MeshError(
            f"{source.file}:{source.line}: {command.name}: the block of line {command.line} ends before the {what} that it"
            " declares; the file is cut off or the count is wrong."
        )
    return line


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
