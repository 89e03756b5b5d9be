"""The text of a deck: its lines and those of included files, and commands with their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TextIO

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import Format, parse_format
from flexmbs.mesh.reader_tools.included_files import Includes
from flexmbs.mesh.readers.ansys.expressions import evaluate

_CHUNK = 20000  # lines of a block that are read at a time
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

    @property
    def place(self) -> str:
        """ "file:line" of the present line."""
        return f"{self.file}:{self.line}"

    def wrong(self, command: Command, text: str) -> MeshError:
        """The error that something is wrong with the present line, which belongs to a command before it."""
        return MeshError(f"{self.place}: {command.name}: {text}")

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

    def push_back(self, line: str) -> None:
        """Give a line back that was read from the present file; it comes again."""
        self._waiting.append(line)
        self.line -= 1

    def block_lines(self, command: Command, end: re.Pattern, expected: str) -> list[str]:
        """The next lines of numbers of a block, a chunk of them; none behind the last.

        A line that matches ``end`` is the last one; it comes again where its group "next" matches. MeshError for others.
        """
        lines = self._number_lines()
        if lines:
            return lines
        line = self.next_line()
        last = end.match(line) if line is not None else None
        if line is None or last is None:
            found = "the file ends" if line is None else f"{line.strip()[:40]!r} was found"
            raise self.wrong(command, f"{found} within the block that begins in line {command.line}; {expected} after the last.")
        if last.groupdict().get("next") is not None:
            self.push_back(line)
        return []

    def _number_lines(self) -> list[str]:
        """The next lines, as long as they begin with a digit (after blanks), at most a chunk of them."""
        if self._waiting:
            return [self.next_line()] if self._waiting[-1].lstrip()[:1] in _DIGITS else []
        lines: list[str] = []
        for text in islice(self._stack[-1][0] if self._stack else (), _CHUNK):
            if text.lstrip()[:1] not in _DIGITS:
                self._waiting.append(text.rstrip("\r\n\x1a"))
                break
            lines.append(text.rstrip())
        self.line += len(lines)
        return lines

    def format_line(self, command: Command, after: int = 1) -> Format:
        """The format of a block, which stands so many lines behind its command."""
        return parse_format(self.next_line() or "", f"{command.file}:{command.line + after}: {command.name}")

    def data_line(self, command: Command, declared: str) -> str:
        """The next line of a block; MeshError where it ends before it has as many as its first line declares."""
        line = self.next_line()
        text = "" if line is None else line.strip()
        if line is None or text in ("", "-1") or text[0].isalpha() or text[0] in "/*!":
            ends = f"the block of line {command.line} ends before the {declared} that it declares"
            raise self.wrong(command, f"{ends}; the file is cut off or the count is wrong.")
        return line

    def check_count(self, command: Command, found: int, declared: int, what: str) -> None:
        """MeshError where a block had fewer of its things than its first line declares."""
        if found < declared:
            ends = f"the block ends after {found} {what}, but its first line (line {command.line}) declares {declared}"
            raise self.wrong(command, f"{ends}; the file is cut off or the count is wrong.")

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
            self.leave_file()

    def include(self, name: str, where: str) -> bool:
        """Read ``name`` next; False when there is no such file. ``where`` starts the message of errors.

        Raises MeshError when the file lies outside the deck's folder, includes itself, or too many are included.
        """
        path = self._includes.find(name, where, [opened for _, opened, _ in self._stack])
        if path is not None:
            self._open(path)
        return path is not None

    def _open(self, path: Path) -> None:
        try:
            opened = open(path, encoding="latin-1")  # any byte is a character; universal newlines
            head = opened.read(4096)
        except OSError as error:
            raise MeshError(f"{path}: cannot be read: {error.strerror}.") from error
        if "\x00" in head:
            opened.close()
            start = head[:8].encode("latin-1")
            raise MeshError(f"{path}:1: binary data ({start!r}), not an Ansys deck; write the model as text with CDWRITE,DB.")
        opened.seek(0)
        self._stack.append((opened, path, self.line))
        self.file, self.line = str(path), 0


_NAME = re.compile(r"\s*([*/~]?[A-Za-z_][\w*/.-]*)\s*,?")
_ASSIGNMENT = re.compile(r"\s*%?([A-Za-z_]\w*)%?\s*(\([^=]*\))?\s*=(.*)$")
_COMMENTS = ("/COM", "C***", "/TITL", "/STIT")
_RELEASE = re.compile(r"R?\d\.\d|UNBL")
_LARGEST_INTEGER = 2**53  # beyond it a float is no exact whole number


@dataclass(frozen=True)
class Command:
    """A command with its arguments as text; the first argument has position 1, as in the manuals.

    Attributes
    ----------
    name : str
        In upper case, as written.
    arguments : tuple of str
        Without surrounding blanks.
    left_off : int
        How many arguments stood before them.
    """

    name: str
    arguments: tuple[str, ...]
    file: str
    line: int
    parameters: Mapping[str, float | str | None]
    left_off: int = 0

    @property
    def key(self) -> str:
        """What identifies the command: four characters (Ansys reads no more), all of those that begin with * or /."""
        return self.name if self.name[0] in "*/~" else self.name[:4]

    @property
    def place(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self.line}"

    @property
    def where(self) -> str:
        """ "file:line: COMMAND", the start of every message about it."""
        return f"{self.file}:{self.line}: {self.name}"

    def wrong(self, text: str) -> MeshError:
        """The error that something is wrong with the command."""
        return MeshError(f"{self.where}: {text}")

    def coded(self) -> tuple[str, Command]:
        """Of the form in which CDWRITE writes commands (N,R5.3,LOC,...) the second argument, and what is behind it.

        An empty text, and the command itself, when it has not that form.
        """
        if not _RELEASE.fullmatch(self.text(1)):
            return "", self
        return self.text(2), replace(self, arguments=self.arguments[2:], left_off=2)

    def raw(self, position: int) -> str:
        """An argument as written; empty when it is not given."""
        return self.arguments[position - 1] if position <= len(self.arguments) else ""

    def text(self, position: int) -> str:
        """An argument in upper case, without quotes; of a parameter that holds a text the text."""
        given = self.raw(position).upper()
        value = self.parameters.get(given.strip("%")) if given.startswith("%") and given.endswith("%") else None
        return value.upper() if isinstance(value, str) else given.strip("'")

    def texts(self, first: int) -> list[str]:
        """All arguments from one on."""
        return [self.text(position) for position in range(first, len(self.arguments) + 1)]

    def number(self, position: int, default: float | None = None) -> float:
        """A number; ``default`` where none is given. MeshError when it is none, or missing without a default."""
        text, label = self.raw(position), f"argument {position + self.left_off}"
        if not text and default is None:
            raise self.wrong(f"{label} is missing; it must be a number.")
        value = evaluate(text, self.parameters) if text else default
        if value is None:
            raise self.wrong(f"{label}, '{text[:40]}', is neither a number nor a parameter that the deck sets; write the number.")
        return value

    def numbers(self, first: int, count: int) -> list[float]:
        """So many numbers; blanks are 0."""
        return [self.number(position, 0.0) for position in range(first, first + count)]

    def given(self, first: int, count: int | None = None) -> dict[int, float]:
        """The numbers that are given among all arguments from one on, or among so many; the first is number 0."""
        last = len(self.arguments) if count is None else min(first + count - 1, len(self.arguments))
        return {position - first: self.number(position) for position in range(first, last + 1) if self.text(position)}

    def integer(self, position: int, default: int | None = None) -> int:
        """A whole number, as ``number``."""
        value = self.number(position, default)
        if value != int(value) or abs(value) > _LARGEST_INTEGER:
            raise self.wrong(f"argument {position + self.left_off} is {value:g}; it must be a whole number.")
        return int(value)

    def integers(self, first: int) -> list[int]:
        """All whole numbers from an argument on; blanks are 0."""
        return [self.integer(position, 0) for position in range(first, len(self.arguments) + 1)]


def commands_of(text: str, source: Source, parameters: Mapping[str, float | str | None]) -> Iterator[Command]:
    """The commands of the present line; none of blank lines and comments. NAME = value is a *SET.

    Raises MeshError when the line is no command (numbers outside of a block, binary garbage).
    """
    if text.lstrip().upper().startswith(_COMMENTS):
        return
    for part in _split(next(_split(text, "!")), "$"):
        if not part.strip() or part.lstrip().startswith(":"):  # a label of *GO
            continue
        assigned = _ASSIGNMENT.match(part)
        match = assigned or _NAME.match(part)
        if match is None:
            found = f"{source.place}: {part.strip()[:40]!r} was found instead of a command"
            raise MeshError(f"{found}; numbers belong in a block (NBLOCK, EBLOCK), whose first line is missing or damaged.")
        name, arguments = match[1].upper(), tuple(argument.strip() for argument in _split(part[match.end() :], ","))
        if assigned:
            name, arguments = "*SET", (name + (assigned[2] or ""), assigned[3].strip())
        yield Command(name, arguments, source.file, source.line, parameters)


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
