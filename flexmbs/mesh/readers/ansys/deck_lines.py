"""The lines of a deck and of the files that it includes, with their numbers."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TextIO

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.included_files import Includes

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
